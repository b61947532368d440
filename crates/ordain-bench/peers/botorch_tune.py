"""Learns the hyperparameters of BoTorch's PairwiseGP from the answers on stdin. JSON in, JSON out.

    in:  {"attributes": [n rows of d], "pairs": [[winner, loser], ...], "held_out": [[winner, loser], ...]}
    out: {"seconds": ..., "peak_mb": ..., "base_mb": ..., "log_loss": ..., "before": ..., "evaluations": ..., "versions": {...}}

The kernel is PairwiseGP's own default: an output scale times a squared exponential with one length an attribute, under
BoTorch's default priors. Attributes are scaled to [0, 1] first, as BoTorch asks (unscaled, its default start lies where
all gradients vanish). Timed: constructing the model and `fit_gpytorch_mll` with its default settings, one start.
`log_loss` is the mean of -log P(winner preferred) over the held-out answers, `before` the same before the fit.
"""

import json
import resource
import sys
import time

import botorch
import gpytorch
import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models.pairwise_gp import PairwiseGP, PairwiseLaplaceMarginalLogLikelihood


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def log_loss(model, points, pairs):
    """PairwiseGP's likelihood is Phi((u_w - u_l) / sqrt(2))."""
    with torch.no_grad():
        posterior = model.posterior(points)
        mean = posterior.mean.squeeze(-1)
        covariance = posterior.mvn.covariance_matrix
    w, l = pairs[:, 0], pairs[:, 1]
    variance = covariance[w, w] + covariance[l, l] - 2 * covariance[w, l]
    return -torch.special.log_ndtr((mean[w] - mean[l]) / (2 + variance).sqrt()).mean().item()


def main():
    task = json.load(sys.stdin)
    points = np.array(task["attributes"])
    points = torch.tensor((points - points.min(0)) / (points.max(0) - points.min(0)), dtype=torch.float64)
    pairs = torch.tensor(task["pairs"], dtype=torch.long)
    held_out = torch.tensor(task["held_out"], dtype=torch.long)
    base = peak_mb()
    untuned = PairwiseGP(points, pairs)
    untuned.eval()
    before = log_loss(untuned, points, held_out)

    steps = 0

    def count(*_):
        nonlocal steps
        steps += 1

    started = time.perf_counter()
    model = PairwiseGP(points, pairs)
    mll = PairwiseLaplaceMarginalLogLikelihood(model.likelihood, model)
    fit_gpytorch_mll(mll, optimizer_kwargs={"callback": count})
    seconds = time.perf_counter() - started
    model.eval()
    json.dump(
        {
            "seconds": seconds,
            "peak_mb": peak_mb(),
            "base_mb": base,
            "log_loss": log_loss(model, points, held_out),
            "before": before,
            "evaluations": steps,
            "parameters": sum(p.numel() for p in model.parameters()),
            "versions": {"botorch": botorch.__version__, "gpytorch": gpytorch.__version__, "torch": torch.__version__},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
