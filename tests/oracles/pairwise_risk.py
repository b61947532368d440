"""UD's linear scorer by scikit-learn's logistic regression, as an oracle for ours. JSON on stdin, JSON on stdout.

    in:  [{"queries": [{"attributes": [rows], "relevant": [booleans]}, ...], "penalty": 0.1}, ...]
    out: [{"weights": [numbers], "objective": the value at the optimum}, ...]

A pair is the difference of its documents' attributes, weighted by one over the pairs of its query and over the queries. Logistic
regression wants two classes: every pair is given in both directions, with half of its weight each.
"""

import json
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression


def fit(task):
    pairs, weights = [], []
    for query in task["queries"]:
        rows, relevant = np.array(query["attributes"]), np.array(query["relevant"])
        differences = (rows[relevant][:, None, :] - rows[~relevant][None, :, :]).reshape(-1, rows.shape[1])
        pairs.append(differences)
        weights.append(np.full(len(differences), 1 / len(differences) / len(task["queries"])))
    pairs, weights = np.vstack(pairs), np.concatenate(weights)
    model = LogisticRegression(C=1 / task["penalty"], fit_intercept=False, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    model.fit(
        np.vstack([pairs, -pairs]),
        np.repeat([1, 0], len(pairs)),
        sample_weight=np.concatenate([weights, weights]) / 2,
    )
    w = model.coef_[0]
    objective = weights @ np.logaddexp(0, -pairs @ w) + task["penalty"] / 2 * w @ w
    return {"weights": w.tolist(), "objective": objective}


if __name__ == "__main__":
    json.dump([fit(task) for task in json.load(sys.stdin)], sys.stdout)
    print()
