//! Beyond 5,000 items the search may stop before it is sure.

use std::collections::HashSet;

use ordain::active::{Judge, Strategy};
use ordain::data::{Goal, Outcome};
use ordain::gp::{AnswerModel, CovarianceForm};
use ordain::numeric::Seed;

use crate::common::normal;
use crate::plain::{Plain, Scan};
use crate::problems::{linked, random};
use crate::questions::{key, session};

/// Scores of pairs that are asked are at least this part of the best.
const LEAST: f64 = 0.9;

/// The pair after 20 answers. Longer runs fell short by at most 0.07, of the entropy over attributes; else by nothing.
#[test]
fn nearly_the_best_of_6000_items() {
    let n = 6000;
    let (attributes, links) = (random(n, 5, 1), linked(n, 2 * n, 2));
    let whole_order = Strategy::for_goal(Goal::TopHeavy, n as f64);
    for (kernel, strategy) in [(&attributes, whole_order), (&attributes, Strategy::Entropy), (&links, whole_order)] {
        let model = AnswerModel::default();
        let judge = Judge::from(&model);
        let mut stream = Seed(5).stream(0);
        let utilities: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
        let mut plain = Plain::new(kernel.as_ref(), model.lambda());
        let mut session = session(kernel, strategy, false, CovarianceForm::Lazy, 1);
        let mut asked = HashSet::new();
        for _ in 0..20 {
            let question = session.ask().unwrap().unwrap();
            assert!(asked.insert(key(&question)));
            let answer = judge.compare(&utilities, question.first, question.second, &mut stream).unwrap();
            let (first, second) = (answer.first.index(), answer.second.unwrap().index());
            let first_won = answer.outcome == Outcome::First;
            plain.observe(if first_won { first } else { second }, if first_won { second } else { first });
            session.tell(answer).unwrap();
        }
        let (i, j) = key(&session.ask().unwrap().unwrap());
        assert!(!asked.contains(&(i, j)));
        let one_group = vec![0; n];
        let scan = Scan::new(&mut plain, strategy, &one_group);
        let share = scan.score(i, j).0 / scan.best(|i, j| !asked.contains(&(i, j))).0;
        println!("{strategy}: {share:.4} of the best");
        assert!(share > LEAST, "{strategy}: {share}");
    }
}
