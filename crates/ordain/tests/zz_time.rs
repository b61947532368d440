mod common;
use common::*;
use ordain::gp::*;
use std::time::Instant;
#[test]
fn time() {
    for (n, m, sc) in [(152, 200,3.), (152, 2000,3.), (1000, 200,3.), (1000, 2000,3.), (10,2000,10.),(10,2000,100.), (50,5000,100.), (10,20,1000.),(300,3000,30.)] {
        let mut s = stream(9);
        let x: Vec<Vec<f64>> = (0..n).map(|_| (0..25).map(|_| normal(&mut s)).collect()).collect();
        let k = ordain::numeric::Matrix::from_fn(n, n, |i, j| {
            let d: f64 = x[i].iter().zip(&x[j]).map(|(a, b)| (a - b) * (a - b)).sum();
            sc*sc * (-0.5 * d / 25.0).exp()+ if i==j {0.01} else {0.0}
        });
        let u = draw(&cholesky(&k), &mut s);
        let model = AnswerModel::default();
        let obs: Vec<_> = (0..m).map(|_| judge(&model, 0.0, &u, pair(n, &mut s), &mut s)).collect();
        let k = std::sync::Arc::new(Given(k));
        for _ in 0..2 {
        let t = Instant::now();
        match EpParams::default().fit(k.clone(), &obs) {
        Ok(ep)=> println!("{n} {m} {sc}: {:?} iterations {}", t.elapsed(), ep.iterations()),
        Err(e)=> println!("{n} {m} {sc}: {e}")}
        }
    }
}
