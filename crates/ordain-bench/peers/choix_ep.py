"""EP of choix after every answer; `following.py` says what goes in and out.

choix has independent items and chooses no pairs. It gets the prior's mean variance, its probit model (noise 1 on a
difference), the result of the answers before to start from, and AXPGP's choice of a pair as tuned as ours in NumPy.
"""

from importlib.metadata import version

import choix
import numpy as np

from axpgp_numpy import Pruned
from following import follow


class ChoixEp(Pruned):
    def __init__(self, task):
        self.n = len(task["attributes"])
        # Utilities in units of the noise.
        self.alpha = task["noise"] ** 2 / (task["scale"] ** 2 + task["own"] ** 2)
        self.begin(np.eye(self.n) / self.alpha, 1.0)
        self.answers, self.sites = [], (np.zeros(0), np.zeros(0))

    def tell(self, winner, loser):
        self.rule_out(winner, loser)
        self.answers.append((winner, loser))
        self.fit()

    def catch_up(self, winner, loser):
        self.rule_out(winner, loser)
        self.answers.append((winner, loser))

    def ready(self):
        if len(self.sites[0]) < len(self.answers):
            self.fit()

    def fit(self):
        # The sites start from those of the answers before, and are changed in place: the only way to learn them.
        new = len(self.answers) - len(self.sites[0])
        self.sites = tuple(np.append(site, np.zeros(new)) for site in self.sites)
        state = self.sites
        self.mean, self.cov = choix.ep_pairwise(self.n, self.answers, self.alpha, model="probit", initial_state=state)
        self.variances = np.diag(self.cov).copy()


if __name__ == "__main__":
    follow({"ep": ChoixEp}, {"choix": version("choix")})
