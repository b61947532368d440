"""What the Python package costs beside what it wraps: python python/benches/bench.py [overhead] [memory] [imports] [measures]

It needs the wheel of the package, and ranx for the measures. Without names of parts, all run. Figures are the best of several repeats in one process, except the
memory and the times of imports, which are of processes of their own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import ordain
from ordain import measures


def best(work: Callable[[], object], repeats: int, each: int = 1) -> float:
    """Seconds of one call: the least mean of `each` calls among the repeats."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        for _ in range(each):
            work()
        found.append((time.perf_counter() - started) / each)
    return min(found)


def overhead() -> dict[str, float]:
    """Microseconds of a question that is known already, and of an answer about three items, where learning is next to nothing."""
    model = ordain.PreferenceModel(noise=0.5).fit(range(5))
    model.ask()
    ask = best(model.ask, 10, 2000)
    small = ordain.PreferenceModel(noise=0.5, repeat=True).fit(range(3))
    tell = best(lambda: small.tell(0, 1), 5, 100)
    return {"ask, µs": 1e6 * ask, "tell, µs": 1e6 * tell}


MEMORY = """
import json, numpy as np, ordain
def kb(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))
values = np.random.default_rng(0).normal(size=(100_000, 100))
before = kb("VmRSS")
model = ordain.PreferenceModel(ordain.Linear() + ordain.Independent(0.5), noise=0.5).fit(values)
print(json.dumps({"resident": (kb("VmRSS") - before) / 1024, "peak": (kb("VmHWM") - before) / 1024}))
"""


def memory() -> dict[str, float]:
    """MB that fitting a 100,000 x 100 array adds: its items and its kernel keep 80 MB each."""
    found = json.loads(subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, check=True, text=True).stdout)
    return {"array, MB": 100_000 * 100 * 8 / 2**20, "resident, MB": found["resident"], "peak, MB": found["peak"]}


def imports() -> dict[str, float]:
    """Milliseconds of processor time of a process that imports, less one that does not. Others on the machine hardly change it."""

    def run(code: str) -> float:
        found = []
        for _ in range(20):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(found)

    nothing = run("")
    return {f"import {name}, ms": 1e3 * (run(f"import {name}") - nothing) for name in ("numpy", "ordain")}


def beside_ranx() -> dict[str, float]:
    """Milliseconds of NDCG@10, MAP and MRR over 1,000 queries of 1,000 documents, from what each holds in memory."""
    import ranx

    random = np.random.default_rng(1)
    scores = random.normal(size=(1000, 1000))
    grades = np.where(random.random((1000, 1000)) < 0.1, random.integers(0, 4, (1000, 1000)), 0).astype(np.int32)
    names = [f"d{at:04}" for at in range(1000)]
    qrels = ranx.Qrels({f"q{at:04}": dict(zip(names, row.tolist(), strict=True)) for at, row in enumerate(grades)})
    run = ranx.Run({f"q{at:04}": dict(zip(names, row.tolist(), strict=True)) for at, row in enumerate(scores)})
    wanted = ["ndcg@10", "map", "mrr"]
    theirs = ranx.evaluate(qrels, run, wanted)
    qid = np.repeat(np.arange(1000), 1000)
    y, s = grades.ravel(), scores.ravel()
    ours = measures.evaluate(y, s, qid, measures=wanted).mean()
    for name in wanted:
        assert abs(ours[name] - theirs[name]) < 1e-9, (name, ours[name], theirs[name])
    return {
        "ordain, ms": 1e3 * best(lambda: measures.evaluate(y, s, qid, measures=wanted), 10),
        "ranx, ms": 1e3 * best(lambda: ranx.evaluate(qrels, run, wanted), 10),
    }


if __name__ == "__main__":
    extension = Path(ordain._core.__file__)
    print(f"extension: {extension.stat().st_size / 2**20:.1f} MB; Python {sys.version.split()[0]}, NumPy {np.__version__}\n")
    print("| | |\n|---|---|")
    parts = {"overhead": overhead, "memory": memory, "imports": imports, "measures": beside_ranx}
    for name in sys.argv[1:] or parts:
        for what, value in parts[name]().items():
            print(f"| {what} | {value:.1f} |")
