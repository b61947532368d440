//! The talk with a judge, through pipes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::Instant;

use crate::util::{Folder, Run};

/// Runs `ordain ask` on these lines.
fn ask(folder: &Folder, more: &[&str], lines: &[impl AsRef<str>]) -> Run {
    let mut command = folder.command(["ask"].iter().chain(more));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let text: String = lines.iter().map(|line| format!("{}\n", line.as_ref())).collect();
    // A talk that is over does not read on.
    let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The questions, left and right.
fn questions(said: &str) -> Vec<[String; 2]> {
    let question = |line: &str| {
        let (left, right) = line.strip_suffix('?')?.split_once(" or ")?;
        Some([left.to_owned(), right.to_owned()])
    };
    said.lines().filter_map(question).collect()
}

fn acknowledged(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.strip_prefix("recorded: ")).collect()
}

/// The log without its times and header.
fn log(folder: &Folder) -> Vec<String> {
    let text = folder.read("answers.csv");
    assert!(text.ends_with('\n'), "a torn line");
    text.lines().skip(1).map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect()
}

/// Twelve like items, whose pairs may be asked again.
fn dozen() -> Folder {
    let folder = Folder::empty();
    let items: String = (0..12).map(|number| format!("item{number},{}\n", number * number)).collect();
    folder.write("items.csv", format!("id,x\n{items}"));
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"squared-exponential\"\n[[kernel]]\nkind = \"independent\"\n\
         [answers]\nfile = \"answers.csv\"\ntie_width = 0.1\n[ask]\nrepeat = true\n",
    );
    folder
}

/// Never sure enough to stop by itself.
const ON_AND_ON: [&str; 4] = ["--error", "0", "--target", "1"];

#[test]
fn words_become_lines_of_the_log() {
    let folder = Folder::example("countries");
    let before = log(&folder);
    let words = ["left", "R", "tie", "  skip ", "", "nonsense", "u", "undo", "QUIT", "left"];
    let run = ask(&folder, &["--judge", "eve"], &words);
    let asked = questions(run.fine());
    assert_eq!(run.stderr, "");
    let row = |at: usize, word: &str| format!("{},{},{word},eve", asked[at][0], asked[at][1]);
    let added: Vec<String> = log(&folder)[before.len()..].to_vec();
    let undo = || ",,undo,eve".to_owned();
    assert_eq!(added, [row(0, "first"), row(1, "second"), row(2, "tie"), row(3, "skip"), undo(), undo()]);
    assert_eq!(acknowledged(run.fine()).len(), 6);
    assert_eq!(acknowledged(run.fine())[0], format!("{} over {}", asked[0][0], asked[0][1]));
    assert_eq!(acknowledged(run.fine())[1], format!("{} over {}", asked[1][1], asked[1][0]));
    assert!(run.stdout.contains("\"nonsense\" is none of left, right"), "{}", run.stdout);
    // After the skip and the tie are taken back, the same questions stand.
    assert_eq!([&asked[5], &asked[6]], [&asked[3], &asked[2]]);
    assert_eq!(asked.len(), 7);
    assert!(run.stdout.contains("2 answers given"));
    folder.run(["rank"]).fine();
}

/// What `next` names is what `ask` asks, at any moment.
#[test]
fn next_and_ask_agree() {
    let held = Folder::example("countries");
    let learning = Folder::example("countries");
    let text = std::fs::read_to_string(learning.path("ordain.toml")).unwrap();
    let line = text.lines().find(|line| line.starts_with("noise = ")).unwrap();
    learning.write("ordain.toml", text.replace(line, "noise = \"learn\""));
    for folder in [held, learning] {
        check_agreement(&folder);
    }
}

fn check_agreement(folder: &Folder) {
    for (more, word) in [
        (["--goal", "best"], "l"),
        (["--goal", "whole-order"], "r"),
        (["--seed", "7"], "s"),
        (["--strategy", "random"], "t"),
    ] {
        for _ in 0..3 {
            let said = folder.json(["next", "--inference", "incremental"].iter().chain(&more));
            let pair = &said["pairs"][0];
            let named: BTreeSet<&str> = ["first", "second"].map(|key| pair[key].as_str().unwrap()).into();
            let run = ask(folder, &more, &[word]);
            let asked = questions(run.fine());
            assert_eq!(asked[0].iter().map(String::as_str).collect::<BTreeSet<_>>(), named);
        }
    }
}

/// Which side an item stands on is a matter of chance, the same at every start.
#[test]
fn sides_are_drawn() {
    let run = ask(&dozen(), &ON_AND_ON, &["l"; 40]);
    let asked = questions(run.fine());
    let again = ask(&dozen(), &ON_AND_ON, &["l"; 40]);
    assert_eq!(questions(again.fine()), asked);
    let other = ask(&dozen(), &[&ON_AND_ON[..], &["--seed", "9"]].concat(), &["l"; 40]);
    assert_ne!(questions(other.fine()), asked);
    // The log says what stood left.
    let ordered = |[left, right]: &&[String; 2]| left < right;
    assert!((5..=35).contains(&asked.iter().filter(ordered).count()));
}

/// What stands at the end of a line too long is no answer.
#[test]
fn a_line_too_long_is_refused_as_a_whole() {
    let folder = dozen();
    for length in [4092, 4096, 100_000] {
        let long = "x".repeat(length) + " left";
        let padded = " ".repeat(length) + "left";
        let run = ask(&folder, &ON_AND_ON, &[long, padded, "quit".to_owned()]);
        let refused = run.fine().matches("is none of left, right").count();
        assert_eq!((acknowledged(&run.stdout).len(), refused), (0, 2), "{length}: {}", run.stdout);
    }
    assert!(!folder.path("answers.csv").exists());
}

#[test]
fn ties_without_a_width_are_refused_kindly() {
    let folder = Folder::project();
    let before = log(&folder);
    let run = ask(&folder, &[], &["tie", "skip", "quit"]);
    assert!(run.fine().contains("there are no ties in this project"), "{}", run.stdout);
    assert_eq!(log(&folder).len(), before.len() + 1);
}

#[test]
fn nothing_to_take_back() {
    let folder = Folder::project();
    let before = log(&folder);
    let run = ask(&folder, &["--judge", "bob"], &["undo", "quit"]);
    assert!(run.fine().contains("no answer to take back"), "{}", run.stdout);
    assert_eq!(log(&folder), before);
    // An answer of an earlier day is taken back too.
    let run = ask(&folder, &["--judge", "eve"], &["undo", "quit"]);
    assert_eq!(acknowledged(run.fine()), ["undo of ant over bee"]);
    assert_eq!(folder.json(["rank"])["answers"], 0);
}

#[test]
fn it_stops_by_itself() {
    // No pair is left after two skips: one pair is answered.
    let folder = Folder::project();
    let run = ask(&folder, &ON_AND_ON, &["skip"; 5]);
    assert!(run.fine().ends_with("\"ordain rank\" shows the ranking\n") && run.stdout.contains("no pair is left"));
    let stuck = "the goal cannot be reached with these pairs: ";
    assert!(run.stdout.contains(stuck) && run.stdout.contains("\nundecided: "), "{}", run.stdout);
    assert_eq!(log(&folder).len(), 3);
    // The limit counts answers, not skips and not what was taken back.
    let folder = dozen();
    let run = ask(&folder, &[&ON_AND_ON[..], &["--limit", "2"]].concat(), &["l", "s", "u", "u", "r", "t", "l", "l"]);
    assert!(run.fine().contains("as many as the limit allows: 2 answers given"), "{}", run.stdout);
    assert_eq!(log(&folder).len(), 6);
    // A goal that is reached from the start.
    let folder = dozen();
    let run = ask(&folder, &["--target", "0"], &["no"]);
    assert!(run.fine().contains("the goal is reached: ") && questions(&run.stdout).is_empty(), "{}", run.stdout);
    let run = ask(&folder, &["--target", "0"], &["yes", "l", "l", "l"]);
    assert_eq!(acknowledged(run.fine()).len(), 3);
    assert_eq!(run.stdout.matches("go on?").count(), 1);
}

/// Only pairs of the pool are asked, and it is they that are counted.
#[test]
fn pools() {
    let folder = Folder::example("countries");
    folder.write("pool.csv", "first,second\nSpain,Italy\nItaly,Spain\nMalta,Monaco\n");
    let more = [&ON_AND_ON[..], &["--pool", "pool.csv"]].concat();
    let run = ask(&folder, &more, &["l"; 5]);
    let mut asked = questions(run.fine());
    assert!(run.stdout.contains("no pair is left"), "{}", run.stdout);
    asked.iter_mut().for_each(|pair| pair.sort_unstable());
    asked.sort_unstable();
    assert_eq!(asked, [["Italy", "Spain"], ["Malta", "Monaco"]]);
    folder.write("pool.csv", "first,second\nSpain,Italy\nMalta,Monako\n");
    folder.refuses(["ask", "--pool", "pool.csv"], &["pool.csv, line 3", "\"Monako\"", "did you mean \"Monaco\"?"]);
    folder.write("pool.csv", "first,second\nSpain,Spain\n");
    folder.refuses(["ask", "--pool", "pool.csv"], &["pool.csv, line 2", "compared with itself"]);
}

/// Before every question, `ask` says of the answers so far what `rank` says of them.
#[test]
fn ask_and_rank_are_equally_sure() {
    for example in ["countries", "six-papers"] {
        let folder = Folder::example(example);
        for _ in 0..4 {
            let said = ask(&folder, &[], &["left", "quit"]);
            let first = said.fine().lines().find(|line| line.contains(" sure that ")).unwrap().to_owned();
            // The second question is after one more answer.
            let lines: Vec<&str> = said.stdout.lines().filter(|line| line.contains(" sure that ")).collect();
            let rank = folder.run(["rank"]);
            rank.fine();
            let now = rank.stderr.lines().find(|line| line.contains(" sure that ")).unwrap();
            let sure = |line: &str| line.split([';', '(']).next().unwrap().trim().to_owned();
            assert_eq!(lines[0], first);
            assert_eq!(sure(lines[1]), sure(now), "{example}");
        }
    }
}

/// With many items, certainty is left out, and this is said once.
#[test]
fn many_items() {
    let folder = Folder::empty();
    let items: String = (0..1300).map(|number| format!("item{number},{}\n", number * number % 997)).collect();
    folder.write("items.csv", format!("id,x\n{items}"));
    folder.run(["init", "items.csv"]).fine();
    let run = ask(&folder, &[], &["quit"]);
    assert_eq!(run.fine().matches("left out: with so many items, ").count(), 1, "{}", run.stdout);
}

/// A judge who never errs gets twelve items into order, and is told so with the promised probability.
#[test]
fn the_goal_is_reached() {
    let folder = dozen();
    let mut asking = Asking::start(&folder, &["--goal", "best", "--target", "0.95"]);
    let number = |id: &str| id.strip_prefix("item").unwrap().parse::<u32>().unwrap();
    let mut answers = 0;
    while let Some([left, right]) = asking.question() {
        asking.say(if number(&left) > number(&right) { "left" } else { "right" });
        answers += 1;
    }
    asking.say("no");
    assert!(asking.child.wait().unwrap().success());
    assert!((5..200).contains(&answers), "{answers}");
    let ranking = folder.json(["rank", "--top", "1"]);
    assert_eq!(ranking["items"][0]["id"], "item11");
}

#[test]
fn what_is_shown() {
    let folder = Folder::example("countries");
    let run = ask(&folder, &["--hide", "inhabitants", "--hide", "area"], &["quit"]);
    let said = run.fine();
    assert!(said.contains("60 answers; first: ") && said.contains(" % sure that at most 10 % of pairs"), "{said}");
    assert!(said.contains("gdp_per_head") && !said.contains("inhabitants") && !said.contains("\n area"), "{said}");
    folder.refuses(["ask", "--hide", "inhabitant"], &["--hide", "\"inhabitant\"", "hint: ", "inhabitants"]);
    // Long and hostile texts are cut to the width.
    let folder = Folder::empty();
    let long = "word ".repeat(200);
    folder.write("items.csv", format!("id,text,x\nant,\"{long}\",1\nbee,a\u{1b}[31mb,2\n"));
    folder.run(["init", "items.csv"]).fine();
    let run = ask(&folder, &[], &["quit"]);
    assert!(!run.fine().contains('\u{1b}'));
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 110), "{}", run.stdout);
}

/// A talk that goes on while the test reads along.
struct Asking {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Asking {
    fn start(folder: &Folder, more: &[&str]) -> Self {
        let mut command = folder.command(["ask"].iter().chain(more));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next question; none if the goal is reached.
    fn question(&mut self) -> Option<[String; 2]> {
        loop {
            let line = self.lines.next().unwrap().unwrap();
            if let Some(question) = questions(&line).pop() {
                return Some(question);
            }
            if line.starts_with("go on?") {
                return None;
            }
        }
    }

    fn say(&mut self, word: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{word}").unwrap();
    }
}

/// What the judge of the test below says when so many entries are in the log.
fn word(entries: usize) -> &'static str {
    // Without a pattern that the strategy could meet: bits of multiples of the golden ratio.
    match (entries as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60 {
        _ if entries % 9 == 8 => "undo",
        0 => "skip",
        1 => "tie",
        bits if bits % 2 == 0 => "left",
        _ => "right",
    }
}

/// Killed at any moment, hundreds of times: no acknowledged answer is lost, none is there twice, the log is always
/// readable, and what is asked next is what a judge who was never interrupted is asked.
#[test]
fn a_kill_loses_nothing() {
    const KILLS: u64 = 200;
    const MOST: usize = 3;
    let words: Vec<&str> = (0..(KILLS as usize + 1) * MOST).map(word).collect();
    let whole = dozen();
    let run = ask(&whole, &ON_AND_ON, &words);
    let asked = questions(run.fine());
    let expected = log(&whole);
    assert_eq!((asked.len(), expected.len()), (words.len() + 1, words.len()));

    let folder = dozen();
    let entries = || if folder.path("answers.csv").exists() { log(&folder).len() } else { 0 };
    let mut unacknowledged = 0;
    let mut cut_short = 0;
    // How long a run takes here, from one that is not killed.
    let start = Instant::now();
    ask(&folder, &ON_AND_ON, &words[..MOST]).fine();
    let usual = start.elapsed();
    let mut seen = entries();
    for round in 0..KILLS {
        let mut command = folder.command(["ask"].iter().chain(&ON_AND_ON));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        let next: String = words[seen..].iter().take(MOST).map(|word| format!("{word}\n")).collect();
        // It may be dead already, or over.
        let _ = child.stdin.take().unwrap().write_all(next.as_bytes());
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        if round % 2 == 0 {
            // From 0 to a little more than a whole run, in an order that does not repeat.
            let delay = usual.mul_f64((round as f64 * 0.618_034).fract() * 1.2);
            std::thread::sleep(delay.saturating_sub(start.elapsed()));
        } else {
            // At once when an answer is acknowledged, which must be on the disk by then.
            while reader.read_line(&mut said).unwrap() > 0 && acknowledged(&said).is_empty() {}
        }
        let _ = child.kill();
        reader.read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        // A last line may be cut.
        let said = &said[..said.rfind('\n').map_or(0, |end| end + 1)];
        for (at, question) in questions(said).iter().enumerate() {
            assert_eq!(question, &asked[seen + at], "round {round}");
        }
        let told = acknowledged(said).len();
        let now = entries();
        assert!((seen + told..=seen + told + 1).contains(&now), "{now} entries after {seen} and {told}");
        unacknowledged += now - seen - told;
        cut_short += usize::from(now - seen < MOST);
        seen = now;
        if now > 0 {
            assert_eq!(log(&folder), expected[..now], "round {round}");
        }
    }
    println!("{seen} entries, {cut_short} runs cut short, {unacknowledged} entries not acknowledged");
    assert!(cut_short > 0 && seen > MOST);
    // The rest without a kill ends as the whole did.
    let run = ask(&folder, &ON_AND_ON, &words[seen..]);
    assert_eq!(questions(run.fine()), asked[seen..]);
    assert_eq!(log(&folder), expected);
}

#[test]
fn projects_of_every_kind() {
    // Groups: the item is written with its group, and only its group's first items are named.
    let folder = Folder::empty();
    folder.write("items.csv", "id,query,x\nant,zoo,1\nbee,zoo,2\nant,farm,1\ncow,farm,3\nhen,farm,2\n");
    folder.run(["init", "items.csv"]).fine();
    // A held noise asks no pair again.
    folder.replace("ordain.toml", "noise = \"learn\"", "noise = 0.7");
    let run = ask(&folder, &ON_AND_ON, &["l"; 9]);
    assert_eq!(acknowledged(run.fine()).len(), 4);
    assert!(run.stdout.contains("first in zoo: ") && run.stdout.contains("first in farm: "), "{}", run.stdout);
    assert_eq!(folder.json(["rank"])["answers"], 4);
    // Items that are nothing but their names in the answers.
    let folder = Folder::empty();
    folder.write("answers.csv", "first,second,outcome,judge,time\nant,bee,first,,\nbee,cow,first,,\n");
    folder.run(["init", "answers.csv"]).fine();
    let run = ask(&folder, &[], &["s"]);
    assert_eq!(acknowledged(run.fine()).len(), 1);
    // One item has no pair.
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\nant,1\n");
    folder.run(["init", "items.csv"]).fine();
    let run = ask(&folder, &[], &["l"]);
    assert!(run.fine().starts_with("no pair is left to ask: 0 answers given"), "{}", run.stdout);
    assert!(!folder.path("answers.csv").exists());
}

/// What stands in the log is not touched when the project cannot be asked about.
#[test]
fn what_cannot_be_asked() {
    let folder = Folder::project();
    folder.append("answers.csv", "ant,cow,first,eve,2024-0");
    folder.refuses(["ask"], &["answers.csv, line 3", "torn", "hint: "]);
    let folder = Folder::project();
    folder.append("ordain.toml", "[ask]\nstrategy = \"entropie\"\n");
    folder.refuses(["ask"], &["ordain.toml, line ", "entropie", "did you mean \"entropy\"?"]);
    let folder = Folder::project();
    folder.write("answers.csv", crate::util::gzip("winner,loser\nant,bee\n"));
    folder.refuses(["ask"], &["packed", "decompress"]);
    for wrong in [["--target", "1.5"], ["--error", "-1"], ["--limit", "x"], ["--judge", "a\nb"]] {
        assert_eq!(folder.run(["ask"].iter().chain(&wrong)).code, Some(2), "{wrong:?}");
    }
}

/// With grades = true, single items are graded before they are compared, all in one log; a resumed talk asks the same.
#[test]
fn grades_are_asked_too() {
    let folder = dozen();
    folder.write("ordain.toml", folder.read("ordain.toml").replace("repeat = true", "grades = true"));
    let graded = |said: &str| said.lines().filter(|line| line.starts_with("the grade of ")).count();
    let first = ask(&folder, &ON_AND_ON, &["4", "7", "s", "u", "2", "q"]);
    let said = first.fine();
    assert!(said.contains("from 1 to 5, the higher the better?"), "{said}");
    assert!(said.contains("\"7\" is none of 1, 2, 3, 4, 5, skip, undo, quit"), "{said}");
    assert_eq!(acknowledged(said).len(), 4, "{said}");
    assert!(acknowledged(said)[0].ends_with(" has grade 4"), "{said}");
    let lines = log(&folder);
    assert_eq!(
        lines.iter().map(|line| line.split(',').nth(2).unwrap()).collect::<Vec<_>>(),
        ["grade:4", "skip", "undo", "grade:2"]
    );
    assert!(lines[1].split(',').nth(1).unwrap().is_empty() && graded(said) >= 3, "{lines:?}");
    // What is asked next is what `next` names, and what a resumed talk asks.
    let next = folder.json(["next"]);
    let row = &next["pairs"][0];
    assert!(row["second"].is_null() && row["score"].as_f64().unwrap() > 0.0, "{next}");
    let again = ask(&folder, &ON_AND_ON, &["q"]);
    let question = format!("the grade of {} from", row["first"].as_str().unwrap());
    assert!(again.fine().contains(&question), "{}", again.stdout);
    assert!(folder.run(["next", "--format", "csv"]).fine().contains(",,"));
    assert!(folder.run(["next", "--count", "3"]).fine().contains("(its grade)"));
    // All graded: pairs remain.
    let grades: Vec<String> = (0..40).map(|at| (1 + at % 5).to_string()).collect();
    let said = ask(&folder, &ON_AND_ON, &grades).stdout;
    assert!(!questions(&said).is_empty(), "{said}");
    folder.run(["rank"]).fine();
}

/// A tie is offered where it can be taken; elsewhere the judge hears what to set.
#[test]
fn ties_are_offered_where_there_are_ties() {
    let with = dozen();
    let said = ask(&with, &ON_AND_ON, &["x", "t", "q"]).stdout;
    assert!(said.contains("\"x\" is none of left, right, tie, skip, undo, quit"), "{said}");
    assert!(log(&with)[0].contains(",tie,"));
    let without = dozen();
    without.replace("ordain.toml", "tie_width = 0.1", "tie_width = 0.0");
    for word in ["t", "tie"] {
        let said = ask(&without, &ON_AND_ON, &["x", word, "q"]).stdout;
        assert!(said.contains("\"x\" is none of left, right, skip, undo, quit"), "{said}");
        assert!(said.contains("set for example tie_width = 0.2 under [answers] in ./ordain.toml"), "{said}");
    }
    assert!(!without.path("answers.csv").exists());
}

/// Everything that counts answers counts those that stand, without skips.
#[test]
fn skips_are_not_answers() {
    let folder = dozen();
    let run = ask(&folder, &ON_AND_ON, &["l", "s", "s", "r", "s", "q"]);
    let said = run.fine();
    let counts: Vec<&str> = said
        .lines()
        .filter_map(|line| {
            line.split_once(" answer")?.0.parse::<usize>().ok().map(|_| line.split("; ").next().unwrap())
        })
        .collect();
    assert_eq!(counts, ["0 answers", "1 answer", "1 answer", "1 answer", "2 answers", "2 answers"], "{said}");
    assert!(said.contains("see you: 2 answers given"), "{said}");
    assert_eq!(folder.json(["rank"])["answers"], 2);
    assert!(folder.run(["rank"]).stderr.contains("12 items, 2 answers, "));
    let items = ["item0", "item1", "skip"];
    let told = folder.run(["answer"].iter().chain(&items));
    assert!(told.stderr.ends_with("2 answers to learn from\n"), "{}", told.stderr);
    // A forecast of the answers in all is the same with skips as without, but for the pairs that skips close.
    let foretold = |folder: &Folder| folder.run(["rank", "--forecast"]).stderr;
    assert!(foretold(&folder).contains("2 answers"), "{}", foretold(&folder));
}

/// With strengths, the keys 1 to 4 say how much, from left to right; without, they say nothing.
#[test]
fn strengths_are_four_keys() {
    let folder = dozen();
    let plain = ask(&folder, &ON_AND_ON, &["1", "quit"]);
    assert!(plain.fine().contains("\"1\" is none of left, right, tie, skip, undo, quit"), "{}", plain.stdout);
    folder.replace("ordain.toml", "repeat = true", "repeat = true\nstrengths = true");
    let run = ask(&folder, &ON_AND_ON, &["1", "2 left slightly", "3", "4", "left", "5", "quit"]);
    let said = run.fine();
    let words =
        "1 left by much, 2 left slightly, 3 right slightly, 4 right by much, left, right, tie, skip, undo, quit";
    assert!(said.contains(&format!("\"5\" is none of {words}")), "{said}");
    let outcomes: Vec<String> = log(&folder).iter().map(|line| line.split(',').nth(2).unwrap().to_owned()).collect();
    assert_eq!(outcomes, ["first>>", "first>", "second>", "second>>", "first"]);
    let told = acknowledged(said);
    assert!(told[0].contains(" strongly over ") && told[2].contains(" slightly over "), "{told:?}");
    folder.write("answers.csv", "winner,loser\nitem1,item0\n");
    ask(&folder, &ON_AND_ON, &["quit"]).fails(1, &["answers.csv", "first>>", "start a new log"]);
}

/// Gold pairs are asked like any other, each once; nothing about items is learned from them, and whoever begins again goes on.
#[test]
fn gold_is_asked_among_others() {
    let folder = dozen();
    folder.write("gold.csv", "first,second,outcome\nitem11,item0,first\nitem9,item1,first\n");
    folder.replace("ordain.toml", "tie_width = 0.1", "tie_width = 0.1\ngold = \"gold.csv\"\ngold_rate = 1");
    let one = ask(&folder, &ON_AND_ON, &["left", "quit"]);
    let first = questions(one.fine());
    let two = ask(&folder, &ON_AND_ON, &["left", "right", "quit"]);
    let rest = questions(two.fine());
    assert_eq!(first[1], rest[0], "whoever begins again is asked the same");
    let is_gold = |pair: &[String; 2]| {
        [["item11", "item0"], ["item9", "item1"]]
            .iter()
            .any(|gold| gold.iter().all(|item| pair.iter().any(|one| one == item)))
    };
    assert!(is_gold(&first[0]) && is_gold(&rest[0]) && first[0] != rest[0], "{first:?} {rest:?}");
    assert!(!is_gold(&rest[1]) && !is_gold(&rest[2]), "{rest:?}");
    // Gold answers count among those that are shown; the first are not shown before an answer tells something of items.
    assert!(two.stdout.contains("2 answers\n") && two.stdout.contains("3 answers; first: "), "{}", two.stdout);
    assert_eq!(log(&folder).len(), 3);
    assert_eq!(folder.json(["rank"])["answers"], 1);
    folder.write("gold.csv", "first,second,outcome\nitem11,item0,first\nitem0,item11,first\n");
    folder.refuses(["rank"], &["gold.csv, line 3", "which line 2 says of the same pair", "hint: "]);
}
