//! Interrupted runs end with the same bytes, here on small made-up data in the form of the real ones.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use ordain::numeric::Seed;
use ordain_papers::{DataFolder, Options, find, run};

/// Numbers that look random and are the same everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut packed = GzEncoder::new(std::fs::File::create(path).unwrap(), Compression::fast());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap();
}

/// Ten LETOR queries of 40 documents with grades 0, 1 and 2 that attributes tell something of.
fn letor(folder: &Path) {
    let mut numbers = Numbers(1);
    for part in 1..=5 {
        let mut text = String::new();
        for query in [2 * part - 1, 2 * part] {
            for document in 0..40 {
                let grade = (document % 5) / 2;
                let [a, b, c] = [0; 3].map(|_: u64| numbers.below(100) + 30 * grade);
                writeln!(text, "{grade} qid:{query} 1:{a} 2:{b} 3:{c} #docid = {document}").unwrap();
            }
        }
        write(&folder.join(format!("letor-ohsumed/S{part}.txt.gz")), &text);
    }
}

/// Three runs on six queries, twice, and three rankers of ten queries; the later ones are the better.
fn experts(folder: &Path) {
    let mut numbers = Numbers(2);
    for place in ["classic-ir/cacm", "ohsumed-runs"] {
        let (mut runs, mut judgements) = ("run\tqid\tdocid\trank\tscore\n".to_owned(), "qid\tdocid\trel\n".to_owned());
        for query in 0..6 {
            (0..3).for_each(|at| writeln!(judgements, "{query}\t{}\t{}", 10 * at + query, 1 + at % 2).unwrap());
            for run in 0..3 {
                let bonus = |document: u64| if document % 10 == query { 20 * run } else { 0 };
                let mut scored: Vec<(u64, u64)> =
                    (0..40).map(|document| (numbers.below(100) + bonus(document), document)).collect();
                scored.sort_by(|a, b| b.cmp(a));
                for (at, (score, document)) in scored.into_iter().take(33).enumerate() {
                    writeln!(runs, "r{run}\t{query}\t{document}\t{}\t{score}", at + 1).unwrap();
                }
            }
        }
        write(&folder.join(place).join("runs.tsv.gz"), &runs);
        write(&folder.join(place).join("qrels.tsv.gz"), &judgements);
    }
    for part in 1..=5 {
        let mut text = String::new();
        for query in [2 * part - 1, 2 * part] {
            for document in 0..12 {
                let grade = u64::from(document % 5 == 0);
                let mut ranks = String::new();
                for ranker in 1..=3 {
                    let rank = 1 + numbers.below(100) + if grade == 1 { 0 } else { 30 * ranker };
                    let rank = if rank > 90 { "NULL".to_owned() } else { rank.to_string() };
                    write!(ranks, " {ranker}:{rank}").unwrap();
                }
                writeln!(text, "{grade} qid:{query}{ranks} #docid = {document}").unwrap();
            }
        }
        write(&folder.join(format!("letor-agg/mq2008-agg/A{part}.txt.gz")), &text);
    }
}

/// The files of a folder by name, but for what a clock said.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = all.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap()));
    named.filter(|(name, _)| !name.contains("-times")).collect()
}

/// Runs an experiment, and again after its tables were torn at several places. Gives its pictures.
fn resumes(name: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    letor(&place);
    experts(&place);
    let data = DataFolder::new(&place, "a test");
    let (experiment, out) = (find(name).unwrap(), folder.path().join("out"));
    let options = Options { seed: Seed(5), quick: true };
    let go = || run(experiment, &data, &out, options, &mut |_| {}).unwrap();
    let found = go();
    let whole = files(&out);
    assert!(whole.len() >= 3, "{:?}", whole.keys());
    assert!(!found.gist.rows.is_empty() && !found.gist.rows.iter().flatten().any(|cell| cell.contains("NaN")));
    let pictures: Vec<String> = whole
        .iter()
        .filter(|(name, _)| name.ends_with(".svg"))
        .map(|(_, bytes)| String::from_utf8(bytes.clone()).unwrap())
        .collect();
    assert!(pictures.iter().all(|svg| !svg.contains("nothing to show")), "an empty chart");
    let tables: Vec<&String> =
        whole.keys().filter(|name| name.ends_with(".csv") && !name.contains("summary")).collect();
    for share in [0.0, 0.3, 0.71, 1.0] {
        for table in &tables {
            let bytes = &whole[*table];
            let end = (share * (bytes.len() - 1) as f64) as usize;
            std::fs::write(out.join(table), &bytes[..end]).unwrap();
            let times = out.join(format!("{name}-times.csv"));
            if share < 0.5 && times.exists() {
                std::fs::remove_file(times).unwrap();
            }
            go();
            assert!(files(&out) == whole, "{name}: {table} torn at {end}");
        }
    }
    assert!(run(experiment, &data, &out, Options { seed: Seed(6), ..options }, &mut |_| {}).is_err());
    pictures
}

#[test]
fn illustration() {
    resumes("axpgp-illustration");
}

#[test]
fn speed() {
    resumes("axpgp-speed");
}

#[test]
fn one_model() {
    resumes("axpgp-random");
}

/// A quick run has too few sessions for a single point, so it draws no chart.
#[test]
fn stopping() {
    assert_eq!(resumes("stopping"), [""; 0]);
}

#[test]
fn ten_pairs() {
    resumes("xpgp-active");
}

#[test]
fn metasearch() {
    resumes("ltot-metasearch");
}
