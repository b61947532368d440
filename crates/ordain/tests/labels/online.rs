//! Algorithm 1 of CLR: its bound, its steps as printed, and its kernel.

use super::*;

/// A separable stream: examples of norm at most 1 whose constraints all hold with some margin under weights of norm 1.
fn separable(kind: &str, task: u64, margin: f64) -> Vec<(Vec<f64>, Target)> {
    let mut stream = stream(task);
    let mut truth: Vec<f64> = (0..4 * 5).map(|_| normal(&mut stream)).collect();
    let norm = truth.iter().map(|weight| weight * weight).sum::<f64>().sqrt();
    truth.iter_mut().for_each(|weight| *weight /= norm);
    let mut out = Vec::new();
    while out.len() < 300 {
        let mut example: Vec<f64> = (0..5).map(|_| normal(&mut stream)).collect();
        let norm = example.iter().map(|value| value * value).sum::<f64>().sqrt();
        example.iter_mut().for_each(|value| *value /= norm);
        let of: Vec<f64> =
            truth.chunks(5).map(|weights| weights.iter().zip(&example).map(|(w, x)| w * x).sum()).collect();
        let target = targets(kind, &of);
        let known = Encoding::default().preferences(&target, 4);
        let across = known.relevant.iter().flat_map(|&one| known.irrelevant.iter().map(move |&other| (one, other)));
        let wide = known.pairs.iter().copied().chain(across).all(|(one, other)| of[one] - of[other] >= margin)
            && known.relevant.iter().all(|&label| of[label] >= margin)
            && known.irrelevant.iter().all(|&label| of[label] <= -margin);
        if wide {
            out.push((example, target));
        }
    }
    out
}

/// The bound of CLR: on separable streams the losses sum up to at most 2 Λ R² / γ², with Λ = R = 1. So the updates end.
#[test]
fn losses_are_bounded_on_separable_streams() {
    let margin = 0.05;
    for (number, kind) in KINDS.iter().enumerate() {
        for encoding in [Encoding::default(), Encoding::default().adjacent(), Encoding::default().lowest_only()] {
            for loss in [LabelLoss::ZeroOne, LabelLoss::Hamming, LabelLoss::Kendall, LabelLoss::Footrule] {
                let examples = separable(kind, 100 + number as u64, margin);
                let mut ranker = OnlineRanker::new(4, 5);
                if loss.of(&[0.0; 4], &examples[0].1).is_err() {
                    continue;
                }
                let (mut total, mut last) = (0.0, f64::INFINITY);
                while last > 0.0 {
                    last = 0.0;
                    for (example, target) in &examples {
                        last += ranker.learn(example, target, encoding, loss).unwrap();
                    }
                    total += last;
                    assert!(total <= 2.0 / (margin * margin), "{kind}, {loss}: {total}");
                }
                assert!(total > 0.0, "{kind}, {loss}");
            }
        }
    }
}

/// Algorithm 1 as the paper prints it, with its mean over steps: loss · β / c.
#[test]
fn the_algorithm_as_printed() {
    for kind in KINDS {
        for encoding in [Encoding::ALL, Encoding::ALL.adjacent(), Encoding::ALL.lowest_only()] {
            let loss = LabelLoss::Kendall;
            let stream = separable(kind, 200, 0.0);
            let mut ranker = OnlineRanker::new(4, 5);
            let mut weights = [[0.0; 5]; 4];
            let mut sum = [[0.0; 5]; 4];
            for (example, target) in &stream {
                let utilities: Vec<f64> =
                    weights.iter().map(|of| of.iter().zip(example).map(|(w, x)| w * x).sum::<f64>()).collect();
                let suffered = loss.of(&utilities, target).unwrap();
                let known = encoding.preferences(target, 4);
                let (mut beta, mut c) = ([0.0; 4], 0.0);
                let mut pairs = known.pairs.clone();
                for &r in &known.relevant {
                    pairs.extend(known.irrelevant.iter().map(|&s| (r, s)));
                }
                for (r, s) in pairs {
                    if utilities[r] <= utilities[s] {
                        beta[r] += 1.0;
                        beta[s] -= 1.0;
                        c += 1.0;
                    }
                }
                for &r in &known.relevant {
                    if utilities[r] <= 0.0 {
                        beta[r] += 1.0;
                        c += 1.0;
                    }
                }
                for &r in &known.irrelevant {
                    if utilities[r] >= 0.0 {
                        beta[r] -= 1.0;
                        c += 1.0;
                    }
                }
                if suffered > 0.0 {
                    for label in 0..4 {
                        for at in 0..5 {
                            weights[label][at] += suffered * beta[label] / c * example[at];
                        }
                    }
                }
                for (sum, weights) in sum.iter_mut().flatten().zip(weights.iter().flatten()) {
                    *sum += weights;
                }
                assert!((ranker.learn(example, target, encoding, loss).unwrap() - suffered).abs() < 1e-12);
            }
            let near = |ours: Vec<f64>, theirs: &[[f64; 5]; 4], share: f64| {
                ours.iter().zip(theirs.iter().flatten()).all(|(one, other)| (one - share * other).abs() < 1e-10)
            };
            assert!(near(ranker.clone().into_weights(false), &weights, 1.0), "{kind}");
            assert!(near(ranker.into_weights(true), &sum, 1.0 / stream.len() as f64), "{kind}");
        }
    }
    let mut ranker = OnlineRanker::new(2, 3);
    for wrong in [&[1.0, 2.0][..], &[], &[1.0, f64::NAN, 0.0]] {
        assert!(ranker.learn(wrong, &Target::Class(0), Encoding::ALL, LabelLoss::ZeroOne).is_err());
    }
}

/// l-multilabel classification: so many labels come first, and no zero point is known.
#[test]
fn so_many_labels_come_first() {
    let first = |task: u64, count: usize| {
        let (attributes, utilities) = utilities(task, count);
        let labels = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let targets = utilities.iter().map(|of| Target::First(order(of)[..2].to_vec())).collect();
        LabelledExamples::new(attributes, labels, targets).unwrap()
    };
    let (train, test) = (first(20, 400), first(21, 200));
    for (name, learner) in learners() {
        let model = learner.fit(&train, &Watch::NONE).unwrap();
        assert!(!model.is_calibrated(), "{name}");
        let found = model.predict(test.attributes()).unwrap();
        let wrong: f64 = found
            .iter()
            .zip(test.targets())
            .map(|(found, target)| LabelLoss::Hamming.of(&found.utilities, target).unwrap())
            .sum();
        assert!(wrong / 200.0 < 0.15, "{name}: {wrong}");
        let evaluation = LabelEvaluation::of(&found, test.targets(), 4).unwrap();
        assert!(evaluation.ranking_loss.is_some() && evaluation.hamming.is_none(), "{name}");
    }
}

/// With a kernel the algorithm is the linear one on any features whose products are the kernel, here the rows of its Cholesky factor.
#[test]
fn the_kernel_is_linear_in_its_features() {
    let train = examples("top", 8, 40);
    let width = 0.8;
    let params = OnlineParams::default().with_features(Features::Kernel { width }).with_seed(Seed(5));
    let found = params.fit(&train, &Watch::NONE).unwrap().predict(train.attributes()).unwrap();
    // Standardised by hand: the constant attribute says nothing, and counts as one of four.
    let count = train.len();
    let column = |at: usize| (0..count).map(|row| train.attributes().row(row)[at]).collect::<Vec<f64>>();
    let standard = |values: Vec<f64>| {
        let mean = values.iter().sum::<f64>() / count as f64;
        let deviation = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count as f64).sqrt();
        values.into_iter().map(|value| (value - mean) / deviation).collect::<Vec<f64>>()
    };
    let columns = [0, 1, 2].map(|at| standard(column(at)));
    let kernel = |one: usize, other: usize| {
        let distance: f64 = columns.iter().map(|values| (values[one] - values[other]).powi(2)).sum();
        1.0 + (-distance / (2.0 * 4.0 * width * width)).exp()
    };
    let mut factor = vec![vec![0.0; count]; count];
    for row in 0..count {
        for at in 0..=row {
            let product: f64 = (0..at).map(|k| factor[row][k] * factor[at][k]).sum();
            let left: f64 = kernel(row, at) - product;
            factor[row][at] = if at == row { left.sqrt() } else { left / factor[at][at] };
        }
    }
    let mut ranker = OnlineRanker::new(4, count);
    let mut stream = Seed(5).stream(0);
    let mut order: Vec<usize> = (0..count).collect();
    let mut sums = vec![[0.0; 4]; count];
    for _ in 0..5 {
        order.shuffle(&mut stream);
        for &at in &order {
            ranker.learn(&factor[at], &train.targets()[at], Encoding::default(), LabelLoss::ZeroOne).unwrap();
            for (sums, row) in sums.iter_mut().zip(&factor) {
                sums.iter_mut().zip(ranker.utilities(row)).for_each(|(sum, utility)| *sum += utility);
            }
        }
    }
    for (found, sums) in found.iter().zip(&sums) {
        for (found, sum) in found.utilities.iter().zip(sums) {
            // The factor loses some digits, since near examples are nearly alike.
            assert!((found - sum / (5 * count) as f64).abs() < 1e-6, "{found} {}", sum / (5 * count) as f64);
        }
    }
}
