"""Fuses TREC runs by reciprocal rank with ranx. Arguments: folder of runs, repeats. JSON out.

    {"file_seconds": ..., "seconds": [...], "peak_mb": ..., "sum": ..., "first": {query: score, ...}, "versions": {...}}

`file_seconds` is from opening the files to the fused run, once, after imports and after ranx has compiled its functions on small
runs; `seconds` are repeated fusions of what was read. `sum` is over all fused scores, `first` the best score of each query.
"""

import json
import pathlib
import resource
import sys
import time
from importlib.metadata import version

import ranx


def fuse(runs):
    return ranx.fuse(runs=runs, norm=None, method="rrf", params={"k": 60})


def main(folder, repeats):
    small = [ranx.Run({"q": {"a": 1.0, "b": 0.5}}, name=name) for name in "xy"]
    fuse(small)
    files = sorted(pathlib.Path(folder).glob("*.txt"))
    started = time.perf_counter()
    runs = [ranx.Run.from_file(str(file), kind="trec") for file in files]
    fused = fuse(runs)
    file_seconds = time.perf_counter() - started
    seconds = []
    for _ in range(repeats):
        started = time.perf_counter()
        fuse(runs)
        seconds.append(time.perf_counter() - started)
    scores = fused.to_dict()
    return {
        "file_seconds": file_seconds,
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "sum": sum(sum(documents.values()) for documents in scores.values()),
        "first": {query: max(documents.values()) for query, documents in scores.items()},
        "versions": {"ranx": version("ranx")},
    }


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
