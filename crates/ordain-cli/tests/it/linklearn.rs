//! `ordain train linklearn` and `ordain search --model`: weights from links, applied to another collection; what is
//! refused.

use crate::util::Folder;

/// Documents about six topics, with words of their own beside common ones, and links within topics.
fn linked() -> Folder {
    let folder = Folder::empty();
    let (mut docs, mut links) = (String::new(), "source,target\n".to_owned());
    for at in 0..90_u64 {
        let topic = at % 6;
        let word = |place: u64| {
            let mixed = (at * 31 + place).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            if place.is_multiple_of(3) {
                format!("topic{topic}word{}", mixed % 8)
            } else {
                format!("common{}", mixed % 12)
            }
        };
        let text: Vec<String> = (0..20).map(word).collect();
        docs.push_str(&format!("{{\"id\": {at}, \"body\": \"{}\"}}\n", text.join(" ")));
        (1..6).for_each(|step| links.push_str(&format!("{at},{}\n", (at + 6 * step) % 90)));
    }
    links.push_str("4,missing\nmissing,other\n");
    folder.write("docs.jsonl", docs);
    folder.write("links.csv", links);
    folder
}

const TRAIN: [&str; 10] =
    ["train", "linklearn", "--docs", "docs.jsonl", "--links", "links.csv", "-o", "words.json", "--epochs", "6"];

#[test]
fn from_links_to_a_search() {
    let folder = linked();
    let said = folder.json(TRAIN);
    assert_eq!((&said["documents"], &said["left_out"]), (&90.into(), &2.into()));
    // Of 450 linked pairs, about a quarter lie within the half that teaches.
    assert!((70..160).contains(&said["links"].as_u64().unwrap()), "{said}");
    let precision = said["link_precision"].as_f64().unwrap();
    assert!(precision > 0.5, "{said}");
    let curve = said["curve"].as_array().unwrap();
    assert!(curve.iter().any(|epoch| epoch["validate"].as_f64() == Some(precision)));
    // The words of another collection are weighed by the same curves: a rare word more than a common one.
    folder.write("new.csv", "id,text\na,tree tree tree river\nb,tree apple\nc,tree house\nd,\n");
    let ids = |more: &[&str]| -> Vec<String> {
        let said = folder.json(["search", "new.csv", "apple", "tree", "--model", "words.json"].iter().chain(more));
        let hits = said["queries"][0]["hits"].as_array().unwrap();
        hits.iter().map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&[])[0], "b");
    assert_eq!(ids(&[]).len(), 3);
    assert_eq!(ids(&["--feedback", "similar"])[0], "b");
    assert_eq!(ids(&["--feedback", "rm3"])[0], "b");
    folder.write("queries.tsv", "qid\ttext\n1\tapple\n2\tunheard\n");
    let run = |more: &[&str]| folder.run(["search", "new.csv", "--queries", "queries.tsv"].iter().chain(more));
    assert!(run(&["--model", "words.json", "--feedback", "similar"]).fine().contains(" linklearn-similar\n"));
    let plain = run(&["--feedback", "rm3"]);
    assert!(plain.fine().contains(" bm25-rm3\n"));
    assert!(
        plain.stderr.contains("nothing found for query 2: none of its words is in the collection"),
        "{}",
        plain.stderr
    );
}

#[test]
fn same_seed_same_file_and_a_picture() {
    let folder = linked();
    let table = folder.run(TRAIN.iter().chain(&["--plot", "curve.svg"]));
    let shown = table.fine();
    assert!(shown.contains("times in the document") && shown.contains("validated"), "{shown}");
    assert!(table.stderr.contains(" linked pairs within half of 90 documents; 2 links"), "{}", table.stderr);
    assert!(table.stderr.contains("2 links to or from other documents left out"), "{}", table.stderr);
    assert!(folder.read("curve.svg").contains("<svg"));
    let first = folder.read("words.json");
    let csv = folder.run(TRAIN.iter().chain(&["--format", "csv"]));
    assert!(csv.fine().starts_with("of,at,weight\n"), "{}", csv.stdout);
    assert_eq!(folder.read("words.json"), first);
    folder.run(TRAIN.iter().chain(&["--seed", "2"])).fine();
    assert_ne!(folder.read("words.json"), first);
    assert!(first.contains("\"stem\": \"english\""));
    folder
        .run(TRAIN.iter().chain(&["--setting", "paper", "--hidden", "2", "--rates", "0.02", "--stem", "none"]))
        .fine();
}

/// A project of documents needs no numbers: its kernel is over their words.
#[test]
fn a_project_of_documents() {
    let folder = linked();
    folder.run(TRAIN).fine();
    folder.write("items.csv", "id,title\na,topic1word1 topic1word2\nb,topic1word1 topic1word3\nc,storm rain\nd,rain\n");
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"text\"\nmodel = \"words.json\"\n[answers]\nfile = \"answers.csv\"\n",
    );
    folder.write("answers.csv", "winner,loser\na,c\n");
    let said = folder.json(["rank"]);
    let mean = |id: &str| {
        let items = said["items"].as_array().unwrap();
        items.iter().find(|item| item["id"] == id).unwrap()["mean"].as_f64().unwrap()
    };
    // What was said of a and c holds in part of the texts that are like them.
    assert!(mean("a") > mean("b") && mean("b") > 0.01 && mean("d") < -0.01 && mean("d") > mean("c"));
}

/// A fresh project of texts has a kernel over them; one with numbers keeps to these.
#[test]
fn init_of_texts() {
    let folder = Folder::empty();
    let texts = "id,title,place\na,How to rank many papers fast,Bonn\nb,To rank papers by pairs,Rome\nc,Storm and rain over the sea,Rome\n";
    folder.write("papers.csv", texts);
    folder.run(["init", "papers.csv"]).fine();
    let written = folder.read("ordain.toml");
    assert!(written.contains("kind = \"text\"\ncolumns = [\"title\"]\n"), "{written}");
    folder.write("answers.csv", "winner,loser\na,c\n");
    let said = folder.json(["rank"]);
    let items = said["items"].as_array().unwrap();
    let mean = |id: &str| items.iter().find(|item| item["id"] == id).unwrap()["mean"].as_f64().unwrap();
    assert!(mean("a") > mean("b") && mean("b") > 0.01, "b has words of a: {said}");
    let numbers = Folder::empty();
    numbers.write("papers.csv", "id,title,pages\na,How to rank many papers fast,9\nb,To rank papers by pairs,8\n");
    numbers.run(["init", "papers.csv"]).fine();
    assert!(!numbers.read("ordain.toml").contains("kind = \"text\""));
}

#[test]
fn what_is_refused() {
    let folder = linked();
    folder.write("none.csv", "source,target\nx,y\n");
    folder.write("few.csv", "source,target\n0,1\n");
    let with = |from: &str, to: &str| TRAIN.map(|word| if word == from { to.to_owned() } else { word.to_owned() });
    let wrong = [
        (
            TRAIN.to_vec()[..2].iter().copied().chain(["-o", "m.json"]).map(str::to_owned).collect::<Vec<_>>(),
            2,
            "--docs docs.jsonl",
        ),
        (TRAIN.iter().chain(&["--train", "x"]).map(|word| (*word).to_owned()).collect(), 2, "linklearn has no --train"),
        (
            TRAIN.iter().chain(&["--improve", "map"]).map(|word| (*word).to_owned()).collect(),
            2,
            "linklearn has no --improve",
        ),
        (TRAIN.iter().chain(&["--rates", "0"]).map(|word| (*word).to_owned()).collect(), 1, "rate"),
        (with("links.csv", "none.csv").to_vec(), 1, "links between the documents"),
        (with("links.csv", "few.csv").to_vec(), 1, "each half of the documents"),
        (with("links.csv", "missing.csv").to_vec(), 1, "missing.csv"),
        (with("words.json", "docs.jsonl").to_vec(), 1, "another place for --output"),
        (
            ["train", "ranksvm", "--docs", "docs.jsonl", "-o", "m.json"].map(str::to_owned).to_vec(),
            2,
            "ranksvm has no --docs",
        ),
        (["train", "ranksvm", "-o", "m.json"].map(str::to_owned).to_vec(), 2, "--train FILE"),
        (["search", "docs.jsonl", "common1", "--model", "links.csv"].map(str::to_owned).to_vec(), 1, "a model"),
        (["search", "docs.jsonl", "common1", "--model", "w.json", "--k1", "2"].map(str::to_owned).to_vec(), 2, "--k1"),
    ];
    let before = folder.read("docs.jsonl");
    for (words, code, part) in wrong {
        let run = folder.run(&words);
        assert_eq!(run.code, Some(code), "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{words:?}: {}", run.stderr);
    }
    assert_eq!(folder.read("docs.jsonl"), before);
}
