"""BM25 by bm25s, as an oracle for ours. JSON on stdin, JSON on stdout.

    in:  {"documents": [[term, ...], ...], "queries": [[term, ...], ...], "k1": 1.2, "b": 0.75}
    out: {"scores": [[a number for every document], a list for every query]}

bm25s's method "lucene" has the idf of ours, ln(1 + (N - df + 1/2) / (df + 1/2)), and leaves out the constant factor
k1 + 1, which is put back here. Numbers are doubles (its default is single precision). A term that a query says twice
counts twice. It knows no query without a known term: those score 0 here.
"""

import json
import sys

import bm25s


def main():
    task = json.load(sys.stdin)
    known = {term for document in task["documents"] for term in document}
    model = bm25s.BM25(k1=task["k1"], b=task["b"], method="lucene", dtype="float64")
    model.index(task["documents"], show_progress=False)
    scores = []
    for query in task["queries"]:
        terms = [term for term in query if term in known]
        values = model.get_scores(terms) if terms else [0.0] * len(task["documents"])
        scores.append([float(value) * (task["k1"] + 1) for value in values])
    json.dump({"scores": scores}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
