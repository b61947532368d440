//! What was said, and what came true.

use std::fmt::Write;

use ordain::measure::Mean;
use ordain_plot::{Across, Lines, Range, Series, html};

use super::{FORECAST_TARGET, GOALS, Plan, Played, TARGETS, World};
use crate::findings::{Findings, Gist};
use crate::journal::Row;

/// Said probabilities are gathered in so many bins of the same width.
const BINS: usize = 10;

/// The course of a session.
struct Course {
    /// What was said at every look, and whether it was true.
    looks: Vec<(f64, bool)>,
    /// Both ends of the forecasts that were made, with the answers after which they were.
    forecasts: Vec<(usize, [Option<usize>; 2])>,
}

impl Course {
    fn new(plan: &Plan, row: &Row) -> Self {
        let (said, rest) = row.split_at(plan.looks());
        let (reached, ends) = rest.split_at(plan.looks());
        let look = |(said, reached): (&Option<f64>, &Option<f64>)| (said.unwrap_or(f64::NAN), *reached == Some(1.0));
        let end = |end: Option<f64>| end.map(|end| end as usize);
        let made = plan.forecasts.iter().zip(ends.chunks(3)).filter(|(_, ends)| ends[0] == Some(1.0));
        Self {
            looks: said.iter().zip(reached).map(look).collect(),
            forecasts: made.map(|(&at, ends)| (at, [end(ends[1]), end(ends[2])])).collect(),
        }
    }

    /// The first look, from this one on, that says at least so much.
    fn stop(&self, from: usize, target: f64) -> Option<usize> {
        (from..self.looks.len()).find(|&look| self.looks[look].0 >= target)
    }
}

/// What was said near a probability.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Bin {
    looks: usize,
    sessions: usize,
    said: f64,
    reached: f64,
}

/// Where sessions stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stops {
    stopped: usize,
    right: usize,
    said: f64,
    answers: f64,
}

/// How forecasts did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Hits {
    below: usize,
    inside: usize,
    above: usize,
    /// All of the interval is beyond what was played: nothing to be right or wrong about.
    beyond: usize,
}

impl Hits {
    fn count(&self) -> usize {
        self.below + self.inside + self.above
    }
}

/// All sessions of a world and a goal.
struct Kind {
    step: usize,
    courses: Vec<Course>,
}

impl Kind {
    fn bins(&self) -> [Bin; BINS] {
        let mut bins = [Bin::default(); BINS];
        for course in &self.courses {
            let mut seen = [false; BINS];
            for &(said, reached) in &course.looks {
                let at = ((said * BINS as f64) as usize).min(BINS - 1);
                let bin = &mut bins[at];
                bin.looks += 1;
                bin.sessions += usize::from(!seen[at]);
                seen[at] = true;
                bin.said += said;
                bin.reached += f64::from(reached);
            }
        }
        for bin in &mut bins {
            bin.said /= bin.looks.max(1) as f64;
            bin.reached /= bin.looks.max(1) as f64;
        }
        bins
    }

    /// The expected calibration error: how far the share of looks that are right is from what they say, over bins.
    fn calibration_error(&self) -> f64 {
        let bins = self.bins();
        let looks: usize = bins.iter().map(|bin| bin.looks).sum();
        let sum: f64 = bins.iter().map(|bin| bin.looks as f64 * (bin.said - bin.reached).abs()).sum();
        sum / looks.max(1) as f64
    }

    fn stops(&self, target: f64) -> Stops {
        let stops: Vec<(usize, (f64, bool))> = self
            .courses
            .iter()
            .filter_map(|course| course.stop(0, target).map(|look| (look, course.looks[look])))
            .collect();
        let count = stops.len().max(1) as f64;
        Stops {
            stopped: stops.len(),
            right: stops.iter().filter(|(_, (_, right))| *right).count(),
            said: stops.iter().map(|(_, (said, _))| said).sum::<f64>() / count,
            answers: stops.iter().map(|(look, _)| ((look + 1) * self.step) as f64).sum::<f64>() / count,
        }
    }

    fn hits(&self) -> Hits {
        let mut hits = Hits::default();
        for course in &self.courses {
            for &(at, [low, high]) in &course.forecasts {
                let needed = course.stop(at / self.step - 1, FORECAST_TARGET).map(|look| (look + 1) * self.step - at);
                // None is later than all that was looked at.
                let late = |answers: Option<usize>| answers.unwrap_or(usize::MAX);
                let count = if low.is_none() {
                    &mut hits.beyond
                } else if late(needed) < late(low) {
                    &mut hits.below
                } else if late(needed) > late(high) {
                    &mut hits.above
                } else {
                    &mut hits.inside
                };
                *count += 1;
            }
        }
        hits
    }
}

/// Wilson's interval of 95 % for a share.
fn interval(right: usize, count: usize) -> (f64, f64) {
    let (z, n) = (1.959_963_984_540_054_f64, count.max(1) as f64);
    let share = right as f64 / n;
    let middle = (share + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    (middle - half, middle + half)
}

/// The fewest sessions of a point in a picture: a handful says nothing.
const FEWEST: usize = 5;

/// All kinds, by world and goal.
struct Summary<'a> {
    plan: &'a Plan,
    kinds: Vec<[Kind; GOALS.len()]>,
}

impl<'a> Summary<'a> {
    fn new(plan: &'a Plan, rows: &[Row]) -> Self {
        let kind = |world: usize, goal: usize| {
            let own = |&(at, _): &(usize, &Row)| {
                let session = plan.session(at);
                session == Played { world, goal, ..session }
            };
            let courses = rows.iter().enumerate().filter(own).map(|(_, row)| Course::new(plan, row)).collect();
            Kind { step: plan.step, courses }
        };
        let kinds = (0..World::ALL.len()).map(|world| std::array::from_fn(|goal| kind(world, goal))).collect();
        Self { plan, kinds }
    }

    /// Every world and goal, with both names.
    fn each(&self) -> impl Iterator<Item = (World, usize, &Kind)> {
        World::ALL
            .into_iter()
            .zip(&self.kinds)
            .flat_map(|(world, kinds)| kinds.iter().enumerate().map(move |(goal, kind)| (world, goal, kind)))
    }

    fn reliability_csv(&self) -> String {
        let mut out = "world,goal,from,looks,sessions,said,reached\n".to_owned();
        for (world, goal, kind) in self.each() {
            for (at, bin) in kind.bins().iter().enumerate().filter(|(_, bin)| bin.looks > 0) {
                let Bin { looks, sessions, said, reached } = bin;
                let from = at as f64 / BINS as f64;
                let _ =
                    writeln!(out, "{},{},{from},{looks},{sessions},{said:?},{reached:?}", world.name(), GOALS[goal].0);
            }
        }
        out
    }

    fn stops_csv(&self) -> String {
        let mut out = "world,goal,target,sessions,stopped,right,said,answers\n".to_owned();
        for (world, goal, kind) in self.each() {
            for target in TARGETS {
                let Stops { stopped, right, said, answers } = kind.stops(target);
                let (world, goal, sessions) = (world.name(), GOALS[goal].0, kind.courses.len());
                let _ = writeln!(out, "{world},{goal},{target},{sessions},{stopped},{right},{said:?},{answers:?}");
            }
        }
        out
    }

    fn forecasts_csv(&self) -> String {
        let mut out = "world,goal,below,inside,above,beyond\n".to_owned();
        for (world, goal, kind) in self.each() {
            let Hits { below, inside, above, beyond } = kind.hits();
            let _ = writeln!(out, "{},{},{below},{inside},{above},{beyond}", world.name(), GOALS[goal].0);
        }
        out
    }

    /// What was said against what came true; none if too few sessions were played to say.
    fn figure(&self, world: World, kinds: &[Kind]) -> Option<String> {
        let exact = |x: f64| (x, Mean { value: x / 100.0, error: 0.0 });
        let line = Series { title: "As said".to_owned(), points: vec![exact(0.0), exact(100.0)] };
        let series = |goal: usize| {
            let bins = kinds[goal].bins();
            let point = |bin: &Bin| {
                let error = (bin.reached * (1.0 - bin.reached) / bin.sessions as f64).sqrt();
                (100.0 * bin.said, Mean { value: bin.reached, error })
            };
            let points = bins.iter().filter(|bin| bin.sessions >= FEWEST).map(point).collect();
            Series { title: GOALS[goal].1.to_owned(), points }
        };
        let mut series: Vec<Series> = (0..GOALS.len()).map(series).collect();
        if series.iter().all(|series| series.points.is_empty()) {
            return None;
        }
        series.push(line);
        let across = Across::UpTo("Said probability, in percent".to_owned(), 100);
        let up = Range::percent("Sessions that are there", 0.0, 1.0);
        Some(Lines { title: format!("Said and come true: {}", world.title()), across, up, series }.draw())
    }

    fn reliability_table(&self) -> String {
        let row = |(world, goal, kind): (World, usize, &Kind)| {
            let bins = kind.bins();
            let cell = |pair: &[Bin]| {
                let looks: usize = pair.iter().map(|bin| bin.looks).sum();
                let mean = |of: fn(&Bin) -> f64| {
                    pair.iter().map(|bin| bin.looks as f64 * of(bin)).sum::<f64>() / looks.max(1) as f64
                };
                if looks == 0 {
                    return "–".to_owned();
                }
                format!(
                    "{:.2}<br><small>said {:.2}, {looks} looks</small>",
                    mean(|bin| bin.reached),
                    mean(|bin| bin.said)
                )
            };
            std::iter::once(format!("{}, {}", world.title(), GOALS[goal].1.to_lowercase()))
                .chain(bins.chunks(2).map(cell))
                .chain([format!("{:.3}", kind.calibration_error())])
                .collect()
        };
        let rows: Vec<Vec<String>> = self.each().map(row).collect();
        let header = ["said", "0 to 0.2", "to 0.4", "to 0.6", "to 0.8", "to 1", "calibration error"];
        html::table("The share of looks at which the goal was reached", &header, &rows)
    }

    fn stops_table(&self) -> String {
        let row = |(world, goal, kind): (World, usize, &Kind)| {
            let cell = |target: f64| {
                let Stops { stopped, right, said, answers } = kind.stops(target);
                if stopped == 0 {
                    return "none stopped".to_owned();
                }
                let (low, high) = interval(right, stopped);
                let share = right as f64 / stopped as f64;
                format!(
                    "{share:.2} <small>{low:.2} to {high:.2}</small><br><small>said {said:.2}, {stopped} after {answers:.0}</small>"
                )
            };
            let name = format!("{}, {}", world.title(), GOALS[goal].1.to_lowercase());
            std::iter::once(name).chain(TARGETS.map(cell)).collect()
        };
        let rows: Vec<Vec<String>> = self.each().map(row).collect();
        html::table("The share of stopped sessions that were right", &["target", "0.7", "0.8", "0.9"], &rows)
    }

    fn forecasts_table(&self) -> String {
        let row = |(world, goal, kind): (World, usize, &Kind)| {
            let hits = kind.hits();
            let (low, high) = interval(hits.inside, hits.count());
            let share = hits.inside as f64 / hits.count().max(1) as f64;
            let counts = [hits.below, hits.inside, hits.above, hits.beyond].map(|count| count.to_string());
            let share = format!("{share:.2} <small>{low:.2} to {high:.2}</small>");
            std::iter::once(format!("{}, {}", world.title(), GOALS[goal].1.to_lowercase()))
                .chain([share])
                .chain(counts)
                .collect()
        };
        let rows: Vec<Vec<String>> = self.each().map(row).collect();
        let header = ["", "share inside", "sooner", "inside", "later", "not looked at"];
        html::table("Where the true number lay in forecasts of 80 %", &header, &rows)
    }

    fn gist(&self) -> Gist {
        let row = |(world, goal, kind): (World, usize, &Kind)| {
            let stop = |target: f64| {
                let Stops { stopped, right, answers, .. } = kind.stops(target);
                if stopped == 0 {
                    "–".to_owned()
                } else {
                    format!("{:.2} ({answers:.0})", right as f64 / stopped as f64)
                }
            };
            let hits = kind.hits();
            let mut cells = vec![format!("{}, {}", world.name(), GOALS[goal].0)];
            cells.push(format!("{:.3}", kind.calibration_error()));
            cells.extend(TARGETS.map(stop));
            cells.push(format!("{} of {}", hits.inside, hits.count()));
            cells
        };
        let header = ["", "calibration error", "stop at 0.7", "0.8", "0.9", "forecasts of 80 %"];
        Gist {
            title: "what was said, and what came true".to_owned(),
            header: header.map(str::to_owned).to_vec(),
            rows: self.each().map(row).collect(),
            note: "stop: the share of stopped sessions that were right (after so many answers)".to_owned(),
        }
    }

    /// In words: where what was said is too high, too low, or right.
    fn comparison(&self) -> String {
        let mut out = String::from("<ul>\n");
        for (world, kinds) in World::ALL.into_iter().zip(&self.kinds) {
            let (mut low, mut high, mut cells) = (0, 0, 0);
            for kind in kinds {
                for target in TARGETS {
                    let Stops { stopped, right, said, .. } = kind.stops(target);
                    let ends = interval(right, stopped);
                    cells += 1;
                    low += usize::from(stopped > 0 && said < ends.0);
                    high += usize::from(stopped > 0 && said > ends.1);
                }
            }
            let hits = kinds
                .iter()
                .map(Kind::hits)
                .fold((0, 0), |(inside, count), hits| (inside + hits.inside, count + hits.count()));
            let share = hits.0 as f64 / hits.1.max(1) as f64;
            let (from, to) = interval(hits.0, hits.1);
            let _ = writeln!(
                out,
                "<li>{}: of {cells} goals and targets, sessions were right less often than said at {high} and more often at {low} \
                 (outside the interval of 95 %); {share:.2} of {} forecasts held ({from:.2} to {to:.2}).</li>",
                world.title(),
                hits.1
            );
        }
        out.push_str("</ul>");
        out
    }
}

/// Everything that is shown.
pub fn sum_up(plan: &Plan, rows: &[Row]) -> Findings {
    let summary = Summary::new(plan, rows);
    let drawn = |(&world, kinds): (&World, &[Kind; GOALS.len()])| Some((world, summary.figure(world, kinds)?));
    let pictures: Vec<(World, String)> = World::ALL.iter().zip(&summary.kinds).filter_map(drawn).collect();
    let caption = "Bands: standard error of the share of sessions.";
    let figures = match pictures.is_empty() {
        true => format!("<p class=\"notice\">Too few sessions for a picture: a point needs {FEWEST}.</p>"),
        false => html::figures(pictures.iter().map(|(_, svg)| (svg.as_str(), caption))),
    };
    let note = "Intervals of 95 % for shares (Wilson); below them what was said where sessions stopped, how many did, and after how many \
                answers on average. Looks of one session are alike, so that bins have fewer independent looks than \
                looks. The calibration error is the mean distance of share and saying over ten bins, by looks; it is above 0 \
                by chance alone. Forecasts: answers come in steps, and a number on an end counts as inside.";
    let tables = [summary.reliability_table(), summary.stops_table(), summary.forecasts_table()].concat();
    let mut files = vec![
        ("-reliability-summary.csv".to_owned(), summary.reliability_csv()),
        ("-stops-summary.csv".to_owned(), summary.stops_csv()),
        ("-forecasts-summary.csv".to_owned(), summary.forecasts_csv()),
    ];
    files.extend(pictures.into_iter().map(|(world, svg)| (format!("-{}.svg", world.name()), svg)));
    Findings {
        gist: summary.gist(),
        measured: format!("{figures}\n{tables}<p class=\"note\">{note}</p>"),
        how: format!(
            "{} queries of {} documents, a session of {} answers on each for every world and goal.",
            summary.plan.queries.len(),
            summary.plan.documents,
            summary.plan.answers
        ),
        comparison: summary.comparison(),
        files,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn plan() -> Plan {
        Plan {
            documents: 5,
            answers: 20,
            step: 5,
            draws: 8,
            queries: vec!["p".into(), "q".into()],
            tuned_on: vec![],
            forecasts: vec![5],
            worlds: 3,
        }
    }

    /// Two sessions of four looks, everything by hand.
    #[test]
    fn statistics_by_hand() {
        let plan = plan();
        let row = |said: [f64; 4], reached: [f64; 4], ends: [Option<f64>; 3]| -> Row {
            said.into_iter().chain(reached).map(Some).chain(ends).collect()
        };
        let first = row([0.25, 0.5, 0.75, 0.85], [0.0, 0.0, 1.0, 1.0], [Some(1.0), Some(5.0), Some(10.0)]);
        let second = row([0.28, 0.72, 0.8, 0.7], [0.0, 0.0, 0.0, 1.0], [Some(1.0), Some(5.0), None]);
        let mut rows = vec![first; plan.sessions()];
        rows[plan.sessions() / 2..].fill(second);
        let summary = Summary::new(&plan, &rows);
        let kind = &summary.kinds[2][1];
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        let bins = kind.bins();
        assert_eq!((bins[2].looks, bins[2].sessions, bins[7].looks, bins[7].sessions), (2, 2, 3, 2));
        close(bins[2].said, 0.265);
        close(bins[7].said, 2.17 / 3.0);
        close(bins[7].reached, 2.0 / 3.0);
        // |0.53 - 0| + |0.5 - 0| + |2.17 - 2| + |1.65 - 1| over eight looks.
        close(kind.calibration_error(), 1.85 / 8.0);
        assert_eq!(kind.stops(0.8), Stops { stopped: 2, right: 1, said: 0.825, answers: 17.5 });
        let stops = kind.stops(0.7);
        assert_eq!((stops.stopped, stops.right, stops.answers), (2, 1, 12.5));
        assert_eq!(kind.stops(0.9).stopped, 0);
        // The first needs 15 more where 10 were the most; the second 10, of no upper end.
        assert_eq!(kind.hits(), Hits { below: 0, inside: 1, above: 1, beyond: 0 });
    }

    /// Wilson's own formula at the ends, where the usual interval has no width.
    #[test]
    fn intervals_of_shares() {
        let z2 = 1.959_963_984_540_054_f64.powi(2);
        let (low, high) = interval(10, 10);
        assert!((low - 10.0 / (10.0 + z2)).abs() < 1e-12 && (high - 1.0).abs() < 1e-12);
        let (low, high) = interval(5, 10);
        assert!((low + high - 1.0).abs() < 1e-12 && low > 0.2 && low < 0.25);
    }
}
