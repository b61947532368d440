//! Projects that nobody would write and the format allows: every number at its extremes, empty relations, constant attributes,
//! contradictions. The fuzzer makes them too.

use std::fmt::Write;

/// Chooses a number below another one.
pub type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

fn one<'a, T>(choose: Choose<'_>, all: &'a [T]) -> &'a T {
    &all[choose(all.len())]
}

/// Numbers that are legal wherever a number above 0 is.
const POSITIVE: [&str; 16] = [
    "1.0", "1.0", "0.5", "2.0", "0.1", "10.0", "0.01", "1e3", "1e-6", "1e6", "1e-9", "1e9", "1e-162", "1e150",
    "1e-300", "1e300",
];

/// Cells of attributes, as columns of one kind.
const COLUMNS: [[&str; 4]; 9] = [
    ["0.3", "-1.2", "2.5", "0.9"],
    ["0.3", "-1.2", "2.5", "0.9"],
    ["1", "1", "2", "3"],
    ["0", "0", "0", "0"],
    ["7", "7", "7", "7"],
    ["1e300", "-1e300", "3", "1e299"],
    ["1e-300", "2e-300", "0", "5e-324"],
    ["", "1", "2", "3"],
    ["1e8", "1e8", "100000000.00000001", "1e8"],
];

const KINDS: [&str; 11] = [
    "squared-exponential",
    "matern-3/2",
    "matern-5/2",
    "linear",
    "polynomial",
    "cosine",
    "independent",
    "regularized-laplacian",
    "common-cause",
    "diffusion",
    "directed-laplacian",
];

const OUTCOMES: [&str; 9] = ["first", "first", "first", "second", "second", "tie", "skip", "good", "undo"];

const WEIGHTS: [&str; 8] = ["1", "1", "2", "0.5", "1e-300", "1e300", "1e6", "1e-6"];

/// The files of a project: names and texts.
pub fn files(choose: Choose<'_>) -> Vec<(&'static str, String)> {
    let items = 1 + choose(9);
    let attributes = choose(4);
    vec![
        ("items.csv", table(choose, items, attributes)),
        ("links.csv", links(choose, items)),
        ("answers.csv", answers(choose, items)),
        ("ordain.toml", settings(choose, attributes)),
    ]
}

fn table(choose: Choose<'_>, items: usize, attributes: usize) -> String {
    let columns: Vec<&[&str; 4]> = (0..attributes).map(|_| one(choose, &COLUMNS)).collect();
    let mut out = String::from("id");
    (0..attributes).for_each(|column| write!(out, ",x{column}").unwrap());
    out.push('\n');
    for item in 0..items {
        write!(out, "i{item}").unwrap();
        columns.iter().for_each(|column| write!(out, ",{}", one(choose, *column)).unwrap());
        out.push('\n');
    }
    out
}

/// Nothing, a star, or links at random.
fn links(choose: Choose<'_>, items: usize) -> String {
    let mut out = String::from("source,target,weight\n");
    let shape = choose(4);
    for link in 0..choose(3 * items) {
        let (from, to) = match shape {
            0 => return out,
            1 => (0, link % items),
            _ => (choose(items), choose(items)),
        };
        if from != to {
            writeln!(out, "i{from},i{to},{}", one(choose, &WEIGHTS)).unwrap();
        }
    }
    out
}

fn answers(choose: Choose<'_>, items: usize) -> String {
    let mut out = String::from("first,second,outcome,judge,time\n");
    let mut standing = 0usize;
    for _ in 0..choose(20) {
        let (first, step) = (choose(items), 1 + choose(items.max(2) - 1));
        let (second, outcome) = ((first + step) % items, *one(choose, &OUTCOMES));
        // Now and then the same again, very often.
        let times = if choose(12) == 0 { 300 } else { 1 };
        for _ in 0..times {
            match outcome {
                "undo" if standing > 0 => out.push_str(",,undo,,\n"),
                "good" => writeln!(out, "i{first},,good,,").unwrap(),
                "undo" => continue,
                _ if first == second => continue,
                outcome => writeln!(out, "i{first},i{second},{outcome},,").unwrap(),
            }
            standing = if outcome == "undo" { standing - 1 } else { standing + 1 };
        }
    }
    out
}

fn settings(choose: Choose<'_>, attributes: usize) -> String {
    let mut out = String::from("[items]\nfile = \"items.csv\"\nmissing = \"mean\"\n");
    if choose(2) == 0 {
        out.push_str("standardize = false\n");
    }
    for _ in 0..1 + choose(3) {
        kernel(choose, attributes, &mut out);
    }
    let noise = if choose(2) == 0 { "0.7" } else { one(choose, &POSITIVE) };
    let width = if choose(2) == 0 { "0.2" } else { one(choose, &POSITIVE) };
    writeln!(out, "[answers]\nnoise = {noise}\ntie_width = {width}").unwrap();
    let ask: &&str = one(choose, &["", "[ask]\ngoal = \"best\"\n", "[ask]\ngoal = \"top\"\nk = 2\nrepeat = true\n"]);
    out.push_str(ask);
    // Chosen last, so that the fuzzer's kept inputs still mean the same projects: where they end, 0 is chosen.
    if choose(4) == 3 {
        out = out.replace(&format!("noise = {noise}\n"), "noise = \"learn\"\n");
    }
    if ask.is_empty() && choose(4) == 3 {
        out.push_str("[ask]\ngoal = \"top-heavy\"\n");
    }
    if attributes > 0 && choose(4) == 3 {
        let own: Vec<String> = (0..attributes).map(|column| format!("\"x{column}\"")).collect();
        let weights = if choose(2) == 0 { "0.5" } else { one(choose, &POSITIVE) };
        let sign = one(choose, &["", "-"]);
        let keys = format!(
            "attributes = [{}]\nprior = [{}]\nprior_weights = [{sign}{weights}]\n",
            own.join(", "),
            own[choose(attributes)],
        );
        out = out.replace("missing = \"mean\"\n", &format!("missing = \"mean\"\n{keys}"));
    }
    out
}

fn kernel(choose: Choose<'_>, attributes: usize, out: &mut String) {
    let kind = *one(choose, &KINDS);
    writeln!(out, "[[kernel]]\nkind = \"{kind}\"").unwrap();
    let mut number = |choose: Choose<'_>, key: &str| {
        if choose(3) > 0 {
            writeln!(out, "{key} = {}", one(choose, &POSITIVE)).unwrap();
        }
    };
    number(choose, "weight");
    let over_links = ["regularized-laplacian", "common-cause", "diffusion", "directed-laplacian"].contains(&kind);
    match kind {
        "squared-exponential" | "matern-3/2" | "matern-5/2" => {
            number(choose, "kappa");
            number(choose, "rho");
        }
        "linear" | "cosine" => number(choose, "kappa"),
        "polynomial" => {
            number(choose, "offset");
            if choose(2) == 0 {
                writeln!(out, "degree = {}", one(choose, &["1", "3", "100"])).unwrap();
            }
        }
        "regularized-laplacian" | "directed-laplacian" => {
            number(choose, "beta");
            number(choose, "iota");
        }
        "diffusion" => number(choose, "beta"),
        _ => {}
    }
    if over_links || (kind != "independent" && (attributes == 0 || choose(4) == 0)) {
        out.push_str("relation = \"links.csv\"\n");
        if kind != "directed-laplacian" && choose(2) == 0 {
            writeln!(out, "as = \"{}\"", one(choose, &["linking", "linked", "undirected"])).unwrap();
        }
    }
}
