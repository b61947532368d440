//! Damaged files: whatever happens to the bytes of a valid file, reading gives a value or an error.

use std::path::Path;

use ordain::data::{Answer, Entry, ItemId, Items, Outcome};
use ordain::formats::{
    AnswerWriter, ItemsSpec, LetorQueries, Missing, RunQueries, Table, read_answer_items, read_answers, read_items,
    read_letor, read_letor_ranks, read_project, read_qrels, read_relation, read_runs,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Folder;

/// One to four changes: a bit turned, bytes cut out, bytes put in, a piece doubled, the end cut off.
fn damage(bytes: &mut Vec<u8>, random: &mut ChaCha8Rng) {
    const TOKENS: [&[u8]; 14] = [
        b"\"",
        b"\n",
        b",",
        b"\t",
        b"\r\n",
        b"\xff",
        b"\0",
        b"nan",
        b"1e999",
        b"-",
        b"{",
        b"[[",
        b"#",
        b"99999999999999999999",
    ];
    for _ in 0..random.random_range(1..5) {
        let at = random.random_range(0..bytes.len() + 1);
        let to = (at + random.random_range(0..12)).min(bytes.len());
        match random.random_range(0..6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            1 => drop(bytes.drain(at..to)),
            2 => drop(bytes.splice(at..at, TOKENS[random.random_range(0..TOKENS.len())].iter().copied())),
            3 => {
                let piece = bytes[at..to].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            4 if random.random_range(0..4) == 0 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, [random.random::<u8>()])),
        }
    }
}

fn fuzz(name: &str, cases: u64, seeds: &[&[u8]], read: impl Fn(&Path)) {
    let folder = Folder::new();
    let path = folder.path(name);
    for case in 0..cases {
        let mut random = ChaCha8Rng::seed_from_u64(case);
        let mut bytes = seeds[case as usize % seeds.len()].to_vec();
        damage(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        read(&path);
    }
    crate::check_memory(512);
}

fn items() -> Items {
    Items::from_ids(["lamp", "chair", "table"]).unwrap()
}

const ITEMS: &[u8] = b"id,x,y,query,note\nlamp,1.5,2,q,\"a, b\"\nchair,-3e5,,q,\"x\n\"\"y\"\"\"\ntable,0.25,7,r,\n";
const JSONL: &[u8] = b"{\"id\":\"lamp\",\"x\":1.5,\"y\":null}\n{\"id\":\"ch\\u00e4ir\",\"x\":-3e5,\"z\":true}\n";
const LOG: &[u8] =
    b"first,second,outcome,judge,time\nlamp,chair,first,ann,1\nlamp,,good,bob,2\nchair,table,tie,,3\n,,undo,ann,4\n";
const ARENA: &[u8] = b"model_a,model_b,winner,judge\nlamp,chair,model_a,j\ntable,chair,tie (bothbad),j\n";
const LABELS: &[u8] = b"worker,left,right,label\n7,lamp,chair,1\n8,chair,table,chair\n";
const LINKS: &[u8] = b"source,target,weight\nlamp,chair,2\nchair,table,0.5\n";
const BARE: &[u8] = b"# links\nlamp chair 2\nchair table 0.5\n";
const LETOR: &[u8] = b"2 qid:1 1:0.5 2:1e-3 46:7 #docid = GX-1 inc = 1\n0 qid:2 1:3 3:0.1 #docid = GX-2\n1 qid:1 2:5\n";
const RANKS: &[u8] = b"2 qid:1 1:1 2:NULL 3:7 #docid = A\n0 qid:2 1:NULL 2:3 3:NULL #docid = A\n";
const QRELS: &[u8] = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n";
const QRELS_TSV: &[u8] = b"qid\tdocid\trel\n1\td1\t1\n2\td2\t0\n";
const RUN: &[u8] = b"1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n2 Q0 d1 1 NaN tag\n";
const PROJECT: &[u8] = b"[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\n[[kernel]]\nkind = \"squared-exponential\"\nrho = [0.5]\n\
    [[kernel]]\nkind = \"diffusion\"\nrelation = \"links.csv\"\nas = \"linked\"\n[answers]\nnoise = 1e-1\n[ask]\ngoal = \"top\"\nk = 0x3\n";

#[test]
fn tables() {
    fuzz("t", 3000, &[ITEMS, JSONL], |path| drop(Table::read(path)));
}

#[test]
fn item_tables() {
    let spec = ItemsSpec { missing: Missing::Mean, group: Some("query".into()), ..ItemsSpec::default() };
    fuzz("items.csv", 3000, &[ITEMS], |path| drop((read_items(path, &spec), read_items(path, &ItemsSpec::default()))));
}

#[test]
fn links() {
    fuzz("l", 3000, &[LINKS, BARE], |path| {
        drop((read_relation(path, &items(), false), read_relation(path, &items(), true)));
    });
}

#[test]
fn answers() {
    fuzz("a", 4000, &[LOG, ARENA, LABELS], |path| drop((read_answers(path, &items()), read_answer_items(path))));
}

/// A log that can be read and appended to can be read after the append, with one answer more.
#[test]
fn appends() {
    let folder = Folder::new();
    let path = folder.path("a.csv");
    let answer = Answer::new(ItemId(0), Some(ItemId(1)), Outcome::Second).unwrap();
    let mut appended = 0;
    for case in 0..1500 {
        let mut bytes = [LOG, ARENA, b"winner,loser\nlamp,chair\n"][case as usize % 3].to_vec();
        damage(&mut bytes, &mut ChaCha8Rng::seed_from_u64(case));
        std::fs::write(&path, &bytes).unwrap();
        let Ok(before) = read_answers(&path, &items()) else { continue };
        let Ok(mut writer) = AnswerWriter::open(&path, &items()) else { continue };
        let written = writer.append(&Entry::Answer(answer.clone()), &items()).is_ok();
        let after = read_answers(&path, &items()).unwrap();
        assert_eq!(after.entries().len(), before.entries().len() + usize::from(written));
        appended += usize::from(written);
    }
    assert!(appended > 20, "{appended}");
}

#[test]
fn letor() {
    fuzz("s", 4000, &[LETOR, RANKS], |path| drop((read_letor(path), read_letor_ranks(path))));
}

#[test]
fn trec() {
    fuzz("q", 4000, &[QRELS, QRELS_TSV, RUN], |path| drop((read_qrels(path), read_runs(path))));
}

#[test]
fn query_by_query() {
    fuzz("q", 2000, &[RUN, RANKS], |path| {
        let runs = RunQueries::open(&[path]);
        drop(runs.and_then(|mut runs| while_some(|| Ok(runs.next()?.is_some()))));
        let ranks = LetorQueries::open(&[path]);
        drop(ranks.and_then(|mut ranks| while_some(|| Ok(ranks.next()?.is_some()))));
    });
}

/// As long as there is more.
fn while_some(mut more: impl FnMut() -> ordain::Result<bool>) -> ordain::Result<()> {
    while more()? {}
    Ok(())
}

#[test]
fn projects() {
    let folder = Folder::new();
    folder.write("items.csv", ITEMS);
    folder.write("links.csv", LINKS);
    let file = folder.path("ordain.toml");
    for case in 0..3000 {
        let mut bytes = PROJECT.to_vec();
        damage(&mut bytes, &mut ChaCha8Rng::seed_from_u64(case));
        std::fs::write(&file, &bytes).unwrap();
        drop(read_project(&file));
    }
    std::fs::write(&file, PROJECT).unwrap();
    read_project(&file).unwrap();
}

#[test]
fn packed_files() {
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, ITEMS).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(ITEMS, 3).unwrap();
    fuzz("p", 3000, &[&gzip, &zstd], |path| drop(Table::read(path)));
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_files() {
    let whole = crate::formats_parquet::bytes(&["a", "b"], &[0.1, 1.0], &[0.1, 2.0], &[Some(1), None]);
    // Panics inside the parquet crate are caught and reported as errors; their messages are not wanted here.
    std::panic::set_hook(Box::new(|_| {}));
    fuzz("f.parquet", 2000, &[&whole], |path| drop(Table::read(path)));
    drop(std::panic::take_hook());
}
