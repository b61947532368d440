"""BoTorch's PairwiseGP after every answer, and the pair with the largest analytic EUBO; `following.py` says what goes in
and out.

The model is made of the items that were compared; then one joint posterior of all items gives the closed form of EUBO
(Lin and others 2022), E max(u_i, u_j), for all pairs at once. BoTorch's own AnalyticExpectedUtilityOfBestOption gives the
same numbers from one posterior a pair and takes a hundred times as long.

The prior is ours in units of PairwiseGP's noise (1 on each utility), no hyperparameters are learned.
"""

import botorch
import gpytorch
import numpy as np
import torch
from botorch.models.pairwise_gp import PairwiseGP
from gpytorch.kernels import Kernel, RBFKernel, ScaleKernel

from following import follow

ROOT_TAU = np.sqrt(2.0 * np.pi)


class Own(Kernel):
    """What is an item's own: items are the same where their numbers are."""

    def forward(self, x1, x2, diag=False, **_):
        if diag:
            return (x1 == x2).squeeze(-1).to(x1)
        return (x1 == x2.transpose(-1, -2)).to(x1)


class PairwiseEubo:
    def __init__(self, task):
        points = np.array(task["attributes"])
        n, d = points.shape
        self.points = torch.tensor(np.hstack([points, np.arange(n)[:, None]]))
        smooth = RBFKernel(active_dims=list(range(d)))
        smooth.lengthscale = task["length"]
        own = ScaleKernel(Own(active_dims=[d]))
        own.outputscale = (task["own"] / task["scale"]) ** 2
        kernel = ScaleKernel(smooth + own)
        kernel.outputscale = 2.0 * (task["scale"] / task["noise"]) ** 2
        self.kernel = kernel.to(torch.float64)
        self.answers = []
        self.told = torch.eye(n, dtype=torch.bool)

    def tell(self, winner, loser):
        self.answers.append((winner, loser))
        self.told[winner, loser] = self.told[loser, winner] = True

    catch_up = tell

    def eubo(self, mean, cov):
        variances = cov.diagonal()
        sd = (variances[:, None] + variances[None, :] - 2.0 * cov).clamp_min_(1e-12).sqrt_()
        t = (mean[:, None] - mean[None, :]) / sd
        out = mean[None, :] + sd * (t * torch.special.ndtr(t) + torch.exp(-0.5 * t * t) / ROOT_TAU)
        out[self.told] = -torch.inf
        return out

    @torch.no_grad()
    def posterior(self):
        if not self.answers:
            return torch.zeros(len(self.points), dtype=torch.float64), self.kernel(self.points).to_dense()
        seen, pairs = torch.tensor(self.answers).unique(return_inverse=True)
        model = PairwiseGP(self.points[seen], pairs, covar_module=self.kernel)
        posterior = model.posterior(self.points)
        return posterior.mean.squeeze(-1), posterior.distribution.covariance_matrix

    @torch.no_grad()
    def ask(self):
        best = int(self.eubo(*self.posterior()).argmax())
        return divmod(best, len(self.points))


VERSIONS = {"botorch": botorch.__version__, "gpytorch": gpytorch.__version__, "torch": torch.__version__}

if __name__ == "__main__":
    follow({"eubo": PairwiseEubo}, VERSIONS)
