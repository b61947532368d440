//! What all subcommands share: quiet, colours, the project of the environment, completions and pages of the manual.

use crate::util::{Folder, Run};

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// The names of the subcommands, as the help lists them.
pub fn subcommands(folder: &Folder) -> Vec<String> {
    let help = folder.run(["--help"]);
    let rows = help.fine().lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Descriptions that go on on another line stand further right.
    let names = rows.filter(|row| row.starts_with("  ") && !row.starts_with("   "));
    let names = names.map(|row| row.split_whitespace().next().unwrap().to_owned()).filter(|name| name != "help");
    let names: Vec<String> = names.collect();
    assert!(names.len() > 15, "{names:?}");
    names
}

#[test]
fn quiet_leaves_warnings_and_errors() {
    let folder = Folder::project();
    assert!(folder.run(["rank"]).stderr.contains("3 items, 1 answer"));
    let quiet = folder.run(["rank", "--quiet"]);
    assert!(quiet.fine().contains("ant"));
    assert_eq!(quiet.stderr, "");
    // Before the subcommand too.
    assert_eq!(folder.run(["--quiet", "rank"]).stderr, "");
    folder.run(["--quiet", "rank", "nowhere"]).fails(1, &["error: cannot read nowhere", "hint: "]);
    folder.write("a.run", "q1 Q0 d1 1 3.0 a\n");
    folder.write("qrels", "q1 0 d1 2\nq2 0 d1 1\n");
    let warned = folder.run(["eval", "a.run", "--qrels", "qrels", "--quiet"]);
    warned.fine();
    assert_eq!(warned.stderr, "warning: a.run, run a: no documents for 1 judged query (q2)\n");
}

#[test]
fn colours_as_asked() {
    let folder = Folder::project();
    let run = |arguments: &[&str], no_color: Option<&str>| {
        let mut command = folder.command(arguments);
        no_color.into_iter().for_each(|value| _ = command.env("NO_COLOR", value));
        Run::of(&mut command)
    };
    let is_plain = |run: &Run| !run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}');
    // Nothing here is a terminal.
    assert!(is_plain(&run(&["rank", "nowhere"], None)) && is_plain(&run(&["rank", "--help"], None)));
    let error = run(&["rank", "nowhere", "--color", "always"], None);
    assert!(error.stderr.starts_with("\u{1b}[1;31merror:\u{1b}[0m cannot read nowhere"), "{:?}", error.stderr);
    assert!(error.stderr.contains("\n\u{1b}[1;36mhint:\u{1b}[0m "), "{:?}", error.stderr);
    // What the parser says, and the help.
    assert!(run(&["rank", "--top", "x", "--color=always"], None).stderr.contains("\u{1b}["));
    assert!(run(&["--color=always", "rank", "--help"], None).stdout.contains("\u{1b}["));
    // An option that asks for colours is stronger than the variable.
    assert!(!is_plain(&run(&["rank", "nowhere", "--color", "always"], Some("1"))));
    assert!(is_plain(&run(&["rank", "nowhere", "--color", "never"], None)));
    run(&["rank", "--color", "pink"], None).fails(2, &["pink", "auto, always, never"]);
}

/// On a terminal messages have colours, unless the variable or the option says otherwise.
#[cfg(target_os = "linux")]
#[test]
fn colours_on_a_terminal() {
    use crate::session::Session;

    let folder = Folder::empty();
    let said = |words: &str| {
        Session::run(&folder, 80, &["sh", "-c", &format!("{words} {} rank nowhere", crate::util::ORDAIN)]).end().1
    };
    assert!(said("TERM=xterm").contains("\u{1b}[1;31merror:\u{1b}[0m "));
    assert!(said("TERM=xterm NO_COLOR=").contains("\u{1b}[1;31merror:\u{1b}[0m "));
    assert!(!said("TERM=xterm NO_COLOR=1").contains('\u{1b}'));
    assert!(!said("TERM=dumb").contains('\u{1b}'));
}

#[test]
fn the_project_of_the_environment() {
    let folder = Folder::project();
    let elsewhere = Folder::empty();
    let project = folder.path("");
    let run = |arguments: &[&str], place: &std::path::Path| {
        Run::of(elsewhere.command(arguments).env("ORDAIN_PROJECT", place))
    };
    // As an argument, as an option, and in the help.
    assert!(run(&["rank"], &project).fine().contains("ant"));
    assert!(run(&["rank"], &folder.path("ordain.toml")).fine().contains("ant"));
    assert!(run(&["predict", "ant", "bee"], &project).fine().contains("ant"));
    run(&["answer", "ant", "cow", "first"], &project).fine();
    assert!(folder.read("answers.csv").contains("\nant,cow,first,"));
    assert!(run(&["rank", "--help"], &project).fine().contains(project.to_str().unwrap().trim_end_matches('/')));
    folder.replace("items.csv", "id,x\n", "id,x,truth\n");
    for (item, truth) in [("ant,1", 3), ("bee,2", 2), ("cow,4", 1)] {
        folder.replace("items.csv", item, &format!("{item},{truth}"));
    }
    let simulate = ["simulate", "--truth", "truth", "--answers", "2", "--format", "csv"];
    run(&simulate, &project).fine();
    // What is named is stronger, and an empty variable says nothing.
    run(&["rank", "."], &project).fails(1, &["ordain.toml"]);
    run(&["rank"], "".as_ref()).fails(1, &["ordain.toml"]);
    // A LETOR file needs no project, so the variable is not in its way.
    let letor: String = (1..5).map(|at| format!("{} qid:1 1:{at} #docid = d{at}\n", at % 2)).collect();
    elsewhere.write("l.txt", letor);
    run(&["simulate", "--letor", "l.txt", "--answers", "2", "--format", "csv"], &project).fine();
    // A new project goes there too.
    elsewhere.write("films.csv", "id,x\na,1\nb,2\n");
    let new = elsewhere.path("new");
    run(&["init", "films.csv"], &new).fine();
    assert!(new.join("ordain.toml").is_file() && !elsewhere.path("ordain.toml").exists());
}

#[test]
fn completions_know_every_subcommand_and_option() {
    let folder = Folder::empty();
    for shell in SHELLS {
        let run = folder.run(["completions", shell]);
        let script = run.fine();
        assert_eq!(run.stderr, "");
        for name in subcommands(&folder) {
            assert!(script.contains(&name), "{shell} {name}");
        }
        // PowerShell gets options, and no values for them.
        let values: &[&str] = if shell == "powershell" { &[] } else { &["rm3", "whole-order"] };
        for word in ["per-query", "quiet"].iter().chain(values) {
            assert!(script.contains(word), "{shell} {word}");
        }
        // What is not for people to type.
        assert!(!script.contains("ordain-man") && !script.contains("'man:"), "{shell}");
    }
    folder.run(["completions", "tcsh"]).fails(2, &["tcsh", "bash, zsh, fish, powershell"]);
}

/// A shell that is there takes the script and completes by it.
#[cfg(unix)]
#[test]
fn bash_completes() {
    let folder = Folder::empty();
    folder.write("ordain.bash", folder.run(["completions", "bash"]).fine());
    let words =
        "source ordain.bash; COMP_WORDS=(ordain ev); COMP_CWORD=1; _ordain ordain ev ordain; echo \"${COMPREPLY[@]}\"";
    let said = Run::of(std::process::Command::new("bash").args(["-c", words]).current_dir(folder.path("")));
    assert_eq!(said.fine(), "eval\n", "{}", said.stderr);
}

/// A page for every subcommand, which `man` formats without a complaint where there is one.
#[test]
fn pages_of_the_manual() {
    let folder = Folder::empty();
    let run = folder.run(["man", "pages/man1"]);
    run.fine();
    let names = subcommands(&folder);
    assert!(run.stderr.contains("pages to pages/man1"), "{}", run.stderr);
    assert!(folder.read("pages/man1/ordain.1").contains("ORDAIN_PROJECT"));
    for name in &names {
        let page = folder.read(&format!("pages/man1/ordain-{name}.1"));
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS") && page.contains("ordain "), "{name}");
    }
    assert!(folder.path("pages/man1/ordain-rate-train.1").is_file());
    assert!(!folder.path("pages/man1/ordain-man.1").exists() && !folder.path("pages/man1/ordain-help.1").exists());
    folder.write("file", "");
    folder.run(["man", "file"]).fails(1, &["file"]);
}
