//! Questions for the grade of a single item, in place of a comparison.
//!
//! The strategy chooses two items that matter for the goal. Comparing them tells something; so does the grade of one of them.
//! What is expected to take more entropy from the belief is asked (SSGP eqs. 9 and 10 for both). So items are graded when they
//! first matter, and those with like grades are compared. The thresholds are those that judges share.

use super::Question;
use super::pair_belief::{Answers, PairBelief, entropy};
use crate::Result;
use crate::data::{Answer, ItemId, Outcome};
use crate::gp::{AnswerModel, Belief};

/// An item whose grade is worth asking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradeQuestion {
    /// The item.
    pub item: ItemId,
    /// The entropy that the grade is expected to take from the belief, in nats.
    pub entropy: f64,
}

impl GradeQuestion {
    /// A grade as the answer, without a judge; `None` skips the question.
    pub fn answer(&self, grade: Option<i32>) -> Result<Answer> {
        Answer::new(self.item, None, grade.map_or(Outcome::Skip, Outcome::Grade))
    }
}

/// The item of a pair whose grade tells more than comparing the two, if there is one. Items that `asked` names are not asked again.
/// One column of covariances.
///
/// # Errors
/// If the kernel cannot give a column.
pub(crate) fn grade_instead(
    belief: &dyn Belief,
    model: &AnswerModel,
    question: &Question,
    asked: impl Fn(ItemId) -> bool,
) -> Result<Option<GradeQuestion>> {
    let Some(grading) = model.grading() else { return Ok(None) };
    let grades = grading.observations(ItemId::new(0));
    let (mean, variances) = (belief.mean(), belief.variances());
    let [first, second] = [question.first.index(), question.second.index()];
    let mut column = vec![0.0; belief.len()];
    belief.column(question.first, &mut column)?;
    let variance = variances[first] + variances[second] - 2.0 * column[second];
    let pair = PairBelief { means: [mean[first], mean[second]], variance, weight: 1.0 };
    let compared = pair.entropy(&Answers::new(model));
    let graded = |item: ItemId| {
        let (mean, variance) = (mean[item.index()], variances[item.index()]);
        let each = grades.iter().map(|one| (one.log_mass(mean, variance).exp(), one.moments(mean, variance)));
        GradeQuestion { item, entropy: entropy(variance, each) }
    };
    let open = [question.first, question.second].into_iter().filter(|&item| !asked(item)).map(graded);
    let best = open.reduce(|best, other| if other.entropy > best.entropy { other } else { best });
    Ok(best.filter(|best| best.entropy > compared))
}

/// Whether an item's grade is not to be asked: somebody would not give it, or gave it and nothing is asked twice.
pub(crate) fn grade_is_closed<'a>(answers: impl IntoIterator<Item = &'a Answer>, item: ItemId, repeat: bool) -> bool {
    let closes = |answer: &Answer| match answer.outcome {
        Outcome::Skip => true,
        Outcome::Grade(_) => !repeat,
        _ => false,
    };
    answers.into_iter().any(|answer| answer.first == item && answer.second.is_none() && closes(answer))
}
