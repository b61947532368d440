//! The report, from the numbers alone.

use std::fmt::{self, Write as _};

use super::numbers::{Numbers, Row};
use super::{ANSWERS, GRAPHS, OURS, OURS_ALONE, SIZES};

/// What the report calls a contender.
pub fn title(contender: &str) -> &str {
    match contender {
        "focus-1" => "Ordain, focus 1",
        "best" => "Ordain, best",
        "top-10" => "Ordain, top 10",
        "whole-order" => "Ordain, whole order",
        "focus-1+prefetch" => "Ordain, focus 1, prefetched",
        "best+prefetch" => "Ordain, best, prefetched",
        "top-10+prefetch" => "Ordain, top 10, prefetched",
        "whole-order+prefetch" => "Ordain, whole order, prefetched",
        "glicko-2" => "skillratings, Glicko-2",
        "trueskill" => "skillratings, TrueSkill",
        "numpy-naive" => "NumPy, naive",
        "numpy-tuned" => "NumPy, tuned",
        "numpy-pruned" => "NumPy, pruned",
        "numpy-pruned-whole-order" => "NumPy, pruned, whole order",
        "botorch" => "BoTorch, EUBO",
        "choix-ep" => "choix, EP",
        other => other,
    }
}

/// A time for people.
pub fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-3 => (1e6 * s, "µs"),
        s if s < 1.0 => (1e3 * s, "ms"),
        s => (s, "s"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// How many times as long.
fn ratio(value: f64) -> String {
    let digits = if value < 10.0 { 2 } else { 0 };
    format!("{value:.digits$}")
}

pub fn report(numbers: &Numbers) -> Result<String, fmt::Error> {
    let versions: Vec<String> = numbers.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let mut out = format!(
        "# The engine beside its peers, {}\n\n`cargo xtask bench-peers engine` on {}; skillratings 0.29.2{}{}.\n\n{HOW}\n\n",
        numbers.date,
        numbers.machine,
        if versions.is_empty() { "" } else { ", " },
        versions.join(", ")
    );
    claims(&mut out, numbers)?;
    growth(&mut out, numbers)?;
    for items in SIZES.into_iter().chain(OURS_ALONE) {
        table(&mut out, numbers, &items.to_string())?;
    }
    for graph in GRAPHS {
        table(&mut out, numbers, graph)?;
    }
    agreement(&mut out, numbers)?;
    Ok(out)
}

const HOW: &str = "\
Times are from an answer to the next question: learning the answer (tell) and choosing the next pair among all pairs not \
asked yet (ask), over answers 1 to 500; the first question, with all that is prepared for it, stands apart. Every \
contender has a process of its own and both cores at its disposal; the Python peers run with one and with two threads up \
to 1,000 items, and the faster counts. Memory: largest resident, and how much of it came \
after the items were there.

Items have 25 standard normal attributes. The prior is a squared exponential kernel (scale 3, length 5) and a part of \
each item's own (1), the judge's noise on a difference 1; the truth is drawn from that prior. Luck belongs to the pair, so \
all who ask a pair hear the same. Ordain: a session with default settings, the strategy that it takes for each goal, and \
`expected-loss` with focus 1, which is AXPGP as printed. skillratings: ratings by themselves, asked about the pair that is \
most open (expected score next to ½, best match quality), rows in parallel.

The Python peers hear the answers that one of ours heard: that with focus 1, and for \"NumPy, pruned, whole order\" that \
for the whole order. NumPy naive: AXPGP eqs. 24-29 on whole n x n arrays. Tuned: all pairs in place, one triangle, blocks that \
fit the cache. Pruned: tails of the normal law only for pairs that a bound leaves; whole order: the same for what ours asks \
for the whole order. BoTorch: PairwiseGP of the compared items, one joint posterior of all items, analytic EUBO of all pairs at \
once. choix: EP from the sites of the answer before, items independent, the pair chosen as in NumPy pruned. A mean marked \
~ is by the trapezoid rule over some answers (1, 10, 50, 100, 250 and 500, or 1, 100 and 500), and has no quantiles. A \
contender that took 150 s for its answers stopped there: the number of answers is given. choix has no cell with 5,000 \
items, where it inverts a dense matrix of that size several times an answer.

Prefetched: what the answer will need is made ready between question and answer, while the judge thinks; nobody times that.

Floor: one in-place rank-one update of a dense n x n matrix of doubles, the faster of one and two threads; marked ~ where \
it does not fit and follows from the bytes at the speed of the largest that was measured.";

/// What the engine is to show, and what it shows.
fn claims(out: &mut String, numbers: &Numbers) -> fmt::Result {
    out.push_str("## What was to be shown\n\n| with 1,000 items, an answer | wanted | found | |\n|---|---|---|---|\n");
    let over = |slow: Option<f64>, fast: Option<f64>| Some(slow? / fast?);
    let mean = |contender: &str| numbers.mean(contender, 1000);
    let lines = [
        ("floor over Ordain, focus 1", 1.0, over(numbers.floor(1000), mean("focus-1"))),
        ("NumPy naive over Ordain, focus 1", 200.0, over(mean("numpy-naive"), mean("focus-1"))),
        ("NumPy tuned over Ordain, whole order", 20.0, over(mean("numpy-tuned"), mean("whole-order"))),
        (
            "NumPy pruned for the whole order over Ordain, whole order",
            20.0,
            over(mean("numpy-pruned-whole-order"), mean("whole-order")),
        ),
        ("BoTorch over Ordain, focus 1", 300.0, over(mean("botorch"), mean("focus-1"))),
        ("BoTorch over Ordain, best", 300.0, over(mean("botorch"), mean("best"))),
        ("BoTorch over Ordain, top 10", 300.0, over(mean("botorch"), mean("top-10"))),
        ("BoTorch over Ordain, whole order", 300.0, over(mean("botorch"), mean("whole-order"))),
    ];
    for (what, wanted, found) in lines {
        let shown = found.map_or_else(|| "not measured".to_owned(), ratio);
        let verdict = match found {
            Some(found) if found >= wanted => "yes",
            Some(_) => "no",
            None => "",
        };
        writeln!(out, "| {what} | {wanted} | {shown} | {verdict} |")?;
    }
    out.push('\n');
    Ok(())
}

/// How the cost grows with the items, as an exponent.
fn growth(out: &mut String, numbers: &Numbers) -> fmt::Result {
    let header = SIZES[1..].iter().chain(&OURS_ALONE).map(|items| format!(" {items} |"));
    writeln!(out, "## Growth\n\n| mean of an answer, items: |{} exponent |", header.collect::<String>())?;
    writeln!(out, "|---|{}", "---|".repeat(OURS_ALONE.len() + SIZES.len()))?;
    let floors = |items: usize| numbers.floor(items);
    let lines = OURS.iter().map(|&name| (title(name), Box::new(move |n| numbers.mean(name, n)) as Box<dyn Fn(_) -> _>));
    for (name, at) in lines.chain([("floor", Box::new(floors) as Box<dyn Fn(usize) -> Option<f64>>)]) {
        write!(out, "| {name} |")?;
        let mut known: Vec<(usize, f64)> = Vec::new();
        for &items in SIZES[1..].iter().chain(&OURS_ALONE) {
            write!(out, " {} |", at(items).map_or_else(|| "-".to_owned(), time))?;
            known.extend(at(items).map(|mean| (items, mean)));
        }
        match known[..] {
            [(few, fast), .., (many, slow)] => {
                let exponent = (slow / fast).ln() / (many as f64 / few as f64).ln();
                writeln!(out, " {exponent:.2} (from {few} to {many}) |")?;
            }
            _ => writeln!(out, " - |")?,
        }
    }
    out.push_str("\nWanted: at most 1.1 for each of ours, from 1,000 to 100,000 items.\n\n");
    Ok(())
}

/// All contenders in a world.
fn table(out: &mut String, numbers: &Numbers, world: &str) -> fmt::Result {
    let rows: Vec<&Row> = numbers.rows.iter().filter(|row| row.world == world).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let heading = match world {
        "cnr-2000" => "cnr-2000: 325,557 linked pages, 3,216,152 links, 100 answers".to_owned(),
        "power-law" => "A power law: 1,053,110 linked items, 11,164,829 links, 100 answers".to_owned(),
        items => format!("{items} items"),
    };
    writeln!(out, "## {heading}\n")?;
    let focused = numbers.row(OURS[0], world).map(|row| row.answer.mean);
    let whole = numbers.row("whole-order", world).map(|row| row.answer.mean);
    out.push_str(
        "| | mean | median | 95 % | tell, mean | ask, mean | first question | over focus 1 | over whole order | memory, MB |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        if row.answers == 0 {
            writeln!(out, "| {} | stopped | | | | | | | | |", title(&row.contender))?;
            continue;
        }
        let name = match row.answers {
            all if all == ANSWERS || GRAPHS.contains(&world) && all == super::GRAPH_ANSWERS => {
                title(&row.contender).to_owned()
            }
            some => format!("{} ({some} answers)", title(&row.contender)),
        };
        let name = if row.threads == Some(1) { name + ", 1 thread" } else { name };
        let mark = if row.sampled { "~" } else { "" };
        let quantile = |seconds: f64| if row.sampled { "-".to_owned() } else { time(seconds) };
        let over = |fast: Option<f64>| fast.map_or_else(|| "-".to_owned(), |fast| ratio(row.answer.mean / fast));
        writeln!(
            out,
            "| {name} | {mark}{} | {} | {} | {} | {} | {} | {} | {} | {:.0} (+{:.0}) |",
            time(row.answer.mean),
            quantile(row.answer.median),
            quantile(row.answer.p95),
            time(row.tell.mean),
            time(row.ask.mean),
            time(row.first),
            over(focused),
            over(whole),
            row.peak_mb,
            row.peak_mb - row.base_mb
        )?;
    }
    if let Some(floor) = numbers.floors.iter().find(|floor| floor.items.to_string() == world) {
        let mark = if floor.measured { "" } else { "~" };
        writeln!(out, "| floor | {mark}{} | | | | | | | | |", time(floor.seconds))?;
    }
    out.push('\n');
    Ok(())
}

/// Whether those that follow the same rule ask the same pairs.
fn agreement(out: &mut String, numbers: &Numbers) -> fmt::Result {
    let same_rule = |row: &&Row| row.contender.starts_with("numpy") && row.answers > 0;
    let mut rows = numbers.rows.iter().filter(same_rule).peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    out.push_str(
        "## The same questions\n\nNumPy follows the rule of the one whose answers it hears, and so should ask the same. Where \
         it asks another pair, ours is worth less by at most this part, by NumPy's own reckoning; 0 is a tie.\n\n\
         | | items | asks as | other pairs | worth less |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        let follows = title(row.follows.as_deref().unwrap_or(""));
        let Row { world, different, timed, shortfall, .. } = row;
        writeln!(
            out,
            "| {} | {world} | {follows} | {different} of {timed} | {shortfall:.1e} |",
            title(&row.contender)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_ratios_have_three_digits_or_so() {
        let times = [1.234e-6, 12.34e-6, 123.4e-6, 0.001234, 0.1234, 12.34].map(time);
        assert_eq!(times, ["1.23 µs", "12.3 µs", "123 µs", "1.23 ms", "123 ms", "12.3 s"]);
        assert_eq!([ratio(0.5), ratio(212.4)], ["0.50", "212"]);
    }
}
