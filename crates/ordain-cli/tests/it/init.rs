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
    folder.write("items.csv", "no,\"pr\nice\",size\n1,10,3\n2,n/a,4\n3,12,7\n4,11,9\n");
    let run = folder.run(["init", "items.csv"]);
    run.fine();
    let remark = "column \"pr\\u000Aice\" is left out of the attributes: line 4 has \"n/a\"";
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
    folder.refuses(["init", "items.csv", "--answers", "other.csv"], &["items.csv", "every item of the answers"]);
    folder.refuses(["init", "."], &["a folder"]);
    folder.refuses(["init", "empty.csv", "--folder", "new"], &["empty.csv"]);
    assert!(!folder.path("new").exists());
}

/// A column called id that does not tell the items apart is not passed over in silence.
#[test]
fn an_id_that_repeats() {
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n2,bee,2\n1,cow,3\n");
    let run = folder.run(["init", "items.csv"]);
    run.fine();
    let remark = "column \"id\" repeats \"1\" in line 4, so column \"name\" names the items";
    assert!(run.stderr.contains(&format!("note: {remark}")), "{}", run.stderr);
    assert!(folder.read("ordain.toml").contains(&format!("# {remark}")));
    ranks(&folder, 3, 0);
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n,bee,2\n");
    assert!(folder.run(["init", "items.csv"]).stderr.contains("column \"id\" is empty in line 3, so column \"name\""));
    // Answers that speak of the names.
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n2,bee,2\n");
    folder.write("said.csv", "first,second,outcome\nant,bee,first\n");
    let run = folder.run(["init", "items.csv", "--answers", "said.csv"]);
    assert!(run.stderr.contains("column \"id\" lacks items of the answers"), "{}", run.stderr);
    // One that is taken is not spoken of.
    let folder = Folder::empty();
    folder.write("items.csv", "id,name,x\n1,ant,1\n2,bee,2\n");
    assert!(!folder.run(["init", "items.csv"]).stderr.contains("note: "));
}
