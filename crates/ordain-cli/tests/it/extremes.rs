//! Numbers at the edge of what is legal: a valid result or a clear error, through every door.

use crate::util::{Folder, Run};

/// Six items with an attribute, the truth and a link; twelve answers.
fn six(kernel: &str, answers: &str) -> Folder {
    let folder = Folder::empty();
    folder.write("items.csv", "id,x,truth\na,0,1.5\nb,0,2.5\nc,0,3.5\nd,0,4.5\ne,0,5.5\nf,0,6.5\n");
    folder.write("links.csv", "source,target,weight\n");
    let pairs = ["a,b", "b,c", "c,d", "d,e", "e,f", "a,c", "b,d", "c,e", "d,f", "a,d", "b,e", "c,f"];
    let lines: String = pairs.iter().map(|pair| format!("{pair},first\n")).collect();
    folder.write("answers.csv", format!("first,second,outcome\n{lines}"));
    folder.write(
        "ordain.toml",
        format!(
            "[items]\nfile = \"items.csv\"\nattributes = [\"x\"]\nstandardize = false\n\n{kernel}\n\
             [answers]\nfile = \"answers.csv\"\n{answers}\n"
        ),
    );
    folder
}

/// A prior without variance is legal. Everything stays at the prior mean.
#[test]
fn a_prior_of_rank_zero() {
    let over_links = "[[kernel]]\nkind = \"linear\"\nrelation = \"links.csv\"\n";
    let tiny = "[[kernel]]\nkind = \"independent\"\nweight = 1e-162\n";
    for kernel in ["[[kernel]]\nkind = \"linear\"\n", over_links, tiny] {
        let folder = six(kernel, "");
        for inference in ["ep", "incremental"] {
            let said = folder.json(["rank", "--top", "2", "--inference", inference]);
            for item in said["items"].as_array().unwrap() {
                assert_eq!((item["mean"].as_f64(), item["sd"].as_f64()), (Some(0.0), Some(0.0)), "{kernel}");
                assert_eq!((item["rank_low"].as_u64(), item["rank_high"].as_u64()), (Some(1), Some(6)), "{kernel}");
            }
            let coins = 12.0 * 0.5_f64.ln();
            assert!((said["log_evidence"].as_f64().unwrap() - coins).abs() < 1e-9, "{kernel}");
            let said = folder.json(["predict", "a", "b", "--inference", inference]);
            assert!((said["probability"].as_f64().unwrap() - 0.5).abs() < 1e-15, "{kernel}");
            folder.json(["next", "--inference", inference]);
        }
        folder.run(["rank"]).fine();
        folder.json(["compare", "--folds", "3"]);
        folder.json(["simulate", "--truth", "truth", "--answers", "5", "--repeats", "2"]);
        let run = Run::of(folder.command(["ask"]).stdin(std::process::Stdio::null()));
        run.fine();
        folder.run(["tune", "--dry-run"]).fine();
    }
}

/// Numbers whose squares are out of range are refused with their place, as short as they were written.
#[test]
fn numbers_out_of_range_are_named() {
    let independent = "[[kernel]]\nkind = \"independent\"\n";
    for (kernel, answers, words) in [
        (independent, "noise = 1e300", ["ordain.toml, line 11, column noise", "\"1e300\"", "square"]),
        (independent, "noise = 1e-300", ["ordain.toml, line 11, column noise", "\"1e-300\"", "square"]),
        (
            "[[kernel]]\nkind = \"independent\"\nweight = 1e200\n",
            "",
            ["ordain.toml, line 8, column weight", "\"1e200\"", "square"],
        ),
        (
            "[[kernel]]\nkind = \"diffusion\"\nrelation = \"links.csv\"\nbeta = 1e299\n",
            "",
            ["ordain.toml, line 9, column beta", "\"1e299\"", "largest degree"],
        ),
    ] {
        let folder = six(kernel, answers);
        folder.write("links.csv", "source,target,weight\na,b,1\n");
        folder.refuses(["rank"], &words);
        folder.refuses(["next"], &words);
        let said = folder.run(["rank"]).stderr;
        assert!(!said.contains("0000000000"), "{said}");
    }
}

/// Weights that add up to infinity are an error of the file of links.
#[test]
fn heavy_links_are_named() {
    for kind in ["regularized-laplacian", "directed-laplacian", "diffusion", "common-cause", "linear"] {
        let folder = six(&format!("[[kernel]]\nkind = \"{kind}\"\nrelation = \"links.csv\"\n"), "");
        folder.write("links.csv", "source,target,weight\na,b,1e308\na,b,1e308\n");
        folder.refuses(
            ["rank"],
            &["links.csv: link weights: found weights that add up to inf", "scale the weights down"],
        );
    }
}

/// One pair, ten thousand times, by judges who are said to be exact. Contradictions that rounding hides are refused.
#[test]
fn a_pair_that_was_answered_very_often() {
    let kernel = "[[kernel]]\nkind = \"independent\"\n";
    for (noise, contradicts) in [("1e-9", false), ("1e-4", true), ("1e-9", true)] {
        let folder = six(kernel, &format!("noise = {noise}"));
        let line = |at: usize| if contradicts && at.is_multiple_of(3) { "a,b,second\n" } else { "a,b,first\n" };
        folder.append("answers.csv", (0..10_000).map(line).collect::<String>());
        if contradicts && noise == "1e-9" {
            folder.refuses(["rank"], &["ordain.toml: the prior beside the noise", "more noise under [answers]"]);
            continue;
        }
        for inference in ["ep", "incremental"] {
            let said = folder.json(["rank", "--inference", inference]);
            let mean = |id: &str| {
                let item = said["items"].as_array().unwrap().iter().find(|item| item["id"] == id).unwrap();
                item["mean"].as_f64().unwrap()
            };
            assert!(mean("a") > mean("b"), "{noise} {inference}");
        }
    }
}

/// Work that does not fit into memory is refused in words before it is begun.
#[cfg(target_os = "linux")]
#[test]
fn work_that_does_not_fit_into_memory() {
    use std::process::Command;

    use crate::util::ORDAIN;

    let within = |folder: &Folder, kilobytes: u32, arguments: &str| {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -v {kilobytes}; exec \"$0\" {arguments}");
        command.args(["-c", &limited, ORDAIN]).current_dir(folder.path(""));
        // Every thread takes address space of its own.
        Run::of(command.env("RAYON_NUM_THREADS", "2"))
    };
    let folder = six("[[kernel]]\nkind = \"squared-exponential\"\n", "");
    let rows: String = (0..200_000).map(|item| format!("i{item},{},1\n", item % 97)).collect();
    folder.append("items.csv", rows);
    let hint = "hint: take fewer items";
    within(&folder, 800_000, "rank").fails(1, &["ranking 200006 items needs about 0.8 GB of memory, and 0.", hint]);
    within(&folder, 300_000, "next")
        .fails(1, &["a session with 12 answers about 200006 items needs about 0.3 GB", hint]);
    // 3000 pairs of different items: twelve matrices of 72 MB.
    let pairs: String = (0..3000).map(|pair| format!("i{},i{},first\n", 2 * pair, 2 * pair + 1)).collect();
    folder.append("answers.csv", pairs);
    within(&folder, 800_000, "tune --dry-run")
        .fails(1, &["tuning with 3012 answers about 200006 items needs about 0.9 GB", hint]);
    within(&folder, 800_000, "compare")
        .fails(1, &["comparing models with 3012 answers about 200006 items needs about", hint]);
}
