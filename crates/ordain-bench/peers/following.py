"""What the peers of the engine share: they hear the answers that another heard, and say what they would ask next.

    in:  {"attributes": [n rows of d], "scale": s, "length": l, "own": o, "noise": e,
          "pairs": [[winner, loser], ...], "next": [one, other], "counts": [...] or null, "cap": seconds}
    out: {"first": seconds, "counts": [...], "tell": [...], "ask": [...], "pairs": [[one, other], ...],
          "shortfalls": [...], "peak_mb": ..., "base_mb": ..., "versions": {...}}

`counts` says after which answers the peer is timed, null after all of them. `next` is what the other asked after the last
answer. `shortfalls` has one number for every pair that differs from the other's: by which part the value of the other's
pair is smaller than that of the peer's own, by the peer's reckoning; 0 (or less, by rounding) is a tie.

A peer is a class made from the task, with `tell(winner, loser)`, `ask() -> (one, other)` (a pair that was not told yet),
`catch_up(winner, loser)` (as `tell`, where nobody looks at the clock), and perhaps `ready()` (before the clock is looked
at) and `value(one, other)`.
"""

import json
import resource
import sys
import time

import numpy as np


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def covariance(task):
    """The prior covariance of all items."""
    points = np.array(task["attributes"])
    squares = (points**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2.0 * points @ points.T, 0.0)
    out = task["scale"] ** 2 * np.exp(-distances / (2.0 * task["length"] ** 2))
    np.fill_diagonal(out, task["scale"] ** 2 + task["own"] ** 2)
    return out


def follow(peers, versions):
    """Runs the peer that the command line names."""
    task = json.load(sys.stdin)
    answers, counts = task["pairs"], task["counts"]
    base = peak_mb()
    started = time.perf_counter()
    peer = peers[sys.argv[1]](task)
    peer.ask()
    out = {"first": time.perf_counter() - started, "counts": [], "tell": [], "ask": [], "pairs": [], "shortfalls": []}
    spent = 0.0
    for number, (winner, loser) in enumerate(answers, 1):
        if counts is not None and number not in counts:
            peer.catch_up(winner, loser)
            continue
        if hasattr(peer, "ready"):
            peer.ready()
        started = time.perf_counter()
        peer.tell(winner, loser)
        told = time.perf_counter()
        pair = peer.ask()
        asked = time.perf_counter()
        out["counts"].append(number)
        out["tell"].append(told - started)
        out["ask"].append(asked - told)
        out["pairs"].append([int(item) for item in pair])
        theirs = answers[number] if number < len(answers) else task["next"]
        if hasattr(peer, "value") and sorted(theirs) != sorted(pair):
            out["shortfalls"].append(1.0 - peer.value(*theirs) / peer.value(*pair))
        spent += asked - started
        if spent > task["cap"]:
            break
    json.dump(out | {"peak_mb": peak_mb(), "base_mb": base, "versions": versions}, sys.stdout)
