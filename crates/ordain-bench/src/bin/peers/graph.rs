//! Columns of graph priors beside SciPy's conjugate gradients with the same preconditioner, and their variances.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use ordain::data::{Link, Relation};
use ordain::kernel::{Graph, Kernel, RegularizedLaplacian, Role};
use ordain::numeric::Matrix;
use ordain::numeric::Seed;
use ordain_bench::graphs::{GOV, cnr_2000, power_law};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

use crate::shared::{folder, machine, median, peak_mb, record, run};

const REPEATS: usize = 3;
/// Right-hand sides: half of them differences of two unit vectors, half of them normal.
const SIDES: usize = 4;
/// How far correlations may be off, as in `solve_in_place`; the last is what kernels ask for.
const TOLERANCES: [f64; 2] = [1e-6, 1e-12];
/// Variances that are compared with solved columns.
const CHECKED: usize = 200;
/// The tolerance of those columns. A variance by conjugate gradients is off by the square of what its column is, here 1e-8.
const CHECK_TOLERANCE: f64 = 1e-4;
/// SciPy is not asked for a smaller residual than this, whatever ours is.
const LEAST_RESIDUAL: f64 = 1e-13;

/// What is to be solved.
#[derive(Serialize, Deserialize)]
struct Task {
    nodes: usize,
    shift: f64,
    /// The relative residual to reach, of each right-hand side.
    residuals: Vec<f64>,
}

/// What solving took.
#[derive(Serialize, Deserialize)]
struct Solved {
    setup_seconds: f64,
    /// Of each right-hand side.
    seconds: Vec<Vec<f64>>,
    peak_mb: f64,
    base_mb: f64,
    steps: Vec<usize>,
    #[serde(default)]
    versions: BTreeMap<String, String>,
    #[serde(default)]
    own: Option<Own>,
}

/// What only ours does.
#[derive(Serialize, Deserialize)]
struct Own {
    /// By a factor with so many entries.
    fill: Option<usize>,
    /// A column, if four are solved together.
    together_seconds: f64,
    variance_seconds: f64,
    /// Relative errors of variances, observed and stated, and their quotients: root mean squares; then the largest.
    observed: [f64; 2],
    stated: [f64; 2],
    score: [f64; 2],
}

fn write_numbers<const N: usize>(file: PathBuf, numbers: impl Iterator<Item = [u8; N]>) -> std::io::Result<()> {
    std::fs::write(file, numbers.flatten().collect::<Vec<u8>>())
}

fn read_numbers(file: PathBuf) -> Result<Vec<f64>, Box<dyn Error>> {
    let bytes = std::fs::read(file)?;
    Ok(bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect())
}

fn sides(nodes: usize) -> Vec<f64> {
    let mut stream = Seed(11).stream(0);
    let mut out = vec![0.0; SIDES * nodes];
    for (number, side) in out.chunks_exact_mut(nodes).enumerate() {
        if number < SIDES / 2 {
            side[stream.random_range(0..nodes)] += 1.0;
            side[stream.random_range(0..nodes)] -= 1.0;
        } else {
            side.iter_mut().for_each(|value| *value = stream.sample(StandardNormal));
        }
    }
    out
}

/// Solves what is in a folder, to this tolerance; the last also makes variances.
pub fn ours(place: &str, tolerance: &str) -> Result<(), Box<dyn Error>> {
    let place = Path::new(place);
    let tolerance: f64 = tolerance.parse()?;
    let task: Task = serde_json::from_str(&std::fs::read_to_string(place.join("task.json"))?)?;
    let ends = std::fs::read(place.join("links.bin"))?;
    let weights = read_numbers(place.join("weights.bin"))?;
    let links = ends.as_chunks::<8>().0.iter().zip(&weights).map(|(ends, &weight)| {
        let ends = u64::from_le_bytes(*ends);
        Link { source: ends as u32, target: (ends >> 32) as u32, weight }
    });
    let relation = Relation::new(task.nodes, links.collect())?;
    drop((ends, weights));
    let mut solutions = read_numbers(place.join("sides.bin"))?;
    let base_mb = peak_mb()?;
    let started = Instant::now();
    let graph = Graph::new(task.nodes, &relation, Role::Undirected)?;
    let kernel = RegularizedLaplacian::new(graph, 1.0, 1.0 / task.shift.sqrt())?;
    let setup_seconds = started.elapsed().as_secs_f64();
    drop(relation);
    let solver = kernel.solver();
    let (mut seconds, mut steps) = (Vec::new(), Vec::new());
    for side in solutions.chunks_exact_mut(task.nodes) {
        let (mut own, mut solution) = (Vec::new(), Vec::new());
        for _ in 0..REPEATS {
            solution = side.to_vec();
            let started = Instant::now();
            if solver.fill().is_some() {
                solver.solve(side, &mut solution)?;
            } else {
                let taken = solver.matrix().solve_in_place(&mut solution, tolerance)?;
                steps.resize(seconds.len(), 0);
                steps.push(taken);
            }
            own.push(started.elapsed().as_secs_f64());
        }
        side.copy_from_slice(&solution);
        seconds.push(own);
    }
    write_numbers(place.join("ours.bin"), solutions.iter().map(|value| value.to_le_bytes()))?;
    let last = tolerance == TOLERANCES[TOLERANCES.len() - 1];
    let own = if last { Some(variances(&kernel)?) } else { None };
    let solved = Solved { setup_seconds, seconds, peak_mb: peak_mb()?, base_mb, steps, versions: BTreeMap::new(), own };
    serde_json::to_writer(std::io::stdout(), &solved)?;
    Ok(())
}

/// Variances of all nodes, and their errors where a column is solved.
fn variances(kernel: &RegularizedLaplacian) -> Result<Own, Box<dyn Error>> {
    let n = kernel.len();
    let started = Instant::now();
    let found = kernel.variances()?;
    let variance_seconds = started.elapsed().as_secs_f64();
    let mut stream = Seed(12).stream(0);
    let checked: Vec<usize> = (0..CHECKED).map(|_| stream.random_range(0..n)).collect();
    let (mut observed, mut stated, mut score) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = Matrix::zeros(n, 4);
    let mut together = Vec::new();
    for items in checked.chunks_exact(4).take(REPEATS) {
        let started = Instant::now();
        kernel.columns(items, &mut columns)?;
        together.push(started.elapsed().as_secs_f64() / 4.0);
    }
    for items in checked.chunks_exact(4) {
        if kernel.solver().fill().is_some() {
            kernel.columns(items, &mut columns)?;
        } else {
            columns.values_mut().fill(0.0);
            items.iter().enumerate().for_each(|(place, &item)| columns[(item, place)] = 1.0);
            kernel.solver().matrix().solve_in_place(columns.values_mut(), CHECK_TOLERANCE)?;
        }
        for (place, &item) in items.iter().enumerate() {
            let exact = columns[(item, place)];
            let off = (found.values[item] - exact).abs();
            observed.push(off / exact);
            stated.push(found.errors[item] / exact);
            score.push(if found.errors[item] > 0.0 { off / found.errors[item] } else { 0.0 });
        }
    }
    let summary = |values: &[f64]| {
        let square = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
        [square.sqrt(), values.iter().copied().fold(0.0, f64::max)]
    };
    Ok(Own {
        fill: kernel.solver().fill(),
        together_seconds: median(&together),
        variance_seconds,
        observed: summary(&observed),
        stated: summary(&stated),
        score: summary(&score),
    })
}

pub fn side_by_side(python: &str) -> Result<(), Box<dyn Error>> {
    let temporary = std::env::temp_dir().join(format!("ordain-peers-graph-{}", std::process::id()));
    std::fs::create_dir_all(&temporary)?;
    let mut report = Report::default();
    let made = power_law(GOV.0, GOV.1, 1);
    for iota in [1.0, 10.0] {
        one_system(python, &temporary, &format!("power law, iota {iota}"), &made, iota, &mut report)?;
    }
    drop(made);
    let default = || folder().join("../../../shared/data");
    let crawl = std::env::var_os("ORDAIN_DATA").map_or_else(default, PathBuf::from).join("web-graph/cnr-2000.adj.gz");
    if crawl.exists() {
        let crawl = cnr_2000(&crawl)?;
        for iota in [1.0, 10.0] {
            one_system(python, &temporary, &format!("cnr-2000, iota {iota}"), &crawl, iota, &mut report)?;
        }
    } else {
        println!("SKIPPED: no {}; set ORDAIN_DATA to the folder of public data", crawl.display());
    }
    std::fs::remove_dir_all(&temporary)?;
    let versions: Vec<String> = report.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    record(
        "graph",
        "Graph priors beside SciPy's conjugate gradients",
        &format!(
            "`cargo xtask bench-peers graph` on {}; {}.\n\n\
             `(Laplacian + I / iota²) x = b` on the same links: a power law of {} nodes and {} links, made here, and the \
             crawl cnr-2000. {SIDES} right-hand sides, half of them differences of two unit vectors, half of them normal; \
             medians over them of medians of {REPEATS}, each side in a process of its own with both cores at its \
             disposal (SciPy's products use one). Ours stops where no correlation can be off by more than the tolerance; \
             SciPy's `cg`, with the diagonal as preconditioner, is then asked for the residual that ours has reached. \
             Residuals are those of a product of its own, the largest over the right-hand sides. Where ours has a factor \
             there are no steps and no tolerance. Set-up: from links to where columns can be \
             solved. Memory: largest resident, and how much of it came after the links were read; ours with 1e-12 is that \
             with the variances and the four columns at a time.\n\n{}\n\
             Variances of all nodes; errors at {CHECKED} random nodes by solved columns, relative, as root mean square \
             and largest; score: observed over stated error.\n\n{}",
            machine()?,
            versions.join(", "),
            GOV.0,
            GOV.1,
            report.solves,
            report.variances,
        ),
    )
}

/// Two tables.
struct Report {
    solves: String,
    variances: String,
    versions: BTreeMap<String, String>,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            solves: "| system | tolerance | SciPy, ms | Ordain, ms | ratio | steps | residual | set-up, s | peak memory, MB |\n\
                     |---|---|---|---|---|---|---|---|---|\n"
                .into(),
            variances: "| system | method | seconds | observed | stated | score | column of four, ms |\n\
                        |---|---|---|---|---|---|---|\n"
                .into(),
            versions: BTreeMap::new(),
        }
    }
}

fn one_system(
    python: &str,
    place: &Path,
    name: &str,
    relation: &Relation,
    iota: f64,
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    let graph = Graph::new(relation.items(), relation, Role::Undirected)?;
    let matrix = graph.laplacian(1.0 / (iota * iota)).to_matrix();
    // Links in both directions have added up; a link from a page to itself is none.
    let below = || {
        (0..graph.len() as u32).flat_map(|source| {
            let (others, weights) = graph.neighbours(source as usize);
            others
                .iter()
                .zip(weights)
                .filter(move |&(&other, _)| other < source)
                .map(move |(&other, &weight)| (source, other, weight))
        })
    };
    write_numbers(
        place.join("links.bin"),
        below().map(|(source, target, _)| (u64::from(source) | u64::from(target) << 32).to_le_bytes()),
    )?;
    write_numbers(place.join("weights.bin"), below().map(|(_, _, weight)| weight.to_le_bytes()))?;
    let sides = sides(graph.len());
    write_numbers(place.join("sides.bin"), sides.iter().map(|value| value.to_le_bytes()))?;
    let residuals = |file: &str| -> Result<Vec<f64>, Box<dyn Error>> {
        let mut product = vec![0.0; graph.len()];
        let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
        let one = |(side, solution): (&[f64], &[f64])| {
            matrix.multiply(solution, &mut product);
            product.iter_mut().zip(side).for_each(|(product, side)| *product -= side);
            norm(&product) / norm(side)
        };
        let solutions = read_numbers(place.join(file))?;
        Ok(sides.chunks_exact(graph.len()).zip(solutions.chunks_exact(graph.len())).map(one).collect())
    };
    for tolerance in TOLERANCES {
        let mut task = Task { nodes: graph.len(), shift: 1.0 / (iota * iota), residuals: Vec::new() };
        std::fs::write(place.join("task.json"), serde_json::to_string(&task)?)?;
        let mut command = Command::new(std::env::current_exe()?);
        let ours: Solved = run(command.args(["ours", "graph"]).arg(place).arg(tolerance.to_string()), "")?;
        if ours.steps.is_empty() && tolerance != TOLERANCES[TOLERANCES.len() - 1] {
            continue; // A factor knows no tolerance.
        }
        let reached = residuals("ours.bin")?;
        task.residuals = reached.iter().map(|residual| residual.max(LEAST_RESIDUAL)).collect();
        std::fs::write(place.join("task.json"), serde_json::to_string(&task)?)?;
        let script = folder().join("peers/jacobi_cg.py");
        let theirs: Solved = run(Command::new(python).arg(&script).arg(place).arg(REPEATS.to_string()), "")?;
        report.add(name, tolerance, [theirs, ours], [residuals("theirs.bin")?, reached])?;
    }
    Ok(())
}

impl Report {
    fn add(
        &mut self,
        name: &str,
        tolerance: f64,
        [theirs, ours]: [Solved; 2],
        residuals: [Vec<f64>; 2],
    ) -> Result<(), Box<dyn Error>> {
        let time = |side: &Solved| median(&side.seconds.iter().map(|own| median(own)).collect::<Vec<_>>());
        let steps = |side: &Solved| side.steps.iter().max().map_or("factor".into(), ToString::to_string);
        let [their_residual, our_residual] = residuals.map(|own| own.into_iter().fold(0.0, f64::max));
        writeln!(
            self.solves,
            "| {name} | {} | {:.0} | {:.0} | {:.1} | {} / {} | {their_residual:.0e} / {our_residual:.0e} | {:.1} / {:.1} | \
             {:.0} (+{:.0}) / {:.0} (+{:.0}) |",
            if ours.steps.is_empty() { "-".into() } else { format!("{tolerance:.0e}") },
            1e3 * time(&theirs),
            1e3 * time(&ours),
            time(&theirs) / time(&ours),
            steps(&theirs),
            steps(&ours),
            theirs.setup_seconds,
            ours.setup_seconds,
            theirs.peak_mb,
            theirs.peak_mb - theirs.base_mb,
            ours.peak_mb,
            ours.peak_mb - ours.base_mb,
        )?;
        println!("{name}, {tolerance:.0e}: {:.1} times as fast", time(&theirs) / time(&ours));
        if let Some(own) = &ours.own {
            let method = own.fill.map_or("32 probes".into(), |fill| format!("factor of {fill} entries"));
            let errors = |[root, largest]: [f64; 2]| format!("{root:.1e}, {largest:.1e}");
            writeln!(
                self.variances,
                "| {name} | {method} | {:.1} | {} | {} | {:.2}, {:.2} | {:.0} |",
                own.variance_seconds,
                errors(own.observed),
                errors(own.stated),
                own.score[0],
                own.score[1],
                1e3 * own.together_seconds,
            )?;
        }
        self.versions.extend(theirs.versions);
        Ok(())
    }
}
