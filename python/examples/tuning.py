"""Tuning: which kernels help, and what their parameters are, by the evidence of the answers."""

import numpy as np
import ordain

random = np.random.default_rng(3)
values = random.normal(size=(25, 2))
utility = np.sin(2 * values[:, 0])  # the second attribute says nothing
pairs = random.integers(0, 25, size=(80, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]
answers = [(a, b) if utility[a] > utility[b] else (b, a) for a, b in pairs.tolist()]

kernel = ordain.SquaredExponential(rho=[1.0, 1.0]) + ordain.Linear() + ordain.Independent(0.3)
model = ordain.PreferenceModel(kernel, noise=0.3).fit(values, answers)
before = model.log_evidence_
tuned = model.tune(restarts=1)
print(tuned)
print(f"log evidence {before:.1f} -> {model.log_evidence_:.1f}")
print(model.compare(folds=5, tuned=False))
print(model.kernel_)
