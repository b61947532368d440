//! Parameters written back into a project file.

use ordain::formats::{ProjectData, read_project, rounded, write_parameters};
use ordain::kernel::{Kernel, Parameter, build};
use proptest::prelude::*;

use super::{Folder, input};

fn set(name: &str, value: f64) -> Parameter {
    Parameter { name: name.into(), value }
}

/// The project's parameters as its kernel has them.
fn parameters(project: &ProjectData) -> Vec<Parameter> {
    build(&project.kernels, &project.items, &project.relations).unwrap().parameters()
}

fn folder(text: &str) -> Folder {
    let folder = Folder::new();
    folder.write("items.csv", "id,x,y\na,1,2\nb,3,1\nc,2,2\n");
    folder.write("links.csv", "source,target\na,b\n");
    folder.write("ordain.toml", text);
    folder
}

fn project(folder: &Folder) -> ProjectData {
    read_project(folder.path("ordain.toml")).unwrap()
}

const COMMENTED: &str = r#"# What it is about.
[items]   # a table
file = "items.csv"

[[kernel]]                     # alike
kind = "squared-exponential"
weight = 1.0 # one
rho = [ 0.5,  # of x
        2,    # of y
      ]

kappa = 1_0.0e-1


[[kernel]]
relation = "links.csv"
kind = "regularized-laplacian" # no numbers at all

# Not of a kernel any more.
[answers]
noise = 0.5
"#;

#[test]
fn numbers_change_and_nothing_else() {
    let folder = folder(COMMENTED);
    let values = [
        set("kernel[1].iota", 2.5),
        set("kernel[0].weight", 0.123_456_789),
        set("kernel[0].rho[1]", 1e-9),
        set("kernel[1].weight", 3.0),
    ];
    write_parameters(&mut project(&folder).file, &values).unwrap();
    let expected = COMMENTED
        .replace("weight = 1.0 # one", "weight = 0.123457 # one")
        .replace("        2,    # of y", "        1e-9,    # of y")
        .replace("# no numbers at all\n", "# no numbers at all\niota = 2.5\nweight = 3.0\n");
    assert_eq!(folder.read("ordain.toml"), expected);
    assert_eq!(folder.snapshot().len(), 3, "no file is left beside it");
    let read = parameters(&project(&folder));
    let value = |name: &str| read.iter().find(|parameter| parameter.name == name).unwrap().value;
    assert_eq!(value("kernel[0].weight"), 0.123_457);
    assert_eq!(value("kernel[0].rho[0]"), 0.5);
    assert_eq!(value("kernel[0].rho[1]"), 1e-9);
    assert_eq!(value("kernel[1].iota"), 2.5);
    assert_eq!(value("kernel[1].weight"), 3.0);
}

/// Inline tables, `\r\n`, no line feed at the end, a byte order mark: each stays what it is.
/// The tie width is under [answers], however that is written.
#[test]
fn the_tie_width_is_written() {
    let parts = "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\n";
    for (answers, after) in [
        ("[answers]\ntie_width = 0.5 # wide\nnoise = 0.5\n", "[answers]\ntie_width = 0.25 # wide\nnoise = 0.5\n"),
        ("[answers]\nnoise = 0.5 # held\n[ask]\n", "[answers]\nnoise = 0.5 # held\ntie_width = 0.25\n[ask]\n"),
    ] {
        let folder = folder(&format!("{parts}{answers}"));
        let mut known = project(&folder);
        write_parameters(&mut known.file, &[set("tie_width", 0.25)]).unwrap();
        assert_eq!(folder.read("ordain.toml"), format!("{parts}{after}"));
        assert_eq!(project(&folder).tie_width, 0.25);
    }
    let dotted = folder(&format!("answers.noise = 0.5\n{parts}"));
    write_parameters(&mut project(&dotted).file, &[set("tie_width", 0.25)]).unwrap();
    assert_eq!(project(&dotted).tie_width, 0.25);
    let without = folder(parts);
    assert!(write_parameters(&mut project(&without).file, &[set("tie_width", 0.25)]).is_err());
    assert_eq!(without.read("ordain.toml"), parts);
}

#[test]
fn all_ways_to_write_a_table() {
    let inline =
        "kernel = [{kind = \"linear\"}, { kind = \"independent\", weight = 2 } ,]\n[items]\nfile = \"items.csv\"";
    let windows = "[items]\r\nfile = \"items.csv\"\r\n[[kernel]]\r\nkind = \"linear\"\r\n[[kernel]]\r\nkind = \"independent\" # x\r\n";
    let open = "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"linear\"\n[[kernel]]\nkind = \"independent\"";
    let marked =
        "\u{feff}[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"linear\"\n[[kernel]]\nkind = \"independent\"\n";
    let expected = [
        inline.replace("\"linear\"", "\"linear\", weight = 0.5").replace("= 2 ", "= 0.25 "),
        windows.replace("\"linear\"", "\"linear\"\r\nweight = 0.5").replace("# x", "# x\r\nweight = 0.25"),
        open.replace("\"linear\"", "\"linear\"\nweight = 0.5") + "\nweight = 0.25",
        marked
            .replace("\"linear\"", "\"linear\"\nweight = 0.5")
            .replace("\"independent\"", "\"independent\"\nweight = 0.25"),
    ];
    for (text, expected) in [inline, windows, open, marked].into_iter().zip(expected) {
        let folder = folder(text);
        write_parameters(&mut project(&folder).file, &[set("kernel[0].weight", 0.5), set("kernel[1].weight", 0.25)])
            .unwrap();
        assert_eq!(folder.read("ordain.toml"), expected);
        let weights: Vec<f64> = project(&folder).kernels.iter().map(|spec| spec.weight).collect();
        assert_eq!(weights, [0.5, 0.25]);
    }
}

/// A number of a table within a kernel, in all ways to write that table, and a weight that the kernel lacks.
#[test]
fn a_table_within_a_kernel() {
    let head = "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"linear\"\n";
    let tail = "[answers]\nnoise = 0.5\n";
    let ways = [
        (
            "semi_supervised = { neighbours = 1, strength = 1 }\n",
            "semi_supervised = { neighbours = 1, strength = 0.5 }\nweight = 2.0\n",
        ),
        (
            "semi_supervised = { neighbours = 1 }\n",
            "semi_supervised = { neighbours = 1, strength = 0.5 }\nweight = 2.0\n",
        ),
        ("semi_supervised = {}\n", "semi_supervised = { strength = 0.5 }\nweight = 2.0\n"),
        ("semi_supervised.strength = 3.0\n", "semi_supervised.strength = 0.5\nweight = 2.0\n"),
        (
            "semi_supervised.neighbours = 2 # two\n",
            "semi_supervised.neighbours = 2 # two\nsemi_supervised.strength = 0.5\nweight = 2.0\n",
        ),
        (
            "weight = 1\n[kernel.semi_supervised]\nneighbours = 1\n",
            "weight = 2.0\n[kernel.semi_supervised]\nneighbours = 1\nstrength = 0.5\n",
        ),
        ("[kernel.semi_supervised]\nstrength = 1.0\n", "weight = 2.0\n[kernel.semi_supervised]\nstrength = 0.5\n"),
    ];
    for (before, after) in ways {
        let folder = folder(&format!("{head}{before}{tail}"));
        let values = [set("kernel[0].semi_supervised.strength", 0.5), set("kernel[0].weight", 2.0)];
        write_parameters(&mut project(&folder).file, &values).unwrap();
        assert_eq!(folder.read("ordain.toml"), format!("{head}{after}{tail}"));
        let read = parameters(&project(&folder));
        assert!(values.iter().all(|value| read.contains(value)), "{before}: {read:?}");
    }
    // A kernel without the table does not get one.
    let folder = folder(&format!("{head}{tail}"));
    assert!(write_parameters(&mut project(&folder).file, &[set("kernel[0].semi_supervised.strength", 0.5)]).is_err());
    assert_eq!(folder.read("ordain.toml"), format!("{head}{tail}"));
}

#[test]
fn a_file_that_changed_meanwhile_stays() {
    let folder = folder(COMMENTED);
    let mut opened = project(&folder);
    folder.write("ordain.toml", COMMENTED.replace("noise = 0.5", "noise = 0.6"));
    let before = folder.snapshot();
    let error = input(write_parameters(&mut opened.file, &[set("kernel[0].weight", 0.5)]), "ordain.toml");
    assert!(error.hint.unwrap().contains("changed meanwhile"));
    assert_eq!(folder.snapshot(), before);
}

#[test]
fn names_and_values_that_are_none() {
    let folder = folder(COMMENTED);
    let mut opened = project(&folder);
    let before = folder.snapshot();
    for name in [
        "kernel[2].weight",
        "kernel[0].kind",
        "kernel[0].rho",
        "kernel[0].rho[2]",
        "kernel[1].rho[0]",
        "weight",
        "kernel[0].weight[0]",
        "kernel[x].weight",
        "answers.noise",
        "kernel[0].",
        "",
    ] {
        assert!(write_parameters(&mut opened.file, &[set("kernel[0].weight", 2.0), set(name, 1.0)]).is_err(), "{name}");
    }
    let twice = [set("kernel[0].weight", 1.5), set("kernel[0].weight", 2.5)];
    assert!(write_parameters(&mut opened.file, &twice).is_err());
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(write_parameters(&mut opened.file, &[set("kernel[0].weight", value)]).is_err());
    }
    assert_eq!(folder.snapshot(), before);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder(COMMENTED);
    std::fs::rename(folder.path("ordain.toml"), folder.path("real.toml")).unwrap();
    symlink(folder.path("real.toml"), folder.path("ordain.toml")).unwrap();
    std::fs::set_permissions(folder.path("real.toml"), std::fs::Permissions::from_mode(0o640)).unwrap();
    write_parameters(&mut project(&folder).file, &[set("kernel[0].weight", 0.5)]).unwrap();
    assert!(std::fs::symlink_metadata(folder.path("ordain.toml")).unwrap().is_symlink());
    let meta = std::fs::metadata(folder.path("real.toml")).unwrap();
    assert_eq!(meta.permissions().mode() & 0o777, 0o640);
    assert!(folder.read("real.toml").contains("weight = 0.5 # one"));
}

proptest! {
    /// Every parameter of every kernel, in any layout: what is read back is what was written, and with the numbers taken
    /// out, the text is what it was.
    #[test]
    fn what_is_written_is_read_back(
        exponents in proptest::collection::vec(-6.0_f64..6.0, 9),
        shared in any::<bool>(),
        inline in any::<bool>(),
        windows in any::<bool>(),
        comments in any::<bool>(),
    ) {
        let comment = if comments && !inline { " # 1.5 and weight = 7" } else { "" };
        let rho = if shared { "0.7" } else { "[0.7, 0.1]" };
        let first = [
            "kind = \"matern-5/2\"".to_owned(), "weight = 1".into(), "kappa = 1.0".into(), format!("rho = {rho}"),
        ];
        let second = ["kind = \"regularized-laplacian\"", "relation = \"links.csv\"", "iota=3.5", "beta = 1e0", "weight = 2.0"];
        let third = ["kind = \"polynomial\"", "offset = 0.5", "kappa = 2", "weight = 0x10"];
        let tables = [first.to_vec(), second.map(str::to_owned).to_vec(), third.map(str::to_owned).to_vec()];
        let mut text = if inline {
            let tables: Vec<String> = tables.iter().map(|table| format!("{{ {} }}", table.join(", "))).collect();
            format!("kernel = [{}]\n[items]\nfile = \"items.csv\"\n", tables.join(", "))
        } else {
            let tables: Vec<String> =
                tables.iter().map(|table| format!("[[kernel]]\n{}{comment}\n\n", table.join(&format!("{comment}\n")))).collect();
            format!("[items]\nfile = \"items.csv\"\n\n{}# end", tables.concat())
        };
        if windows {
            text = text.replace('\n', "\r\n");
        }
        let folder = folder(&text);
        let mut opened = project(&folder);
        let names: Vec<String> = parameters(&opened).into_iter().map(|parameter| parameter.name).collect();
        let values: Vec<Parameter> =
            names.iter().zip(exponents.iter().cycle()).map(|(name, exponent)| set(name, 10_f64.powf(*exponent))).collect();
        write_parameters(&mut opened.file, &values).unwrap();
        let found = parameters(&project(&folder));
        let expected: Vec<Parameter> = values.iter().map(|value| set(&value.name, rounded(value.value))).collect();
        prop_assert_eq!(found, expected);
        let without_numbers = |text: &str| -> String {
            let text = text.replace(" # 1.5 and weight = 7", "#comment");
            text.split('=').map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_hexdigit() || " .-x".contains(c))).collect::<Vec<_>>().join("=")
        };
        if shared {
            prop_assert_eq!(without_numbers(&folder.read("ordain.toml")), without_numbers(&text));
        }
    }
}
