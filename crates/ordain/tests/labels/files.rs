//! Files: tables with label columns, and models.

use ordain::Watch;
use ordain::data::Attributes;
use ordain::formats::{LabelColumns, LabelTable};
use ordain::learn::AnyModel;
use ordain::learn::labels::{
    ForestParams, LabelKind, LabelModel, LabelPreferences, LabelRanker, LabelledExamples, NeighboursParams,
    OnlineParams, Target,
};
use proptest::prelude::*;

use super::{examples, learners};

#[test]
fn saved_and_loaded_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    for kind in ["order", "top"] {
        let train = examples(kind, 4, 60);
        for (name, learner) in learners() {
            let model = learner.fit(&train, &Watch::NONE).unwrap();
            model.save(&path).unwrap();
            let again = LabelModel::load(&path).unwrap();
            assert_eq!(model, again, "{name}");
            assert_eq!(AnyModel::load(&path).unwrap(), AnyModel::Labels(again.clone()), "{name}");
            let (one, other) = (model.predict(train.attributes()), again.predict(train.attributes()));
            assert_eq!(one.unwrap(), other.unwrap(), "{name}");
        }
    }
}

/// Numbers of a file that would lead nowhere, or to no number.
#[test]
fn hostile_numbers_in_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let attributes = Attributes::new(vec!["x".into()], 2, vec![0.0, 1.0]).unwrap();
    let labels = vec!["a".to_owned(), "b".into()];
    let targets = [vec![0], vec![1]].map(Target::Set).to_vec();
    let train = LabelledExamples::new(attributes, labels, targets).unwrap();
    ForestParams::default().with_trees(1).with_leaf(1).fit(&train, &Watch::NONE).unwrap().save(&path).unwrap();
    let forest = std::fs::read_to_string(&path).unwrap();
    assert!(forest.contains("\"attribute\":[0,1,1]") && forest.contains("\"other\":[2,0,1]"), "{forest}");
    OnlineParams::default().fit(&train, &Watch::NONE).unwrap().save(&path).unwrap();
    let online = std::fs::read_to_string(&path).unwrap();
    let standard = &online[online.find("\"standard\":").unwrap()..online.find(",\"machine\"").unwrap()];
    for hostile in [
        forest.replace("\"other\":[2,0,1]", "\"other\":[0,0,1]"),
        forest.replace("\"other\":[2,0,1]", "\"other\":[1,0,1]"),
        forest.replace("\"other\":[2,0,1]", "\"other\":[3,0,1]"),
        forest.replace("\"other\":[2,0,1]", "\"other\":[2,0,9]"),
        forest.replace("\"attribute\":[0,1,1]", "\"attribute\":[5,1,1]"),
        forest.replace("\"attribute\":[0,1,1]", "\"attribute\":[0,0,0]"),
        online.replace(standard, "\"standard\":[[0.0,0.0,0.0]]"),
        online.replace(standard, "\"standard\":[[1.0,0.0,-1.0]]"),
    ] {
        assert!(hostile != forest && hostile != online, "{hostile}");
        std::fs::write(&path, &hostile).unwrap();
        assert!(LabelModel::load(&path).is_err(), "{hostile}");
    }
    // What cannot be told from the file shows in the prediction.
    let weights = &online[online.find("\"weights\":").unwrap()..online.find(",\"fourier\"").unwrap()];
    std::fs::write(&path, online.replace(weights, "\"weights\":[1e308,1e308,1e308,1e308]")).unwrap();
    let large = Attributes::new(vec!["x".into()], 1, vec![1e300]).unwrap();
    let error = LabelModel::load(&path).unwrap().predict(&large).unwrap_err().to_string();
    assert!(error.contains("utilities overflow"), "{error}");
}

/// A model of more than 16 MiB is read back.
#[test]
fn large_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let train = examples("order", 14, 180_000);
    let model = NeighboursParams::default().with_neighbours(vec![1]).fit(&train, &Watch::NONE).unwrap();
    model.save(&path).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() > 16 << 20);
    assert_eq!(LabelModel::load(&path).unwrap(), model);
}

/// Tables of every kind.
#[test]
fn tables() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let read = |name: &str, text: &str, columns: &LabelColumns| {
        let table = LabelTable::read(write(name, text), columns)?;
        LabelledExamples::from_table(&table, LabelKind::of(std::slice::from_ref(&table))?)
    };
    let last = LabelColumns::Last(3);
    let arff = "% music\n@RELATION m\n\n@attribute 'tempo x' REAL\n@attribute size integer\n@attribute happy {0,1}\n\
                @attribute \"sad\" {0,1}\n@attribute calm { 0, 1 }\n@data\n";
    let dense = read("a.arff", &format!("{arff}1.5,2,1,0,?\n% more\n-1e3,0,1,1,0\n"), &last).unwrap();
    assert_eq!(dense.labels(), ["happy", "sad", "calm"]);
    assert_eq!(dense.attributes().names(), ["tempo x", "size"]);
    assert_eq!(dense.attributes().row(1), [-1000.0, 0.0]);
    let partial = LabelPreferences { pairs: vec![], relevant: vec![0], irrelevant: vec![1] };
    assert_eq!(dense.targets(), [Target::Partial(partial), Target::Set(vec![0, 1])]);
    let sparse = read("b.arff", &format!("{arff}{{0 1.5, 1 2, 2 1}}\n{{}}\n{{ 4 1 }}\n"), &last).unwrap();
    assert_eq!(sparse.attributes().row(0), [1.5, 2.0]);
    assert_eq!(sparse.targets(), [vec![0], vec![], vec![2]].map(Target::Set));
    write("c.xml", "<labels xmlns=\"x\">\n<label name=\"calm\"></label>\n<label name=\"happy\"/>\n</labels>\n");
    let listed = read("c.arff", &format!("{arff}1,2,1,0,1\n"), &LabelColumns::Listed).unwrap();
    assert_eq!(listed.labels(), ["calm", "happy"]);
    assert_eq!(listed.attributes().names(), ["tempo x", "size", "sad"]);

    let orders = read("d.csv", "x,a,b,c\n0,3,1,2\n1,1,?,2\n2,1,1,2\n", &last).unwrap();
    let tied = LabelPreferences { pairs: vec![(0, 2), (1, 2)], relevant: vec![], irrelevant: vec![] };
    assert_eq!(orders.targets(), [Target::Order(vec![1, 2, 0]), Target::Order(vec![0, 2]), Target::Partial(tied)]);
    let tops = read("e.csv", "x,a,b,c\n0,0,1,2\n1,0,0,0\n", &last).unwrap();
    assert_eq!(tops.targets(), [Target::Top(vec![1, 2]), Target::Top(vec![])]);
    let names = LabelColumns::Named(vec!["kind".into()]);
    let classes = read("f.csv", "kind,x\nrose,1\nlily,2\nrose,3\n", &names).unwrap();
    assert_eq!(
        (classes.labels(), classes.targets()[2].clone()),
        (&["rose".to_owned(), "lily".into()][..], Target::Class(0))
    );

    let refused = |name: &str, text: &str, columns: &LabelColumns| read(name, text, columns).unwrap_err().to_string();
    for (text, words) in [
        ("@relation r\n@attribute x numeric\n@data\n", "a.arff: expected rows below @data"),
        ("@relation r\n@attribute x\n@data\n1\n", "line 2: found \"x\", expected a name and a type"),
        ("@relation r\n@attribute x blob\n@data\n1\n", "line 2: found \"blob\""),
        (
            "@relation r\n@attribute x numeric\n@attribute x numeric\n@data\n1\n",
            "line 3: found \"x\", expected every attribute once",
        ),
        ("@relation r\nattribute x numeric\n", "line 2: found \"attribute\", expected @relation, @attribute or @data"),
        ("@relation r\n@attribute x numeric\n1,2\n", "line 3: found \"1,2\""),
        ("@relation r\n@data\n1\n", "line 2: found \"@data\", expected @attribute lines before it"),
        ("@relation r\n@attribute x numeric\n", "expected a line @data"),
        ("@relation r\n@attribute 'x numeric\n@data\n", "expected a closing '"),
        ("@relation r\n@attribute x {a,b\n@data\n", "expected values that end with"),
    ] {
        let error = refused("a.arff", text, &last);
        assert!(error.contains(words), "{error}");
    }
    for (rows, words) in [
        ("1,2,1,0\n", "line 10: found \"4 values\", expected 5, one per attribute"),
        ("1,2,1,0,2\n", "line 10: found \"2\", expected a value of calm: 0, 1"),
        ("{4 3}\n", "line 10: found \"3\", expected a value of calm: 0, 1"),
        ("{2 1 4 1}\n", "line 10"),
        ("{2 1, }\n", "line 10"),
        ("nan,2,1,0,1\n", "line 10, column tempo x: found \"nan\", expected a finite number"),
        ("?,2,1,0,1\n", "line 10, column tempo x: found \"?\""),
        ("{9 1}\n", "line 10: found \"9\", expected the number of an attribute, from 0 to 4"),
        ("{2 1, 1 5}\n", "line 10: found \"1\", expected numbers of attributes that rise"),
        ("{2 1\n", "line 10: found \"{2 1\", expected a sparse row that ends with"),
    ] {
        let error = refused("a.arff", &format!("{arff}{rows}"), &last);
        assert!(error.contains(words), "{error}");
    }
    let error = refused("d.csv", "x,a,b,c\n1,1,0,1.5\n", &last);
    assert!(error.contains("line 2, column c: found \"1.5\", expected 0 or 1, or a place from 1"), "{error}");
    let many: String = (0..1002).map(|at| format!("{at},{}\n", at as f64 / 7.0)).collect();
    assert!(refused("i.csv", &format!("x,y\n{many}"), &LabelColumns::Last(1)).contains("at most 1000 classes"));
    // Part of a file of orders may look like sets.
    let part = |name: &str, text: &str| LabelTable::read(write(name, text), &LabelColumns::Last(2)).unwrap();
    let parts = [part("j.csv", "x,a,b\n1,1,0\n"), part("k.csv", "x,a,b\n2,1,2\n")];
    assert_eq!(LabelKind::of(&parts).unwrap(), LabelKind::Tops);
    assert_eq!(LabelKind::of(&parts[..1]).unwrap(), LabelKind::Sets);
    write("c.xml", "<!-- <label name=\"sad\"/> -->\n<labels>\n<label\n\tname = 'calm'></label></labels>\n");
    let listed = LabelTable::read(write("c.arff", &format!("{arff}1,2,1,0,1\n")), &LabelColumns::Listed).unwrap();
    assert_eq!(listed.labels().collect::<Vec<_>>(), ["calm"]);
    assert!(refused("d.csv", "x,a,b\n1,1,0\n", &LabelColumns::Last(3)).contains("attributes must be left"));
    assert!(refused("d.csv", "x,a,b\n1,1,0\n", &LabelColumns::Named(vec!["c".into()])).contains("a column \"c\""));
    write("g.xml", "<labels><label name=\"happier\"/></labels>\n");
    let error = refused("g.arff", &format!("{arff}1,2,1,0,1\n"), &LabelColumns::Listed);
    assert!(error.contains("g.xml, line 1: found \"happier\""), "{error}");
    assert!(refused("h.arff", &format!("{arff}1,2,1,0,1\n"), &LabelColumns::Listed).contains("h.xml"));
}

/// A file of version 1, written when it was the newest, is read for ever.
#[test]
fn version_1_is_read_for_ever() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/label-model-version-1.json");
    let model = LabelModel::load(path).unwrap();
    assert_eq!((model.learner(), model.labels()), ("online", &["low".to_owned(), "high".into()][..]));
    // By hand: (4 - 1) / 2 = 1.5, so low is -1.5 + 0.25 and high 1.5 - 0.5.
    let found = model.predict(&Attributes::new(vec!["x".into()], 1, vec![4.0]).unwrap()).unwrap();
    assert_eq!(found[0].utilities, [-1.25, 1.0]);
    assert_eq!((found[0].order(), found[0].relevant()), (vec![1, 0], Some(1)));
}

#[test]
fn damaged_models_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.json");
    let train = examples("top", 13, 30);
    for (name, learner) in learners() {
        learner.fit(&train, &Watch::NONE).unwrap().save(&path).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        for cut in [0, 1, whole.len() / 3, whole.len() - 3] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(LabelModel::load(&path).unwrap_err().to_string().contains("model.json"), "{name}");
        }
        std::fs::write(&path, whole.replace("\"version\":1", "\"version\":9")).unwrap();
        assert!(LabelModel::load(&path).unwrap_err().to_string().contains("a version up to 1"), "{name}");
        // One label too few for the numbers.
        std::fs::write(&path, whole.replace("\"labels\":[\"a\",", "\"labels\":[")).unwrap();
        assert!(LabelModel::load(&path).is_err(), "{name}");
        std::fs::write(&path, whole.replace("ordain label model", "ordain ranking model")).unwrap();
        assert!(LabelModel::load(&path).is_err() && AnyModel::load(&path).is_err(), "{name}");
    }
}

proptest! {
    /// No text of a table breaks anything, whatever it says.
    #[test]
    fn any_table_is_read_or_refused(text in "[a-c0-2,.?{}@%' \n]{0,80}", arff in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if arff { "t.arff" } else { "t.csv" });
        std::fs::write(&path, if arff { format!("@relation r\n@attribute x numeric\n@attribute y {{0,1}}\n@attribute z {{0,1}}\n@data\n{text}") } else { format!("x,y,z\n{text}") }).unwrap();
        if let Ok(table) = LabelTable::read(&path, &LabelColumns::Last(2)) {
            let _ = LabelKind::of(std::slice::from_ref(&table)).and_then(|kind| LabelledExamples::from_table(&table, kind));
        }
    }
}
