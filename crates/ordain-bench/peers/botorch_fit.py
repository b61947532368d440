"""Fits BoTorch's PairwiseGP to the answers on stdin, hyperparameters given. JSON in, JSON out.

    in:  {"attributes": [n rows of d], "pairs": [[winner, loser], ...], "scale": s, "length": l, "repeats": k}
    out: {"seconds": [k numbers], "peak_mb": ..., "base_mb": ..., "mean": [n numbers], "versions": {...}}

The kernel is scale² exp(-|x - y|² / (2 length²)), the likelihood Phi((u_w - u_l) / sqrt(2)): PairwiseGP's own, with
noise of standard deviation 1 on each utility. Constructing the model finds the mode and the Hessian there, which is all
that is timed; ours is timed with the posterior variances of all items, which PairwiseGP makes only when asked.
"""

import json
import resource
import sys
import time

import botorch
import gpytorch
import numpy as np
import torch
from botorch.models.pairwise_gp import PairwiseGP
from gpytorch.kernels import RBFKernel, ScaleKernel


def peak_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    task = json.load(sys.stdin)
    points = torch.tensor(np.array(task["attributes"]), dtype=torch.float64)
    pairs = torch.tensor(task["pairs"], dtype=torch.long)
    base = peak_mb()

    def fit():
        kernel = ScaleKernel(RBFKernel())
        kernel.base_kernel.lengthscale = task["length"]
        kernel.outputscale = task["scale"] ** 2
        kernel = kernel.to(torch.float64)
        return PairwiseGP(points, pairs, covar_module=kernel)

    seconds = []
    for _ in range(task["repeats"]):
        started = time.perf_counter()
        model = fit()
        seconds.append(time.perf_counter() - started)
    json.dump(
        {
            "seconds": seconds,
            "peak_mb": peak_mb(),
            "base_mb": base,
            "mean": model.utility.tolist(),
            "versions": {"botorch": botorch.__version__, "gpytorch": gpytorch.__version__, "torch": torch.__version__},
        },
        sys.stdout,
    )


if __name__ == "__main__":
    main()
