"""Indexes and searches by bm25s or rank_bm25. Arguments: library, collection, repeats. JSON out.

The collection is JSON: {"documents": [[term, ...], ...], "queries": [[term, ...], ...], "top": 10, "k1": ..., "b": ...}.

    {"index_seconds": [...], "search_seconds": [...], "queries": 93, "peak_mb": ..., "base_mb": ..., "found": [[[document, score], ...], ...],
     "versions": {...}}

`index_seconds` and `search_seconds` are repeated; the terms are in memory before, and what bm25s compiles with numba is
compiled on a small collection first. rank_bm25 is asked at most 20 queries, since it takes seconds for one of a large
collection; `queries` says how many. Scores are those of our formula: bm25s's method "lucene" leaves out the factor k1 + 1.
rank_bm25 has an idf of its own, so its scores are not given.
"""

import json
import sys
import time
from importlib.metadata import version


def peak_mb():
    # Not ru_maxrss, which a process has from the one that started it.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024


def timed(repeats, work):
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - started)
    return seconds, result


def with_bm25s(task, repeats, backend):
    import bm25s

    def model():
        return bm25s.BM25(k1=task["k1"], b=task["b"], method="lucene", backend=backend)

    def index(documents):
        made = model()
        made.index(documents, show_progress=False)
        return made

    def search(made, queries, top):
        # Documents as numbers, best first; every core.
        return made.retrieve(queries, k=top, show_progress=False, n_threads=-1 if backend == "numpy" else 0)

    small = index(task["documents"][:100])
    search(small, task["queries"][:2], 5)
    index_seconds, made = timed(repeats, lambda: index(task["documents"]))
    search_seconds, (documents, scores) = timed(repeats, lambda: search(made, task["queries"], task["top"]))
    factor = task["k1"] + 1
    found = [
        [[int(d), float(s) * factor] for d, s in zip(row, values)] for row, values in zip(documents.tolist(), scores.tolist())
    ]
    return index_seconds, search_seconds, len(task["queries"]), found


def with_rank_bm25(task, repeats):
    import numpy
    import rank_bm25

    queries = task["queries"][:20]

    def search(made):
        for query in queries:
            scores = made.get_scores(query)
            best = numpy.argpartition(scores, -task["top"])[-task["top"] :]
            best[numpy.argsort(scores[best])[::-1]]

    index_seconds, made = timed(repeats, lambda: rank_bm25.BM25Okapi(task["documents"], k1=task["k1"], b=task["b"]))
    search_seconds, _ = timed(1, lambda: search(made))
    return index_seconds, search_seconds, len(queries), []


if __name__ == "__main__":
    library, collection, repeats = sys.argv[1:]
    with open(collection) as file:
        task = json.load(file)
    base_mb = peak_mb()
    if library == "rank_bm25":
        package = "rank_bm25"
        index_seconds, search_seconds, queries, found = with_rank_bm25(task, int(repeats))
    else:
        package = "bm25s"
        backend = {"bm25s": "numpy", "bm25s-numba": "numba"}[library]
        index_seconds, search_seconds, queries, found = with_bm25s(task, int(repeats), backend)
    report = {
        "index_seconds": index_seconds,
        "search_seconds": search_seconds,
        "queries": queries,
        "peak_mb": peak_mb(),
        "base_mb": base_mb,
        "found": found,
        "versions": {package: version(package)},
    }
    print(json.dumps(report))
