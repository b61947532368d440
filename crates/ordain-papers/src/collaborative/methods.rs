//! Ways to predict the grades of users, and their errors.

use ordain::Result;
use ordain::data::{GradeScale, ItemId, Items, Opinions, Ratings};
use ordain::gp::{Belief, CollaborativeParams, Cuts, median_grade, mode_grade};
use ordain::learn::{GradesAs, Likeness, RatersParams};

/// The number of grades.
pub(super) const GRADES: usize = 5;

/// A way to predict grades.
pub(super) enum Method {
    /// The mean of an item over users, or of a user over items; all that is known, as grades.
    ItemMean,
    UserMean,
    /// A Gaussian process: how grades are read, rounds of EM, and whether users share their prior.
    Process(GradesAs, usize, bool),
}

pub(super) const METHODS: [(&str, Method); 10] = [
    ("item mean", Method::ItemMean),
    ("user mean", Method::UserMean),
    ("GPR", Method::Process(GradesAs::Values, 10, false)),
    ("CGPR", Method::Process(GradesAs::Values, 10, true)),
    ("GPOR", Method::Process(GradesAs::Ordinal, 10, false)),
    ("CGPOR", Method::Process(GradesAs::Ordinal, 10, true)),
    ("CGPR, 3 rounds", Method::Process(GradesAs::Values, 3, true)),
    ("CGPR, 20 rounds", Method::Process(GradesAs::Values, 20, true)),
    ("CGPOR, 3 rounds", Method::Process(GradesAs::Ordinal, 3, true)),
    ("CGPOR, 20 rounds", Method::Process(GradesAs::Ordinal, 20, true)),
];

/// Grades that teach and grades that test.
pub(super) struct Split {
    /// The number of items.
    pub items: usize,
    pub taught: Vec<Opinions>,
    /// Every user's items and grades.
    pub tests: Vec<Vec<(usize, usize)>>,
}

impl Split {
    /// The mean absolute and the mean zero-one error, over all grades of all users.
    pub fn errors(&self, method: &Method, raters: &[Vec<(ItemId, f64)>], cuts: Option<&Cuts>) -> Result<[f64; 2]> {
        let by_grades = |predicted: &dyn Fn(usize, usize) -> usize| {
            let (mut absolute, mut wrong, mut count) = (0.0, 0.0, 0.0_f64);
            for (user, tests) in self.tests.iter().enumerate() {
                for &(item, grade) in tests {
                    let predicted = predicted(user, item);
                    absolute += predicted.abs_diff(grade) as f64;
                    wrong += f64::from(u8::from(predicted != grade));
                    count += 1.0;
                }
            }
            [absolute / count, wrong / count]
        };
        Ok(match method {
            Method::UserMean => {
                let means: Vec<usize> =
                    self.taught.iter().map(|user| rounded_mean(user.grades.iter().map(|(_, grade)| *grade))).collect();
                by_grades(&|user, _| means[user])
            }
            // An item that nobody was taught has the mean of all grades.
            Method::ItemMean => {
                let all = || self.taught.iter().flat_map(|user| user.grades.iter());
                let everything = rounded_mean(all().map(|(_, grade)| *grade));
                let mean = |item: usize| {
                    let own: Vec<usize> =
                        all().filter(|(other, _)| other.index() == item).map(|(_, grade)| *grade).collect();
                    if own.is_empty() { everything } else { rounded_mean(own.into_iter()) }
                };
                let means: Vec<usize> = (0..self.items).map(mean).collect();
                by_grades(&|_, item| means[item])
            }
            &Method::Process(grades, rounds, together) => {
                let shared = CollaborativeParams::default().with_rounds(rounds).with_learn_prior(together);
                let params = RatersParams::default().with_grades(grades).with_cuts(cuts.cloned()).with_shared(shared);
                let names = (0..self.taught.len()).map(|user| user.to_string());
                let items = Items::from_ids((0..self.items).map(|item| item.to_string()))?;
                let ratings = Ratings::new(
                    items,
                    Some(GradeScale::new(1, GRADES as i32)?),
                    names.zip(self.taught.clone()).collect(),
                )?;
                let model = params.train(ratings, Likeness::Raters(raters))?;
                let mut predicted = Vec::new();
                for user in 0..self.taught.len() {
                    let (belief, opinions) = (model.learned().belief(user)?, model.learned().model_of(user));
                    let shares = |item: usize| opinions.probabilities(belief.mean()[item], belief.variances()[item]);
                    predicted.push(
                        (0..self.items)
                            .map(|item| [median_grade(&shares(item)), mode_grade(&shares(item))])
                            .collect::<Vec<_>>(),
                    );
                }
                let [absolute, _] = by_grades(&|user, item| predicted[user][item][0]);
                let [_, wrong] = by_grades(&|user, item| predicted[user][item][1]);
                [absolute, wrong]
            }
        })
    }
}

/// The mean, rounded; the middle grade if there is none.
fn rounded_mean(grades: impl Iterator<Item = usize>) -> usize {
    let (sum, count) = grades.fold((0.0, 0.0), |(sum, count), grade| (sum + grade as f64, count + 1.0));
    if count > 0.0 { (sum / count).round() as usize } else { GRADES / 2 }
}

#[cfg(test)]
mod tests {
    use super::rounded_mean;

    #[test]
    fn means_are_grades() {
        assert_eq!(rounded_mean([0, 1, 1].into_iter()), 1);
        assert_eq!(rounded_mean(std::iter::empty()), 2);
    }
}
