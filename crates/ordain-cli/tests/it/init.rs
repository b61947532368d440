//! `ordain init`: a project that works from the start.

use crate::util::{Folder, Run, order};

/// A project as written can be ranked at once.
fn ranks(folder: &Folder, items: usize, answers: u64) {
    let ranking = folder.json(["rank"]);
    assert_eq!(ranking["items"].as_array().unwrap().len(), items);
    assert_eq!(ranking["answers"], answers);
}

#[test]
fn items_with_attributes() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,price,weight\na,Apple,1.5,3\nb,Pear,2,5\nc,Plum,0.5,1\n");
    let run = folder.run(["init", "items.csv"]);
    assert_eq!(run.fine(), "");
    assert!(run.stderr.contains("ordain rank"), "{}", run.stderr);
    let text = folder.read("ordain.toml");
    assert!(text.contains("attributes = [\"price\", \"weight\"]"), "{text}");
    assert!(text.contains("squared-exponential"));
    ranks(&folder, 3, 0);
    folder.run(["answer", "a", "b", "first"]).fine();
    ranks(&folder, 3, 1);
}

#[test]
fn items_with_links() {
    let folder = Folder::empty();
    folder.write("items.csv", "id\na\nb\nc\n");
    folder.write("links.csv", "source,target\na,b\n");
    folder.write("tags.csv", "source,target\na,red\nb,blue\nc,red\n");
    folder.run(["init", "items.csv", "--relation", "links.csv", "--relation", "tags.csv"]).fine();
    let text = folder.read("ordain.toml");
    assert!(text.contains("relation = \"links.csv\"\nas = \"undirected\""), "{text}");
    assert!(text.contains("relation = \"tags.csv\"\nas = \"bipartite\""), "{text}");
    assert!(!text.contains("squared-exponential"));
    ranks(&folder, 3, 0);
}

#[test]
fn items_with_answers_that_exist() {
    let folder = Folder::empty();
    folder.write("things.csv", "name,x\nant,1\nbee,2\n");
    folder.write("said.csv", "first,second,outcome\nbee,ant,first\n");
    folder.run(["init", "things.csv", "--answers", "said.csv"]).fine();
    ranks(&folder, 2, 1);
    assert_eq!(order(&folder.json(["rank"])), ["bee", "ant"]);
}

#[test]
fn arena_battles_alone() {
    let folder = Folder::empty();
    folder.write(
        "battles.csv",
        "model_a,model_b,winner,judge,turn\nowl,fox,model_a,ann,1\nowl,cat,model_a,bob,1\nfox,cat,model_b,ann,2\n",
    );
    folder.run(["init", "battles.csv"]).fine();
    ranks(&folder, 3, 3);
    assert_eq!(order(&folder.json(["rank"])), ["owl", "cat", "fox"]);
}

#[test]
fn winners_and_losers_alone() {
    let folder = Folder::empty();
    folder.write("games.csv", "winner,loser\nx,y\ny,z\nx,z\n");
    folder.run(["init", "games.csv"]).fine();
    ranks(&folder, 3, 3);
    assert_eq!(order(&folder.json(["rank"])), ["x", "y", "z"]);
    folder.run(["answer", "z", "y", "first"]).fine();
    ranks(&folder, 3, 4);
}

#[test]
fn json_lines_and_packed_tables() {
    let folder = Folder::empty();
    folder.write("items.jsonl", "{\"id\":\"a\",\"x\":1}\n{\"id\":\"b\",\"x\":2.5}\n");
    folder.run(["init", "items.jsonl"]).fine();
    ranks(&folder, 2, 0);
    let folder = Folder::empty();
    folder.write("items.csv.gz", crate::util::gzip("id,x\na,1\nb,2\n"));
    folder.run(["init", "items.csv.gz"]).fine();
    ranks(&folder, 2, 0);
}

#[test]
fn groups_are_found() {
    let folder = Folder::empty();
    folder.write("items.csv", "query,id,x\ncats,a,1\ncats,b,2\ndogs,a,3\n");
    folder.run(["init", "items.csv"]).fine();
    assert!(folder.read("ordain.toml").contains("group = \"query\""));
    ranks(&folder, 3, 0);
}

#[test]
fn nothing_is_overwritten() {
    let folder = Folder::project();
    folder.refuses(["init", "items.csv"], &["ordain.toml", "hint: it stays as it was"]);
}

/// Spaces, quotation marks and backslashes in the names of files and columns.
#[test]
fn unusual_names() {
    let names: &[&str] = if cfg!(windows) {
        &["my items.csv", "it's.csv", "ä.csv"]
    } else {
        &["my items.csv", "it's \"so\" \\n.csv", "# ä.csv"]
    };
    for name in names {
        let folder = Folder::empty();
        folder.write(name, "\"the \"\"id\"\"\",\"x, y\"\nant,1\nbee,2\n");
        let run = folder.run(["init", name, "--folder", "my project"]);
        run.fine();
        assert!(run.stderr.contains("ordain rank 'my project'"), "{}", run.stderr);
        let ranking = folder.json(["rank", "my project"]);
        assert_eq!(ranking["items"].as_array().unwrap().len(), 2, "{name}");
        folder.run(["answer", "ant", "bee", "first", "--project", "my project"]).fine();
        assert!(folder.path("my project").join("answers.csv").is_file());
    }
}

/// A slip in a column of numbers costs the column, not the project, and is said.
#[test]
fn a_column_with_a_slip() {
    let folder = Folder::empty();
    folder.write("items.csv", "no,\"pr\nice\",size\n1,10,3\n2,1O,4\n3,12,7\n4,11,9\n");
    let run = folder.run(["init", "items.csv"]);
    run.fine();
    let remark = "column \"pr\\u000Aice\" is left out of the attributes: line 4 has \"1O\", expected a finite number";
    assert!(run.stderr.contains(&format!("note: {remark}")), "{}", run.stderr);
    let text = folder.read("ordain.toml");
    assert!(text.contains("id = \"no\"\nattributes = [\"size\"]") && text.contains(&format!("# {remark}")), "{text}");
    ranks(&folder, 4, 0);
}

/// Files outside the project's folder are named from it, so that all can be moved together.
#[test]
fn a_tree_can_be_moved() {
    let folder = Folder::empty();
    std::fs::create_dir(folder.path("tree")).unwrap();
    folder.write("tree/items.csv", "id,x\na,1\nb,2\n");
    folder.write("tree/links.csv", "a b\n");
    folder.run(["init", "tree/items.csv", "--relation", "tree/links.csv", "--folder", "tree/sub"]).fine();
    assert!(folder.read("tree/sub/ordain.toml").contains("file = \"../items.csv\""));
    std::fs::rename(folder.path("tree"), folder.path("moved")).unwrap();
    assert_eq!(folder.json(["rank", "moved/sub"])["items"].as_array().unwrap().len(), 2);
}

/// A project elsewhere still finds the files it was made of.
#[test]
fn a_folder_of_its_own() {
    for place in ["new", "new/and/deep", "../new"] {
        let folder = Folder::empty();
        std::fs::create_dir(folder.path("data")).unwrap();
        folder.write("data/items.csv", "id,x\na,1\nb,2\n");
        folder.write("data/games.csv", "winner,loser\na,b\n");
        let here = |arguments: &[&str]| Run::of(folder.command(arguments).current_dir(folder.path("data")));
        here(&["init", "items.csv", "--answers", "games.csv", "--folder", place]).fine();
        let place = folder.path("data").join(place);
        let ranking = folder.json(["rank", place.to_str().unwrap()]);
        assert_eq!(order(&ranking), ["a", "b"]);
        assert_eq!(ranking["answers"], 1);
    }
}

#[test]
fn files_that_make_no_project() {
    let folder = Folder::empty();
    folder.write("empty.csv", "");
    folder.write("twice.csv", "name,x\nant,1\nant,1\n");
    folder.write("items.csv", "id\na\nb\n");
    folder.write("links.csv", "source,target\nnobody,nothing\n");
    folder.write("other.csv", "winner,loser\na,stranger\n");
    folder.refuses(["init", "nowhere.csv"], &["nowhere.csv", "hint: "]);
    folder.refuses(["init", "empty.csv"], &["empty.csv", "an empty file"]);
    folder.refuses(["init", "twice.csv"], &["twice.csv", "ids", "hint: "]);
    folder.refuses(["init", "items.csv", "--relation", "links.csv"], &["links.csv, line 2", "\"nobody\"", "hint: "]);
    folder.refuses(["init", "items.csv", "--relation", "nowhere.csv"], &["nowhere.csv"]);
    folder
        .refuses(["init", "items.csv", "--answers", "other.csv"], &["other.csv, line 2, column loser", "\"stranger\""]);
    folder.refuses(["init", "."], &["a folder"]);
    folder.refuses(["init", "empty.csv", "--folder", "new"], &["empty.csv"]);
    assert!(!folder.path("new").exists());
}

/// What `init` printed about the data, without what to try next.
fn understood(run: &Run) -> Vec<&str> {
    run.fine();
    run.stderr.lines().skip(1).take_while(|line| !line.is_empty()).map(str::trim).collect()
}

/// A column called id that does not tell the items apart is an error with its lines, and no other column is taken.
#[test]
fn an_id_that_repeats() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,price\n1,ant,1\n2,bee,2\n1,cow,3\n1,doe,9\n");
    let words = ["items.csv, line 4, column id", "\"1\"", "each id once", "lines 2, 4, 5", "--id name"];
    folder.refuses(["init", "items.csv"], &words);
    let run = folder.run(["init", "items.csv", "--id", "name"]);
    assert_eq!(understood(&run)[0], "4 items by column \"name\"");
    ranks(&folder, 4, 0);
    let folder = Folder::empty();
    folder.write("items.csv", "ID,price\n1,1\n,2\n");
    folder.refuses(["init", "items.csv"], &["items.csv, line 3, column ID", "an id", "empty in line 3", "--id COLUMN"]);
    folder.write("items.csv", "key,price\na,1\na,2\n");
    folder.refuses(["init", "items.csv", "--id", "key"], &["items.csv, line 3, column key", "\"a\"", "lines 2, 3"]);
    // Without an id, a name that repeats is no reason to call items by their price.
    folder.refuses(["init", "items.csv"], &["items.csv", "ids", "column \"key\" repeats \"a\" in lines 2, 3"]);
    // Answers that speak of the names.
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n2,bee,2\n");
    folder.write("said.csv", "first,second,outcome\nant,bee,first\n");
    let run = folder.run(["init", "items.csv", "--answers", "said.csv"]);
    assert!(
        run.stderr.contains("note: column \"id\" lacks items of the answers, so column \"name\""),
        "{}",
        run.stderr
    );
    // One that is taken is not spoken of.
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n2,bee,2\n");
    assert!(!folder.run(["init", "items.csv"]).stderr.contains("note: "));
    // The same id in two groups is fine.
    folder.write("groups.csv", "id,shop,x\n1,a,1\n2,a,2\n1,b,3\n");
    folder.refuses(["init", "groups.csv", "--folder", "p"], &["line 4", "--group COLUMN"]);
    let run = folder.run(["init", "groups.csv", "--group", "shop", "--folder", "p"]);
    assert_eq!(understood(&run)[1], "2 groups by column \"shop\"; only items of one group are compared");
}

/// Items, attributes, what is missing and what is ignored, and why.
#[test]
fn what_was_understood() {
    let folder = Folder::empty();
    folder.write(
        "films.csv",
        "film,genre,price,gross,share,same,none,note\nAlien,horror,$1,\"1,234\",12 %,1,,\"a, b\"\n\
         Brazil,scifi,NA,\"2,500\",-,1,,c\nDune,scifi,$2.50,n/a,8%,1,,d\nHeat,crime,3,?,9%,1,,d\n",
    );
    let run = folder.run(["init", "films.csv"]);
    assert_eq!(
        understood(&run),
        [
            "4 items by column \"film\", since none is called \"id\" (--id takes another one)",
            "3 attributes: \"price\" (1 of 4 missing), \"gross\" (2 of 4 missing), \"share\" (1 of 4 missing)",
            "ignored: genre: text; same: the same for all items; none: empty; note: text",
        ]
    );
    assert!(run.stderr.ends_with("first\n") && run.stderr.contains("\n\nTry next:\n  ordain ask\n"), "{}", run.stderr);
    let text = folder.read("ordain.toml");
    assert!(text.contains("# ignored: genre: text\n") && text.contains("# 4 missing numbers get the mean"), "{text}");
    // The numbers are read in the same way when the project is opened: plain ones rank alike.
    folder.run(["answer", "Alien", "Dune", "first"]).fine();
    let ranking = folder.json(["rank"]);
    let plain = Folder::empty();
    let table = "film,price,gross,share\nAlien,1,1234,12\nBrazil,,2500,\nDune,2.5,,8\nHeat,3,,9\n";
    plain.write("films.csv", table);
    plain.run(["init", "films.csv"]).fine();
    plain.run(["answer", "Alien", "Dune", "first"]).fine();
    assert_eq!(plain.json(["rank"]), ranking);
    // Two currencies are two units.
    folder.write("two.csv", "id,price\na,$1\nb,€ 3\nc,$2\n");
    let run = folder.run(["init", "two.csv", "--folder", "two"]);
    assert!(run.stderr.contains("note: column \"price\" is left out of the attributes: line 3 has \"€ 3\""));
}

#[test]
fn options_name_columns_and_the_goal() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,code,shop,x,y,z\n1,a,s,1,5,2\n2,b,s,2,4,9\n3,c,t,4,4,1\n4,d,t,1,2,2\n");
    let options = ["--id", "code", "--group", "shop", "--attributes", "x,y", "--goal", "top", "--top", "2"];
    let run = folder.run(["init", "items.csv"].iter().chain(&options));
    let lines = understood(&run);
    assert_eq!(lines[2], "2 attributes: \"x\", \"y\"");
    assert_eq!(lines[3], "ignored: id: not among the attributes asked for; z: not among the attributes asked for");
    let text = folder.read("ordain.toml");
    for part in ["id = \"code\"", "attributes = [\"x\", \"y\"]", "group = \"shop\"", "goal = \"top\"", "\nk = 2\n"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let ranking = folder.json(["rank"]);
    assert_eq!(ranking["items"][0]["group"], "s");
    let make = |options: &[&str], folder_name: &str| {
        let start = ["init", "items.csv", "--folder", folder_name];
        folder.run(start.iter().chain(options)).fine();
        folder.read(&format!("{folder_name}/ordain.toml"))
    };
    assert!(make(&["--ignore", "x,z"], "ignoring").contains("attributes = [\"y\"]"));
    assert!(
        make(&["--top", "3"], "top").contains("goal = \"top\"  # or \"best\", \"whole-order\", \"top-heavy\"\nk = 3\n")
    );
    assert!(make(&["--goal", "best"], "best").contains("goal = \"best\""));
    let usage = |options: &[&str], words: &[&str]| {
        folder.run(["init", "items.csv", "--folder", "no"].iter().chain(options)).fails(2, words);
        assert!(!folder.path("no").exists());
    };
    usage(&["--goal", "top"], &["--top", "hint: "]);
    usage(&["--goal", "best", "--top", "2"], &["--top", "hint: "]);
    usage(&["--top", "5"], &["--top", "\"5\"", "at most 4, the number of items", "hint: "]);
    usage(&["--top", "3", "--group", "shop"], &["at most 2, the number of items of the largest group"]);
    usage(&["--ignore", "x", "--attributes", "x"], &["\"x\"", "attributes", "hint: "]);
    for (option, column) in [("--id", "cod"), ("--group", "shp"), ("--attributes", "xx"), ("--ignore", "yy")] {
        folder
            .refuses(["init", "items.csv", "--folder", "no", option, column], &["items.csv, line 1", column, "hint: "]);
    }
    let words = ["items.csv, line 2, column shop", "\"s\"", "a finite number", "--attributes"];
    folder.refuses(["init", "items.csv", "--folder", "no", "--attributes", "x,shop"], &words);
    // A table of answers has no such columns.
    folder.write("games.csv", "winner,loser\na,b\n");
    folder.refuses(["init", "games.csv", "--folder", "no", "--id", "winner"], &["games.csv", "--answers"]);
}

/// The column of names: found, named, and left alone where most cells are empty or it is the id.
#[test]
fn names_to_show() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,Title,x,nick\na,\"Ant, the\",1,A\nb,Bee,2,B\nc,Cow,4,C\n");
    let run = folder.run(["init", "items.csv"]);
    assert_eq!(understood(&run)[1], "shown by their names in column \"Title\"");
    assert!(folder.read("ordain.toml").contains("id = \"id\"\nname = \"Title\""));
    ranks(&folder, 3, 0);
    let name = |options: &[&str], file: &str, place: &str| {
        folder.run(["init", file, "--folder", place].iter().chain(options)).fine();
        let text = folder.read(&format!("{place}/ordain.toml"));
        text.lines().find_map(|line| line.strip_prefix("name = ")).map(str::to_owned)
    };
    assert!(name(&["--name", "nick"], "items.csv", "p1").unwrap().starts_with("\"nick\""));
    assert_eq!(name(&["--ignore", "Title"], "items.csv", "p2"), None);
    assert_eq!(name(&["--id", "Title"], "items.csv", "p3"), None);
    folder.write("few.csv", "id,name,x\na,Ant,1\nb,,2\nc,,4\n");
    assert_eq!(name(&[], "few.csv", "p4"), None);
    let options = ["init", "items.csv", "--folder", "p5", "--name", "nock"];
    folder.refuses(options, &["items.csv, line 1", "\"nock\"", "hint: did you mean \"nick\"?"]);
}

/// A first line that is an item is known as one, in the project too; one that may be either is asked about.
#[test]
fn tables_without_a_header() {
    let folder = Folder::empty();
    folder.write("items.csv", "ant,1.5,red\nbee,2,blue\ncow,4,red\n");
    let run = folder.run(["init", "items.csv"]);
    let lines = understood(&run);
    assert!(lines[0].starts_with("3 items by column \"1\""), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("note: line 1 is an item, since no line names the columns")));
    let text = folder.read("ordain.toml");
    assert!(text.contains("header = false") && text.contains("attributes = [\"2\"]"), "{text}");
    let ranking = folder.json(["rank"]);
    let mut ids = order(&ranking);
    ids.sort_unstable();
    assert_eq!(ids, ["ant", "bee", "cow"]);
    folder.run(["answer", "ant", "cow", "first"]).fine();
    // Years as well as values.
    let folder = Folder::empty();
    folder.write("items.csv", "land,2019,2020\nant,3,1\nbee,4,1\n");
    let words = ["items.csv, line 1", "land,2019,2020", "--id land", "write a line above it", "id,x2,x3"];
    folder.refuses(["init", "items.csv"], &words);
    folder.run(["init", "items.csv", "--id", "land"]).fine();
    ranks(&folder, 2, 0);
    // Words alone: a header, and that is said.
    let folder = Folder::empty();
    folder.write("items.csv", "Alien\nBrazil\nDune\n");
    let run = folder.run(["init", "items.csv"]);
    assert!(run.stderr.contains("note: line 1 names the columns: \"Alien\"; if it is an item, "), "{}", run.stderr);
    folder.replace("ordain.toml", "id = \"Alien\"", "header = false\nid = \"1\"");
    ranks(&folder, 3, 0);
    folder.write("items.jsonl", "{\"id\":\"a\"}\n");
    folder.replace("ordain.toml", "items.csv", "items.jsonl");
    folder.refuses(["rank"], &["items.jsonl", "a JSONL file", "delete header"]);
}

/// Which column the ends of links are from, and which they should have been from.
#[test]
fn links_and_the_column_of_their_ids() {
    let folder = Folder::empty();
    folder.write("nodes.csv", "year,title,node\n1,ant,0\n2,bee,1\n5,cow,2\n");
    folder.write("links.txt", "0 1\n1 2\n");
    let words = ["links.txt, line 1, column 1", "\"0\"", "hint: column \"node\" has this id: --id node"];
    folder.refuses(["init", "nodes.csv", "--relation", "links.txt"], &words);
    folder.write("said.csv", "winner,loser\n2,0\n");
    let run = folder.run(["init", "nodes.csv", "--relation", "links.txt", "--id", "node"]);
    assert!(understood(&run).contains(&"links.txt: 2 links between items, by column \"node\""), "{}", run.stderr);
    ranks(&folder, 3, 0);
    let words = ["said.csv, line 2", "\"2\"", "hint: column \"node\" has this id: --id node"];
    folder.refuses(["init", "nodes.csv", "--answers", "said.csv", "--id", "title", "--folder", "p"], &words);
    folder.write("tags.csv", "source,target\n0,red\n1,red\n2,blue\n");
    let run = folder.run(["init", "nodes.csv", "--relation", "tags.csv", "--id", "node", "--folder", "p"]);
    let line = "tags.csv: 3 links from items, by column \"node\", to 2 other things";
    assert!(understood(&run).contains(&line), "{}", run.stderr);
}

/// Semicolons and decimal commas everywhere, and an answer appended among them.
#[test]
fn semicolons_and_decimal_commas() {
    let folder = Folder::empty();
    folder.write("items.csv", "id;größe;preis\nant;3,14;1.250\nbee;2,5;\"1.000,5\"\ncow;1;980\n");
    folder.write("links.csv", "source;target;weight\nant;bee;0,5\nbee;cow;2\n");
    folder.write("said.csv", "first;second;outcome;judge\nant;bee;first;\n");
    let run = folder.run(["init", "items.csv", "--relation", "links.csv", "--answers", "said.csv"]);
    let lines = understood(&run);
    assert!(lines.contains(&"with decimal commas: \"größe\", \"preis\""), "{lines:?}");
    folder.run(["answer", "cow", "bee", "first", "--judge", "Eva; A."]).fine();
    assert!(folder.read("said.csv").ends_with("cow;bee;first;\"Eva; A.\"\n"), "{}", folder.read("said.csv"));
    let ranking = folder.json(["rank"]);
    let plain = Folder::empty();
    plain.write("items.csv", "id,größe,preis\nant,3.14,1250\nbee,2.5,1000.5\ncow,1,980\n");
    plain.write("links.csv", "source,target,weight\nant,bee,0.5\nbee,cow,2\n");
    plain.write("said.csv", "first,second,outcome,judge\nant,bee,first,\n");
    plain.run(["init", "items.csv", "--relation", "links.csv", "--answers", "said.csv"]).fine();
    plain.run(["answer", "cow", "bee", "first", "--judge", "Eva"]).fine();
    assert_eq!(plain.json(["rank"]), ranking);
    // What could be both is asked about.
    folder.write("unclear.csv", "id;x\na;7\nb;1,234\n");
    let words = ["unclear.csv, line 3, column x", "\"1,234\"", "1234 or 1.234", "--ignore x"];
    folder.refuses(["init", "unclear.csv", "--folder", "p"], &words);
    folder.write("both.csv", "id;x,y\na;u,v\n");
    folder.refuses(["init", "both.csv", "--folder", "p"], &["both.csv, line 1", "commas or by semicolons", "tabs"]);
}

/// What the answers are: ties, verdicts that are none, judges, pairs that were answered before.
#[test]
fn what_the_answers_are() {
    let folder = Folder::empty();
    let battles = "model_a,model_b,winner,judge\nowl,fox,model_a,ann\nfox,owl,tie,bob\ncat,fox,tie (bothbad),ann\n";
    folder.write("battles.csv", battles);
    let run = folder.run(["init", "battles.csv"]);
    assert_eq!(
        understood(&run),
        [
            "3 items, as named in the answers",
            "battles.csv: 3 answers, 1 tie, 1 verdict that both are bad (\"tie (bothbad)\": no tie, but learned as two answers, \
             bad about either item; so 4 answers in all), 2 judges, 1 pair answered more than once, so repeat = true",
        ]
    );
    assert!(folder.read("ordain.toml").contains("\nrepeat = true  # the answers repeat 1 pair"));
    let folder = Folder::empty();
    folder.write("items.csv", "id,x\na,1\nb,2\nc,4\n");
    folder.write("said.csv", "first,second,outcome\na,b,first\nb,a,skip\nb,c,second\n");
    let run = folder.run(["init", "items.csv", "--answers", "said.csv"]);
    let line = "said.csv: 2 answers, 0 ties, no judge named, no pair twice";
    assert!(understood(&run).contains(&line), "{}", run.stderr);
    assert!(folder.read("ordain.toml").contains("\nrepeat = false"));
    // Crowd labels can be learned from, but hold no further answers.
    folder.write("labels.csv", "worker,left,right,label\nann,a,b,left\n");
    let run = folder.run(["init", "items.csv", "--answers", "labels.csv", "--folder", "p"]);
    assert!(run.stderr.contains("note: these answers can be learned from, but none can be added: "), "{}", run.stderr);
}

/// A packed log is refused at once, with the command that unpacks it.
#[test]
fn packed_answers_are_refused() {
    let folder = Folder::empty();
    folder.write("games.csv.gz", crate::util::gzip("winner,loser\na,b\n"));
    folder.write("my games.zst", zstd::encode_all(&b"winner,loser\na,b\n"[..], 1).unwrap());
    folder.write("items.csv", "id,x\na,1\nb,2\n");
    let unpack = "hint: unpack it: gzip -dc games.csv.gz > games.csv, and give games.csv";
    folder.refuses(["init", "games.csv.gz"], &["games.csv.gz", "packed by gzip", unpack]);
    folder.refuses(["init", "items.csv", "--answers", "games.csv.gz"], &["games.csv.gz", unpack]);
    let words = ["packed by zstd", "zstd -dc 'my games.zst' > 'my games', and give 'my games'"];
    folder.refuses(["init", "my games.zst"], &words);
}

/// Tables as they come out of spreadsheets, databases and notebooks: each is read, or the error says what to do.
#[test]
fn odd_tables_that_are_read() {
    let read = |table: &[u8], lines: &[&str]| {
        let folder = Folder::empty();
        folder.write("t.csv", table);
        let run = folder.run(["init", "t.csv"]);
        let told = understood(&run);
        for line in lines {
            assert!(told.iter().any(|own| own.starts_with(line)), "no {line:?} in {told:?}");
        }
        folder.run(["rank"]).fine();
    };
    // A mark of the encoding, and lines as Windows ends them.
    read(b"\xef\xbb\xbfid,x\r\na,1\r\nb,2\r\n", &["2 items by column \"id\"", "1 attribute: \"x\""]);
    // The column of row numbers that pandas writes; columns that a spreadsheet leaves behind.
    read(b",film,x\n0,ant,1\n1,bee,4\n2,cow,2\n", &["1 attribute: \"x\"", "ignored: column 1: it has no name"]);
    read(b"id,x,,\na,1,,\nb,2,,\n", &["1 attribute: \"x\"", "ignored: column 3: empty; column 4: empty"]);
    read(b"id,x,\na,1,7\nb,2,8\n", &["1 attribute: \"x\"", "ignored: column 3: it has no name"]);
    // Dates and times are text, and are called what they are.
    let dates = b"id,made,at,x\na,2020-01-15,10:30,1\nb,15/1/2021,9:05,2\nc,,,4\n";
    read(dates, &["1 attribute: \"x\"", "ignored: made: dates or times, no numbers; at: dates or times"]);
    // Both decimal marks in one column.
    let both = ["note: column \"x\" is left out of the attributes: line 3 has \"2,5\"", "2 items"];
    read(b"id;x\na;1.5\nb;2,5\n", &both);
    // Numbers beyond double precision, and those that nearly are.
    read(b"id,x,y\na,1e400,1e308\nb,2,-1e308\nc,3,0\n", &["note: column \"x\" is left out", "3 items"]);
    read(
        "名前,価格\n寿司,100\nÜber 🎉,50\nعربى,10\n".as_bytes(),
        &["3 items by column \"名前\"", "1 attribute: \"価格\""],
    );
    read(b"id\na\nb\nc\n", &["3 items by column \"id\"", "no attributes"]);
    read(b"id,x\na,1\n", &["1 item by column \"id\"", "note: there are no two items to compare yet"]);
    // Games that look like items: which words would make them answers.
    let games = "note: columns \"player1\" and \"player2\" name the same items: if every row is an answer, call its columns winner,loser";
    read(b"player1,player2,result\nann,bob,1-0\nbob,cat,0-1\n", &[games]);
}

#[test]
fn odd_tables_that_are_refused() {
    for (table, words) in [
        ("id,x\n", &["t.csv", "only a header", "a line for every item"][..]),
        ("id,x,x\na,1,2\n", &["t.csv, line 1, column 3", "\"x\"", "column 2 has the same name: rename one of them"]),
        (
            "price,weight\n1,2\n1,3\n2,2\n",
            &["t.csv", "a column of ids", "column \"price\" repeats \"1\" in lines 2, 3", "--id"],
        ),
        (
            "My films,,\n,,\nid,year,price\n1,1999,3\n",
            &["t.csv, line 1", "\"My films\"", "2 of 3 columns have no name: delete the lines above"],
        ),
        (
            "# made by me\nid,x\na,1\n",
            &["t.csv, line 2", "line 1 is taken for the names of the columns: delete lines above"],
        ),
        ("sep=;\nid;x\na;1\n", &["t.csv, line 1", "\"sep=;\"", "delete it"]),
        ("id|x\na|1\nb|2\n", &["t.csv, line 1", "\"id|x\"", "separated by |: save the table with commas"]),
        (
            "[{\"id\":\"a\"},\n{\"id\":\"b\"}]\n",
            &["t.csv, line 1", "one object per line", "take each object out of the list"],
        ),
        ("id,x\na,1\nb\n", &["t.csv, line 3", "\"1 cell\"", "expected 2", "hint: quote cells"]),
    ] {
        let folder = Folder::empty();
        folder.write("t.csv", table);
        folder.refuses(["init", "t.csv"], words);
    }
}
