"""Expectation propagation by choix, as an oracle for ours. JSON on stdin, JSON on stdout.

    in:  {"n": 3, "pairs": [[winner, loser], ...], "alpha": 1.0, "model": "probit"}
         and, if wanted, "tolerance": 1e-12, "max_iter": 1000
    out: {"mean": [n numbers], "cov": [n rows of n numbers], "iterations": sweeps}

What choix 0.4.1 computes, read from its source (choix/ep.py):

* Prior: theta ~ N(0, I / alpha). alpha is a precision, so in our terms K = I / alpha and the mean is zero.
* "probit": P(i before j) = Phi(theta_i - theta_j). The difference carries noise of variance 1 (z = m / sqrt(1 + v) on the
  cavity N(m, v) of the difference), so lambda = 1 and sigma = 1/sqrt(2). There are no ties.
* "logit": a Bradley-Terry likelihood through a mixture of five probits. Nothing of ours computes that; refused.
* Sites: one scalar (tau, nu) for each answer on the axis e_i - e_j, as ours. Answers are visited in random order, so the
  generator is seeded; the fixed point does not depend on it.
* It stops when no tau and no nu moved by more than 1e-4 in a sweep. That threshold is the default of an argument which
  ep_pairwise does not pass on, so the convergence test is replaced by a tighter one below.

Its log Phi and hazard agree with the truth to a relative 4e-14 for z in (-30, 3): compare to about 1e-10, not to the bit.
"""

import json
import sys

import choix
import choix.ep
import numpy as np


def main():
    task = json.load(sys.stdin)
    if task.get("model", "probit") != "probit":
        sys.exit(f"choix_ep.py: model {task['model']!r}: expected \"probit\"")
    tolerance = task.get("tolerance", 1e-12)

    def settled(new, old):
        return all(np.max(np.abs(a - b), initial=0.0) <= tolerance for a, b in zip(new, old))

    choix.ep._converged = settled
    np.random.seed(1)
    mean, cov = choix.ep_pairwise(
        task["n"],
        [tuple(pair) for pair in task["pairs"]],
        task["alpha"],
        model="probit",
        max_iter=task.get("max_iter", 1000),
    )
    iterations = choix.ep._ep_pairwise.iterations
    json.dump({"mean": mean.tolist(), "cov": cov.tolist(), "iterations": iterations}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
