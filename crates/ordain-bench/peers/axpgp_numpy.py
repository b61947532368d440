"""Fast active exploration (AXPGP eqs. 24-29) over all pairs with NumPy; `following.py` says what goes in and out.

    axpgp_numpy.py naive    the formulas as written, on whole n x n arrays
    axpgp_numpy.py tuned    all pairs in place, half of the matrix, blocks that fit the cache
    axpgp_numpy.py pruned   as tuned, but the tail of the normal law only where a bound says that the pair may be the best
    axpgp_numpy.py regret   as pruned, for what ours asks by default to learn the whole order: expected regret with an
                            e-fold over a third of the list, less half of what the lower place counts

Items with equal means share the better rank, as in ours.
"""

import numpy as np
import scipy
from scipy.linalg.blas import dger, dsyr
from scipy.special import log_ndtr, ndtr

from following import covariance, follow

ROOT_TAU = np.sqrt(2.0 * np.pi)


def step(difference, variance, noise):
    """What an answer does: the factors of a in the mean, and of a a' in the covariance (eqs. 22-24, scalar form)."""
    square = noise**2 + variance
    z = difference / np.sqrt(square)
    ratio = np.exp(-0.5 * z * z - log_ndtr(z)) / ROOT_TAU
    return ratio / np.sqrt(square), ratio * (z + ratio) / square


def weights(mean, focus=1.0):
    """exp(-focus * rank) of every item (eq. 26)."""
    falling = np.sort(-mean)
    return np.exp(-focus * (1.0 + np.searchsorted(falling, -mean)))


def loss(difference, variance):
    """The expected loss of pairs without their weight (eq. 28)."""
    t = np.abs(difference) / np.sqrt(variance)
    return variance * (ndtr(-t) + t * np.exp(-0.5 * t * t) / ROOT_TAU)


def regret(difference, variance):
    """By how much the better item is expected to be better, where it is ranked lower."""
    sd = np.sqrt(variance)
    t = np.abs(difference) / sd
    return sd * np.maximum(np.exp(-0.5 * t * t) / ROOT_TAU - t * ndtr(-t), 0.0)


class Naive:
    def __init__(self, task):
        self.noise = task["noise"]
        self.cov = covariance(task)
        self.mean = np.zeros(len(self.cov))
        self.told = np.eye(len(self.cov), dtype=bool)

    def tell(self, winner, loser):
        a = self.cov[:, winner] - self.cov[:, loser]
        slope, curvature = step(self.mean[winner] - self.mean[loser], a[winner] - a[loser], self.noise)
        self.mean = self.mean + slope * a
        self.cov = self.cov - curvature * np.outer(a, a)
        self.told[winner, loser] = self.told[loser, winner] = True

    def catch_up(self, winner, loser):
        a = self.cov[:, winner] - self.cov[:, loser]
        slope, curvature = step(self.mean[winner] - self.mean[loser], a[winner] - a[loser], self.noise)
        self.mean += slope * a
        # The transposed matrix is in the order of columns, as BLAS has it; it is symmetric.
        dger(-curvature, a, a, a=self.cov.T, overwrite_a=1)
        self.told[winner, loser] = self.told[loser, winner] = True

    def ask(self):
        weight = weights(self.mean)
        variances = np.diag(self.cov)
        variance = variances[:, None] + variances[None, :] - 2.0 * self.cov
        difference = self.mean[:, None] - self.mean[None, :]
        with np.errstate(invalid="ignore"):
            losses = np.maximum(weight[:, None], weight[None, :]) * loss(difference, variance)
        losses[self.told] = -1.0
        return np.unravel_index(np.argmax(losses), losses.shape)

    def value(self, one, other):
        variance = self.cov[one, one] + self.cov[other, other] - 2.0 * self.cov[one, other]
        return weights(self.mean)[[one, other]].max() * loss(self.mean[one] - self.mean[other], variance)


class Pruned:
    # Doubles a block has: with two more of its size it fits a second-level cache of a megabyte.
    BLOCK = 32768
    # How much of what the lower place counts is taken off.
    LOWER = 0.0

    def __init__(self, task):
        self.begin(covariance(task), task["noise"])

    def begin(self, cov, noise):
        """Everything follows from the prior covariance; rows hold what is right of the diagonal, and that."""
        n = len(cov)
        self.noise = noise
        self.cov = np.ascontiguousarray(cov)
        self.mean = np.zeros(n)
        self.variances = np.diag(cov).copy()
        self.told = {}
        self.room = [np.empty(self.BLOCK + n) for _ in range(3)]

    def weights(self):
        return weights(self.mean)

    def score(self, difference, variance):
        return loss(difference, variance)

    def bound(self, variance, count):
        """Makes of variances, in place, what is to be compared with the bar: no loss is above half of the variance."""
        variance *= count

    def bar(self, best):
        return 2.0 * best

    def column(self, item):
        return np.concatenate([self.cov[:item, item], self.cov[item, item:]])

    def tell(self, winner, loser):
        a = self.column(winner)
        a -= self.column(loser)
        slope, curvature = step(self.mean[winner] - self.mean[loser], a[winner] - a[loser], self.noise)
        self.mean += slope * a
        self.variances -= curvature * a * a
        # What is right of the diagonal in rows is left of it in columns.
        dsyr(-curvature, a, a=self.cov.T, lower=1, overwrite_a=1)
        self.rule_out(winner, loser)

    catch_up = tell

    def rule_out(self, one, other):
        self.told.setdefault(one, set()).add(other)
        self.told.setdefault(other, set()).add(one)

    def ask(self):
        n, mean, variances = len(self.mean), self.mean, self.variances
        weight = self.weights()
        best, pair = self.of_leader(weight)
        first = 0
        while first < n - 1:
            rows = min(max(1, self.BLOCK // (n - first)), n - first)
            size = rows * (n - first)
            bound, counts, lower = (room[:size].reshape(rows, n - first) for room in self.room)
            np.multiply(self.cov[first : first + rows, first:], -2.0, out=bound)
            bound += variances[first:]
            bound += variances[first : first + rows, None]
            np.maximum(weight[first : first + rows, None], weight[first:], out=counts)
            if self.LOWER:
                np.minimum(weight[first : first + rows, None], weight[first:], out=lower)
                lower *= self.LOWER
                counts -= lower
            self.bound(bound, counts)
            chosen = np.flatnonzero(bound > self.bar(best))
            if chosen.size:
                ones, others = np.divmod(chosen, n - first)
                upper = others > ones
                count = counts.ravel()[chosen[upper]]
                ones, others = ones[upper] + first, others[upper] + first
                variance = variances[ones] + variances[others] - 2.0 * self.cov[ones, others]
                best, pair = self.better(best, pair, ones, others, count * self.score(mean[ones] - mean[others], variance))
            first += rows
        return pair

    def of_leader(self, weight):
        """The best pair of the best item, which sets the bar for all others."""
        leader = int(np.argmax(self.mean))
        others = np.delete(np.arange(len(self.mean)), leader)
        variance = self.variances[leader] + self.variances[others] - 2.0 * self.column(leader)[others]
        count = weight[leader] - self.LOWER * weight[others]
        scores = count * self.score(self.mean[leader] - self.mean[others], variance)
        return self.better(-1.0, None, np.full(len(others), leader), others, scores)

    def better(self, best, pair, ones, others, scores):
        """The best of these pairs that was not told yet, if it is better than the best so far."""
        scores = scores.copy()
        while scores.size:
            at = int(np.argmax(scores))
            if not scores[at] > best:
                break
            one, other = int(ones[at]), int(others[at])
            if other not in self.told.get(one, ()):
                return scores[at], (one, other)
            scores[at] = -1.0
        return best, pair

    def value(self, one, other):
        low, high = min(one, other), max(one, other)
        variance = self.variances[low] + self.variances[high] - 2.0 * self.cov[low, high]
        lower, higher = np.sort(self.weights()[[one, other]])
        return (higher - self.LOWER * lower) * self.score(self.mean[one] - self.mean[other], variance)


class Tuned(Pruned):
    def ask(self):
        n, mean, variances = len(self.mean), self.mean, self.variances
        weight = self.weights()
        best, pair = -1.0, None
        first = 0
        while first < n - 1:
            rows = min(max(1, self.BLOCK // (n - first)), n - first)
            variance, t, other = (room[: rows * (n - first)].reshape(rows, n - first) for room in self.room)
            np.multiply(self.cov[first : first + rows, first:], -2.0, out=variance)
            variance += variances[first:]
            variance += variances[first : first + rows, None]
            np.subtract(mean[first : first + rows, None], mean[first:], out=t)
            # What is on the diagonal is ruled out below.
            with np.errstate(invalid="ignore", divide="ignore"):
                np.sqrt(variance, out=other)
                np.divide(t, other, out=t)
            np.abs(t, out=t)
            # The loss of eq. 28: variance (Phi(-t) + t phi(t)).
            np.multiply(t, t, out=other)
            other *= -0.5
            np.exp(other, out=other)
            other *= t
            other /= ROOT_TAU
            np.negative(t, out=t)
            ndtr(t, out=t)
            other += t
            other *= variance
            np.maximum(weight[first : first + rows, None], weight[first:], out=t)
            other *= t
            other[:, :rows][np.tri(rows, dtype=bool)] = -1.0
            for row in range(first, first + rows):
                after = [column - first for column in self.told.get(row, ()) if column > row]
                other[row - first, after] = -1.0
            at = int(np.argmax(other))
            if other.ravel()[at] > best:
                best = other.ravel()[at]
                pair = (first + at // (n - first), first + at % (n - first))
            first += rows
        return pair


class Regret(Pruned):
    LOWER = 0.5

    def weights(self):
        return weights(self.mean, 3.0 / len(self.mean))

    def score(self, difference, variance):
        return regret(difference, variance)

    def bound(self, variance, count):
        # No regret is above the deviation over the root of 2 pi.
        variance *= count
        variance *= count

    def bar(self, best):
        return 2.0 * np.pi * best * best


if __name__ == "__main__":
    peers = {"naive": Naive, "tuned": Tuned, "pruned": Pruned, "regret": Regret}
    follow(peers, {"numpy": np.__version__, "scipy": scipy.__version__})
