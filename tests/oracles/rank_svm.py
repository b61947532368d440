"""Ranking SVMs by scikit-learn's SVC, as an oracle for ours. JSON on stdin, JSON on stdout.

    in:  [{"kernel": [n rows of n numbers], "pairs": [[better, worse], ...], "cost": 1.0}, ...]
    out: [{"scores": [n numbers], "objective": the primal's value}, ...]

SVC has a bias that the ranking SVM has not. Every pair is therefore given in both directions with opposite labels: then
the decision function without bias is a solution by symmetry, and each hinge counts twice, so SVC's C is half of ours.
"""

import json
import sys

import numpy as np
from sklearn.svm import SVC


def fit(task):
    kernel = np.array(task["kernel"])
    pairs = np.array(task["pairs"])
    both = np.vstack([pairs, pairs[:, ::-1]])
    labels = np.repeat([1, -1], len(pairs))
    columns = kernel[:, both[:, 0]] - kernel[:, both[:, 1]]  # [n, 2 t]
    gram = columns[both[:, 0]] - columns[both[:, 1]]
    svc = SVC(kernel="precomputed", C=task["cost"] / 2, tol=1e-5).fit(gram, labels)
    scores = columns[:, svc.support_] @ svc.dual_coef_[0]
    weights = np.zeros(len(kernel))
    np.add.at(weights, both[svc.support_, 0], svc.dual_coef_[0])
    np.add.at(weights, both[svc.support_, 1], -svc.dual_coef_[0])
    margins = scores[pairs[:, 0]] - scores[pairs[:, 1]]
    objective = 0.5 * weights @ scores + task["cost"] * np.maximum(0, 1 - margins).sum()
    return {"scores": scores.tolist(), "objective": objective}


if __name__ == "__main__":
    json.dump([fit(task) for task in json.load(sys.stdin)], sys.stdout)
    print()
