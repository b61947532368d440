"""LinkLearn's paper setting in vectorised NumPy, one thread: passes over whole documents as queries."""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

FOLDER, UNITS, RATE, PASSES = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
BATCH = 32


class Half:
    def __init__(self, name):
        read = lambda kind: np.fromfile(os.path.join(FOLDER, f"{name}.{kind}"), "<u4").astype(np.int64)
        self.size = int(read("size")[0])
        counts, self.document, frequency = read("counts"), read("documents"), read("frequencies")
        self.term = np.repeat(np.arange(len(counts)), counts)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        length = np.bincount(self.document, frequency, self.size)
        self.frequencies, self.tf = np.unique(frequency, return_inverse=True)
        self.rarities, rarity = np.unique(counts, return_inverse=True)
        self.rarity = rarity[self.term]
        self.lengths, self.length = np.unique(length, return_inverse=True)
        self.x = [
            np.log(self.frequencies),
            np.log(self.size / self.rarities),
            np.log(np.maximum(self.lengths, 1) / length.mean()),
        ]
        links = read("links").reshape(-1, 2)
        linked = [[] for _ in range(self.size)]
        for a, b in links:
            linked[a].append(b)
            linked[b].append(a)
        self.linked = [np.unique(own) for own in linked]
        order = np.argsort(self.document, kind="stable")
        ends = np.cumsum(np.bincount(self.document, minlength=self.size))
        self.rows = np.split(order, ends[:-1])
        self.queries = [at for at in range(self.size) if len(self.linked[at]) and len(self.rows[at])]

    def postings(self, query):
        """All postings of the query's terms, and for each the query's own posting of that term."""
        own = self.rows[query]
        terms = self.term[own]
        counts = self.starts[terms + 1] - self.starts[terms]
        first = np.repeat(self.starts[terms] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        return first + np.arange(counts.sum()), np.repeat(own, counts)


def softplus(z):
    return np.logaddexp(0, z)


def curve(numbers, x):
    units, bias = numbers[:-1].reshape(-1, 3), numbers[-1]
    values = np.tanh(np.outer(x, units[:, 0]) + units[:, 1])
    return bias + values @ units[:, 2], values


def tables(half, numbers):
    return [softplus(curve(own, x)[0]) for own, x in zip(numbers, half.x)]


def slopes(numbers, x, pull):
    inner, values = curve(numbers, x)
    pull = pull / (1 + np.exp(-inner))
    units = numbers[:-1].reshape(-1, 3)
    inward = pull[:, None] * units[:, 2] * (1 - values**2)
    return np.append(np.column_stack([x @ inward, inward.sum(0), pull @ values]).ravel(), pull.sum())


def precision(scores, query, linked):
    scores = scores.copy()
    scores[query] = -np.inf
    order = np.argsort(-scores, kind="stable")
    places = np.flatnonzero(np.isin(order, linked)) + 1
    return float(np.mean(np.arange(1, len(places) + 1) / places))


def hinge(scores, query, linked):
    others = np.ones(len(scores), bool)
    others[linked] = False
    others[query] = False
    near = np.sort(scores[linked])
    pulls = np.zeros(len(scores))
    count = np.searchsorted(near, scores[others] + 1)
    pulls[others] = -count
    pulls[linked] = others.sum() - np.searchsorted(np.sort(scores[others]), scores[linked] - 1, side="right")
    return pulls / (others.sum() * len(linked))


def score(half, query, worth, importance):
    at, own = half.postings(query)
    weight = worth[own] * importance[half.rarity[at]]
    return np.bincount(half.document[at], weight * worth[at], half.size), at, own, weight


def worths(half, tf, length):
    return tf[half.tf] * length[half.length[half.document]]


def validate(half, numbers):
    tf, idf, length = tables(half, numbers)
    worth, importance = worths(half, tf, length), idf**2
    return np.mean([precision(score(half, query, worth, importance)[0], query, half.linked[query]) for query in half.queries])


def one_pass(half, numbers, state, random):
    for batch in np.array_split(random.permutation(half.queries), max(1, len(half.queries) // BATCH)):
        tf, idf, length = tables(half, numbers)
        worth, importance = worths(half, tf, length), idf**2
        at_worth, at_importance = np.zeros(len(worth)), np.zeros(len(importance))
        for query in batch:
            scores, at, own, weight = score(half, query, worth, importance)
            precision(scores, query, half.linked[query])
            pull = hinge(scores, query, half.linked[query])[half.document[at]]
            products = pull * worth[at]
            at_importance += np.bincount(half.rarity[at], worth[own] * products, len(importance))
            # A posting stands once among those of a query's terms, and those of a term stand together.
            at_worth[at] += weight * pull
            first = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
            at_worth[own[first]] += np.add.reduceat(importance[half.rarity[at]] * products, first)
        of_length = half.length[half.document]
        pulls = [
            np.bincount(half.tf, at_worth * length[of_length], len(tf)),
            2 * idf * at_importance,
            np.bincount(of_length, at_worth * tf[half.tf], len(length)),
        ]
        gradient = np.concatenate([slopes(own, x, pull) for own, x, pull in zip(numbers, half.x, pulls)]) / len(batch)
        state["step"] += 1
        state["mean"] = 0.9 * state["mean"] + 0.1 * gradient
        state["square"] = 0.999 * state["square"] + 0.001 * gradient**2
        mean = state["mean"] / (1 - 0.9 ** state["step"])
        square = state["square"] / (1 - 0.999 ** state["step"])
        moved = np.concatenate(numbers) + RATE * mean / (np.sqrt(square) + 1e-8)
        numbers[:] = np.split(moved, 3)


random = np.random.default_rng(1)
teach, choose = Half("teach"), Half("choose")
numbers = []
for bias in (0.5, -1.0, -1.0):
    units = random.uniform(-1, 1, (UNITS, 3))
    units[:, 2] /= np.sqrt(UNITS)
    numbers.append(np.append(units.ravel(), bias))
size = sum(map(len, numbers))
state = {"step": 0, "mean": np.zeros(size), "square": np.zeros(size)}
times = []
for _ in range(1 + PASSES):
    started = time.perf_counter()
    one_pass(teach, numbers, state, random)
    found = validate(choose, numbers)
    times.append(time.perf_counter() - started)
print(json.dumps({"pass": float(np.mean(times[1:])), "precision": float(found), "versions": {"NumPy": np.__version__}}))
