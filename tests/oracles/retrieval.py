"""Measures of retrieval by pytrec_eval and ir_measures, as oracles for ours.

    python retrieval.py < task.json        {"queries": [{"qrels": {doc: grade}, "run": {doc: score}}, ...]} on stdin
    python retrieval.py --golden > FILE    the same for lists made here, with the lists

Prints {"pytrec_eval": [{measure: value}, ...], "ir_measures": [...], "scikit-learn": [...]}, one object a query. A query
without a document in the run has no value. scikit-learn averages over the orders of equal scores and knows only the
documents of the run, so it has a value only where they hold everything relevant.

trec_eval keeps scores in single precision and orders equal ones by falling document id, so the lists have scores that
single precision holds. Measures are named as trec_eval and ir_measures name them.
"""

import json
import random
import sys

import ir_measures
import pytrec_eval
from sklearn.metrics import ndcg_score

DEPTHS = (1, 3, 5, 10, 20)
TREC = {"map", "Rprec", "recip_rank", "ndcg", "bpref", "infAP"} | {
    f"{name}.{','.join(map(str, DEPTHS))}" for name in ("P", "recall", "ndcg_cut", "map_cut", "success")
}
IR = [
    ir_measures.parse_measure(name)
    for name in ("AP", "AP@5", "P@5", "R@10", "RR", "nDCG@10", "Rprec", "Success@1", "Success@3", "Bpref", "infAP")
]
# These put the smaller id first among equal scores, so they get runs whose ties trec_eval's rule has settled.
SETTLED = [ir_measures.parse_measure(name) for name in ("RR@1", "RR@3", "RR@10", "Judged@1", "Judged@5", "Judged@20")]


def averaged(task):
    """NDCG over random orders of equal scores, by scikit-learn."""
    qrels, run = task["qrels"], task["run"]
    if not qrels or len(run) < 2 or any(grade > 0 and d not in run for d, grade in qrels.items()):
        return {}
    grades = [max(qrels.get(d, 0), 0) for d in run]
    scores = [list(run.values())]
    return {
        "ndcg@5": ndcg_score([grades], scores, k=5),
        "ndcg": ndcg_score([grades], scores),
        "ndcg-exp@5": ndcg_score([[2**grade - 1 for grade in grades]], scores, k=5),
    }


def settled(scores):
    """The same order without equal scores: by falling score, then by falling id."""
    order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
    return {document: -place for place, document in enumerate(order)}


def measure(queries):
    qrels = {str(q): task["qrels"] for q, task in enumerate(queries) if task["qrels"]}
    run = {str(q): task["run"] for q, task in enumerate(queries) if task["run"]}
    trec = pytrec_eval.RelevanceEvaluator(qrels, TREC).evaluate(run)
    flat_qrels = [ir_measures.Qrel(q, d, g) for q, grades in qrels.items() for d, g in grades.items()]
    flat_run = [ir_measures.ScoredDoc(q, d, s) for q, scores in run.items() for d, s in scores.items()]
    settled_run = [ir_measures.ScoredDoc(q, d, s) for q, scores in run.items() for d, s in settled(scores).items()]
    theirs = {}
    values = list(ir_measures.iter_calc(IR, flat_qrels, flat_run))
    values += ir_measures.iter_calc(SETTLED, flat_qrels, settled_run)
    for value in values:
        theirs.setdefault(value.query_id, {})[str(value.measure)] = value.value
    order = [str(q) for q in range(len(queries))]
    return {
        "pytrec_eval": [trec.get(q, {}) for q in order],
        # ir_measures reports 0 for queries that the run lacks; trec_eval leaves them out.
        "ir_measures": [theirs.get(q, {}) if q in run else {} for q in order],
        "scikit-learn": [averaged(task) for task in queries],
    }


def golden(count):
    """Short and long lists, many ties, documents not judged and not retrieved, grades from -1 to 4, empty runs."""
    random.seed(20)
    queries = []
    for _ in range(count):
        pool = [f"d{i}" for i in range(random.choice([1, 2, 5, 30, 60]))]
        judged = random.sample(pool, random.randint(1, len(pool)))
        found = random.sample(pool, random.choice([0, 1, len(pool)]) if random.random() < 0.2 else random.randint(0, len(pool)))
        levels = random.choice([1, 3, 1000])
        queries.append(
            {
                "qrels": {d: random.choice([-1, 0, 0, 0, 1, 1, 2, 3, 4]) for d in judged},
                "run": {d: random.randrange(levels) / 8 for d in found},
            }
        )
    return queries


if __name__ == "__main__":
    if sys.argv[1:] == ["--golden"]:
        queries = golden(150)
        json.dump({"queries": queries, **measure(queries)}, sys.stdout)
    else:
        json.dump(measure(json.load(sys.stdin)["queries"]), sys.stdout)
    print()
