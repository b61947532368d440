//! Beyond 5,000 items the search may stop before it is sure.

use ordain::active::{CovarianceForm, Judge, Strategy};
use ordain::data::Goal;
use ordain::gp::AnswerModel;
use ordain::numeric::Seed;

use crate::common::normal;
use crate::plain::{Plain, Scan};
use crate::problems::{linked, random};
use crate::questions::{key, session};

/// Scores of pairs that are asked are at least this part of the best.
const LEAST: f64 = 0.9;

#[test]
fn nearly_the_best_of_6000_items() {
    let n = 6000;
    for (kernel, name) in [(random(n, 5, 1), "attributes"), (linked(n, 2 * n, 2), "links")] {
        let model = AnswerModel::default();
        let judge = Judge::from(&model);
        for strategy in
            [Strategy::ExpectedLoss { focus: 1.0 }, Strategy::for_goal(Goal::WholeOrder, n as f64), Strategy::Entropy]
        {
            let mut stream = Seed(5).stream(0);
            let utilities: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
            let mut plain = Plain::new(kernel.as_ref(), model.lambda());
            let mut session = session(&kernel, strategy, false, CovarianceForm::Lazy, 1);
            let mut asked = std::collections::HashSet::new();
            let mut least = f64::INFINITY;
            let (steps, every) = STEPS;
            for step in 0..steps {
                let question = session.ask().unwrap().unwrap();
                let (i, j) = key(&question);
                if step % every == every - 1 {
                    let scan = Scan::new(&mut plain, strategy, &ALL_ONE[..n]);
                    let best = scan.best(|i, j| !asked.contains(&(i, j)));
                    least = least.min(scan.score(i, j).0 / best.0);
                }
                assert!(i != j && asked.insert((i, j)));
                let answer = judge.compare(&utilities, question.first, question.second, &mut stream).unwrap();
                let (first, second) = (answer.first.index(), answer.second.unwrap().index());
                let first_won = answer.outcome == ordain::data::Outcome::First;
                plain.observe(if first_won { first } else { second }, if first_won { second } else { first });
                session.tell(answer).unwrap();
            }
            println!("{name}, {strategy}: at least {least:.4} of the best");
            assert!(least > LEAST, "{name}, {strategy}: {least}");
        }
    }
}

/// Steps, and how many between scans.
const STEPS: (usize, usize) = (60, 20);

/// One group.
static ALL_ONE: [usize; 6000] = [0; 6000];
