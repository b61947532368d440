//! `ordain rank`: the numbers, and the forms they are shown in.

use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use crate::util::{Folder, Run, order};

fn number(item: &Value, key: &str) -> f64 {
    item[key].as_f64().unwrap()
}

/// The worked example of AXPGP section 2.4, to the three digits that are printed there.
#[test]
fn six_papers() {
    let folder = Folder::example("six-papers");
    for inference in ["ep", "incremental"] {
        let ranking = folder.json(["rank", "--inference", inference]);
        let items = ranking["items"].as_array().unwrap();
        let printed = |id: &str| {
            let item = items.iter().find(|item| item["id"] == id).unwrap();
            // Plus zero, since a rounded -0.0001 prints as "-0.000".
            format!("{:.3}", (number(item, "mean") * 1e3).round() / 1e3 + 0.0)
        };
        let means = ["a", "b", "c", "d", "e", "f"].map(printed);
        assert_eq!(means, ["0.174", "0.348", "0.000", "-0.174", "-0.348", "0.000"], "{inference}");
        assert_eq!(order(&ranking), ["b", "a", "c", "f", "d", "e"]);
        // One answer between items of equal means: either outcome is as likely. Rounding only.
        assert!((number(&ranking, "log_evidence") - 0.5f64.ln()).abs() < 1e-12);
        assert_eq!(ranking["answers"], 1);
        assert_eq!(ranking["inference"], inference);
    }
    folder.run(["answer", "b", "f", "first"]).fine();
    for inference in ["ep", "incremental"] {
        let ranking = folder.json(["rank", "--inference", inference]);
        assert_eq!(order(&ranking), ["b", "a", "c", "d", "e", "f"], "{inference}");
        assert_eq!(ranking["answers"], 2);
    }
}

#[test]
fn the_top_adds_up() {
    let folder = Folder::example("countries");
    for k in [1, 5, 45] {
        let ranking = folder.json(["rank", "--top", &k.to_string()]);
        let items = ranking["items"].as_array().unwrap();
        let total: f64 = items.iter().map(|item| number(item, "top")).sum();
        // Every draw has exactly k items among its first k, so only the sum's rounding is left.
        assert!((total - f64::from(k)).abs() < 1e-9, "{total} for {k}");
        assert!(items.iter().all(|item| (0.0..=1.0).contains(&number(item, "top"))));
    }
}

#[test]
fn intervals_hold_the_ranks() {
    let ranking = Folder::example("countries").json(["rank"]);
    let items = ranking["items"].as_array().unwrap();
    for (position, item) in items.iter().enumerate() {
        assert_eq!(item["rank"], position + 1);
        let (low, high) = (number(item, "rank_low"), number(item, "rank_high"));
        assert!(1.0 <= low && low <= high && high <= items.len() as f64, "{item}");
        assert!((low..=high).contains(&number(item, "rank")), "{item}");
        assert!(number(item, "sd") > 0.0 && number(item, "centred_sd") > 0.0);
    }
    let centre: f64 = items.iter().map(|item| number(item, "centred")).sum();
    assert!(centre.abs() < 1e-9 * items.len() as f64, "{centre}");
    assert!(items.windows(2).all(|pair| number(&pair[0], "mean") >= number(&pair[1], "mean")));
}

/// An arena's models have nothing in common but their being models: the table shows what answers tell, not the common part.
#[test]
fn utilities_are_shown_centred() {
    let folder = podium(60);
    folder.append("ordain.toml", "[[kernel]]\nkind = \"linear\"\nkappa = 10.0\n");
    folder.replace(
        "ordain.toml",
        "file = \"items.csv\"",
        "file = \"items.csv\"\nattributes = [\"is\"]\nstandardize = false",
    );
    folder.write("items.csv", "id,is\ngold,1\nsilver,1\nbronze,1\n");
    let ranking = folder.json(["rank"]);
    let table = folder.run(["rank"]);
    for (item, line) in ranking["items"].as_array().unwrap().iter().zip(table.fine().lines().skip(1)) {
        assert!(number(item, "sd") > 9.0 && number(item, "centred_sd") < 3.0, "{item}");
        let shown = [number(item, "centred"), number(item, "centred_sd")].map(|number| format!("{number:.3}"));
        assert!(shown.iter().all(|number| line.contains(number)), "{shown:?} in {line}");
    }
}

/// Nobody finds more items than there are.
#[test]
fn the_top_has_an_end() {
    let folder = podium(4);
    for command in ["rank", "next", "ask"] {
        folder.run([command, "--top", "3"]).fine();
        folder.run([command, "--top", "4"]).fails(2, &["top", "4", "at most 3", "hint: "]);
    }
    folder.replace("ordain.toml", "file = \"items.csv\"", "file = \"items.csv\"\nattributes = []");
    folder.write("items.csv", "id,truth\ngold,3\nsilver,2\nbronze,1\n");
    let simulate = ["simulate", "--truth", "truth", "--answers", "3", "--goal", "top"];
    folder.run(simulate.iter().chain(&["--top", "3"])).fine();
    folder.run(simulate.iter().chain(&["--top", "4"])).fails(2, &["top", "4", "at most 3", "hint: "]);
    // `ask` has written its goal.
    folder.replace("ordain.toml", "k = 3", "k = 4");
    for command in ["rank", "next", "ask"] {
        folder.refuses([command], &["ordain.toml", "k", "4", "at most 3", "under [ask]"]);
    }
}

/// Same input, same bits, whatever the number of threads.
#[test]
fn threads_change_nothing() {
    let folder = Folder::example("countries");
    for arguments in [
        ["rank", "--top", "5", "--format", "json"].as_slice(),
        &["rank", "--top", "5", "--format", "csv", "--inference", "incremental"],
        &["rank", "--format", "table"],
    ] {
        let with = |threads: &str| Run::of(folder.command(arguments).env("RAYON_NUM_THREADS", threads));
        let (one, two) = (with("1"), with("2"));
        assert_eq!(one.fine(), two.fine(), "{arguments:?}");
        assert_eq!(one.stderr, two.stderr);
    }
}

/// Groups of 60 items under names that are short, long and wide.
fn many() -> Folder {
    let folder = Folder::empty();
    let mut items = String::from("id,query,size\n");
    let groups = ["cats", "dogs and other animals that people keep", "猫と犬とその他の動物たち", "fish", "birds"];
    for number in 0..300 {
        let id = match number % 3 {
            0 => format!("item {number}"),
            1 => format!("第{number}番目のとても長い名前を持っている品物の一つ"),
            _ => format!("an item whose name goes on and on for longer than most terminals are wide {number}"),
        };
        items += &format!("{id},{},{}\n", groups[number / 60], number * number % 101);
    }
    folder.write("items.csv", items);
    folder.run(["init", "items.csv"]).fine();
    folder
}

#[test]
fn tables_fit_the_terminal() {
    let folder = many();
    let widest = |run: Run| run.fine().lines().map(str::width).max().unwrap();
    for columns in [60, 80, 100, 120] {
        for arguments in [["rank", "--top", "10"].as_slice(), &["rank"]] {
            let shown = Run::of(folder.command(arguments).env("COLUMNS", columns.to_string()));
            assert!(widest(shown) <= columns, "{columns} {arguments:?}");
        }
    }
    // Not on a terminal and told nothing.
    for folder in [folder, Folder::example("countries"), Folder::example("six-papers")] {
        assert!(widest(folder.run(["rank", "--top", "3"])) <= 100);
    }
}

#[test]
fn every_row_of_a_table_is_one_line() {
    let shown = many().run(["rank"]);
    assert_eq!(shown.fine().lines().count(), 1 + 300);
    assert!(shown.stdout.lines().skip(1).all(|line| line.contains('●')));
}

/// An id must not reach the terminal as an instruction to it.
#[test]
fn control_characters_stay_out_of_tables() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\n\u{1b}[2Jant,1\nbee,2\n");
    folder.run(["init", "items.csv"]).fine();
    assert!(!folder.run(["rank"]).fine().contains('\u{1b}'));
    assert!(!folder.run(["predict", "\u{1b}[2Jant", "bee"]).fine().contains('\u{1b}'));
}

#[test]
fn ranks_count_within_the_group() {
    let ranking = many().json(["rank"]);
    let items = ranking["items"].as_array().unwrap();
    for group in items.chunks(60) {
        assert!(group.iter().all(|item| item["group"] == group[0]["group"]));
        let ranks: Vec<u64> = group.iter().map(|item| item["rank"].as_u64().unwrap()).collect();
        assert_eq!(ranks, (1..=60).collect::<Vec<_>>());
    }
}

/// The table as people see it.
#[test]
fn a_table() {
    let folder = Folder::example("six-papers");
    let run = Run::of(folder.command(["rank"]).env("COLUMNS", "72"));
    // The variances of AXPGP section 2.4, less 1/6: each item has that covariance with the mean of all six, and the mean that variance.
    let expected = "
 rank  item  utility   ± sd  rank (90 %)  utility with 90 % interval
    1  b       0.348  0.615          1–5          ├────────●─────────┤
    2  a       0.174  0.685          1–6       ├──────────●─────────┤
    3  c       0.000  0.913          1–6  ├─────────────●─────────────┤
    4  f       0.000  0.913          1–6  ├─────────────●─────────────┤
    5  d      -0.174  0.685          1–6    ├─────────●──────────┤
    6  e      -0.348  0.615          2–6   ├─────────●────────┤
";
    let expected = expected.trim_start_matches('\n');
    // b is last with probability 0.0452 (four million draws of the prior, weighted by the answer): 4096 draws may count more than 0.05.
    let (found, or) = (run.fine(), expected.replacen("1–5", "1–6", 1));
    assert!(found == expected || found == or, "{found}");
    let mut lines = run.stderr.lines();
    assert_eq!(lines.next(), Some("6 items, 1 answer, log evidence -0.693"));
    let sure = lines.next().unwrap();
    assert!(sure.contains(" % sure that at most 10 % of pairs stand in the wrong order (expected: "), "{sure}");
    assert!(
        sure.contains(" %); cannot tell yet how many answers 90 % takes: the 14 pairs left may be too few"),
        "{sure}"
    );
    assert_eq!(lines.next(), Some("with repeat = true under [ask], pairs are asked again"));
    assert_eq!(lines.next(), None);
}

/// Three items without anything in common; the first wins all of many answers, the second those against the third.
fn podium(answers: usize) -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id\ngold\nsilver\nbronze\n");
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\nweight = 3.0\n");
    let row = "gold,silver,first\nsilver,bronze,first\n";
    folder.write("answers.csv", format!("first,second,outcome\n{}", row.repeat(answers)));
    folder
}

/// The first item is the best as often as it is among the first 1.
#[test]
fn how_sure_it_is() {
    let folder = Folder::example("countries");
    let best = folder.json(["rank", "--goal", "top", "--top", "1"]);
    let sure = &best["certainty"];
    assert_eq!((&sure["goal"], &sure["k"], &sure["target"]), (&"top".into(), &1.into(), &0.9.into()));
    // Two ways to count one event in the same draws.
    assert_eq!(sure["probability"], best["items"][0]["top"]);
    assert_eq!(folder.json(["rank", "--goal", "best"])["certainty"]["probability"], sure["probability"]);
    let whole = &folder.json(["rank", "--error", "0.2", "--target", "0.8"])["certainty"];
    assert_eq!((&whole["goal"], &whole["error"], &whole["target"]), (&"whole-order".into(), &0.2.into(), &0.8.into()));
    assert!(number(whole, "wrong_pairs") > 0.05 && number(whole, "wrong_pairs") < 0.3, "{whole}");
    // The more may be wrong, the surer.
    let probability = |error: &str| number(&folder.json(["rank", "--error", error])["certainty"], "probability");
    let [none, some, all] = ["0", "0.16", "1"].map(probability);
    assert!(none < some && some < all && all == 1.0, "{none} {some} {all}");
    folder.replace("ordain.toml", "goal = \"whole-order\"", "goal = \"top\"\nk = 3");
    let said = folder.run(["rank"]);
    said.fine();
    assert!(said.stderr.contains(" % sure that the first 3 are the best 3"), "{}", said.stderr);
    folder.run(["rank", "--goal", "best", "--top", "3"]).fails(2, &["--top", "hint: "]);
    assert_eq!(folder.run(["rank", "--target", "2"]).code, Some(2));
}

#[test]
fn tiers() {
    let folder = podium(60);
    let ranking = folder.json(["rank"]);
    assert_eq!(order(&ranking), ["gold", "silver", "bronze"]);
    let tiers: Vec<u64> =
        ranking["items"].as_array().unwrap().iter().map(|item| item["tier"].as_u64().unwrap()).collect();
    assert_eq!(tiers, [1, 2, 3]);
    let table = folder.run(["rank"]);
    assert!(table.fine().lines().next().unwrap().contains("tier"), "{}", table.stdout);
    assert!(table.stderr.contains("over 99 % sure") && !table.stderr.contains("more answer"), "{}", table.stderr);
    let folder = podium(0);
    let table = folder.run(["rank"]);
    assert!(!table.fine().contains("tier"), "{}", table.stdout);
    assert!(folder.json(["rank"])["items"].as_array().unwrap().iter().all(|item| item["tier"] == 1));
    // Within groups, and the least sure group is the one that is told of.
    let said = many().run(["rank"]);
    said.fine();
    assert!(said.stderr.contains("in the least settled of 5 groups"), "{}", said.stderr);
}

#[test]
fn forecasts_on_request() {
    let folder = Folder::example("countries");
    let ranking = folder.json(["rank", "--forecast"]);
    let forecast = &ranking["certainty"]["forecast"];
    let [low, median, high] = ["low", "median", "high"].map(|key| forecast[key].as_u64().unwrap());
    assert!(0 < low && low <= median && median <= high && high < 400, "{forecast}");
    assert_eq!(folder.json(["rank", "--forecast"]), ranking);
    let table = folder.run(["rank", "--forecast"]);
    // The project has 60 answers.
    let [low, median, high] = [low, median, high].map(|more| 60 + more);
    let said = format!("; 90 % after about {median} answers in all ({low} to {high})");
    table.fine();
    assert!(table.stderr.contains(&said), "{}", table.stderr);
    // What is reached need not be foreseen.
    assert!(podium(60).json(["rank", "--forecast"])["certainty"].get("forecast").is_none());
    assert_eq!(folder.run(["rank", "--forecast", "--with", "items.csv"]).code, Some(2));
}

/// The first rows are those of the whole ranking. With many items, a line says how exact the numbers are.
#[test]
fn some_of_the_rows() {
    let folder = Folder::example("six-papers");
    let whole = folder.json(["rank"]);
    let some = folder.json(["rank", "--limit", "2"]);
    let (whole, some) = (whole["items"].as_array().unwrap(), some["items"].as_array().unwrap());
    assert_eq!(some[..], whole[..2]);
    let said = |args: &[&str]| {
        let run = folder.run(args);
        run.fine();
        run.stderr
    };
    assert!(said(&["rank", "--limit", "2"]).contains("2 of 6 items, ") && !said(&["rank"]).contains(" of 6 items"));
    let folder = Folder::empty();
    let rows: String = (0..2100).map(|item| format!("i{item}\n")).collect();
    folder.write("items.csv", format!("id\n{rows}"));
    folder.write("ordain.toml", "[items]\nfile = \"items.csv\"\n[[kernel]]\nkind = \"independent\"\nweight = 2.0\n");
    folder.write("answers.csv", "first,second,outcome\ni7,i8,first\n");
    // 2^23 / 2100 draws. A deviation of 2 from so many draws is known to 1.1 %, here to five times that.
    let run = Run::of(&mut folder.command(["rank", "--format", "json"]));
    let said: serde_json::Value = serde_json::from_str(run.fine()).unwrap();
    assert!(
        run.stderr.contains("counted from 3994 draws: probabilities to at most 0.8 %, standard deviations to 1.1 %")
    );
    let items = said["items"].as_array().unwrap();
    assert_eq!((items.len(), items[0]["id"].as_str()), (2100, Some("i7")));
    assert!(items[1..2099].iter().all(|item| (number(item, "sd") / 2.0 - 1.0).abs() < 0.056));
    // Exact for a few rows: the rest of the variance after one answer.
    let few = folder.json(["rank", "--limit", "1"]);
    let (mean, sd) = (number(&few["items"][0], "mean"), number(&few["items"][0], "sd"));
    // N(0, 4) for both, noise 1 on the difference: its mean is 8 sqrt(2 / pi) / 3, half of which is the winner's.
    let winner = 4.0 * (2.0 / std::f64::consts::PI).sqrt() / 3.0;
    assert!((mean - winner).abs() < 1e-9 && (sd * sd - (4.0 - winner * winner)).abs() < 1e-9, "{mean} {sd}");
}

/// Every column of the table beside the ranking, cell by cell as it is in the file. Names that the ranking has get a
/// prefix.
#[test]
fn the_tables_own_columns() {
    let folder = Folder::project();
    let cells = "id,x,note,rank,items.rank\nant,1.50,\"a, \"\"b\"\"\",7,seven\nbee,2,,8,\ncow,4, wide ,9,nine\n";
    folder.write("items.csv", cells);
    let read = |text: &str| -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
    };
    let plain = read(folder.run(["rank", "--format", "csv"]).fine());
    let all = read(folder.run(["rank", "--format", "csv", "--columns", "all"]).fine());
    let own = ["x", "note", "items.items.rank", "items.rank"].map(str::to_owned);
    assert_eq!(all[0], [plain[0].clone(), own.to_vec()].concat());
    let items = read(cells);
    for (row, whole) in plain.iter().zip(&all).skip(1) {
        let item = items.iter().find(|item| item[0] == row[0]).unwrap();
        assert_eq!(*whole, [&row[..], &item[1..]].concat());
    }
    assert_eq!(all.len(), 4);
    // Newcomers bring their columns; a column that their table lacks is empty.
    folder.write("new.csv", "id,note,x\ndog,fresh,3\n");
    let joined = read(folder.run(["rank", "--format", "csv", "--columns", "all", "--with", "new.csv"]).fine());
    let dog = joined.iter().find(|row| row[0] == "dog").unwrap();
    assert_eq!(dog[dog.len() - 4..], ["3", "fresh", "", ""]);
    let limited = read(folder.run(["rank", "--format", "csv", "--columns", "all", "--limit", "1"]).fine());
    assert_eq!((limited.len(), &limited[1]), (2, &all[1]));
    folder.run(["rank", "--columns", "all"]).fails(2, &["--columns all", "--format csv"]);
    // Without a table of items there are no columns.
    folder.write("answers.csv", "winner,loser\nant,bee\n");
    folder.write("ordain.toml", "[[kernel]]\nkind = \"independent\"\n\n[answers]\nfile = \"answers.csv\"\n");
    folder.refuses(["rank", "--format", "csv", "--columns", "all"], &["ordain.toml", "a table of items"]);
}

/// Ids and groups are there already.
#[test]
fn keys_are_not_repeated() {
    let folder = Folder::empty();
    folder.write("items.csv", "name,x,league\nant,1,zoo\nbee,2,zoo\nant,1,farm\ncow,3,farm\n");
    folder.write(
        "ordain.toml",
        "[items]\nfile = \"items.csv\"\nid = \"name\"\ngroup = \"league\"\n\n[[kernel]]\nkind = \"squared-exponential\"\n",
    );
    let run = folder.run(["rank", "--format", "csv", "--columns", "all"]);
    let header: Vec<&str> = run.fine().lines().next().unwrap().split(',').collect();
    assert_eq!((header[0], *header.last().unwrap()), ("id", "x"));
    assert!(header.contains(&"group") && !header.contains(&"name") && !header.contains(&"league"), "{header:?}");
}
