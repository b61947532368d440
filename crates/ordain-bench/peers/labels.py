"""A logistic regression per label by scikit-learn, one thread."""

import json
import os
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import label_ranking_loss

FOLDER, ATTRIBUTES, LABELS, PENALTY = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])


def read(name):
    rows = np.fromfile(os.path.join(FOLDER, name + ".rows"), "<f8").reshape(-1, ATTRIBUTES)
    return rows, np.fromfile(os.path.join(FOLDER, name + ".marks"), "u1").reshape(-1, LABELS)


(rows, marks), (test, truth) = read("train"), read("test")
started = time.perf_counter()
models = [
    LogisticRegression(C=1 / (PENALTY * len(rows)), tol=1e-4, max_iter=10_000).fit(rows, marks[:, label])
    for label in range(LABELS)
]
training = time.perf_counter() - started
started = time.perf_counter()
scores = np.column_stack([model.decision_function(test) for model in models])
order = np.argsort(-scores, axis=1, kind="stable")
prediction = time.perf_counter() - started
print(
    json.dumps(
        {
            "training": training,
            "prediction": prediction,
            "hamming": float(np.mean((scores > 0) != truth)),
            "ranking_loss": float(label_ranking_loss(truth, scores)),
            "versions": {"scikit-learn": sklearn.__version__, "NumPy": np.__version__},
        }
    )
)
