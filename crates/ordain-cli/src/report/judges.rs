//! Judges and their agreement.

use std::collections::BTreeMap;

use ordain::Project;
use ordain::data::{Answer, ItemId, Outcome};

use super::as_html;
use crate::output;

/// What is counted of a judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// The name, if the judge has one.
    pub judge: Option<String>,
    /// The answers, without skips.
    pub answers: usize,
    pub ties: usize,
    pub skips: usize,
    /// Preferences that agree with the ranking.
    pub with_ranking: Agreement,
    /// Comparisons of pairs that other judges compared too; every answer of every other judge counts.
    pub with_others: Agreement,
}

/// How often something agreed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Agreement {
    pub count: usize,
    /// How often it did agree. A half counts where it is undecided.
    pub agreed: f64,
    /// How often it would agree by chance.
    pub chance: f64,
}

impl Agreement {
    /// The share that agreed.
    fn share(self) -> f64 {
        self.agreed / self.count as f64
    }

    /// The agreement beyond chance (Cohen's kappa): 1 is full agreement, 0 is chance. `None` if chance alone agrees always.
    fn beyond_chance(self) -> Option<f64> {
        let chance = self.chance / self.count as f64;
        (chance < 1.0).then(|| (self.share() - chance) / (1.0 - chance))
    }
}

/// All judges, the busiest first; those with equally many answers by name. `means` are the items' expected utilities.
pub fn tallies(project: &Project, means: &[f64]) -> Vec<Tally> {
    count(&project.model().answers().standing(), means)
}

/// A comparison of a pair: its items in order, and which is preferred: the first (0), the second (1) or neither (2).
fn comparison(answer: &Answer) -> Option<((ItemId, ItemId), usize)> {
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

fn count(answers: &[&Answer], means: &[f64]) -> Vec<Tally> {
    let mut judges: BTreeMap<Option<&str>, Tally> = BTreeMap::new();
    let mut pairs: Sides<'_> = BTreeMap::new();
    for answer in answers {
        let judge = answer.judge.as_deref();
        let tally = judges.entry(judge).or_insert_with(|| Tally { judge: answer.judge.clone(), ..Tally::default() });
        if answer.outcome == Outcome::Skip {
            tally.skips += 1;
            continue;
        }
        tally.answers += 1;
        let Some((pair, side)) = comparison(answer) else { continue };
        pairs.entry(pair).or_default().entry(judge).or_default()[side] += 1;
        if side == 2 {
            tally.ties += 1;
            continue;
        }
        let lead = means[pair.0.index()] - means[pair.1.index()];
        let lead = if side == 0 { lead } else { -lead };
        tally.with_ranking.count += 1;
        tally.with_ranking.chance += 0.5;
        tally.with_ranking.agreed += if lead > 0.0 {
            1.0
        } else if lead < 0.0 {
            0.0
        } else {
            0.5
        };
    }
    with_others(&mut judges, &pairs);
    let mut tallies: Vec<Tally> = judges.into_values().collect();
    tallies.sort_by_key(|tally| std::cmp::Reverse(tally.answers));
    tallies
}

/// Of every pair, how often each judge preferred the first, the second and neither.
type Sides<'a> = BTreeMap<(ItemId, ItemId), BTreeMap<Option<&'a str>, [usize; 3]>>;

/// Counts the agreement of every judge with the others. Two judges agree by chance as often as they would if each kept the
/// share of ties, and preferred either item equally often: which item stands first means nothing.
fn with_others<'a>(judges: &mut BTreeMap<Option<&'a str>, Tally>, pairs: &Sides<'a>) {
    let mut sums: BTreeMap<Option<&str>, [usize; 2]> = BTreeMap::new();
    for (judge, sides) in pairs.values().flatten() {
        let sum = sums.entry(*judge).or_default();
        *sum = [sum[0] + sides[2], sum[1] + sides.iter().sum::<usize>()];
    }
    let ties: BTreeMap<Option<&str>, f64> =
        sums.into_iter().map(|(judge, [ties, all])| (judge, ties as f64 / all as f64)).collect();
    for own in pairs.values() {
        let all: [usize; 3] = std::array::from_fn(|side| own.values().map(|sides| sides[side]).sum());
        let total: usize = all.iter().sum();
        let tied = |(judge, sides): (&Option<&str>, &[usize; 3])| ties[judge] * sides.iter().sum::<usize>() as f64;
        let all_tied: f64 = own.iter().map(tied).sum();
        for (judge, sides) in own {
            let Some(tally) = judges.get_mut(judge) else { continue };
            let answers: usize = sides.iter().sum();
            let others = total - answers;
            let agreed: usize = (0..3).map(|side| sides[side] * (all[side] - sides[side])).sum();
            // The ties that the others' shares foresee.
            let tied = all_tied - ties[judge] * answers as f64;
            let (tie, decided) = (ties[judge], others as f64 - tied);
            tally.with_others.count += answers * others;
            tally.with_others.agreed += agreed as f64;
            tally.with_others.chance += answers as f64 * (tie * tied + (1.0 - tie) * decided / 2.0);
        }
    }
}

/// The ties and skips of a judge, if there are some.
fn beside(tally: &Tally) -> String {
    let counts = [(tally.ties, "tie"), (tally.skips, "skip")].into_iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = counts.map(|(count, thing)| output::count(count, thing)).collect();
    if words.is_empty() { String::new() } else { format!("<small>{}</small>", words.join(", ")) }
}

/// The section.
pub fn section(project: &Project, means: &[f64]) -> String {
    const SHOWN: usize = 50;
    /// Judges after these are folded up,
    const OPEN: usize = 10;
    /// if they are this many at least.
    const FOLDED: usize = 5;
    let tallies = tallies(project, means);
    if tallies.is_empty() {
        return String::new();
    }
    let agreement = |of: Agreement| match (of.count, of.beyond_chance()) {
        (0, _) => "<td>–</td>".to_owned(),
        (count, beyond) => {
            let beyond = beyond.map_or_else(|| "–".into(), |beyond| format!("{beyond:.2}").replace('-', "−"));
            format!("<td>{:.0}\u{A0}% of {count}<small>beyond chance {beyond}</small></td>", 100.0 * of.share())
        }
    };
    let row = |tally: &Tally| {
        let judge = tally.judge.as_deref().map_or_else(|| "<i>no name</i>".to_owned(), as_html);
        let others = if tallies.len() > 1 { agreement(tally.with_others) } else { String::new() };
        format!(
            "<tr><th scope=\"row\" class=\"item\">{judge}</th><td>{}{}</td>{}{others}</tr>\n",
            tally.answers,
            beside(tally),
            agreement(tally.with_ranking),
        )
    };
    let others = if tallies.len() > 1 { "<th scope=\"col\">agrees with other judges</th>" } else { "" };
    let table = |tallies: &[Tally]| {
        format!(
            "<div class=\"wide\"><table class=\"judges\">\n<thead><tr><th scope=\"col\" class=\"item\">judge</th>\
             <th scope=\"col\">answers</th><th scope=\"col\">agrees with the ranking</th>{others}</tr></thead>\n\
             <tbody>\n{}</tbody>\n</table></div>\n",
            tallies.iter().map(row).collect::<String>()
        )
    };
    let shown = &tallies[..tallies.len().min(SHOWN)];
    let (open, folded) = shown.split_at(if shown.len() < OPEN + FOLDED { shown.len() } else { OPEN });
    let folded = match folded.len() {
        0 => String::new(),
        count => format!(
            "<details>\n<summary>The next {}</summary>\n{}</details>\n",
            output::count(count, "judge"),
            table(folded)
        ),
    };
    let rest = match tallies.len().saturating_sub(SHOWN) {
        0 => String::new(),
        rest => {
            let answers: usize = tallies[SHOWN..].iter().map(|tally| tally.answers).sum();
            format!(
                "<p class=\"note\">And {} with {} in all.</p>\n",
                output::count(rest, "more judge"),
                output::count(answers, "answer")
            )
        }
    };
    let pairs = match tallies.len() {
        1 => "",
        _ => " With other judges: on pairs that both compared.",
    };
    format!(
        "<h2>Judges</h2>\n<p>With the ranking: how many preferences put the item first that the ranking puts first. The \
         ranking has learned from these very answers.{pairs} Beyond chance, 1 is full agreement and 0 is what chance \
         gives.</p>\n{}{folded}{rest}",
        table(open)
    )
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

    fn tallies(answers: &[Answer], means: &[f64]) -> Vec<Tally> {
        count(&answers.iter().collect::<Vec<_>>(), means)
    }

    /// Cohen's kappa from the definition: every pair of answers by two judges on one pair of items.
    fn by_definition(answers: &[Answer], judge: &str) -> Agreement {
        let ties = |judge: &Option<String>| {
            let own: Vec<_> = answers.iter().filter(|answer| &answer.judge == judge).filter_map(comparison).collect();
            own.iter().filter(|(_, side)| *side == 2).count() as f64 / own.len() as f64
        };
        let mut out = Agreement::default();
        for own in answers.iter().filter(|answer| answer.judge.as_deref() == Some(judge)) {
            for other in answers.iter().filter(|other| other.judge != own.judge) {
                let (Some((pair, side)), Some((same, said))) = (comparison(own), comparison(other)) else { continue };
                if pair == same {
                    let (tie, its) = (ties(&own.judge), ties(&other.judge));
                    out.count += 1;
                    out.agreed += f64::from(u8::from(side == said));
                    out.chance += tie * its + (1.0 - tie) * (1.0 - its) / 2.0;
                }
            }
        }
        out
    }

    #[test]
    fn two_judges_by_hand() {
        use Outcome::{First, Second, Skip};
        // They agree on three pairs of four, one of them asked the other way round. Chance agrees on two.
        let said = answers(&[
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
        let found = tallies(&said, &[4.0, 3.0, 2.0, 1.0]);
        let [ann, bob] = &found[..] else { panic!("{found:?}") };
        assert_eq!((ann.judge.as_deref(), ann.answers, ann.skips), (Some("ann"), 5, 0));
        assert_eq!((bob.judge.as_deref(), bob.answers, bob.skips), (Some("bob"), 4, 1));
        let common = Agreement { count: 4, agreed: 3.0, chance: 2.0 };
        assert_eq!((ann.with_others, bob.with_others), (common, common));
        assert_eq!(common.beyond_chance(), Some(0.5));
        assert_eq!(ann.with_ranking, Agreement { count: 5, agreed: 5.0, chance: 2.5 });
        assert_eq!(bob.with_ranking, Agreement { count: 4, agreed: 3.0, chance: 2.0 });
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
        let found = tallies(&said, &[0.0; 5]);
        assert_eq!(found.len(), 3);
        for tally in &found {
            let expected = by_definition(&said, tally.judge.as_deref().unwrap());
            assert_eq!((tally.with_others.count, tally.with_others.agreed), (expected.count, expected.agreed));
            assert!(expected.count > 100);
            // Sums of a few thousand numbers up to 1, in another order.
            assert!((tally.with_others.chance - expected.chance).abs() < 1e-9 * expected.chance);
            // All items are equal, so the ranking neither agrees nor contradicts.
            assert_eq!(tally.with_ranking.agreed, tally.with_ranking.chance);
        }
    }
}
