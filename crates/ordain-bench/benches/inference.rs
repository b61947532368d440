//! Batch EP, and one incremental step beside what moving the matrix through memory once costs on the same machine in
//! the same run.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ordain::gp::{EpParams, Incremental};
use ordain_bench::Problem;
use rayon::prelude::*;

/// The kernel matrix and EP's fixed point, for items and answers.
fn batch_ep(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("batch-ep");
    group.sample_size(10);
    for (items, answers) in [(152, 200), (152, 2000), (1000, 200), (1000, 2000)] {
        let problem = Problem::new(items, answers);
        let (kernel, observations) = (problem.kernel(), problem.observations());
        group.throughput(Throughput::Elements(answers as u64));
        group.bench_function(BenchmarkId::from_parameter(format!("n={items},answers={answers}")), |bencher| {
            bencher.iter(|| EpParams::default().fit(kernel.clone(), &observations).expect("a fixed point"));
        });
    }
    group.finish();
}

/// One answer in dense form, and its floor: every entry of an n x n matrix read, multiplied and written once.
fn incremental_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("incremental");
    for items in [152, 1000, 5000] {
        let problem = Problem::new(items, 500);
        let observations = problem.observations();
        // Entries are read and written.
        group.throughput(Throughput::Bytes(16 * (items * items) as u64));
        let mut belief = Incremental::dense(problem.kernel()).expect("a kernel matrix");
        let mut next = observations.iter().cycle();
        group.bench_function(BenchmarkId::new("step", items), |bencher| {
            bencher.iter(|| belief.observe(next.next().expect("an endless cycle")).expect("a column"));
        });
        let mut matrix = vec![1.0_f64; items * items];
        group.bench_function(BenchmarkId::new("floor", items), |bencher| {
            bencher.iter_batched(|| (), |()| pass(&mut matrix), BatchSize::SmallInput);
        });
    }
    group.finish();
}

/// On as many threads as the step uses, if it uses several.
fn pass(matrix: &mut [f64]) {
    let part = matrix.len().div_ceil(2);
    let scale = |chunk: &mut [f64]| chunk.iter_mut().for_each(|entry| *entry *= 0.999_999);
    if matrix.len() < 2_000_000 { scale(matrix) } else { matrix.par_chunks_mut(part).for_each(scale) }
}

criterion_group!(benches, batch_ep, incremental_step);
criterion_main!(benches);
