//! Things that look odd and are fine.

use crate::util::{Folder, gzip};

fn ranked(folder: &Folder) -> usize {
    folder.json(["rank", "--inference", "incremental"]);
    folder.json(["rank"])["items"].as_array().unwrap().len()
}

/// Every kernel over links, on a graph in pieces with an item that has no link.
#[test]
fn graphs_in_pieces() {
    for kind in [
        "regularized-laplacian",
        "common-cause\"\nform = \"cliques",
        "common-cause\"\nform = \"edges",
        "diffusion",
        "directed-laplacian",
    ] {
        let folder = Folder::empty();
        folder.write("items.csv", "id\na\nb\nc\nd\ne\n");
        folder.write("links.csv", "source,target\na,b\nc,d\n");
        folder.write("answers.csv", "first,second,outcome\na,c,first\n");
        folder.write(
            "ordain.toml",
            format!("[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"{kind}\"\nrelation = \"links.csv\"\n"),
        );
        assert_eq!(ranked(&folder), 5, "{kind}");
    }
}

#[test]
fn no_answers_yet() {
    let folder = Folder::project();
    let nothing = |folder: &Folder| {
        assert_eq!(ranked(folder), 3);
        assert_eq!(folder.json(["rank"])["answers"], 0);
        let run = folder.run(["rank"]);
        run.fine();
        assert!(run.stderr.contains("no answers yet"), "{}", run.stderr);
        let said = folder.json(["predict", "ant", "bee"])["probability"].as_f64().unwrap();
        // One unit in the last place of the tail's table.
        assert!((said - 0.5).abs() < 2.0 * f64::EPSILON, "{said}");
    };
    folder.write("answers.csv", "first,second,outcome,judge,time\n");
    nothing(&folder);
    folder.write("answers.csv", "");
    nothing(&folder);
    std::fs::remove_file(folder.path("answers.csv")).unwrap();
    nothing(&folder);
}

#[test]
fn one_item() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\nant,1\n");
    folder.run(["init", "items.csv"]).fine();
    let item = &folder.json(["rank", "--top", "1"])["items"][0];
    assert_eq!(
        (item["rank"].as_u64(), item["rank_low"].as_u64(), item["rank_high"].as_u64()),
        (Some(1), Some(1), Some(1))
    );
    assert_eq!(item["top"], 1.0);
    assert!(folder.run(["rank"]).stderr.starts_with("1 item, "));
    folder.run(["answer", "ant", "good"]).fine();
    assert!(folder.json(["rank"])["items"][0]["mean"].as_f64().unwrap() > 0.0);
}

/// An item that nobody was asked about is ranked by what it is like.
#[test]
fn items_never_compared() {
    let folder = Folder::project();
    let ranking = folder.json(["rank"]);
    let ids: Vec<&str> = crate::util::order(&ranking);
    assert!(ids.contains(&"cow"));
    assert!(folder.json(["predict", "cow", "ant"])["probability"].as_f64().unwrap() < 0.5);
}

#[test]
fn nothing_but_skips() {
    let folder = Folder::project();
    folder.write("answers.csv", "first,second,outcome\nant,bee,skip\n");
    assert_eq!(folder.json(["rank"])["answers"], 0);
}

/// Packed files read like plain ones, down to the bit.
#[test]
fn packed_files() {
    let plain = Folder::project();
    let expected = plain.run(["rank", "--format", "json"]);
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    for ending in ["gz", "zst"] {
        let pack = |text: String| if ending == "gz" { gzip(text) } else { zstd(&text) };
        let packed = Folder::project();
        for name in ["items.csv", "links.csv", "answers.csv"] {
            packed.write(&format!("{name}.{ending}"), pack(plain.read(name)));
            std::fs::remove_file(packed.path(name)).unwrap();
            packed.replace("ordain.toml", &format!("\"{name}\""), &format!("\"{name}.{ending}\""));
        }
        assert_eq!(packed.run(["rank", "--format", "json"]).fine(), expected.fine());
    }
}

#[test]
fn files_from_elsewhere() {
    let folder = Folder::project();
    let expected = folder.run(["rank", "--format", "json"]);
    for name in ["items.csv", "links.csv", "answers.csv"] {
        folder.write(name, format!("\u{feff}{}", folder.read(name).replace('\n', "\r\n")));
    }
    assert_eq!(folder.run(["rank", "--format", "json"]).fine(), expected.fine());
}

/// Constant attributes beside ones that vary, twins, and a link given twice.
#[test]
fn little_to_tell_apart() {
    let folder = Folder::project();
    folder.write("items.csv", "id,x,y\nant,1,7\nbee,1,7\ncow,4,7\n");
    folder.replace("ordain.toml", "[\"x\"]", "[\"x\", \"y\"]");
    folder.append("links.csv", "bee,ant,2\n");
    assert_eq!(ranked(&folder), 3);
}
