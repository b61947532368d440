//! The same bits however a session came to where it is.

use std::sync::Arc;

use ordain::active::{Judge, Session, Strategy};
use ordain::data::{Answer, AnswerLog, Entry, ItemId};
use ordain::gp::{AnswerModel, CovarianceForm};
use ordain::kernel::Kernel;
use ordain::numeric::Seed;

use crate::common::normal;
use crate::problems::{linked, random};
use crate::questions::session;

/// Every bit that can be seen: means, variances, a column, the next question.
fn bits(session: &Session) -> Vec<u64> {
    let belief = session.belief();
    let mut column = vec![0.0; belief.len()];
    belief.column(ItemId::new(belief.len() / 2), &mut column).unwrap();
    let numbers = belief.mean().iter().chain(belief.variances()).chain(&column);
    let mut out: Vec<u64> = numbers.map(|value| value.to_bits()).collect();
    let question = session.ask().unwrap();
    out.extend(question.iter().flat_map(|one| [one.first.0.into(), one.second.0.into(), one.score.to_bits()]));
    out
}

fn start(kernel: &Arc<dyn Kernel>, strategy: Strategy) -> Session {
    session(kernel, strategy, true, CovarianceForm::Lazy, 3)
}

/// Answers in the order in which a session asks, and its bits after every 20th.
fn play(kernel: &Arc<dyn Kernel>, strategy: Strategy, steps: usize, prefetch: bool) -> (Vec<Answer>, Vec<Vec<u64>>) {
    let mut stream = Seed(4).stream(0);
    let utilities: Vec<f64> = (0..kernel.len()).map(|_| normal(&mut stream)).collect();
    let judge = Judge::from(&AnswerModel::default());
    let mut session = start(kernel, strategy);
    let (mut answers, mut seen) = (Vec::new(), Vec::new());
    for step in 0..steps {
        let question = session.ask().unwrap().unwrap();
        if prefetch {
            session.prefetch(&question).unwrap();
        }
        let answer = judge.compare(&utilities, question.first, question.second, &mut stream).unwrap();
        session.tell(answer.clone()).unwrap();
        answers.push(answer);
        if step % 20 == 19 {
            seen.push(bits(&session));
        }
    }
    (answers, seen)
}

/// 160 answers are compacted twice where they keep to few items, and turn 60 items dense.
#[test]
fn asked_or_told_resumed_prefetched_taken_back() {
    let kernels = [random(160, 4, 1), linked(160, 260, 2), random(60, 3, 3), linked(60, 80, 4)];
    for kernel in kernels {
        for strategy in [Strategy::ExpectedLoss { focus: 1.0 }, Strategy::Entropy, Strategy::OptimisticBest] {
            let (answers, seen) = play(&kernel, strategy, 160, false);
            assert_eq!(play(&kernel, strategy, 160, true), (answers.clone(), seen.clone()), "{strategy}, prefetched");
            // Told without being asked, and looked at in other places.
            let mut told = start(&kernel, strategy);
            for (number, answer) in answers.iter().enumerate() {
                told.tell(answer.clone()).unwrap();
                if number % 33 == 0 {
                    told.belief().column(ItemId::new(number % kernel.len()), &mut vec![0.0; kernel.len()]).unwrap();
                    told.ask_many(2).unwrap();
                }
            }
            assert_eq!(&bits(&told), seen.last().unwrap(), "{strategy}, told");
            let mut resumed = start(&kernel, strategy);
            let entries = answers[..100].iter().cloned().map(Entry::Answer).collect();
            resumed.resume(&AnswerLog::new(entries).unwrap()).unwrap();
            assert_eq!(bits(&resumed), seen[4], "{strategy}, resumed");
            // Six more, of which the last is taken back and told again.
            for answer in &answers[100..106] {
                resumed.tell(answer.clone()).unwrap();
            }
            let before = bits(&resumed);
            assert_eq!(resumed.undo(None).unwrap().as_ref(), Some(&answers[105]));
            resumed.tell(answers[105].clone()).unwrap();
            assert_eq!(bits(&resumed), before, "{strategy}, taken back");
        }
    }
}

/// Passes over 2^19 numbers are shared among threads: of 40,000 items after 16 answers.
#[test]
fn one_thread_or_two() {
    let kernels = [random(200, 4, 5), linked(200, 300, 6), random(40_000, 2, 7)];
    for (kernel, steps) in kernels.into_iter().zip([80, 80, 20]) {
        for strategy in [Strategy::ExpectedLoss { focus: 1.0 }, Strategy::OptimisticBest] {
            let run = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| play(&kernel, strategy, steps, false))
            };
            assert!(run(1) == run(2), "{strategy}");
        }
    }
}
