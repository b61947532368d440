use super::descent::{beginning, link_precision};
use super::loss::{Judged, Workspace};
use super::task::Weight;
use super::*;
use crate::measure::{JudgedList, Measure};
use crate::numeric::Stream;
use crate::text::{DocumentId, Index, IndexBuilder, StopWords, TermId};

/// Documents of random words, common ones more often, with links at random.
fn world(documents: usize, links: usize, stream: &mut Stream) -> LinkedTexts {
    let mut text = || {
        let length = stream.random_range(0..30);
        let word = |_| format!("w{}", (40.0 * stream.random::<f64>().powi(2)) as u32);
        (0..length).map(word).collect::<Vec<_>>().join(" ")
    };
    let texts = (0..documents).map(|_| text()).collect();
    let end = documents as u32;
    let pairs: Vec<(u32, u32)> =
        (0..links).map(|_| (stream.random_range(0..end), stream.random_range(0..end))).collect();
    LinkedTexts::new(texts, pairs).unwrap()
}

fn index(texts: &[String]) -> Index {
    let mut builder = IndexBuilder::new(Analysis { stop: StopWords::none(), stem: None });
    texts.iter().enumerate().for_each(|(at, text)| builder.add(at.to_string(), text.as_str()).unwrap());
    builder.finish().unwrap()
}

fn task(documents: &LinkedTexts, queries: LinkQueries) -> Task {
    let params = LinkLearnParams { queries, lengths: None, ..LinkLearnParams::default() };
    let all: Vec<u32> = (0..documents.len() as u32).collect();
    let analysis = Analysis { stop: StopWords::none(), stem: None };
    Task::new(documents, params.query_texts(documents, &all).as_deref(), &analysis).unwrap()
}

/// The score by the definition: a sum over words of products of curves, without index or tables.
fn score(index: &Index, curves: &Curves, queries: LinkQueries, texts: &[String], query: usize, document: usize) -> f64 {
    let count = |text: &str, word: &str| text.split_whitespace().filter(|own| *own == word).count() as f64;
    let length = |at: usize| (f64::from(index.length(DocumentId(at as u32))) / index.mean_length()).ln();
    let worth = |at: usize, word: &str| match count(&texts[at], word) {
        0.0 => 0.0,
        count => curves.tf.at(count.ln()) * curves.length.at(length(at)),
    };
    let weight = |word: &str| match queries {
        LinkQueries::Whole => worth(query, word),
        LinkQueries::FirstWords(words) => {
            let first: Vec<&str> = texts[query].split_whitespace().take(words as usize).collect();
            count(&first.join(" "), word)
        }
    };
    let term = |term: u32| {
        let word = index.term(TermId(term));
        let having = texts.iter().filter(|text| count(text, word) > 0.0).count() as f64;
        weight(word) * curves.idf.at((texts.len() as f64 / having).ln()).powi(2) * worth(document, word)
    };
    (0..index.terms() as u32).map(term).sum()
}

/// The mean cost of a pair of a linked document and another one, pair by pair.
fn cost(loss: LinkLoss, judged: &Judged<'_>) -> f64 {
    let is_other = |at: &usize| *at != judged.own as usize && !judged.linked.contains(&(*at as u32));
    let others: Vec<usize> = (0..judged.scores.len()).filter(is_other).collect();
    let pair = |linked: u32, other: usize| {
        let difference = judged.scores[linked as usize] - judged.scores[other];
        match loss {
            LinkLoss::Hinge => (1.0 - difference).max(0.0),
            LinkLoss::CrossEntropy => (1.0 + (-difference).exp()).ln(),
        }
    };
    let sum: f64 = judged.linked.iter().flat_map(|&linked| others.iter().map(move |&other| pair(linked, other))).sum();
    sum / (judged.linked.len() * others.len()) as f64
}

/// Slopes of the whole cost by every number of every curve, against central differences of the definition. With this step
/// their error is about 1e-9, unless a kink of the hinge lies between; no pair of this world is that near to one.
#[test]
fn slopes_equal_differences() {
    let mut stream = Seed(3).stream(0);
    let documents = world(16, 45, &mut stream);
    let curves = beginning(2, &mut stream);
    let index = index(&documents.texts);
    for queries in [LinkQueries::Whole, LinkQueries::FirstWords(4)] {
        let task = task(&documents, queries);
        assert!(task.queries().len() > 10);
        for &loss in LinkLoss::all() {
            let (mut pulls, values) = (task.no_pulls(), task.values(&curves));
            let (mut scores, mut workspace) = (Vec::new(), Workspace::default());
            for query in task.queries() {
                task.score(query, &values, &mut scores);
                for (document, found) in scores.iter().enumerate() {
                    let expected = score(&index, &curves, queries, &documents.texts, query.own as usize, document);
                    assert!((found - expected).abs() < 1e-12 * expected.max(1.0), "{found} {expected}");
                }
                let judged = Judged { linked: &query.linked, own: query.own, scores: &scores };
                workspace.look(&judged);
                workspace.pull(loss, &judged);
                task.add_pulls(query, &values, &workspace.pulls, &mut pulls);
            }
            let slopes = task.slopes(&curves, &pulls);
            let total = |curves: &Curves| {
                let one = |query: &super::task::Query| {
                    let score =
                        |document| score(&index, curves, queries, &documents.texts, query.own as usize, document);
                    let scores: Vec<f64> = (0..documents.len()).map(score).collect();
                    cost(loss, &Judged { linked: &query.linked, own: query.own, scores: &scores })
                };
                task.queries().iter().map(one).sum::<f64>()
            };
            for (part, slopes) in slopes.iter().enumerate() {
                for (at, slope) in slopes.iter().enumerate() {
                    let moved = |by: f64| {
                        let mut curves = curves.clone();
                        [&mut curves.tf, &mut curves.idf, &mut curves.length][part].numbers_mut()[at] += by;
                        total(&curves)
                    };
                    let expected = -(moved(1e-5) - moved(-1e-5)) / 2e-5;
                    let scale = expected.abs().max(1.0);
                    assert!(
                        (slope - expected).abs() < 1e-6 * scale,
                        "{queries:?} {loss} {part} {at}: {slope} {expected}"
                    );
                }
            }
        }
    }
}

fn precision(judged: &Judged<'_>) -> f64 {
    let mut workspace = Workspace::default();
    workspace.look(judged);
    workspace.average_precision(judged)
}

/// Against the measure, with ties and without. Positions break ties there too.
#[test]
fn precision_equals_the_measure() {
    let mut stream = Seed(4).stream(0);
    for levels in [3, 1000] {
        for _ in 0..50 {
            let count = stream.random_range(2..30_u32);
            let scores: Vec<f64> = (0..count).map(|_| f64::from(stream.random_range(0..levels))).collect();
            let own = stream.random_range(0..count);
            let linked: Vec<u32> = (0..count).filter(|&at| at != own && stream.random_bool(0.3)).collect();
            let found = precision(&Judged { linked: &linked, own, scores: &scores });
            let others: Vec<u32> = (0..count).filter(|&at| at != own).collect();
            let kept: Vec<f64> = others.iter().map(|&at| scores[at as usize]).collect();
            let grades: Vec<i32> = others.iter().map(|at| i32::from(linked.contains(at))).collect();
            let list = JudgedList::given(&kept, &grades, grades.iter().copied()).unwrap();
            assert!((found - Measure::AveragePrecision.of(&list).unwrap()).abs() < 1e-14, "{scores:?} {linked:?}");
        }
    }
}

/// Scores far apart neither overflow nor lose the sign of a pull.
#[test]
fn pulls_survive_far_scores() {
    let scores = [0.0, -1e6, 1e6, 5.0];
    let judged = Judged { linked: &[1, 3], own: 0, scores: &scores };
    for &loss in LinkLoss::all() {
        let mut workspace = Workspace::default();
        workspace.look(&judged);
        workspace.pull(loss, &judged);
        // One other document, above both linked ones by far: each pair asks for one unit.
        assert_eq!(workspace.pulls, [0.0, 0.5, -1.0, 0.5], "{loss}");
    }
}

/// Two topics, each with words of its own beside common ones. What is learned on some finds the links of others, better
/// than at the beginning, and the number of threads does not change a bit.
#[test]
fn learns_topics_on_any_number_of_threads() {
    let mut stream = Seed(5).stream(0);
    let text = |topic: usize, stream: &mut Stream| {
        let word = |_: u32| match stream.random_range(0..4) {
            0 => format!("t{topic}x{}", stream.random_range(0..8)),
            _ => format!("c{}", stream.random_range(0..12)),
        };
        (0..20).map(word).collect::<Vec<_>>().join(" ")
    };
    let texts: Vec<String> = (0..120).map(|at| text(at % 6, &mut stream)).collect();
    let links: Vec<(u32, u32)> = (0..120)
        .flat_map(|a| (a + 1..120).map(move |b| (a, b)))
        .filter(|(a, b)| a % 6 == b % 6 && stream.random_bool(0.5))
        .collect();
    let documents = LinkedTexts::new(texts, links).unwrap();
    for params in [LinkLearnParams::paper(), LinkLearnParams::default()] {
        let params = params.with_epochs(25).with_hidden(vec![3]).with_rates(vec![0.03]);
        let learned = params.fit(&documents, &Watch::NONE).unwrap();
        let validate = params.task(&documents, &params.halves(&documents)[1]).unwrap();
        let start = link_precision(&validate, &validate.values(&beginning(3, &mut Seed(9).stream(0))));
        assert!(learned.link_precision > start + 0.05, "{} {start}", learned.link_precision);
        assert_eq!(link_precision(&validate, &validate.values(&learned.curves)), learned.link_precision);
        // Rare words say more than common ones, and words of the topics are rarer here.
        assert!(learned.curves.idf.at(3.0) > 1.2 * learned.curves.idf.at(0.7));
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = alone.install(|| params.fit(&documents, &Watch::NONE)).unwrap();
        assert_eq!(again, learned);
    }
}

/// Documents without words are no queries and no error. Without a link in each half there is nothing to learn.
#[test]
fn documents_without_words_and_links() {
    let mut texts = vec![String::new(); 10];
    texts.extend((0..30).map(|at| format!("alpha beta w{}", at % 3)));
    texts.extend((0..5).map(|at| format!("lonely{at}")));
    let alike = |a: u32| (1..4).map(move |step| (a, 10 + (a - 10 + 3 * step) % 30));
    let links = (10..40).flat_map(|a| alike(a).chain((a < 16).then_some((a, a % 10))).chain([(a, a)]));
    let documents = LinkedTexts::new(texts, links).unwrap();
    let params = LinkLearnParams::default().with_epochs(2);
    let learned = params.fit(&documents, &Watch::NONE).unwrap();
    // Nearly all linked documents are of the third that shares a word; at random they would be found with 0.25.
    assert!(learned.link_precision > 0.5 && learned.curves.tf.is_sound(), "{}", learned.link_precision);

    let without = LinkedTexts::new(vec!["a word".into(); 4], []).unwrap();
    assert!(params.fit(&without, &Watch::NONE).unwrap_err().to_string().contains("links"));
    let empty = LinkedTexts::new(vec![String::new(); 4], [(0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2)]).unwrap();
    assert!(params.fit(&empty, &Watch::NONE).is_err());
    assert!(LinkedTexts::new(vec!["a".into()], [(0, 1)]).unwrap_err().to_string().contains("below 1"));
    assert!(LinkedTexts::new(Vec::new(), []).unwrap().is_empty());
}

#[test]
fn parameters_are_checked_and_work_is_stopped() {
    let documents = world(40, 200, &mut Seed(6).stream(0));
    let params = LinkLearnParams::default;
    let wrong = [
        params().with_rates(vec![0.0]),
        params().with_rates(vec![]),
        params().with_hidden(vec![0]),
        params().with_epochs(0),
        params().with_queries(LinkQueries::FirstWords(0)),
        params().with_lengths(Some((0, 5))),
        params().with_lengths(Some((6, 5))),
    ];
    for params in wrong {
        assert!(matches!(params.fit(&documents, &Watch::NONE), Err(Error::Parameter { .. })), "{params:?}");
    }
    assert!(matches!(
        params().with_rates(vec![1e80]).fit(&documents, &Watch::NONE),
        Err(Error::Parameter { ref name, .. }) if name == "rate"
    ));
    let stopped = params().fit(&documents, &Watch::default().stop_when(|| true));
    assert!(matches!(stopped, Err(Error::Cancelled { .. })));
}

#[test]
fn texts_are_cut_at_words() {
    assert_eq!(first_words("One, two; three.", 2), "One, two");
    assert_eq!(first_words("One, two; three.", 9), "One, two; three.");
    assert_eq!(first_words("One", 0), "");
    assert_eq!(first_words("", 3), "");
    let documents = world(30, 10, &mut Seed(7).stream(0));
    let cut = LinkLearnParams::default().with_lengths(Some((2, 5))).cut(&documents, &[3, 0, 7]);
    for (text, from) in cut.texts.iter().zip([3, 0, 7]) {
        assert!(documents.texts[from].starts_with(text.as_str()));
        assert!(text.split_whitespace().count() <= 5);
    }
    let worths = task(&documents, LinkQueries::Whole);
    let own = worths.queries().iter().flat_map(|query| &query.terms);
    assert!(own.clone().all(|(_, weight)| matches!(weight, Weight::Worth(_))) && own.count() > 0);
}

/// Okapi's scores against the paper's definition, over the same half of the documents.
#[test]
fn okapi_precision_by_the_definition() {
    let documents = world(30, 120, &mut Seed(11).stream(0));
    let params = LinkLearnParams::default().with_lengths(None).with_queries(LinkQueries::Whole);
    let okapi = Bm25Params::default().with_k1(1.5).with_b(0.6);
    let found = params.okapi_precision(&documents, &[okapi], &Watch::NONE).unwrap();
    let task = params.task(&documents, &params.halves(&documents)[1]).unwrap();
    let values = task.okapi(okapi).unwrap();
    let half = documents.part(&params.halves(&documents)[1]);
    let index = index(&half.texts);
    let weight = |document: usize, word: &str| {
        let tf = half.texts[document].split_whitespace().filter(|own| *own == word).count() as f64;
        let having = half.texts.iter().filter(|text| text.split_whitespace().any(|own| own == word)).count() as f64;
        let length = f64::from(index.length(DocumentId(document as u32))) / index.mean_length();
        (half.texts.len() as f64 / having).ln() * tf / (tf + 1.5 * (0.4 + 0.6 * length))
    };
    let mut scores = Vec::new();
    let mut sum = 0.0;
    for query in task.queries() {
        task.score(query, &values, &mut scores);
        for (document, found) in scores.iter().enumerate() {
            let word = |term: u32| index.term(TermId(term));
            let terms = (0..index.terms() as u32).map(word);
            let expected: f64 = terms.map(|word| weight(query.own as usize, word) * weight(document, word)).sum();
            assert!((found - expected).abs() < 1e-12 * expected.max(1.0), "{found} {expected}");
        }
        sum += precision(&Judged { linked: &query.linked, own: query.own, scores: &scores });
    }
    assert!((found[0] - sum / task.queries().len() as f64).abs() < 1e-14);
    assert!(params.okapi_precision(&documents, &[okapi.with_b(7.0)], &Watch::NONE).is_err());
}

/// A page that links to all others says nothing of their order, and spoils nothing: all is learned from the others.
#[test]
fn a_hub_is_no_query() {
    let mut stream = Seed(12).stream(0);
    let mut documents = world(60, 200, &mut stream);
    let hub = documents.texts.iter().position(|text| !text.is_empty()).unwrap() as u32;
    let links = documents.links.iter().copied().chain((0..60).map(|other| (hub, other)));
    documents = LinkedTexts::new(documents.texts.clone(), links).unwrap();
    for seed in 1..5 {
        for params in [LinkLearnParams::default(), LinkLearnParams::paper()] {
            let params = params.with_seed(Seed(seed)).with_epochs(2).with_hidden(vec![2]);
            let learned = params.fit(&documents, &Watch::NONE).unwrap();
            assert!(
                [&learned.curves.tf, &learned.curves.idf, &learned.curves.length].iter().all(|curve| curve.is_sound())
            );
            assert!(learned.curve.iter().all(|epoch| epoch.validate < 0.9), "links are random: {learned:?}");
        }
    }
    let all = Judged { linked: &[0, 2], own: 1, scores: &[3.0, 2.0, 1.0] };
    for &loss in LinkLoss::all() {
        let mut workspace = Workspace::default();
        workspace.look(&all);
        workspace.pull(loss, &all);
        assert_eq!(workspace.pulls, [0.0; 3]);
    }
}
