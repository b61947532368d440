"""Measures of labels, and logistic regression on expanded constraints and on pairs, by scikit-learn."""

import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    coverage_error,
    f1_score,
    hamming_loss,
    label_ranking_average_precision_score,
    label_ranking_loss,
)


def measured(case):
    truth, scores = np.array(case["truth"], int), np.array(case["scores"])
    predicted = (scores > 0).astype(int)
    return {
        "hamming": hamming_loss(truth, predicted),
        "ranking_loss": label_ranking_loss(truth, scores),
        "coverage": coverage_error(truth, scores),
        "average_precision": label_ranking_average_precision_score(truth, scores),
        "micro_f1": f1_score(truth, predicted, average="micro", zero_division=0),
        "macro_f1": f1_score(truth, predicted, average="macro", zero_division=0),
    }


def regression(case):
    """Minimises the mean loss over `examples`, not rows, and half the penalty times the squared weights."""
    rows, sides = np.array(case["rows"]), np.array(case["sides"])
    weights = np.array(case["weights"])
    model = LogisticRegression(C=1 / (case["penalty"] * case["examples"]), fit_intercept=False, tol=1e-10, max_iter=100_000)
    model.fit(rows, sides, sample_weight=weights)
    return model.coef_[0].tolist()


task = json.load(sys.stdin)
json.dump(
    {"measures": [measured(case) for case in task["measures"]], "regressions": [regression(case) for case in task["regressions"]]},
    sys.stdout,
)
