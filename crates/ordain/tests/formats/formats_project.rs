//! Projects and first project files.

use errorfunctions::RealErrorFunctions;
use ordain::Error;
use ordain::data::Goal;
use ordain::data::Outcome;
use ordain::formats::{
    AnswerWriter, Description, Sketch, describe, draft_project, read_kernels, read_project, write_project,
};
use ordain::formats::{USUAL_OWN_WEIGHT, USUAL_WEIGHT};
use ordain::kernel::{Causes, Form, Over, RelationSpec, Rho, Role, Shape};

use crate::{Folder, check, input};

const WHOLE: &str = r#"
[items]
file = "items.csv"
id = "name"
attributes = ["x1", "x2"]
group = "query"
standardize = true

[[kernel]]
kind = "squared-exponential"
weight = 2
kappa = 1.5
rho = [0.5, 1]

[[kernel]]
kind = "regularized-laplacian"
relation = "links.csv"
as = "linked"
beta = 2.0
iota = 3.0

[[kernel]]
kind = "linear"
relation = "links.csv"

[[kernel]]
kind = "diffusion"
relation = "things.csv"
as = "bipartite"

[[kernel]]
kind = "common-cause"
relation = "links.csv"
form = "cliques"

[[kernel]]
kind = "independent"
weight = 0.5

[answers]
file = "answers.csv"
noise = 0.5
tie_width = 0.1

[ask]
goal = "top"
k = 3
strategy = "expected-loss"
focus = 0.02
repeat = true
seed = 7
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("items.csv", "name,x1,x2,query,price\na,1,5,q,9\nb,2,5,q,8\nc,3,1,r,7\nd,4,2,r,6\n");
    folder.write("links.csv", "source,target\na,b\nc,d\n");
    folder.write("things.csv", "a shop1\nb shop1\n");
    folder.write("answers.csv", "first,second,outcome\na,b,first\n");
    folder.write("ordain.toml", WHOLE);
    folder
}

#[test]
fn a_whole_project_is_read() {
    let folder = folder();
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(project.items.ids(), ["a", "b", "c", "d"]);
    assert_eq!(project.items.attributes().row(0), [-1.0, 0.0]);
    assert_eq!(project.file.other.get("price").unwrap(), ["9", "8", "7", "6"]);
    assert_eq!((project.relations.len(), project.file.relations.len()), (2, 2));
    assert_eq!((project.noise, project.tie_width), (Some(0.5), 0.1));
    assert_eq!(project.answers.standing().len(), 1);
    assert_eq!(project.ask.goal, Goal::Top { k: 3 });
    assert_eq!((project.ask.strategy.as_deref(), project.ask.focus), (Some("expected-loss"), Some(0.02)));
    assert_eq!((project.ask.repeat, project.ask.seed), (true, 7));
    let shapes: Vec<&Shape> = project.kernels.iter().map(|spec| &spec.shape).collect();
    let link = |relation, role| RelationSpec { relation, role };
    assert_eq!(project.kernels[0].weight, 2.0);
    let rho = Rho::Each(vec![0.5, 1.0]);
    let form = Form::SquaredExponential { kappa: 1.5, rho };
    assert_eq!(shapes[0], &Shape::Vector { form, over: Over::Attributes });
    let relation = link(0, Role::Linked);
    assert_eq!(shapes[1], &Shape::RegularizedLaplacian { relation, beta: 2.0, iota: 3.0 });
    let over = Over::Relation(link(0, Role::Undirected));
    assert_eq!(shapes[2], &Shape::Vector { form: Form::Linear { kappa: 1.0 }, over });
    assert_eq!(shapes[3], &Shape::Diffusion { relation: link(1, Role::Bipartite), beta: 1.0 });
    let relation = link(0, Role::Undirected);
    assert_eq!(shapes[4], &Shape::CommonCause { relation, causes: Causes::Cliques });
    assert_eq!(shapes[5], &Shape::Independent);
    assert_eq!(read_project(folder.path("ordain.toml")).unwrap().kernels, project.kernels);
    let error =
        input::<()>(Err(project.file.unknown_strategy("expected-loss", &["expected-los", "random"])), "ordain.toml");
    check(&error, 48, "strategy", "expected-loss", "\"expected-los\"");
}

/// The noise is a number, or the word that has it learned.
#[test]
fn a_noise_that_is_learned() {
    let folder = folder();
    let text = std::fs::read_to_string(folder.path("ordain.toml")).unwrap();
    folder.write("ordain.toml", text.replace("noise = 0.5", "noise = \"learn\""));
    assert_eq!(read_project(folder.path("")).unwrap().noise, None);
    folder.write("ordain.toml", text.replace("noise = 0.5", "noise = \"lern\""));
    let error = input(read_project(folder.path("")), "ordain.toml");
    check(&error, 42, "noise", r#"\"lern\""#, "write for example noise = 0.5");
    assert_eq!(error.expected, "a finite number above 0, or \"learn\"");
}

#[test]
fn defaults_are_filled_in() {
    let folder = folder();
    let text = "[items]\nfile = \"items.csv\"\nid = \"name\"\nattributes = [\"x1\", \"x2\"]\n\
        [[kernel]]\nkind = \"matern-5/2\"\n[[kernel]]\nkind = \"polynomial\"\n";
    std::fs::remove_file(folder.path("answers.csv")).unwrap();
    folder.write("ordain.toml", text);
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(project.noise, Some(std::f64::consts::FRAC_1_SQRT_2));
    assert_eq!(project.file.answers, folder.path("answers.csv"));
    assert!(project.answers.entries().is_empty());
    let rho = Rho::Shared(1.0 / 2f64.sqrt());
    let form = Form::Matern52 { kappa: 1.0, rho };
    assert_eq!(project.kernels[0].shape, Shape::Vector { form, over: Over::Attributes });
    let form = Form::Polynomial { kappa: 1.0, offset: 1.0, degree: 2 };
    assert_eq!(project.kernels[1].shape, Shape::Vector { form, over: Over::Attributes });
    // A log that was made but never written to is no answers yet.
    folder.write("answers.csv", "");
    assert!(read_project(folder.path("")).unwrap().answers.entries().is_empty());
}

/// The same kernels as those of a whole project, where the file names no items; links mean nothing then.
#[test]
fn kernels_alone() {
    let folder = folder();
    let items = read_project(folder.path("")).unwrap().items;
    let error = input(read_kernels(folder.path(""), &items), "ordain.toml");
    check(&error, 17, "relation", r#"\"links.csv\""#, "without a key relation");
    let kernels = "[[kernel]]\nkind = \"matern-3/2\"\n[[kernel]]\nkind = \"independent\"\nweight = 2\n";
    folder.write("kernels.toml", kernels);
    folder.write(
        "ordain.toml",
        format!("[items]\nfile = \"items.csv\"\nid = \"name\"\nattributes = [\"x1\", \"x2\"]\n{kernels}"),
    );
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(read_kernels(folder.path("kernels.toml"), &items).unwrap(), project.kernels);
    folder.write("kernels.toml", "");
    assert!(input(read_kernels(folder.path("kernels.toml"), &items), "kernels.toml").expected.contains("[[kernel]]"));
}

/// The error after replacing a part of the whole project.
#[track_caller]
fn error_with(from: &str, to: &str, file: &str) -> ordain::InputError {
    assert!(WHOLE.contains(from));
    let folder = folder();
    folder.write("ordain.toml", WHOLE.replacen(from, to, 1));
    let before = folder.snapshot();
    let error = input(read_project(folder.path("")), file);
    assert_eq!(folder.snapshot(), before);
    error
}

#[test]
fn project_files_that_are_wrong_say_where() {
    let toml = "ordain.toml";
    check(&error_with("kappa =", "kapa =", toml), 12, "kapa", "kapa", "\"kappa\"");
    check(&error_with("standardize =", "standardise =", toml), 7, "standardise", "standardise", "\"standardize\"");
    check(&error_with("[ask]", "[asks]", toml), 45, "asks", "asks", "\"ask\"");
    check(
        &error_with("squared-exponential", "squared-exponental", toml),
        10,
        "kind",
        "squared-exponental",
        "\"squared-exponential\"",
    );
    for wrong in ["-1.0", "0", "nan", "inf", "\"1\"", "true"] {
        let found = wrong.replace('"', "\\\"");
        check(
            &error_with("kappa = 1.5", &format!("kappa = {wrong}"), toml),
            12,
            "kappa",
            &found,
            "write for example kappa = 0.5",
        );
        check(
            &error_with("weight = 2", &format!("weight = {wrong}"), toml),
            11,
            "weight",
            &found,
            "write for example weight = 0.5",
        );
        check(
            &error_with("noise = 0.5", &format!("noise = {wrong}"), toml),
            42,
            "noise",
            &found,
            "write for example noise = 0.5",
        );
        check(
            &error_with("beta = 2.0", &format!("beta = {wrong}"), toml),
            19,
            "beta",
            &found,
            "write for example beta = 0.5",
        );
        check(
            &error_with("rho = [0.5, 1]", &format!("rho = [0.5, {wrong}]"), toml),
            13,
            "rho",
            &found,
            "write for example rho = 0.5",
        );
    }
    check(&error_with("tie_width = 0.1", "tie_width = -0.1", toml), 43, "tie_width", "-0.1", "tie_width = 0.5");
    let error = error_with("rho = [0.5, 1]", "rho = [0.5]", toml);
    check(&error, 13, "rho", "[0.5]", "");
    assert!(error.expected.contains("x1, x2"));
    check(&error_with("standardize = true", "standardize = 1", toml), 7, "standardize", "1", "");
    check(&error_with("id = \"name\"", "id = 3", toml), 4, "id", "3", "");
    check(&error_with("as = \"linked\"", "as = \"linkd\"", toml), 18, "as", "linkd", "\"linked\"");
    check(&error_with("form = \"cliques\"", "form = \"clique\"", toml), 34, "form", "clique", "\"cliques\"");
    check(&error_with("goal = \"top\"", "goal = \"best\"", toml), 47, "k", "3", "delete k");
    check(&error_with("k = 3\n", "", toml), 46, "goal", "\\\"top\\\"", "k = 10");
    check(&error_with("seed = 7", "seed = -7", toml), 51, "seed", "-7", "");
    // The known words are listed once.
    let error = error_with("\"diffusion\"", "\"difusion\"", toml);
    assert_eq!(format!("{error} {:?}", error.hint).matches("diffusion").count(), 2, "{error} {:?}", error.hint);
    let error = error_with("relation = \"things.csv\"\n", "", toml);
    assert_eq!((error.line, error.column.as_deref()), (Some(26), Some("relation")));
    assert_eq!(error.hint.as_deref(), Some("write for example relation = \"links.csv\""));
    let error = error_with("kind = \"independent\"", "", toml);
    assert_eq!((error.line, error.column.as_deref()), (Some(36), Some("kind")));
    assert!(error.hint.unwrap().contains("there are: squared-exponential"));
}

#[test]
fn files_that_are_missing_or_wrong_say_where() {
    let error = error_with("relation = \"links.csv\"", "relation = \"lnks.csv\"", "ordain.toml");
    check(&error, 17, "relation", "\\\"lnks.csv\\\"", "lnks.csv");
    let error = error_with("file = \"items.csv\"", "file = \"itms.csv\"", "ordain.toml");
    check(&error, 3, "file", "\\\"itms.csv\\\"", "there is no file");
    let error = error_with("attributes = [\"x1\", \"x2\"]", "attributes = [\"x1\", \"x3\"]", "items.csv");
    assert!(error.hint.unwrap().contains("\"x1\""));
    let error = error_with("attributes = [\"x1\", \"x2\"]", "attributes = []", "ordain.toml");
    check(&error, 10, "kind", "\\\"squared-exponential\\\"", "independent");
    let folder = folder();
    folder.write("items.csv", "name,x1,x2,query,price\na,1,5,q,9\nb,1,5,q,8\nc,1,5,r,7\nd,1,5,r,6\n");
    let error = input(read_project(folder.path("")), "items.csv");
    assert!(error.found.unwrap().contains("only constant columns (x1, x2)"));
    folder.write("answers.csv", "first,second,outcome\na,e,first\n");
    check(&input(read_project(folder.path("")), "answers.csv"), 2, "second", "e", "there are: a, b, c, d");
    let empty = Folder::new();
    assert!(input(read_project(empty.path("")), "").hint.unwrap().contains("ordain init"));
    assert!(matches!(read_project(empty.path("no.toml")), Err(Error::Io { .. })));
    let error = input(read_project(empty.write("ordain.toml", "[items]\nfile = \n")), "ordain.toml");
    assert_eq!((error.line, error.expected.as_str()), (Some(2), "valid TOML"));
    let error = input(read_project(empty.write("ordain.toml", "[[kernel]]\nkind = \"independent\"\n")), "ordain.toml");
    assert!(error.expected.contains("[items]"));
    let error = input(read_project(empty.write("ordain.toml", "")), "ordain.toml");
    assert!(error.expected.contains("[[kernel]]"));
}

#[test]
fn a_first_project_opens() {
    let folder = Folder::new();
    // A name that TOML must escape.
    let items = folder.write("it\"e\\ms.csv", "name,x,y,kind\na,1,2,chair\nb,3,,lamp\nc,5,7,lamp\n");
    let answers = folder.write("answers.csv", "winner,loser\na,b\n");
    let links = folder.write("links.csv", "source,target\na,b\n");
    let shops = folder.write("shops.csv", "source,target\na,first shop\n");
    let sketch = Sketch {
        folder: folder.path(""),
        file: items.clone(),
        answers: Some(answers.clone()),
        relations: vec![links, shops],
        ..Sketch::default()
    };
    let text = draft_project(&sketch).unwrap().text;
    write_project(folder.path(""), &text).unwrap();
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(project.items.attributes().names(), ["x", "y"]);
    assert_eq!((project.kernels.len(), project.relations.len()), (4, 2));
    let rho = Rho::Shared(1.0 / 2f64.sqrt());
    let form = Form::SquaredExponential { kappa: 1.0, rho };
    assert_eq!(project.kernels[0].shape, Shape::Vector { form, over: Over::Attributes });
    assert!(matches!(
        project.kernels[2].shape,
        Shape::RegularizedLaplacian { relation: RelationSpec { role: Role::Bipartite, .. }, .. }
    ));
    assert_eq!((project.kernels[0].weight, project.kernels[3].weight), (USUAL_WEIGHT, USUAL_OWN_WEIGHT));
    assert_eq!(project.answers.standing()[0].outcome, Outcome::First);
    AnswerWriter::open(&project.file.answers, &project.items).unwrap();
    // One that is there stays.
    assert!(matches!(write_project(folder.path(""), "other"), Err(Error::Io { .. })));
    assert_eq!(folder.read("ordain.toml"), text);
    assert!(text.contains("# 1 missing number gets the mean of the column"), "{text}");
    assert!(text.contains("as = \"undirected\"  # or \"linking\", \"linked\", \"bipartite\"\n"), "{text}");
    assert!(text.contains("as = \"bipartite\"  # or \"undirected\", \"linking\", \"linked\"\n"), "{text}");
    assert!(
        matches!(describe(&items).unwrap(), Description::Items { items: 3, holes: 1, left_out, .. } if left_out.is_empty())
    );

    // Answers alone.
    let sketch = Sketch { file: answers.clone(), answers: None, relations: vec![], ..sketch };
    std::fs::write(folder.path("ordain.toml"), draft_project(&sketch).unwrap().text).unwrap();
    let project = read_project(folder.path("")).unwrap();
    assert_eq!(project.items.ids(), ["a", "b"]);
    assert_eq!((project.kernels.len(), project.kernels[0].weight), (1, USUAL_OWN_WEIGHT));
    assert_eq!(describe(&answers).unwrap(), Description::Answers { items: 2 });

    // Ties need a width.
    std::fs::write(&answers, "left,right,winner\na,b,tie\na,b,left\n").unwrap();
    std::fs::write(folder.path("ordain.toml"), draft_project(&sketch).unwrap().text).unwrap();
    // Two of the eleven answers, with ten that are expected, are ties; the share that a normal law of variance 18 has within the width.
    let width = read_project(folder.path("")).unwrap().tie_width;
    let share = 1.0 - RealErrorFunctions::erfc(width / 6.0);
    // Rounded up to a hundredth.
    assert!((share - 2.0 / 12.0).abs() < 0.002 && share >= 2.0 / 12.0, "{width} {share}");

    // Items that say nothing, and no answers yet.
    let bare = folder.write("bare.csv", "item,same\na,1\nb,1\n");
    let sketch = Sketch { folder: folder.path(""), file: bare, ..Sketch::default() };
    std::fs::write(folder.path("ordain.toml"), draft_project(&sketch).unwrap().text.replace("answers.csv", "none.csv"))
        .unwrap();
    let project = read_project(folder.path("")).unwrap();
    assert_eq!((project.items.len(), project.kernels.len()), (2, 1));
    // Ties work at once.
    let share = 1.0 - RealErrorFunctions::erfc(project.tie_width / 6.0);
    assert!((share - 0.1).abs() < 0.002, "{}", project.tie_width);
}
