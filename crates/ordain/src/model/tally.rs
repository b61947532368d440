//! What is counted of the answers of every judge.

use std::collections::BTreeMap;

use crate::data::{Answer, Gold, ItemId, Outcome};

/// What is counted of a judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// The name, if the judge has one.
    pub judge: Option<String>,
    /// The answers, without skips.
    pub answers: usize,
    /// Those that call a tie.
    pub ties: usize,
    /// The questions that he said nothing of.
    pub skips: usize,
    /// The agreement with all other judges.
    pub agreement: Agreement,
}

/// How often a judge and all others say the same, where both compared the same two items. Every answer of the judge is set beside every
/// answer of every other judge about the same pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Agreement {
    /// The different pairs of items that both compared.
    pub pairs: usize,
    /// The answers that were set beside each other, two by two.
    pub count: usize,
    /// Those that are the same.
    pub agreed: usize,
    /// Those in which the judge calls a tie, and those in which the other does.
    pub ties: [usize; 2],
}

impl Agreement {
    /// The agreement beyond chance (Cohen's kappa): 1 is full agreement, 0 is chance. `None` if both compared no pair, or if chance
    /// alone agrees always.
    ///
    /// By chance, the judge and the others call ties as often as they do, independently of each other, and prefer either item equally
    /// often: which of two items stands first means nothing.
    pub fn beyond_chance(self) -> Option<f64> {
        let share = |count: usize| count as f64 / self.count as f64;
        let [own, other] = self.ties.map(share);
        let chance = own * other + 0.5 * (1.0 - own) * (1.0 - other);
        (self.count > 0 && chance < 1.0).then(|| (share(self.agreed) - chance) / (1.0 - chance))
    }

    /// Adds a pair of items, of which the judge and all others said each outcome so often.
    fn add(&mut self, own: [usize; 3], others: [usize; 3]) {
        let [said, told]: [usize; 2] = [own, others].map(|outcomes| outcomes.iter().sum());
        self.pairs += usize::from(said * told > 0);
        self.count += said * told;
        self.agreed += own.iter().zip(others).map(|(one, other)| one * other).sum::<usize>();
        self.ties[0] += own[2] * told;
        self.ties[1] += said * others[2];
    }
}

/// Two items, the one with the smaller number first.
type Pair = (ItemId, ItemId);

/// A comparison of a pair, and which item is preferred: the first (0), the second (1) or neither (2).
fn comparison(answer: &Answer) -> Option<(Pair, usize)> {
    let second = answer.second?;
    // Votes, strengths and probabilities count as what they favour.
    let side = match answer.outcome.plain()? {
        Outcome::First => 0,
        Outcome::Second => 1,
        _ => 2,
    };
    let in_order = answer.first < second;
    let pair = if in_order { (answer.first, second) } else { (second, answer.first) };
    Some((pair, if in_order || side == 2 { side } else { 1 - side }))
}

/// All judges, the busiest first; those with equally many answers by name. Answers about gold pairs count, but for the agreement.
pub(super) fn tallies(answers: &[&Answer], gold: &Gold) -> Vec<Tally> {
    let mut judges: BTreeMap<Option<&str>, Tally> = BTreeMap::new();
    // Of every pair, how often each judge preferred the first, the second and neither.
    let mut pairs: BTreeMap<Pair, BTreeMap<Option<&str>, [usize; 3]>> = BTreeMap::new();
    for answer in answers {
        let judge = answer.judge.as_deref();
        let tally = judges.entry(judge).or_insert_with(|| Tally { judge: answer.judge.clone(), ..Tally::default() });
        if answer.is_skip() {
            tally.skips += 1;
            continue;
        }
        tally.answers += 1;
        let Some((pair, side)) = comparison(answer) else { continue };
        tally.ties += usize::from(side == 2);
        if !gold.is_about(answer) {
            pairs.entry(pair).or_default().entry(judge).or_default()[side] += 1;
        }
    }
    for said in pairs.values() {
        let all: [usize; 3] = std::array::from_fn(|side| said.values().map(|own| own[side]).sum());
        for (judge, &own) in said {
            let others = std::array::from_fn(|side| all[side] - own[side]);
            if let Some(tally) = judges.get_mut(judge) {
                tally.agreement.add(own, others);
            }
        }
    }
    let mut tallies: Vec<Tally> = judges.into_values().collect();
    tallies.sort_by_key(|tally| std::cmp::Reverse(tally.answers));
    tallies
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(all: &[(u32, u32, Outcome, &str)]) -> Vec<Answer> {
        let one = |&(first, second, outcome, judge): &(u32, u32, Outcome, &str)| {
            Answer::new(ItemId(first), Some(ItemId(second)), outcome).unwrap().by(judge)
        };
        all.iter().map(one).collect()
    }

    fn of(answers: &[Answer], gold: &Gold) -> Vec<Tally> {
        tallies(&answers.iter().collect::<Vec<_>>(), gold)
    }

    #[test]
    fn two_judges_by_hand() {
        use Outcome::{First, Second, Skip, Tie};
        // They agree on three pairs of four, one of them asked the other way round. Chance agrees on two.
        let mut said = answers(&[
            (0, 1, First, "ann"),
            (0, 1, First, "bob"),
            (0, 2, First, "ann"),
            (2, 0, Second, "bob"),
            (1, 2, First, "ann"),
            (1, 2, First, "bob"),
            (1, 3, First, "ann"),
            (1, 3, Second, "bob"),
            (2, 3, First, "ann"),
            (2, 3, Skip, "bob"),
        ]);
        let found = of(&said, &Gold::default());
        let [ann, bob] = &found[..] else { panic!("{found:?}") };
        assert_eq!((ann.judge.as_deref(), ann.answers, ann.skips), (Some("ann"), 5, 0));
        assert_eq!((bob.judge.as_deref(), bob.answers, bob.skips), (Some("bob"), 4, 1));
        let common = Agreement { pairs: 4, count: 4, agreed: 3, ties: [0, 0] };
        assert_eq!((ann.agreement, bob.agreement), (common, common));
        assert_eq!(common.beyond_chance(), Some(0.5));
        // Two more pairs: a tie of both, and one of bob alone. They agree on four of six. Ann calls a tie in a sixth, bob in a third:
        // chance agrees in 1/6 · 1/3 + 1/2 · 5/6 · 2/3 = 1/3, and (4/6 - 1/3) / (1 - 1/3) = 1/2.
        said.extend(answers(&[(0, 3, Tie, "ann"), (3, 0, Tie, "bob"), (4, 0, First, "ann"), (4, 0, Tie, "bob")]));
        // What is known as gold is judged apart.
        said.extend(answers(&[(4, 1, First, "ann"), (4, 1, First, "bob")]));
        let gold = Gold::new([(ItemId(1), ItemId(4), First)]).unwrap();
        let found = of(&said, &gold);
        assert_eq!((found[0].answers, found[0].ties, found[1].answers, found[1].ties), (8, 1, 7, 2));
        assert_eq!(found[0].agreement, Agreement { pairs: 6, count: 6, agreed: 4, ties: [1, 2] });
        assert_eq!(found[1].agreement, Agreement { pairs: 6, count: 6, agreed: 4, ties: [2, 1] });
        // Thirds and sixths round.
        assert!((found[0].agreement.beyond_chance().unwrap() - 0.5).abs() < 1e-15);
        // Nothing in common, or ties alone: chance explains everything.
        let alone = of(&answers(&[(0, 1, First, "ann"), (0, 2, First, "bob")]), &Gold::default());
        assert_eq!((alone[0].agreement, alone[0].agreement.beyond_chance()), (Agreement::default(), None));
        let ties = of(&answers(&[(0, 1, Tie, "ann"), (0, 1, Tie, "bob")]), &Gold::default());
        assert_eq!((ties[0].agreement.pairs, ties[0].agreement.beyond_chance()), (1, None));
    }

    /// Cohen's kappa from the definition: a list of both outcomes for every two answers about one pair of items, the judge's first.
    fn by_definition(answers: &[Answer], judge: &str) -> (usize, f64) {
        let mut both = Vec::new();
        for own in answers.iter().filter(|answer| answer.judge.as_deref() == Some(judge)) {
            for other in answers.iter().filter(|other| other.judge != own.judge) {
                let (Some((pair, side)), Some((same, said))) = (comparison(own), comparison(other)) else { continue };
                if pair == same {
                    both.push((side, said));
                }
            }
        }
        let share = |of: &dyn Fn(&(usize, usize)) -> bool| {
            both.iter().filter(|both| of(both)).count() as f64 / both.len() as f64
        };
        let (own, other) = (share(&|both| both.0 == 2), share(&|both| both.1 == 2));
        // Of each, ties at their share, and either item at half of the rest.
        let law = |tie: f64| [0.5 * (1.0 - tie), 0.5 * (1.0 - tie), tie];
        let chance: f64 = law(own).iter().zip(law(other)).map(|(one, other)| one * other).sum();
        (both.len(), (share(&|both| both.0 == both.1) - chance) / (1.0 - chance))
    }

    /// Many judges, ties, repeats, and single items, against the definition.
    #[test]
    fn agreement_by_definition() {
        let outcomes = [Outcome::First, Outcome::Second, Outcome::Tie, Outcome::First, Outcome::Skip];
        let judges = ["ann", "bob", "cyd"];
        // A fixed sequence without order: steps that share no factor with the counts.
        let one = |at: u32| {
            let (first, second) = (at * 7 % 5, (at * 7 % 5 + 1 + at * 3 % 4) % 5);
            (first, second, outcomes[(at * 11 % 13 % 5) as usize], judges[(at * 5 % 7 % 3) as usize])
        };
        let mut said = answers(&(0..200).map(one).collect::<Vec<_>>());
        said.push(Answer::new(ItemId(0), None, Outcome::Good).unwrap().by("ann"));
        let found = of(&said, &Gold::default());
        assert_eq!(found.len(), 3);
        for tally in &found {
            let (count, beyond) = by_definition(&said, tally.judge.as_deref().unwrap());
            assert!(count > 100);
            assert_eq!((tally.agreement.count, tally.agreement.pairs), (count, 10));
            // A few roundings.
            assert!((tally.agreement.beyond_chance().unwrap() - beyond).abs() < 1e-12, "{tally:?} {beyond}");
        }
    }
}
