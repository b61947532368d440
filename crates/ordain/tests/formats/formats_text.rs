//! Files of learned weights of words, links between documents, and kernels over texts.

use ordain::data::{Items, Newcomers};
use ordain::formats::{Known, ProjectData, TextModel, TextTraining, read_document_links, read_kernels, read_project};
use ordain::kernel::{Kernel, build, build_with_newcomers};
use ordain::learn::AnyModel;
use ordain::text::{Analysis, Curve, Curves, Stemmer, StopWords};

use crate::{Folder, input};

/// A model with curves made up here.
pub fn word_weights() -> TextModel {
    let curve = |numbers: &[f64]| Curve::new(numbers.to_vec()).unwrap();
    TextModel {
        analysis: Analysis { stop: StopWords::new(["of", "the"]), stem: Some(Stemmer::ENGLISH) },
        curves: Curves {
            tf: curve(&[0.5, 0.1, 1.0 / 3.0, 0.25]),
            idf: curve(&[1.0, -1.0, 0.7, -0.5, 2.0, 1e-9, 0.1]),
            length: curve(&[-0.25]),
        },
        training: TextTraining { documents: 9, links: 20, link_precision: 0.25, hidden: 1, rate: 0.01, epochs: 3 },
    }
}

#[test]
fn a_model_survives_its_file() {
    let folder = Folder::new();
    word_weights().save(folder.path("words.json")).unwrap();
    assert_eq!(TextModel::load(folder.path("words.json")).unwrap(), word_weights());
    // It scores no examples, and says so.
    let error = AnyModel::load(folder.path("words.json")).unwrap_err();
    assert!(error.to_string().contains("ordain text model"), "{error}");
    let text = folder.read("words.json");
    let broken = [
        (text.replace("\"version\": 1", "\"version\": 2"), "later version"),
        (text.replace("ordain text model", "ordain label model"), ""),
        (text.replace("\"english\"", "\"klingon\""), ""),
        (text.replace("-0.25", "-0.25, 1"), ""),
        (text[..text.find("\"tf\"").unwrap()].to_owned(), "ends too early"),
        (text.replace("\"tf\"", "\"of\""), "not as"),
        (String::new(), "ends too early"),
    ];
    for (text, hint) in broken {
        folder.write("broken.json", &text);
        let error = input(TextModel::load(folder.path("broken.json")), "broken.json");
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error} {:?}", error.hint);
    }
}

#[test]
fn links_to_missing_documents_are_counted() {
    let folder = Folder::new();
    let items = Items::from_ids(["a", "b", "c"]).unwrap();
    for text in [
        "source,target\na,b\nx,a\nc,y\nc,a\nx,y\n",
        "a b\nx a\nc y\nc a\nx y\n",
        "src\tdst\tcount\na\tb\t1\nx\ta\t1\nc\ty\t1\nc\ta\t2\nx\ty\t9\n",
    ] {
        let file = folder.write("links.csv", text);
        assert_eq!(read_document_links(&file, &items).unwrap(), (vec![(0, 1), (2, 0)], 3), "{text}");
    }
    let weights = folder.write("weights.csv", "source,target,weight\na,b,0\nb,c,7\n");
    assert_eq!(read_document_links(weights, &items).unwrap(), (vec![(1, 2)], 0));
    assert_eq!(
        input(read_document_links(folder.write("blank.csv", "source,target\na,b\na,\n"), &items), "blank.csv").line,
        Some(3)
    );
    assert!(read_document_links(folder.write("empty.csv", ""), &items).is_err());
    input(read_document_links(folder.write("bad.csv", "source,target,weight\na,b,-1\n"), &items), "bad.csv");
}

const TABLE: &str =
    "id,title,note,size\na,Rank the papers,rank,1\nb,papers of rank,,2\nc,,,3\nd,weather,storm storm,4\n";

/// A project with these keys in a kernel over texts.
fn project(folder: &Folder, keys: &str) -> ordain::Result<ProjectData> {
    folder.write("items.csv", TABLE);
    let text = format!("[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"text\"\n{keys}");
    folder.write("ordain.toml", text);
    read_project(folder.path(""))
}

fn matrix(project: &ProjectData) -> Vec<Vec<f64>> {
    let kernel = build(&project.kernels, &project.items, &project.relations).unwrap();
    let column = |item: usize| {
        let mut out = vec![0.0; kernel.len()];
        kernel.column(item, &mut out).unwrap();
        out
    };
    (0..kernel.len()).map(column).collect()
}

/// The cosine of two texts' words, by hand: Okapi with k1 = 1.2 and b = 0.75, mean length 2.
#[test]
fn covariances_by_hand() {
    let folder = Folder::new();
    let found = matrix(&project(&folder, "columns = [\"title\"]\nkappa = 2.0\n").unwrap());
    // Titles without stop words: rank papers; papers rank; nothing; weather.
    assert_eq!(found[0][0], 4.0);
    assert!((found[0][1] - 4.0).abs() < 1e-14, "the same words in another order");
    assert_eq!((found[0][3], found[2][0], found[2][2]), (0.0, 0.0, 4.0), "no words, no likeness");
    // Both columns: a has rank twice and papers once, b each once.
    let found = matrix(&project(&folder, "").unwrap());
    let idf = |having: f64| (1.0 + (4.0 - having + 0.5) / (having + 0.5)).ln();
    let worth = |tf: f64, length: f64| tf / (tf + 1.2 * (0.25 + 0.75 * length / 2.0));
    let (rank, papers) = (idf(2.0), idf(2.0));
    let a = [rank.sqrt() * worth(2.0, 3.0), papers.sqrt() * worth(1.0, 3.0)];
    let b = [rank.sqrt() * worth(1.0, 2.0), papers.sqrt() * worth(1.0, 2.0)];
    let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
    let expected = dot(a, b) / (dot(a, a) * dot(b, b)).sqrt();
    assert!((found[0][1] - expected).abs() < 1e-14, "{} {expected}", found[0][1]);
    assert_eq!(found[0][1], found[1][0]);
}

/// A learned model brings weights, stop words and stems.
#[test]
fn learned_weights_in_a_project() {
    let folder = Folder::new();
    word_weights().save(folder.path("words.json")).unwrap();
    let learned = matrix(&project(&folder, "columns = [\"title\"]\nmodel = \"words.json\"\n").unwrap());
    // "Rank the papers" and "papers of rank", stemmed and without "the" and "of", are the same words.
    assert!((learned[0][1] - 1.0).abs() < 1e-14 && learned[0][3] == 0.0);
    // Both columns: a has rank twice and papers once, b each once; both terms are in two of four texts.
    let learned = matrix(&project(&folder, "model = \"words.json\"\n").unwrap());
    let tf = |times: f64| word_weights().curves.tf.at(times.ln());
    let (two, one) = (tf(2.0), tf(1.0));
    let expected = (two + one) / ((two * two + one * one) * 2.0).sqrt();
    assert!((learned[0][1] - expected).abs() < 1e-14, "{} {expected}", learned[0][1]);
    let folder = Folder::new();
    let text = "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"text\"\ncolumns = [\"title\"]\n";
    folder.write("items.csv", TABLE.replace("papers of rank", "paper of ranking"));
    for (keys, alike) in [("", false), ("stem = \"english\"\n", true)] {
        folder.write("ordain.toml", format!("{text}{keys}"));
        assert_eq!(matrix(&read_project(folder.path("")).unwrap())[0][1] > 0.9, alike);
    }
}

/// Newcomers are read with the words of the items: like a known item with the same text, and the known prior stays.
#[test]
fn newcomers_bring_their_texts() {
    let folder = Folder::new();
    word_weights().save(folder.path("words.json")).unwrap();
    for keys in ["", "model = \"words.json\"\n", "columns = [\"note\"]\n"] {
        let project = project(&folder, keys).unwrap();
        folder.write("new.csv", "id,title,note\ne,papers of rank,\nf,unheard,\n");
        let ProjectData { items, relations, kernels, .. } = &project;
        let known = Known { items, relations, kernels };
        let newcomers: Newcomers<'_> = project.file.newcomers(known, folder.path("new.csv"), &[]).unwrap();
        let joint = build_with_newcomers(kernels, &newcomers).unwrap();
        let before = matrix(&project);
        let mut column = vec![0.0; 6];
        for (item, own) in before.iter().enumerate() {
            joint.column(item, &mut column).unwrap();
            assert_eq!(column[..4], own[..]);
            if keys != "columns = [\"note\"]\n" {
                // e has the text of b.
                assert!((column[4] - before[1][item]).abs() < 1e-14, "{keys} {item}");
            }
            assert_eq!(column[5], 0.0);
        }
    }
    let project = project(&folder, "").unwrap();
    folder.write("new.csv", "id,title\ne,rank\n");
    let ProjectData { items, relations, kernels, .. } = &project;
    let error =
        input(project.file.newcomers(Known { items, relations, kernels }, folder.path("new.csv"), &[]), "new.csv");
    assert!(error.to_string().contains("note"), "{error}");
}

#[test]
fn what_is_wrong_with_texts() {
    let folder = Folder::new();
    word_weights().save(folder.path("words.json")).unwrap();
    for (keys, column, hint) in [
        ("columns = [\"titel\"]", "columns", "title"),
        ("columns = [\"size\"]", "columns", "title"),
        ("columns = []", "columns", "leave the key out"),
        ("columns = \"title\"", "columns", ""),
        ("model = \"words.json\"\nstem = \"english\"", "stem", "model"),
        ("model = \"nothing.json\"", "model", "no file"),
        ("stem = \"klingon\"", "stem", ""),
        ("rho = 1.0", "rho", ""),
    ] {
        let error = input(project(&folder, keys), "ordain.toml");
        assert_eq!(error.column.as_deref(), Some(column), "{error}");
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{error} {:?}", error.hint);
    }
    folder.write("items.csv", "id,size\na,1\nb,2\n");
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"text\"\n");
    let error = input(read_project(folder.path("")), "ordain.toml");
    assert!(error.hint.as_deref().unwrap().contains("column of text"), "{error}");
    // Items of other files have no texts.
    let items = Items::from_ids(["a", "b"]).unwrap();
    input(read_kernels(folder.path("ordain.toml"), &items), "ordain.toml");
}
