"""The exact posterior of a project by Gibbs sampling: what rankings are counted from, found in another way.

The judge compares noisy utilities, so given the noisy difference behind every answer the utilities are Gaussian, and given the utilities
each difference is a truncated normal (Albert and Chib 1993). The kernels are formed here from the files, by their definitions.

Reads {"folder", "sweeps", "top"} from standard input; prints {"ids", "low", "high", "top", "chance", "error"}: the ends of the 90 %
intervals of the ranks, the probabilities of the first places, and standard errors of these from batches of sweeps.
"""

import csv
import json
import os
import sys

# Products this small only wait for a second thread.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.special import log_ndtr, ndtri_exp

BATCHES = 40


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main():
    task = json.load(sys.stdin)
    folder, top = task["folder"], task["top"]
    items = table(f"{folder}/items.csv")
    ids = [item["id"] for item in items]
    place = {name: at for at, name in enumerate(ids)}
    n = len(ids)
    names = [name for name in items[0] if name != "id"]
    values = np.array([[float(item[name]) for name in names] for item in items])
    values = (values - values.mean(0)) / values.std(0)
    square = (values**2).sum(1)
    distance = np.maximum(square[:, None] + square[None, :] - 2 * values @ values.T, 0)
    prior = np.exp(-0.5 * distance / len(names)) + np.eye(n)
    laplacian = np.zeros((n, n))
    for link in table(f"{folder}/links.csv"):
        i, j = place[link["source"]], place[link["target"]]
        if i != j and laplacian[i, j] == 0:
            laplacian[i, j] = laplacian[j, i] = -1
    laplacian -= np.diag(laplacian.sum(1))
    prior += np.linalg.inv(laplacian + np.eye(n))
    # The noise of a difference has the variance 2 sigma^2 = 1.
    answers = table(f"{folder}/answers.csv")
    winner, loser = (np.empty(len(answers), int) for _ in range(2))
    for at, answer in enumerate(answers):
        first, second = place[answer["first"]], place[answer["second"]]
        winner[at], loser[at] = (first, second) if answer["outcome"] == "first" else (second, first)
    precision = np.linalg.inv(prior)
    np.add.at(precision, (winner, winner), 1)
    np.add.at(precision, (loser, loser), 1)
    np.add.at(precision, (winner, loser), -1)
    np.add.at(precision, (loser, winner), -1)
    lower = cholesky(precision, lower=True)
    # Multiplying is faster than substituting.
    root = solve_triangular(lower, np.eye(n), lower=True)
    random = np.random.default_rng(5)
    utilities = np.zeros(n)
    sweeps = task["sweeps"]
    ranks = np.empty((sweeps, n), np.int16)
    for sweep in range(-sweeps // 10, sweeps):
        mean = utilities[winner] - utilities[loser]
        # The noisy difference is above 0: by the inverse of the upper tail, in logarithms.
        behind = mean - ndtri_exp(log_ndtr(mean) + np.log1p(-random.random(len(mean))))
        shift = np.zeros(n)
        np.add.at(shift, winner, behind)
        np.add.at(shift, loser, -behind)
        utilities = root.T @ (root @ shift + random.standard_normal(n))
        if sweep >= 0:
            ranks[sweep, np.argsort(-utilities)] = np.arange(1, n + 1)
    among = (ranks <= top).astype(float)
    batches = among[: sweeps // BATCHES * BATCHES].reshape(BATCHES, -1, n).mean(1)
    ends = np.quantile(ranks, [0.05, 0.95], axis=0, method="inverted_cdf")
    result = {"ids": ids, "low": ends[0].tolist(), "high": ends[1].tolist(), "top": among.mean(0).tolist()}
    result["error"] = (batches.std(0, ddof=1) / np.sqrt(BATCHES)).tolist()
    json.dump(result, sys.stdout)


main()
