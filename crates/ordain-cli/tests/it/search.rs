//! `ordain search`: the forms of input and output, runs that `ordain eval` reads, and what is refused.

use crate::util::{Folder, gzip};

/// Four short documents as JSONL, with a list and a nested value that nobody asks for.
const PAPERS: &str = r#"{"id": 1, "title": "Learning to rank", "authors": ["Ann Ott", "Bo Li"], "year": 2005, "more": {"x": [1]}}
{"id": "two", "title": "Ranking by comparisons", "authors": [], "year": 2009}

{"id": "three", "title": "The order of things", "authors": ["Cy Ott"], "year": 1966, "more": null}
{"id": "four", "title": "Rank, rank, rank", "year": 2011}
"#;

fn papers() -> Folder {
    let folder = Folder::empty();
    folder.write("papers.jsonl", PAPERS);
    folder.write("queries.tsv", "qid\ttext\tnote\nq1\tlearning to rank\tx\nq2\t\"ott\" things\t\n");
    folder
}

fn ids(said: &serde_json::Value) -> Vec<&str> {
    said["queries"][0]["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap()).collect()
}

#[test]
fn a_query_in_words() {
    let folder = papers();
    let said = folder.json(["search", "papers.jsonl", "learning", "to", "rank"]);
    assert_eq!(ids(&said), ["1", "four"]);
    assert_eq!(said["queries"][0]["text"], "learning to rank");
    // Stems of one word find each other, and names in lists are text too.
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--stem", "english", "rankings"])), ["four", "two", "1"]);
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "ott"])), ["three", "1"]);
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--text", "title", "ott rank"])), ["four", "1"]);
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--top", "1", "rank"])), ["four"]);
    // Numbers are text only where that is asked for.
    assert!(ids(&folder.json(["search", "papers.jsonl", "1966"])).is_empty());
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--text", "year,title", "1966"])), ["three"]);
    let table = folder.run(["search", "papers.jsonl", "rank"]);
    let lines: Vec<&str> = table.fine().lines().collect();
    assert!(lines[0].starts_with(" rank  id    score  text"), "{lines:?}");
    assert!(lines[1].contains("four") && lines[1].ends_with("Rank, rank, rank"), "{lines:?}");
    assert_eq!(table.stderr, "2 documents listed, of 4 in the collection\n");
}

#[test]
fn a_score_by_hand() {
    let folder = Folder::empty();
    folder.write("docs.csv", "id,text\na,cat cat dog\nb,dog\nc,bird bird\n");
    let score = |more: &[&str]| {
        let said = folder.json(["search", "docs.csv", "cat"].iter().chain(more));
        said["queries"][0]["hits"][0]["score"].as_f64().unwrap()
    };
    // One of three documents has the word, twice in three words where the mean is two.
    let idf = (1.0 + 2.5_f64 / 1.5).ln();
    assert!((score(&[]) - idf * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * 1.5))).abs() < 1e-14);
    assert!((score(&["--k1", "2", "--b", "0"]) - idf * 2.0 * 3.0 / 4.0).abs() < 1e-14);
    assert!((score(&["--k1", "0"]) - idf).abs() < 1e-14);
}

#[test]
fn a_run_that_eval_reads() {
    let folder = papers();
    let run = folder.run(["search", "papers.jsonl", "--queries", "queries.tsv", "--tag", "mine"]);
    let rows: Vec<Vec<&str>> = run.fine().lines().map(|line| line.split(' ').collect()).collect();
    assert_eq!(run.stderr, "");
    let short: Vec<[&str; 5]> = rows.iter().map(|row| [row[0], row[1], row[2], row[3], row[5]]).collect();
    assert_eq!(
        short,
        [
            ["q1", "Q0", "1", "1", "mine"],
            ["q1", "Q0", "four", "2", "mine"],
            ["q2", "Q0", "three", "1", "mine"],
            ["q2", "Q0", "1", "2", "mine"]
        ]
    );
    assert!(rows.iter().all(|row| row[4].parse::<f64>().unwrap() > 0.0));
    let written =
        folder.run(["search", "papers.jsonl", "--queries", "queries.tsv", "--tag", "mine", "--output", "x.run"]);
    assert_eq!(written.fine(), "");
    assert_eq!(folder.read("x.run"), run.stdout);
    folder.write("qrels", "q1 0 1 1\nq2 0 1 1\n");
    let said = folder.json(["eval", "x.run", "--qrels", "qrels", "--measure", "mrr"]);
    assert_eq!(said["runs"][0]["measures"]["mrr"], 0.75);
    let csv = folder.run(["search", "papers.jsonl", "--queries", "queries.tsv", "--format", "csv"]);
    assert!(csv.fine().starts_with("qid,rank,id,score\nq1,1,1,"), "{}", csv.stdout);
    let table = folder.run(["search", "papers.jsonl", "--queries", "queries.tsv", "--format", "table", "--top", "1"]);
    assert!(table.fine().starts_with(" query  rank  id "), "{}", table.stdout);
}

/// Lines of a qid, a tab and the text, as MS MARCO has them: nothing is quoted, and a note says so.
#[test]
fn queries_without_a_header() {
    let folder = papers();
    let headed = folder.run(["search", "papers.jsonl", "--queries", "queries.tsv"]);
    folder.write("bare.tsv", "q1\tlearning to rank\nq2\t\"ott\" things\n");
    let bare = folder.run(["search", "papers.jsonl", "--queries", "bare.tsv"]);
    assert_eq!(bare.fine(), headed.fine());
    assert_eq!(bare.stderr, "bare.tsv has no header: its lines are a qid, a tab and the text, from query q1 on\n");
    folder.write("torn.tsv", "q1\tlearning\nq2 rank\n");
    folder.refuses(["search", "papers.jsonl", "--queries", "torn.tsv"], &["torn.tsv, line 2", "a tab"]);
    folder.write("twice.tsv", "q1\tlearning\nq1\trank\n");
    folder.refuses(["search", "papers.jsonl", "--queries", "twice.tsv"], &["twice.tsv, line 2", "each id once"]);
}

/// The same collection however it is written and packed.
#[test]
fn forms_of_a_collection() {
    let folder = papers();
    folder.write("papers.gz", gzip(PAPERS));
    folder.write("papers.zst", zstd::encode_all(PAPERS.as_bytes(), 3).unwrap());
    let csv = "id,title,authors,year\n1,Learning to rank,Ann Ott Bo Li,2005\ntwo,Ranking by comparisons,,2009\n\
               three,The order of things,Cy Ott,1966\nfour,\"Rank, rank, rank\",,2011\n";
    folder.write("papers.csv", csv);
    folder.write("papers.tsv", csv.replace("\"Rank, rank, rank\"", "Rank; rank; rank").replace(',', "\t"));
    folder.write("queries.csv", "id,query\nq1,learning to rank\nq2,\"\"\"ott\"\" things\"\n");
    let found =
        |collection: &str, queries: &str| folder.run(["search", collection, "--queries", queries]).fine().to_owned();
    let first = found("papers.jsonl", "queries.tsv");
    for collection in ["papers.gz", "papers.zst", "papers.csv", "papers.tsv"] {
        assert_eq!(found(collection, "queries.csv"), first, "{collection}");
    }
    folder.write("other.csv", "key,body\nx,hello world\n");
    assert_eq!(ids(&folder.json(["search", "other.csv", "--id", "key", "hello"])), ["x"]);
}

#[test]
fn stop_words() {
    let folder = papers();
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--stop", "none", "the"])), ["three"]);
    folder.run(["search", "papers.jsonl", "the"]).fails(2, &["no word is left", "--stop none"]);
    folder.run(["search", "papers.jsonl", "?!"]).fails(2, &["no word is left"]);
    folder.write("stop.txt", "RANK\nlearning things\n");
    folder.run(["search", "papers.jsonl", "--stop", "stop.txt", "rank things"]).fails(2, &["no word is left"]);
    assert_eq!(ids(&folder.json(["search", "papers.jsonl", "--stop", "stop.txt", "the order"])), ["three"]);
    folder.refuses(["search", "papers.jsonl", "--stop", "nowhere.txt", "x"], &["nowhere.txt"]);
}

#[test]
fn queries_that_find_nothing() {
    let folder = papers();
    folder.write("queries.csv", "qid,text\nq1,the\nq2,zebra\nq3,\nq4,rank\n");
    let run = folder.run(["search", "papers.jsonl", "--queries", "queries.csv"]);
    assert!(run.fine().lines().all(|line| line.starts_with("q4 ")), "{}", run.stdout);
    let expected = "warning: nothing found for query q1: no word is left of it\n\
                    warning: nothing found for query q2: none of its words is in the collection\n\
                    warning: nothing found for query q3: no word is left of it\n";
    assert_eq!(run.stderr, expected);
    let table = folder.run(["search", "papers.jsonl", "zebra"]);
    assert!(table.stderr.contains("none of its words"), "{}", table.stderr);
    assert!(table.fine().is_empty());
}

#[test]
fn collections_without_text() {
    let folder = Folder::empty();
    folder.write("numbers.csv", "id,year,score\na,1966,2.5\nb,2005,3.5\n");
    folder.write("numbers.jsonl", "{\"id\": \"a\", \"year\": 1966, \"title\": \"\"}\n");
    for name in ["numbers.csv", "numbers.jsonl"] {
        folder.refuses(["search", name, "1966"], &[name, "no field that holds text", "--text"]);
        assert_eq!(ids(&folder.json(["search", name, "--text", "year", "1966"])), ["a"]);
    }
    folder.refuses(["search", "numbers.jsonl", "--text", "title", "1966"], &["nothing in title", "--text"]);
}

#[test]
fn wrong_collections() {
    let folder = papers();
    let refuses = |name: &str, text: &str, words: &[&str]| {
        folder.write(name, text);
        folder.refuses(["search", name, "--queries", "queries.tsv", "--output", "x.run"], words);
    };
    refuses("a.jsonl", "", &["a.jsonl", "empty"]);
    refuses("a.csv", "id,text\n", &["a.csv", "at least one document"]);
    refuses(
        "a.jsonl",
        "{\"id\": 1, \"t\": \"x\"}\n{\"id\": \"1\", \"t\": \"y\"}\n",
        &["a.jsonl, line 2", "id", "each id once", "line 1"],
    );
    refuses("a.csv", "id,t\nx,1\nx,2\n", &["a.csv, line 3", "each id once", "line 2"]);
    refuses("a.jsonl", "{\"ID\": 1, \"t\": \"x\"}\n", &["a.jsonl, line 1", "a key \"id\"", "did you mean \"ID\""]);
    refuses("a.jsonl", "{\"id\": [1], \"t\": \"x\"}\n", &["a.jsonl, line 1", "column id", "[1]"]);
    refuses("a.jsonl", "{\"id\": null, \"t\": \"x\"}\n", &["a.jsonl, line 1", "an id"]);
    refuses("a.jsonl", "{\"id\": 1, \"t\": \"x\", \"t\": \"y\"}\n", &["a.jsonl, line 1", "each key once"]);
    refuses("a.jsonl", "{\"id\": 1}\n{\"id\": 2\n", &["a.jsonl, line 2", "one JSON object"]);
    refuses("a.csv", "name,t\nx,1\n", &["a.csv", "a column \"id\"", "name, t"]);
    refuses("a.csv", "id,t\nan id,1\n", &["a.csv, line 2, column id", "an id", "TREC"]);
    refuses("a.jsonl", "{\"id\": \"an\\tid\", \"t\": \"x\"}\n", &["a.jsonl, line 1, column id", "without spaces"]);
    // Other forms can hold such ids.
    assert_eq!(ids(&folder.json(["search", "a.csv", "--text", "t", "1"])), ["an id"]);
    folder.refuses(
        ["search", "papers.jsonl", "--text", "titel", "x"],
        &["papers.jsonl", "titel", "did you mean \"title\""],
    );
    folder.refuses(["search", "papers.jsonl", "--text", "more", "x"], &["papers.jsonl, line 1", "column more"]);
    folder.refuses(["search", "a.csv", "--text", "u", "x"], &["a.csv", "a column \"u\""]);
    folder.refuses(["search", "nowhere.jsonl", "x"], &["nowhere.jsonl", "hint: "]);
}

#[test]
fn wrong_queries() {
    let folder = papers();
    let refuses = |text: &str, words: &[&str]| {
        folder.write("q.csv", text);
        folder.refuses(["search", "papers.jsonl", "--queries", "q.csv", "--output", "x.run"], words);
    };
    refuses("", &["q.csv", "empty"]);
    refuses("qid,text\n", &["q.csv", "at least one query"]);
    refuses("1,learning\n2,rank\n", &["q.csv, line 1", "\"qid\" or \"id\"", "qid,text"]);
    refuses("qid,words\n1,learning\n", &["q.csv, line 1", "\"text\" or \"query\""]);
    refuses("qid,text\n1,learning\n1,rank\n", &["q.csv, line 3", "each id once", "line 2"]);
    refuses("qid,text\n,learning\n", &["q.csv, line 2", "an id"]);
    refuses("qid,text\na b,learning\n", &["q.csv, line 2", "a b", "TREC"]);
}

/// Whatever goes wrong, a run that was there stays as it was, and nothing else is left behind.
#[test]
fn the_output_is_whole_or_as_it_was() {
    let folder = papers();
    folder.write("old.run", "old");
    folder.refuses(
        ["search", "papers.jsonl", "--queries", "queries.tsv", "--k1", "1e99", "--output", "old.run"],
        &["k1"],
    );
    folder
        .refuses(["search", "papers.jsonl", "--queries", "queries.tsv", "--output", "no/where.run"], &["no/where.run"]);
    std::fs::create_dir(folder.path("sub")).unwrap();
    folder.refuses(["search", "papers.jsonl", "--queries", "queries.tsv", "--output", "sub"], &["sub", "directory"]);
    folder.run(["search", "papers.jsonl", "--queries", "queries.tsv", "--output", "old.run"]).fine();
    assert!(folder.read("old.run").starts_with("q1 Q0 1 1 "));
    assert_eq!(folder.files().len(), 3);
}

#[test]
fn wrong_usage() {
    let folder = papers();
    for (arguments, words) in [
        (["search", "papers.jsonl"].as_slice(), ["nothing to look for", "--queries"].as_slice()),
        (&["search", "papers.jsonl", "--queries", "queries.tsv", "rank"], &["cannot be used with"]),
        (&["search", "papers.jsonl", "rank", "--top", "0"], &["above 0"]),
        (&["search", "papers.jsonl", "rank", "--stem", "klingon"], &["klingon", "english"]),
        (&["search", "papers.jsonl", "rank", "--format", "xml"], &["xml", "trec"]),
        (&["search", "papers.jsonl", "rank", "--format", "trec", "--tag", "a b"], &["a b", "spaces"]),
    ] {
        folder.run(arguments).fails(2, words);
    }
    folder.refuses(["search", "papers.jsonl", "rank", "--k1=-1"], &["k1 is -1"]);
    folder.refuses(["search", "papers.jsonl", "rank", "--b", "nan"], &["b is NaN", "from 0 to 1"]);
}
