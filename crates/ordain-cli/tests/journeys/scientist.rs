//! A scientist has a citation graph: papers with numbers of their own, and who cites whom by these numbers.

use crate::util::Folder;

fn papers() -> (String, String) {
    let (mut nodes, mut links) = (String::from("title,node,year,field\n"), String::from("source,target\n"));
    for paper in 0..60_usize {
        nodes += &format!("Paper {paper} on ranking,{},{},f{}\n", paper, 1990 + paper % 30, paper % 4);
        for back in [1, 7, 13] {
            if let Some(cited) = paper.checked_sub(back) {
                links += &format!("{paper},{cited}\n");
            }
        }
    }
    (nodes, links)
}

#[test]
fn from_a_citation_graph_to_a_ranking() {
    let folder = Folder::empty();
    let (nodes, links) = papers();
    folder.write("papers.csv", nodes);
    folder.write("cites.csv", links);
    // The titles are taken for ids first; the links say otherwise.
    folder.refuses(["init", "papers.csv", "--relation", "cites.csv"], &["node", "--id node"]);
    let init = folder.run(["init", "papers.csv", "--relation", "cites.csv", "--id", "node", "--name", "title"]);
    init.fine();
    for words in ["60 items", "cites.csv", "field: text"] {
        assert!(init.stderr.contains(words), "no {words:?} in:\n{}", init.stderr);
    }
    for paper in 0..20 {
        let (first, second) = (paper.to_string(), (paper + 30).to_string());
        folder.run(["answer", &first, &second, "second"]).fine();
    }
    let rank = folder.run(["rank", "--limit", "3"]);
    assert_eq!(rank.fine().matches("on ranking").count(), 3, "{}", rank.stdout);
    folder.run(["next"]).fine();
    folder.run(["compare"]).fine();
    let all = folder.run(["rank", "--format", "csv", "--columns", "all"]);
    let header = all.fine().lines().next().unwrap();
    assert!(header.contains("year") && header.contains("field"), "{header}");
    folder.write("pairs.csv", "first,second\n0,59\n59,0\n");
    assert_eq!(folder.run(["predict", "--pairs", "pairs.csv", "--format", "csv"]).fine().lines().count(), 3);
}
