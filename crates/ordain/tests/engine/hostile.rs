//! Few items, none to ask, and items that are all the same.

use std::sync::Arc;

use ordain::active::{Candidates, Strategy, choose};
use ordain::data::{Answer, ItemId, Outcome};
use ordain::gp::{AnswerModel, Belief, CovarianceForm, Incremental};
use ordain::kernel::{Form, Independent, Kernel, Rho, VectorKernel, Vectors};
use ordain::numeric::Seed;

use crate::problems::{attributes, linked, random};
use crate::questions::session;

const STRATEGIES: [Strategy; 9] = [
    Strategy::ExpectedLoss { focus: 1.0 },
    Strategy::ExpectedLoss { focus: 0.0 },
    Strategy::ExpectedRegret { focus: 0.1 },
    Strategy::TopRegret { k: 1 },
    Strategy::TopRegret { k: 0 },
    Strategy::VarianceRatio,
    Strategy::Entropy,
    Strategy::BestOption,
    Strategy::OptimisticBest,
];

const FORMS: [CovarianceForm; 2] = [CovarianceForm::Lazy, CovarianceForm::Dense];

/// Every pair is asked once, and then none.
fn ask_all(kernel: &Arc<dyn Kernel>) {
    let n = kernel.len();
    for strategy in STRATEGIES {
        for form in FORMS {
            let mut session = session(kernel, strategy, false, form, 1);
            let mut asked = std::collections::HashSet::new();
            while let Some(question) = session.ask().unwrap() {
                assert!(!question.score.is_nan(), "{strategy}: {question:?}");
                let (i, j) = (question.first.index(), question.second.index());
                assert!(i != j && asked.insert((i.min(j), i.max(j))), "{strategy}: {question:?}");
                session.prefetch(&question).unwrap();
                let outcome = if asked.len() % 3 == 0 { Outcome::Second } else { Outcome::First };
                session.tell(Answer::new(question.first, Some(question.second), outcome).unwrap()).unwrap();
            }
            assert_eq!(asked.len(), n * n.saturating_sub(1) / 2, "{strategy}");
            assert!(session.ask_many(3).unwrap().is_empty());
            let belief = session.belief();
            assert!(belief.mean().iter().chain(belief.variances()).all(|value| value.is_finite()));
        }
    }
}

#[test]
fn none_to_three_items() {
    for n in 0..4 {
        ask_all(&(Arc::new(Independent::new(n)) as Arc<dyn Kernel>));
    }
    ask_all(&linked(3, 2, 1));
}

/// More than a block, so that all of them run dry.
#[test]
fn all_pairs_of_a_few_blocks() {
    ask_all(&random(19, 2, 2));
    ask_all(&linked(18, 20, 3));
}

/// No difference varies, so nothing can be learned; a pair is asked all the same, and nothing is NaN.
#[test]
fn items_that_are_all_the_same() {
    let vectors = Vectors::from_attributes(&attributes(&vec![vec![0.3, -1.0]; 20])).unwrap();
    let form = Form::SquaredExponential { kappa: 2.0, rho: Rho::Shared(1.0) };
    ask_all(&(Arc::new(VectorKernel::new(vectors, form).unwrap()) as Arc<dyn Kernel>));
}

#[test]
fn nothing_is_asked_where_all_is_excluded() {
    let kernel = random(40, 2, 4);
    for belief in [Incremental::lazy(kernel.clone()).unwrap(), Incremental::dense(kernel).unwrap()] {
        for strategy in STRATEGIES {
            let mut candidates = Candidates::new(None);
            (0..40).for_each(|i| (0..i).for_each(|j| candidates.exclude(ItemId::new(i), ItemId::new(j))));
            let ask = |candidates: &Candidates| {
                let mut stream = Seed(1).stream(0);
                choose(&belief as &dyn Belief, &AnswerModel::default(), strategy, candidates, &mut stream).unwrap()
            };
            assert_eq!(ask(&candidates), None);
            assert_eq!(ask(&Candidates::new(None).with_pool([])), None);
            let only = [(ItemId::new(31), ItemId::new(2))];
            let question = ask(&Candidates::new(None).with_pool(only)).unwrap();
            let pair = (
                question.first.index().min(question.second.index()),
                question.first.index().max(question.second.index()),
            );
            assert_eq!(pair, (2, 31), "{strategy}");
        }
    }
}
