//! Weights of terms: Okapi's against BM25, learned ones against their definition, feedback against sums over all pairs.
#![allow(clippy::unwrap_used)]

mod common;

use common::stream;
use ordain::formats::{Documents, DocumentsSpec};
use ordain::learn::{LinkLearnParams, LinkedTexts};
use ordain::text::{
    Analysis, Bm25Params, Curve, Curves, DocumentId, Feedback, Index, IndexBuilder, StopWords, TermId, Weighting,
};
use ordain::{Error, Watch};
use rand::{Rng, RngExt};

/// Random words, common ones more often; some documents are empty.
fn texts(count: usize, stream: &mut impl Rng) -> Vec<String> {
    let text = |_| {
        let length = if stream.random_bool(0.1) { 0 } else { stream.random_range(1..60) };
        let word = |_| format!("w{}", (50.0 * stream.random::<f64>().powi(3)) as u32);
        (0..length).map(word).collect::<Vec<_>>().join(" ")
    };
    (0..count).map(text).collect()
}

fn index(texts: &[String]) -> Index {
    let mut builder = IndexBuilder::new(Analysis { stop: StopWords::none(), stem: None });
    texts.iter().enumerate().for_each(|(at, text)| builder.add(at.to_string(), text.as_str()).unwrap());
    builder.finish().unwrap()
}

fn learned() -> Weighting {
    let curve = |numbers: [f64; 7]| Curve::new(numbers.to_vec()).unwrap();
    Weighting::Learned(Curves {
        tf: curve([0.7, -0.2, 0.9, 1.3, 0.1, 0.4, 0.3]),
        idf: curve([0.5, -0.9, 1.2, -0.3, 0.4, -0.5, -0.2]),
        length: curve([-0.8, 0.1, 0.6, 0.4, 0.3, -0.7, 0.1]),
    })
}

fn okapi() -> Weighting {
    Weighting::Okapi(Bm25Params::default().with_k1(1.6).with_b(0.65))
}

fn close(found: f64, expected: f64) {
    // Sums of some 60 terms in another order.
    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} {expected}");
}

/// The importance of a term and its worth in a text, from counts alone.
fn by_definition(weighting: &Weighting, texts: &[String], text: &str, word: &str) -> (f64, f64) {
    let count = |text: &str| text.split_whitespace().filter(|own| *own == word).count() as f64;
    let (all, having) = (texts.len() as f64, texts.iter().filter(|text| count(text) > 0.0).count() as f64);
    let length = |text: &str| text.split_whitespace().count() as f64;
    let mean = texts.iter().map(|text| length(text)).sum::<f64>() / all;
    let (tf, relative) = (count(text), length(text) / mean);
    match weighting {
        Weighting::Okapi(Bm25Params { k1, b, .. }) => {
            let idf = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            ((k1 + 1.0) * idf, tf / (tf + k1 * (1.0 - b + b * relative)))
        }
        Weighting::Learned(curves) => {
            let worth = if tf > 0.0 { curves.tf.at(tf.ln()) * curves.length.at(relative.ln()) } else { 0.0 };
            (curves.idf.at((all / having).ln()).powi(2), worth)
        }
    }
}

fn similarity(weighting: &Weighting, texts: &[String], index: &Index, one: &str, other: &str) -> f64 {
    let term = |term: u32| {
        let word = index.term(TermId(term));
        let (importance, worth) = by_definition(weighting, texts, one, word);
        importance * worth * by_definition(weighting, texts, other, word).1
    };
    (0..index.terms() as u32).map(term).sum()
}

#[test]
fn scores_are_their_definition() {
    let mut stream = stream(1);
    let texts = texts(60, &mut stream);
    let index = index(&texts);
    for weighting in [okapi(), learned()] {
        let weighted = weighting.over(&index).unwrap();
        for words in ["w1 w2 w7 w7 w30", "w0", "nothing", ""] {
            let query = index.query(words);
            let scores = weighted.scores(&query);
            for (document, &found) in scores.iter().enumerate() {
                let part = |word: &str| {
                    let known = index.find_term(word).is_some();
                    let (importance, worth) = by_definition(&weighting, &texts, &texts[document], word);
                    if known { importance * worth } else { 0.0 }
                };
                close(found, words.split_whitespace().map(part).sum());
            }
            let hits = weighted.search(&query, 7);
            let mut order: Vec<usize> = (0..texts.len()).filter(|&document| scores[document] > 0.0).collect();
            order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
            order.truncate(7);
            assert_eq!(hits.iter().map(|hit| hit.document.index()).collect::<Vec<_>>(), order);
            assert!(weighted.search(&query, 0).is_empty());
        }
    }
}

#[test]
fn okapi_scores_are_those_of_bm25() {
    let texts = texts(300, &mut stream(2));
    let index = index(&texts);
    let params = Bm25Params::default().with_k1(0.9).with_b(0.4);
    let (weighted, bm25) = (Weighting::Okapi(params).over(&index).unwrap(), params.over(&index).unwrap());
    for words in ["w3 w3 w20", "w0 w1 w2 w3 w4 w5"] {
        let query = index.query(words);
        let hits = bm25.search(&query, 300);
        let scores = weighted.scores(&query);
        assert_eq!(hits.len(), scores.iter().filter(|score| **score > 0.0).count());
        hits.iter().for_each(|hit| close(scores[hit.document.index()], hit.score));
    }
}

/// Vectors have length 1, and their products are cosines of the similarity; a text of the collection has the vector of its document.
#[test]
fn vectors_multiply_to_cosines() {
    let texts = texts(14, &mut stream(3));
    let index = index(&texts);
    for weighting in [okapi(), learned()] {
        let weighted = weighting.over(&index).unwrap();
        let vectors = weighted.vectors();
        for one in 0..texts.len() {
            let row = vectors.row(DocumentId(one as u32));
            assert_eq!(row.is_empty(), texts[one].is_empty());
            assert_eq!(row, weighted.vector(&texts[one]));
            for other in 0..texts.len() {
                let product = |&(term, value): &(TermId, f64)| {
                    let other = vectors.row(DocumentId(other as u32));
                    other.iter().find(|entry| entry.0 == term).map_or(0.0, |entry| entry.1 * value)
                };
                let similar = |a: usize, b: usize| similarity(&weighting, &texts, &index, &texts[a], &texts[b]);
                let norm = (similar(one, one) * similar(other, other)).sqrt();
                let expected = if norm > 0.0 { similar(one, other) / norm } else { 0.0 };
                close(row.iter().map(product).sum(), expected);
            }
        }
        assert!(weighted.vector("nothing known").is_empty());
    }
}

/// The documents by falling score, the first of equals first.
fn ranked(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    order
}

#[test]
fn feedback_is_its_definition() {
    let texts = texts(25, &mut stream(4));
    let index = index(&texts);
    let (documents, weight) = (3, 1.7);
    for weighting in [okapi(), learned()] {
        let weighted = weighting.over(&index).unwrap();
        let query = index.query("w4 w9 w9 w21");
        let first = weighted.scores(&query);
        let best: Vec<usize> = ranked(&first).into_iter().take(documents).collect();
        let all: f64 = best.iter().map(|&document| first[document]).sum();

        let similar = |a: usize, b: usize| similarity(&weighting, &texts, &index, &texts[a], &texts[b]);
        let found = Feedback::Similar { documents, weight }.over(&weighted).unwrap().scores(&query);
        for (document, &found) in found.iter().enumerate() {
            let cosine = |&other: &usize| {
                let norm = (similar(other, other) * similar(document, document)).sqrt();
                first[other] / all * if norm > 0.0 { similar(other, document) / norm } else { 0.0 }
            };
            close(found, first[document] / first[best[0]] + weight * best.iter().map(cosine).sum::<f64>());
        }

        let (terms, weight) = (5, 0.4);
        let found = Feedback::Rm3 { documents, terms, weight }.over(&weighted).unwrap().scores(&query);
        let count = |text: &str, word: &str| text.split_whitespace().filter(|own| *own == word).count() as f64;
        let probability = |term: u32| {
            let share = |&document: &usize| {
                let text = &texts[document];
                first[document] / all * count(text, index.term(TermId(term))) / text.split_whitespace().count() as f64
            };
            best.iter().map(share).sum::<f64>()
        };
        let probabilities: Vec<f64> = (0..index.terms() as u32).map(probability).collect();
        let chosen: Vec<usize> = ranked(&probabilities).into_iter().take(terms).collect();
        let sum: f64 = chosen.iter().map(|&term| probabilities[term]).sum();
        for (document, &found) in found.iter().enumerate() {
            let part = |term: usize| {
                let word = index.term(TermId(term as u32));
                let expanded = if chosen.contains(&term) { probabilities[term] / sum } else { 0.0 };
                let asked = count("w4 w9 w9 w21", word) / 4.0;
                let (importance, worth) = by_definition(&weighting, &texts, &texts[document], word);
                (weight * asked + (1.0 - weight) * expanded) * importance * worth
            };
            close(found, (0..index.terms()).map(part).sum());
        }
    }
}

/// Feedback finds a document that shares no word with the query, and leaves a query without a known word as it is.
#[test]
fn feedback_reaches_further() {
    let texts = ["car engine wheel", "automobile engine wheel", "apple tree", ""].map(str::to_owned);
    let index = index(&texts);
    let weighted = Weighting::default().over(&index).unwrap();
    let ids = |hits: Vec<ordain::text::Hit>| hits.iter().map(|hit| hit.document.0).collect::<Vec<_>>();
    let query = index.query("car");
    assert_eq!(ids(weighted.search(&query, 9)), [0]);
    for feedback in [Feedback::SIMILAR, Feedback::RM3] {
        let with = feedback.over(&weighted).unwrap();
        assert_eq!(ids(with.search(&query, 9)), [0, 1]);
        assert!(with.search(&index.query("unknown"), 9).is_empty());
        assert_eq!(with.search_all(&[query.clone(), query.clone()], 1).len(), 2);
    }
    for wrong in
        [Feedback::Similar { documents: 5, weight: -1.0 }, Feedback::Rm3 { documents: 5, terms: 9, weight: 1.5 }]
    {
        assert!(matches!(wrong.over(&weighted), Err(Error::Parameter { .. })));
    }
}

/// Permuting documents permutes scores, to the last bit: every score is summed in order of term, which the words decide here.
#[test]
fn permuting_documents_permutes_scores() {
    let mut stream = stream(5);
    let mut texts = texts(50, &mut stream);
    // The first document numbers all terms, whatever the order of the others.
    texts[0] = (0..50).map(|word| format!("w{word} ")).collect();
    let mut other = texts.clone();
    other[1..].reverse();
    let place = |document: usize| if document == 0 { 0 } else { texts.len() - document };
    let (one, two) = (index(&texts), index(&other));
    for weighting in [okapi(), learned()] {
        let scores = |index: &Index| weighting.over(index).unwrap().scores(&index.query("w1 w2 w30 w11"));
        let (one, two) = (scores(&one), scores(&two));
        assert!((0..texts.len()).all(|document| one[document] == two[place(document)]));
    }
}

#[test]
fn an_empty_collection_and_wrong_constants() {
    let none = index(&[]);
    let weighted = learned().over(&none).unwrap();
    assert!(weighted.scores(&none.query("word")).is_empty());
    assert!(Feedback::SIMILAR.over(&weighted).unwrap().search(&none.query("word"), 5).is_empty());
    let blank = index(&[String::new(), String::new()]);
    assert_eq!(learned().over(&blank).unwrap().scores(&blank.query("word")), [0.0, 0.0]);
    assert!(Weighting::Okapi(Bm25Params::default().with_b(2.0)).over(&none).is_err());
}

/// One document of 100 MB among short ones, from a file: it is read, weighed and found, its weights are those of the definition, and
/// LinkLearn cuts it. Frequencies go into the millions, far beyond what is tabulated or was ever learned from.
#[test]
fn one_document_of_a_hundred_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("docs.jsonl");
    let long = "common seldom common common ".repeat(100_000_000 / 28);
    let mut text = format!("{{\"id\": \"long\", \"text\": \"{long} only\"}}\n");
    (0..40).for_each(|at| text.push_str(&format!("{{\"id\": \"{at}\", \"text\": \"seldom word{}\"}}\n", at % 4)));
    std::fs::write(&file, &text).unwrap();
    let documents = Documents::open(&file, &DocumentsSpec::default()).unwrap();
    let documents: Vec<_> = documents.map(|document| document.unwrap()).collect();
    let mut builder = IndexBuilder::new(Analysis::default());
    documents.iter().for_each(|document| builder.add(document.id.as_str(), document.text.as_str()).unwrap());
    let index = builder.finish().unwrap();
    let times = 3 * (100_000_000 / 28) as u32;
    for weighting in [okapi(), learned()] {
        let weighted = weighting.over(&index).unwrap();
        let hits = weighted.search(&index.query("only common"), 5);
        assert_eq!(hits.iter().map(|hit| index.id(hit.document)).collect::<Vec<_>>(), ["long"]);
        let term = index.find_term("common").unwrap();
        let relative = f64::from(index.length(DocumentId(0))) / index.mean_length();
        let worth = match &weighting {
            Weighting::Okapi(Bm25Params { k1, b, .. }) => {
                f64::from(times) / (f64::from(times) + k1 * (1.0 - b + b * relative))
            }
            Weighting::Learned(curves) => curves.tf.at(f64::from(times).ln()) * curves.length.at(relative.ln()),
        };
        assert_eq!(weighted.worth(DocumentId(0), index.frequency(term, DocumentId(0))), worth);
        // Short documents are not drowned: one with both words of a query is before the long one with one of them.
        let hits = weighted.search(&index.query("seldom word1"), 1);
        assert!(index.id(hits[0].document) != "long");
    }
    let texts: Vec<String> = documents.into_iter().map(|document| document.text).collect();
    let links = (0..41).flat_map(|a| (1..6).map(move |step| (a, (a + 4 * step) % 41)));
    let linked = LinkedTexts::new(texts, links).unwrap();
    let learned = LinkLearnParams::default().with_epochs(2).fit(&linked, &Watch::NONE).unwrap();
    // Cut to at most 2,000 words, the long document is one of 41, and links within the four words are found.
    assert!(learned.link_precision > 0.5, "{}", learned.link_precision);
}
