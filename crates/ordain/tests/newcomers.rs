//! What is believed of newcomers, against learning everything anew with them present but never compared.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::*;
use ordain::data::{Attributes, ItemId, Items, Link, Newcomers, Relation};
use ordain::formats::{Known, NewLinks, ProjectData, read_project};
use ordain::gp::{AnswerModel, Belief, Ep, EpParams, Incremental, Observation};
use ordain::kernel::{
    Causes, Form, Kernel, KernelSpec, Over, RelationSpec, Rho, Role, Shape, build, build_with_newcomers,
};
use rand::RngExt;

/// EP to the last digits, so that what is compared are beliefs and not where an iteration stopped.
fn exact() -> EpParams {
    EpParams::default().with_tolerance(1e-13)
}

fn items(ids: std::ops::Range<usize>, attributes: &[f64]) -> Items {
    let table = Attributes::new(vec!["x".into(), "y".into()], ids.len(), attributes.to_vec()).unwrap();
    Items::new(ids.map(|id| format!("item {id}")).collect(), None, table).unwrap()
}

fn answers(n: usize, count: usize, task: u64) -> Vec<Observation> {
    let mut stream = stream(task);
    let model = AnswerModel::new(0.5, 0.3).unwrap();
    let utilities: Vec<f64> = (0..n).map(|_| normal(&mut stream)).collect();
    let mut out: Vec<Observation> =
        (0..count).map(|_| judge(&model, 0.3, &utilities, pair(n, &mut stream), &mut stream)).collect();
    out.extend((count > 0).then(|| model.good(ItemId(0))));
    out
}

/// Means, variances and all covariances agree to 1e-9.
#[track_caller]
fn assert_same(found: &Ep, expected: &dyn Belief, what: &str) {
    assert!(distance(found.mean(), expected.mean()) < 1e-9, "{what}: mean");
    assert!(distance(found.variances(), expected.variances()) < 1e-9, "{what}: variances");
    assert!((found.log_evidence() - expected.log_evidence()).abs() < 1e-9, "{what}: evidence");
    let n = expected.len();
    let all: Vec<ItemId> = (0..n).map(ItemId::new).collect();
    let (here, there) = (found.covariance(&all).unwrap(), expected.covariance(&all).unwrap());
    assert!(distance(here.values(), there.values()) < 1e-9, "{what}: covariance");
    let mut column = vec![0.0; n];
    found.column(ItemId::new(n - 1), &mut column).unwrap();
    assert!(distance(&column, there.column(n - 1)) < 1e-9, "{what}: column");
}

/// Attributes and what is the item's own: the prior of the known items does not depend on who else is there, so that
/// the belief is that of learning anew. Few answers and many, so that EP works in answers, in items and in all items.
#[test]
fn equals_learning_anew_by_attributes() {
    let (n, k) = (12, 3);
    let mut stream = stream(2);
    let values: Vec<f64> = (0..2 * (n + k)).map(|_| normal(&mut stream)).collect();
    let (known, fresh) = (items(0..n, &values[..2 * n]), items(n..n + k, &values[2 * n..]));
    let all = known.joined(&fresh).unwrap();
    let form = Form::SquaredExponential { kappa: 1.2, rho: Rho::Shared(0.6) };
    let specs = [
        KernelSpec::new(1.5, Shape::Vector { form, over: Over::Attributes }),
        KernelSpec::new(0.4, Shape::Independent),
    ];
    for count in [0, 3, 9, 200] {
        let answers = answers(n, count, 3);
        let learned = exact().fit(Arc::new(build(&specs, &known, &[]).unwrap()), &answers).unwrap();
        let newcomers = Newcomers::new(&known, &[], all.clone(), Vec::new()).unwrap();
        let joint = Arc::new(build_with_newcomers(&specs, &newcomers).unwrap());
        let found = learned.with_newcomers(joint).unwrap();
        let anew = exact().fit(Arc::new(build(&specs, &all, &[]).unwrap()), &answers).unwrap();
        assert_same(&found, &anew, &format!("{count} answers"));
        assert_eq!(found.sites(), learned.sites());
    }
}

/// Over links the joint prior is our choice; given it, the belief is that of learning anew.
#[test]
fn equals_learning_anew_over_links() {
    let (n, k) = (15_u32, 3_u32);
    let mut stream = stream(5);
    let mut link = |source: std::ops::Range<u32>, target: std::ops::Range<u32>| Link {
        source: stream.random_range(source),
        target: stream.random_range(target),
        weight: 0.2 + stream.random::<f64>(),
    };
    let old: Vec<Link> = (0..25).map(|_| link(0..n, 0..n)).collect();
    let fresh: Vec<Link> = (0..6).map(|_| link(n..n + k, 0..n + k)).collect();
    let known = Items::from_ids((0..n).map(|id| format!("item {id}"))).unwrap();
    let all = known.joined(&Items::from_ids((n..n + k).map(|id| format!("item {id}"))).unwrap()).unwrap();
    let relations = [Relation::new(n as usize, old.clone()).unwrap()];
    let enlarged = Relation::new((n + k) as usize, [old, fresh].concat()).unwrap();
    let newcomers = Newcomers::new(&known, &relations, all, vec![enlarged]).unwrap();
    let relation = RelationSpec { relation: 0, role: Role::Undirected };
    for shape in [
        Shape::RegularizedLaplacian { relation, beta: 0.7, iota: 2.0 },
        Shape::Diffusion { relation, beta: 0.5 },
        Shape::CommonCause { relation, causes: Causes::Cliques },
        Shape::DirectedLaplacian { relation: 0, beta: 1.0, iota: 1.5 },
    ] {
        let specs = [KernelSpec::new(1.3, shape.clone()), KernelSpec::new(0.3, Shape::Independent)];
        for count in [3, 60] {
            let answers = answers(n as usize, count, 7);
            let prior = Arc::new(build(&specs, &known, &relations).unwrap());
            let learned = exact().fit(prior.clone(), &answers).unwrap();
            let joint: Arc<dyn Kernel> = Arc::new(build_with_newcomers(&specs, &newcomers).unwrap());
            let found = learned.with_newcomers(joint.clone()).unwrap();
            let what = format!("{shape:?}, {count} answers");
            assert_same(&found, &exact().fit(joint.clone(), &answers).unwrap(), &what);
            assert!(distance(&found.mean()[..n as usize], learned.mean()) < 1e-10, "{what}: known items");

            // The incremental belief takes steps along known items only: newcomers change nothing for those.
            let replay = |kernel: Arc<dyn Kernel>| {
                let mut belief = Incremental::lazy(kernel).unwrap();
                answers.iter().for_each(|answer| belief.observe(answer).unwrap());
                belief
            };
            let (with, without) = (replay(joint), replay(prior));
            assert!(distance(&with.mean()[..n as usize], without.mean()) < 1e-10, "{what}: incremental");
        }
    }
}

#[test]
fn another_prior_is_refused() {
    let known = items(0..3, &[0.0, 1.0, 2.0, 0.5, -1.0, 0.3]);
    let spec = |weight: f64| [KernelSpec::new(weight, Shape::Independent)];
    let learned = exact().fit(Arc::new(build(&spec(1.0), &known, &[]).unwrap()), &answers(3, 4, 1)).unwrap();
    assert!(learned.with_newcomers(Arc::new(build(&spec(1.1), &known, &[]).unwrap())).is_err());
    let two = Items::from_ids(["a", "b"]).unwrap();
    assert!(learned.with_newcomers(Arc::new(build(&spec(1.0), &two, &[]).unwrap())).is_err());
}

const HEAD: &str = "[items]\nfile = \"items.csv\"\n";
const SMOOTH: &str = "[[kernel]]\nkind = \"squared-exponential\"\nrho = 0.8\n";

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

/// The newcomers of `new.csv` beside a project.
fn newcomers_of<'a>(project: &'a ProjectData, folder: &Path, links: &[NewLinks]) -> ordain::Result<Newcomers<'a>> {
    let ProjectData { items, relations, kernels, .. } = project;
    project.file.newcomers(Known { items, relations, kernels }, folder.join("new.csv"), links)
}

/// The belief of a project about its items, and about newcomers.
fn beliefs(folder: &Path, newcomers: Option<&[NewLinks]>) -> (Vec<String>, Ep) {
    let project = read_project(folder).unwrap();
    let model = AnswerModel::new(project.noise.unwrap(), project.tie_width).unwrap();
    let answers = model.observe_all(project.answers.standing()).unwrap();
    let prior = build(&project.kernels, &project.items, &project.relations).unwrap();
    let learned = exact().fit(Arc::new(prior), &answers).unwrap();
    let Some(links) = newcomers else { return (project.items.ids().to_vec(), learned) };
    let newcomers = newcomers_of(&project, folder, links).unwrap();
    let joint = build_with_newcomers(&project.kernels, &newcomers).unwrap();
    (newcomers.items().ids().to_vec(), learned.with_newcomers(Arc::new(joint)).unwrap())
}

/// A project where newcomers are read, and one whose table has them from the start.
fn same_as_present(project: &str, table: &str, fresh: &str, further: &[(&str, &str)], links: &[NewLinks]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "ordain.toml", project);
    write(folder, "items.csv", table);
    write(folder, "answers.csv", "winner,loser\na,b\nb,c\nd,c\n");
    let header_end = table.find('\n').unwrap() + 1;
    write(folder, "new.csv", &(table[..header_end].to_owned() + fresh));
    for (name, text) in further {
        write(folder, name, text);
    }
    let (ids, found) = beliefs(folder, Some(links));
    write(folder, "items.csv", &(table.to_owned() + fresh));
    for (name, text) in further {
        if let Some(known) = name.strip_prefix("new-") {
            let old = fs::read_to_string(folder.join(known)).unwrap();
            let rows = text.split_once('\n').unwrap().1;
            write(folder, known, &(old + rows));
        }
    }
    let (present, anew) = beliefs(folder, None);
    assert_eq!(ids, present);
    assert_same(&found, &anew, project);
}

const TABLE: &str = "id,x,y\na,1,2\nb,3,-1\nc,5,0.5\nd,7,9\n";

/// As they are in the file.
#[test]
fn a_project_without_standardization() {
    let project = format!("{HEAD}standardize = false\n{SMOOTH}");
    same_as_present(&project, TABLE, "e,2,2\nf,100,-3\n", &[], &[]);
}

/// Two newcomers one standard deviation above and below the mean leave both as they are: x has the mean 4 and the
/// deviation √5, y is constant.
#[test]
fn a_project_with_standardization() {
    let table = "id,x,y\na,1,7\nb,3,7\nc,5,7\nd,7,7\n";
    let root = 5.0_f64.sqrt();
    let fresh = format!("e,{},7\nf,{},7\n", 4.0 + root, 4.0 - root);
    same_as_present(&format!("{HEAD}{SMOOTH}"), table, &fresh, &[], &[]);
}

/// A group of newcomers is standardized as it would be in the file.
#[test]
fn a_new_group() {
    let table = "id,query,x\na,one,1\nb,one,3\nc,one,8\nd,one,2\n";
    let fresh = "a,two,10\nb,two,30\nc,two,35\n";
    let project = format!("[items]\nfile = \"items.csv\"\ngroup = \"query\"\n{SMOOTH}");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "ordain.toml", &project);
    write(folder, "items.csv", table);
    write(folder, "answers.csv", "first,second,outcome,group\na,b,first,one\nd,c,first,one\n");
    write(folder, "new.csv", &format!("id,query,x\n{fresh}"));
    let (_, found) = beliefs(folder, Some(&[]));
    write(folder, "items.csv", &(table.to_owned() + fresh));
    assert_same(&found, &beliefs(folder, None).1, "a new group");
}

/// The project's mean, not that of the newcomers: here that of the items leaves the column's mean and the others'
/// prior.
#[test]
fn missing_attributes() {
    let project = format!("{HEAD}standardize = false\nmissing = \"mean\"\n{SMOOTH}");
    same_as_present(&project, "id,x,y\na,1,2\nb,,-1\nc,5,0.5\nd,6,9\n", "e,,2\nf,,-3\n", &[], &[]);
}

/// Rows of a relation as vectors, to items and to other things, some of them new.
#[test]
fn relations_as_vectors() {
    let kernel = |role: &str| {
        format!(
            "[[kernel]]\nkind = \"linear\"\nrelation = \"links.csv\"\nas = \"{role}\"\n[[kernel]]\nkind = \"independent\"\n"
        )
    };
    let links = [NewLinks { relation: None, file: "new-links.csv".into() }];
    for (role, known, fresh) in [
        ("linking", "source,target,weight\na,b,1\nb,c,2\nd,c,1\n", "source,target,weight\ne,c,2\nf,b,1\nf,d,3\n"),
        (
            "bipartite",
            "source,target,weight\na,red,1\nb,blue,2\nd,blue,1\n",
            "source,target,weight\ne,green,1\ne,blue,2\nf,red,1\n",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let links = links.each_ref().map(|links| NewLinks { file: folder.path().join(&links.file), ..links.clone() });
        write(folder.path(), "new-links.csv", fresh);
        let table = "id\na\nb\nc\nd\n";
        let further = [("links.csv", known), ("new-links.csv", fresh)];
        same_as_present(&format!("{HEAD}{}", kernel(role)), table, "e\nf\n", &further, &links);
    }
}

/// The path from the project to the links of newcomers, and every wrong turn.
#[test]
fn wrong_newcomers_are_refused_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let kernel = |file: &str| format!("[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"{file}\"\n");
    write(folder, "items.csv", TABLE);
    write(folder, "links.csv", "source,target\na,b\n");
    write(folder, "more.csv", "source,target\nc,d\n");
    write(folder, "ordain.toml", &format!("{HEAD}{SMOOTH}{}", kernel("links.csv")));
    let refuses = |items: &str, links: Option<(Option<&str>, &str)>, words: &[&str]| {
        write(folder, "new.csv", items);
        let links = links.map(|(relation, text)| {
            write(folder, "fresh.csv", text);
            NewLinks { relation: relation.map(str::to_owned), file: folder.join("fresh.csv") }
        });
        let project = read_project(folder).unwrap();
        let error = newcomers_of(&project, folder, links.as_slice()).map(|_| ()).unwrap_err();
        let message = format!("{error} {}", error.hint().unwrap_or_default());
        for word in words {
            assert!(message.contains(word), "no {word:?} in {message}");
        }
    };
    let fine = "id,x,y\ne,1,2\n";
    refuses("id,x,y\ne,1,2\nb,2,3\n", None, &["new.csv, line 3, column id", "\"b\"", "does not have"]);
    refuses("id,x,y\ne,1,2\ne,2,3\n", None, &["new.csv, line 3", "each id once"]);
    refuses("id,x\ne,1\n", None, &["new.csv", "y"]);
    refuses("id,x,y\ne,1,wide\n", None, &["new.csv, line 2, column y", "wide"]);
    refuses("id,x,y\n", None, &["new.csv", "at least one item"]);
    refuses(fine, Some((None, "source,target\ne,a\na,b\n")), &["fresh.csv, line 3", "a,b", "link of a new item"]);
    refuses(fine, Some((None, "source,target\ne,q\n")), &["fresh.csv, line 2, column target", "\"q\""]);
    refuses(fine, Some((None, "source,target,weight\ne,a,-1\n")), &["fresh.csv, line 2, column weight"]);
    refuses(fine, Some((Some("link.csv"), "source,target\ne,a\n")), &["link.csv", "links.csv"]);
    write(folder, "ordain.toml", &format!("{HEAD}{SMOOTH}{}{}", kernel("links.csv"), kernel("more.csv")));
    refuses(fine, Some((None, "source,target\ne,a\n")), &["fresh.csv", "links.csv, more.csv", "links.csv="]);
    write(folder, "ordain.toml", &format!("{HEAD}{SMOOTH}"));
    refuses(fine, Some((None, "source,target\ne,a\n")), &["ordain.toml", "a kernel with a relation"]);
}

/// Attributes that no kernel looks at need not be known of newcomers.
#[test]
fn attributes_nobody_looks_at() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "items.csv", TABLE);
    write(folder, "links.csv", "source,target\na,b\n");
    let kernel = "[[kernel]]\nkind = \"regularized-laplacian\"\nrelation = \"links.csv\"\n";
    write(folder, "ordain.toml", &format!("{HEAD}{kernel}"));
    write(folder, "answers.csv", "winner,loser\na,b\na,c\n");
    write(folder, "new.csv", "id\ne\n");
    write(folder, "fresh.csv", "e a\n");
    let links = [NewLinks { relation: Some("links.csv".into()), file: folder.join("fresh.csv") }];
    let (ids, belief) = beliefs(folder, Some(&links));
    assert_eq!(ids, ["a", "b", "c", "d", "e"]);
    // One link of weight 1 and iota = 1: half of what its neighbour has.
    assert!((belief.mean()[4] - 0.5 * belief.mean()[0]).abs() < 1e-12);
}
