//! Tables of what was played.

/// Both ends of a forecast interval; none is later than all that was looked at.
pub type Ends = (Option<usize>, Option<usize>);

/// A session that was played.
pub struct Played {
    pub answers: usize,
    pub stopped: bool,
    pub right: bool,
    pub stated: f64,
    /// The forecasts on the way, each with the number of answers that were needed; none where nothing could be told.
    pub foreseen: Vec<Option<(Ends, usize)>>,
}

/// Sessions of one kind.
pub struct Cell {
    pub setting: &'static str,
    pub judge: &'static str,
    pub goal: &'static str,
    pub strategy: &'static str,
    pub played: Vec<Played>,
}

impl Cell {
    /// A row of the table of cells.
    pub fn row(&self) -> String {
        let Self { setting, judge, goal, strategy, played } = self;
        let stopped: Vec<&Played> = played.iter().filter(|one| one.stopped).collect();
        let mut answers: Vec<usize> = stopped.iter().map(|one| one.answers).collect();
        answers.sort_unstable();
        let count = stopped.len().max(1) as f64;
        let right = stopped.iter().filter(|one| one.right).count() as f64 / count;
        let stated = stopped.iter().map(|one| one.stated).sum::<f64>() / count;
        let error = (stated * (1.0 - stated) / count).sqrt();
        let at = |share: f64| answers.get(((answers.len() as f64 * share) as usize).min(answers.len().max(1) - 1));
        let number = |number: Option<&usize>| number.map_or("-".into(), |number| number.to_string());
        format!(
            "| {setting} | {judge} | {goal} | {strategy} | {} of {} | {} | {} | {} | {right:.3} | {stated:.3} | {error:.3} |",
            stopped.len(),
            played.len(),
            number(answers.first()),
            number(at(0.5)),
            number(answers.last()),
        )
    }
}

/// Prints all tables.
pub fn print(cells: &[Cell]) {
    println!(
        "| setting | judge | goal | strategy | stopped | least | median | most | right | stated | standard error |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    cells.iter().for_each(|cell| println!("{}", cell.row()));
    println!("\n| goal | judge | strategy | stopped | right |\n|---|---|---|---|---|");
    each(
        cells,
        |cell| (cell.goal, cell.judge, cell.strategy),
        |(goal, judge, strategy), own| {
            let stopped: Vec<&Played> = own.iter().flat_map(|cell| &cell.played).filter(|one| one.stopped).collect();
            let all: usize = own.iter().map(|cell| cell.played.len()).sum();
            let right = stopped.iter().filter(|one| one.right).count() as f64 / stopped.len().max(1) as f64;
            println!("| {goal} | {judge} | {strategy} | {} of {all} | {right:.3} |", stopped.len());
        },
    );
    if cells.iter().all(|cell| cell.played.iter().all(|one| one.foreseen.is_empty())) {
        return;
    }
    println!("\n| goal | at | forecasts | cannot tell | sooner | inside | later |\n|---|---|---|---|---|---|---|");
    each(
        cells,
        |cell| cell.goal,
        |goal, own| {
            for (place, at) in ["25 %", "50 %", "75 %"].iter().enumerate() {
                let played = own.iter().flat_map(|cell| &cell.played);
                let made: Vec<Option<(Ends, usize)>> =
                    played.filter_map(|one| one.foreseen.get(place).copied()).collect();
                let told: Vec<(Ends, usize)> = made.iter().flatten().copied().collect();
                let late = |end: Option<usize>| end.unwrap_or(usize::MAX);
                let count = told.len().max(1) as f64;
                let sooner = told.iter().filter(|((low, _), needed)| *needed < late(*low)).count() as f64 / count;
                let later = told.iter().filter(|((_, high), needed)| *needed > late(*high)).count() as f64 / count;
                let unknown = (made.len() - told.len()) as f64 / made.len().max(1) as f64;
                let inside = 1.0 - sooner - later;
                println!("| {goal} | {at} | {} | {unknown:.2} | {sooner:.2} | {inside:.2} | {later:.2} |", made.len());
            }
        },
    );
}

/// Gathers cells by a key, in the order in which keys appear.
fn each<K: PartialEq + Copy>(cells: &[Cell], key: impl Fn(&Cell) -> K, show: impl Fn(K, &[&Cell])) {
    let mut keys: Vec<K> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.strategy == "own" || cell.strategy == "random") {
        let own = key(cell);
        if !keys.contains(&own) {
            keys.push(own);
        }
    }
    for own in keys {
        let gathered: Vec<&Cell> = cells.iter().filter(|cell| key(cell) == own).collect();
        show(own, &gathered);
    }
}
