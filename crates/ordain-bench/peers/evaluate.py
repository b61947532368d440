"""Measures a TREC run by ranx or pytrec_eval. Arguments: library, run, qrels, repeats. JSON out.

    {"file_seconds": ..., "seconds": [...], "peak_mb": ..., "values": {"ndcg@10": ..., "map": ..., "mrr": ...}, "versions": {...}}

`file_seconds` is from opening the files to the values, once, after imports and after ranx has compiled its functions on
a small run; `seconds` are repeated measurements of what was read.
"""

import json
import resource
import sys
import time


def with_ranx(run_file, qrels_file, repeats):
    import ranx

    names = ["ndcg@10", "map", "mrr"]
    small = {"q": {"a": 1, "b": 2}}
    ranx.evaluate(ranx.Qrels(small), ranx.Run({"q": {"a": 1.0, "b": 0.5}}), names)
    started = time.perf_counter()
    qrels = ranx.Qrels.from_file(qrels_file, kind="trec")
    run = ranx.Run.from_file(run_file, kind="trec")
    values = ranx.evaluate(qrels, run, names)
    file_seconds = time.perf_counter() - started
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        ranx.evaluate(qrels, run, names)
        seconds.append(time.perf_counter() - started)
    return file_seconds, seconds, {name: float(value) for name, value in values.items()}


def with_pytrec_eval(run_file, qrels_file, repeats):
    import pytrec_eval

    def evaluate(qrels, run):
        results = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recip_rank"}).evaluate(run)
        mean = lambda name: sum(values[name] for values in results.values()) / len(results)
        return {"ndcg@10": mean("ndcg_cut_10"), "map": mean("map"), "mrr": mean("recip_rank")}

    started = time.perf_counter()
    with open(qrels_file) as file:
        qrels = pytrec_eval.parse_qrel(file)
    with open(run_file) as file:
        run = pytrec_eval.parse_run(file)
    values = evaluate(qrels, run)
    file_seconds = time.perf_counter() - started
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        evaluate(qrels, run)
        seconds.append(time.perf_counter() - started)
    return file_seconds, seconds, values


if __name__ == "__main__":
    library, run_file, qrels_file, repeats = sys.argv[1:]
    measure = {"ranx": with_ranx, "pytrec_eval": with_pytrec_eval}[library]
    file_seconds, seconds, values = measure(run_file, qrels_file, int(repeats))
    from importlib.metadata import version

    package = {"ranx": "ranx", "pytrec_eval": "pytrec_eval-terrier"}[library]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report = {"file_seconds": file_seconds, "seconds": seconds, "peak_mb": peak_mb, "values": values}
    print(json.dumps({**report, "versions": {package: version(package)}}))
