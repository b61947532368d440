"""Linear lambdas for NDCG in vectorised NumPy, and LightGBM's lambdarank, on the same documents; one thread each."""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import lightgbm
import numpy as np

FOLDER, DOCUMENTS, FEATURES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
RATE, PATIENCE, PASSES = 0.01, 20, 200


def read(name):
    rows = np.fromfile(os.path.join(FOLDER, name + ".rows"), "<f8").reshape(-1, DOCUMENTS, FEATURES)
    grades = np.fromfile(os.path.join(FOLDER, name + ".grades"), "<i4").reshape(-1, DOCUMENTS)
    return standard(rows), grades, rows


def standard(rows):
    """Standardised within each query."""
    return (rows - rows.mean(1, keepdims=True)) / rows.std(1, keepdims=True)


TRAIN, VALIDATE, TEST = map(read, ("train", "validate", "test"))
DISCOUNT = 1 / np.log2(np.arange(DOCUMENTS) + 2)


def ndcg(scores, grades, k=10):
    order = np.argsort(-scores, axis=1, kind="stable")
    gain = 2.0 ** grades - 1
    best = (-np.sort(-gain, axis=1)[:, :k] * DISCOUNT[:k]).sum(1)
    found = (np.take_along_axis(gain, order, 1)[:, :k] * DISCOUNT[:k]).sum(1)
    return float(np.mean(np.where(best > 0, found / np.where(best > 0, best, 1), 0)))


GAINS = 2.0 ** TRAIN[1] - 1
IDEAL = (-np.sort(-GAINS, axis=1) * DISCOUNT).sum(1)


def one_pass(weights, moments, step, order):
    """A step of Adam after every query. Only pairs of different grades are looked at."""
    for query in order:
        rows, gains = TRAIN[0][query], GAINS[query]
        scores = rows @ weights
        ranks = np.empty(DOCUMENTS, int)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(DOCUMENTS)
        discount = DISCOUNT[ranks]
        better, worse = np.nonzero(gains[:, None] > gains[None, :])
        change = (gains[better] - gains[worse]) * np.abs(discount[better] - discount[worse]) / IDEAL[query]
        force = change / (1 + np.exp(scores[better] - scores[worse]))
        lambdas = np.bincount(better, force, DOCUMENTS) - np.bincount(worse, force, DOCUMENTS)
        slope = rows.T @ lambdas
        step += 1
        moments[0] = 0.9 * moments[0] + 0.1 * slope
        moments[1] = 0.999 * moments[1] + 0.001 * slope**2
        weights = weights + RATE * (moments[0] / (1 - 0.9**step)) / (np.sqrt(moments[1] / (1 - 0.999**step)) + 1e-8)
    return weights, step


def numpy_found():
    random = np.random.default_rng(1)
    weights, moments, step = np.zeros(FEATURES), [np.zeros(FEATURES), np.zeros(FEATURES)], 0
    best, since, seconds = (-1.0, weights), 0, []
    started = time.perf_counter()
    for _ in range(PASSES):
        before = time.perf_counter()
        weights, step = one_pass(weights, moments, step, random.permutation(len(TRAIN[0])))
        value = ndcg(VALIDATE[0] @ weights, VALIDATE[1])
        seconds.append(time.perf_counter() - before)
        since = 0 if value > best[0] else since + 1
        if value > best[0]:
            best = (value, weights)
        if since >= PATIENCE:
            break
    training = time.perf_counter() - started
    return {
        "epoch": float(np.median(seconds)),
        "training": training,
        "ndcg10": ndcg(TEST[0] @ best[1], TEST[1]),
        "scoring": rate(lambda: standard(TEST[2]) @ best[1]),
        "versions": {"NumPy": np.__version__},
    }


def lightgbm_found():
    flat = lambda part: part[0].reshape(-1, FEATURES)
    sets = [
        lightgbm.Dataset(flat(part), part[1].reshape(-1), group=[DOCUMENTS] * len(part[0])) for part in (TRAIN, VALIDATE)
    ]
    params = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "num_threads": 1, "verbosity": -1, "seed": 1}
    started = time.perf_counter()
    model = lightgbm.train(
        params, sets[0], 100, valid_sets=[sets[1]], callbacks=[lightgbm.early_stopping(PATIENCE, verbose=False)]
    )
    training = time.perf_counter() - started
    rows = flat(TEST)
    return {
        "epoch": None,
        "training": training,
        "ndcg10": ndcg(model.predict(rows, num_threads=1).reshape(-1, DOCUMENTS), TEST[1]),
        "scoring": rate(lambda: model.predict(rows, num_threads=1)),
        "versions": {"LightGBM": lightgbm.__version__},
    }


def rate(score):
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        score()
        seconds.append(time.perf_counter() - started)
    return TEST[1].size / float(np.median(seconds))


print(json.dumps({"NumPy, the same": numpy_found(), "LightGBM, 100 trees": lightgbm_found()}))
