//! What a judge says of two items, or of one.

use crate::words::suggestion;
use crate::{Error, Result};

/// The outcome of a judgement of one or two items.
///
/// ```
/// use ordain::data::Outcome;
///
/// for text in ["first", "second>", "first>>", "first:0.8", "7:3", "7:2:3", "grade:4"] {
///     assert_eq!(text.parse::<Outcome>()?.to_string(), text);
/// }
/// assert_eq!("second:0.8".parse::<Outcome>()?, "first:0.2".parse()?);
/// # Ok::<(), ordain::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The first item is preferred.
    First,
    /// The second item is preferred.
    Second,
    /// Neither is preferred.
    Tie,
    /// The judge gave no answer about two items, or no grade to one; nothing is learned.
    Skip,
    /// The single item is good.
    Good,
    /// The single item is bad.
    Bad,
    /// The first item is preferred, but only just.
    FirstWeakly,
    /// The second item is preferred, but only just.
    SecondWeakly,
    /// The first item is much preferred.
    FirstStrongly,
    /// The second item is much preferred.
    SecondStrongly,
    /// The probability that the first item is preferred.
    Probability(Probability),
    /// How many preferred the first, neither and the second.
    Votes(Votes),
    /// The single item has this grade. The higher, the better.
    Grade(i32),
    /// Of several items that were shown together, the first is the best ([`Answer::best`](super::Answer::best)).
    Best,
    /// Several items that were shown together stand in this order, best first ([`Answer::order`](super::Answer::order)).
    Order,
}

/// The words of answers about a screen: several items that were shown together.
const SCREEN_WORDS: [(&str, Outcome); 2] = [("best", Outcome::Best), ("order", Outcome::Order)];

/// What a grade is written behind, as in `grade:4`.
const GRADE: &str = "grade:";

/// What a probability is written behind, as in `first:0.8`.
const SIDES: [&str; 2] = ["first:", "second:"];

impl Outcome {
    /// All outcomes but those with a number, with their words.
    pub const WORDS: [(&str, Self); 10] = [
        ("first", Self::First),
        ("second", Self::Second),
        ("tie", Self::Tie),
        ("skip", Self::Skip),
        ("good", Self::Good),
        ("bad", Self::Bad),
        ("first>", Self::FirstWeakly),
        ("second>", Self::SecondWeakly),
        ("first>>", Self::FirstStrongly),
        ("second>>", Self::SecondStrongly),
    ];

    /// One of each kind with a number, as it is written.
    pub(crate) const EXAMPLES: [&str; 3] = ["first:0.8", "7:3", "grade:4"];

    /// The first item is preferred with this probability. It counts to twelve decimals; 1 and 0 are plain `first` and `second`.
    ///
    /// # Errors
    /// If it is not from 0 to 1.
    pub fn probability(first: f64) -> Result<Self> {
        Ok(match Probability::units(first)? {
            0 => Self::Second,
            Probability::ONE => Self::First,
            units => Self::Probability(Probability(units)),
        })
    }

    /// The grade, if it is one.
    pub fn grade(self) -> Option<i32> {
        match self {
            Self::Grade(grade) => Some(grade),
            _ => None,
        }
    }

    /// Whether it says something about several items that were shown together.
    pub fn is_choice(self) -> bool {
        matches!(self, Self::Best | Self::Order)
    }

    /// Whether the outcome is about a single item.
    pub fn is_single(self) -> bool {
        matches!(self, Self::Good | Self::Bad | Self::Grade(_))
    }

    /// The same of two items without strength, probability and numbers of votes: `First`, `Second` or `Tie`, and a tie where a
    /// probability is one half, or as many voted for either. `None` where two items are not compared.
    pub fn plain(self) -> Option<Self> {
        let larger = |first: u64, second: u64| match first.cmp(&second) {
            std::cmp::Ordering::Greater => Self::First,
            std::cmp::Ordering::Less => Self::Second,
            std::cmp::Ordering::Equal => Self::Tie,
        };
        match self {
            Self::First | Self::FirstWeakly | Self::FirstStrongly => Some(Self::First),
            Self::Second | Self::SecondWeakly | Self::SecondStrongly => Some(Self::Second),
            Self::Tie => Some(Self::Tie),
            Self::Probability(Probability(units)) => Some(larger(units, Probability::ONE - units)),
            Self::Votes(votes) => Some(larger(votes.first.into(), votes.second.into())),
            Self::Skip | Self::Good | Self::Bad | Self::Grade(_) | Self::Best | Self::Order => None,
        }
    }

    /// Whether somebody said that neither item is preferred.
    pub fn has_tie(self) -> bool {
        self.ties() > 0
    }

    /// How many answers this stands for: votes are as many as there are, a skip is none.
    pub fn count(self) -> u64 {
        match self {
            Self::Skip => 0,
            Self::Votes(votes) => votes.count(),
            _ => 1,
        }
    }

    /// How many of these answers are ties.
    pub(crate) fn ties(self) -> u64 {
        match self {
            Self::Votes(votes) => votes.tie.into(),
            other => u64::from(other == Self::Tie),
        }
    }

    /// How many different things it says: votes for the first, the second and neither are three.
    pub(crate) fn parts(self) -> usize {
        match self {
            Self::Skip => 0,
            Self::Votes(votes) => [votes.first, votes.tie, votes.second].iter().filter(|&&one| one > 0).count(),
            _ => 1,
        }
    }

    /// What it says if the two items change places.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::FirstWeakly => Self::SecondWeakly,
            Self::SecondWeakly => Self::FirstWeakly,
            Self::FirstStrongly => Self::SecondStrongly,
            Self::SecondStrongly => Self::FirstStrongly,
            Self::Probability(first) => Self::Probability(first.opposite()),
            Self::Votes(votes) => Self::Votes(votes.turned()),
            Self::Tie | Self::Skip | Self::Good | Self::Bad | Self::Grade(_) | Self::Best | Self::Order => self,
        }
    }
}

/// A probability between 0 and 1, to twelve decimals: so equal texts are equal, and the opposite is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Probability(u64);

impl Probability {
    /// So many units are 1.
    const ONE: u64 = 1_000_000_000_000;

    /// This probability.
    ///
    /// # Errors
    /// If it is not between 0 and 1, or rounds to one of them.
    pub fn new(value: f64) -> Result<Self> {
        match Self::units(value)? {
            0 | Self::ONE => Err(Error::Data {
                what: "a probability",
                found: value.to_string(),
                expected: "one that is neither 0 nor 1 to twelve decimals".into(),
            }),
            units => Ok(Self(units)),
        }
    }

    fn units(value: f64) -> Result<u64> {
        if (0.0..=1.0).contains(&value) {
            // Below 2⁵³, so a number with twelve decimals is found again.
            return Ok((value * Self::ONE as f64).round() as u64);
        }
        Err(Error::Data { what: "a probability", found: value.to_string(), expected: "a number from 0 to 1".into() })
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0 as f64 / Self::ONE as f64
    }

    /// 1 less this.
    #[must_use]
    pub fn opposite(self) -> Self {
        Self(Self::ONE - self.0)
    }
}

impl std::fmt::Display for Probability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value().fmt(f)
    }
}

/// Votes about two items: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Votes {
    first: u32,
    tie: u32,
    second: u32,
}

impl Votes {
    /// The most votes of a kind in one answer. A million say all that a number of double precision can hold.
    pub const MOST: u32 = 1_000_000;

    /// So many votes for the first item, for neither and for the second.
    ///
    /// # Errors
    /// If there are none, or more than a million of a kind.
    pub fn new(first: u32, tie: u32, second: u32) -> Result<Self> {
        let wrong =
            |found: String, expected: &str| Err(Error::Data { what: "votes", found, expected: expected.into() });
        match [first, tie, second].iter().max() {
            Some(0) => wrong("no vote".into(), "at least one vote"),
            Some(&most) if most > Self::MOST => wrong(most.to_string(), "at most 1000000 votes of a kind"),
            _ => Ok(Self { first, tie, second }),
        }
    }

    /// The votes for the first item.
    pub fn first(self) -> u32 {
        self.first
    }

    /// The votes for neither.
    pub fn tie(self) -> u32 {
        self.tie
    }

    /// The votes for the second item.
    pub fn second(self) -> u32 {
        self.second
    }

    /// All votes.
    pub fn count(self) -> u64 {
        u64::from(self.first) + u64::from(self.tie) + u64::from(self.second)
    }

    /// The share of the votes for the first item, where one for neither counts half.
    pub fn share(self) -> f64 {
        (f64::from(self.first) + 0.5 * f64::from(self.tie)) / self.count() as f64
    }

    fn turned(self) -> Self {
        Self { first: self.second, second: self.first, ..self }
    }
}

impl std::fmt::Display for Votes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self { first, tie: 0, second } => write!(f, "{first}:{second}"),
            Self { first, tie, second } => write!(f, "{first}:{tie}:{second}"),
        }
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&match self {
            Self::Grade(grade) => format!("{GRADE}{grade}"),
            Self::Probability(first) => format!("first:{first}"),
            Self::Votes(votes) => votes.to_string(),
            plain => Self::WORDS
                .iter()
                .chain(&SCREEN_WORDS)
                .find(|(_, known)| known == plain)
                .map_or_else(String::new, |(word, _)| (*word).into()),
        })
    }
}

impl std::str::FromStr for Outcome {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        if let Some((_, known)) = Self::WORDS.iter().find(|(known, _)| *known == word) {
            return Ok(*known);
        }
        if let Some(grade) = word.strip_prefix(GRADE).and_then(|grade| grade.parse().ok()) {
            return Ok(Self::Grade(grade));
        }
        if let Some(side) = SIDES.iter().find(|side| word.starts_with(**side)) {
            return stated(word, &word[side.len()..])
                .map(|first| if *side == SIDES[0] { first } else { first.turned() });
        }
        if word.contains(':') && word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-') {
            return counted(word);
        }
        let hint = suggestion(word, Self::WORDS.iter().map(|(known, _)| *known).chain(Self::EXAMPLES));
        Err(Error::UnknownWord { what: "outcome", found: word.to_owned(), hint })
    }
}

fn malformed(found: &str, expected: &str, hint: &'static str) -> Error {
    Error::Malformed { what: "outcome", found: found.to_owned(), expected: expected.to_owned(), hint }
}

/// The outcome that says a probability of the first item.
fn stated(word: &str, number: &str) -> Result<Outcome> {
    const HINT: &str = "write for example first:0.8: the first item is preferred with probability 0.8";
    let outcome = number.parse().ok().and_then(|value| Outcome::probability(value).ok());
    outcome.ok_or_else(|| malformed(word, "a probability from 0 to 1", HINT))
}

/// The outcome that counts votes.
fn counted(word: &str) -> Result<Outcome> {
    const HINT: &str =
        "write for example 7:3, seven votes for the first item and three for the second, or 7:2:3 with two for neither";
    let wrong = |expected: &str| malformed(word, expected, HINT);
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| part.parse::<u32>().unwrap_or(u32::MAX))
    };
    let parts: Option<Vec<u32>> = word.split(':').map(number).collect();
    let (first, tie, second) = match parts.as_deref() {
        Some(&[first, second]) => (first, 0, second),
        Some(&[first, tie, second]) => (first, tie, second),
        Some(_) => return Err(wrong("two or three numbers of votes")),
        None => return Err(wrong("whole numbers of votes that are not negative")),
    };
    match Votes::new(first, tie, second) {
        Ok(votes) => Ok(Outcome::Votes(votes)),
        Err(Error::Data { expected, .. }) => Err(wrong(&expected)),
        Err(error) => Err(error),
    }
}
