"""Beliefs under priors of low rank, in extended precision: python3 make_low_rank.py > low_rank.csv

A thousand problems. The prior covariance of the items is scale² X X', with scales from 1e-3 to 1e8 times the noise of an
answer, which is 1. X has one to three columns, and some of its rows are nearly copies of others. Columns of the file: the
scale, the number of columns of X, the entries of X row by row, the answers as "winner loser", the means and the standard
deviations of EP's fixed point to 17 significant digits. Scale and entries are doubles, and everything is computed from
their exact values.

EP visits one answer after the other, in the coordinates of X, until nothing moves in 25 digits. The likelihood of "i
before j" is Phi(x_i - x_j), which is log-concave, so there is one fixed point.
"""

import random

import mpmath
from mpmath import mp, mpf

mp.dps = 60
STILL = mpf(10) ** -25


def problem(rng):
    rank, items = rng.randint(1, 3), rng.randint(3, 8)
    scale = float(f"{10 ** rng.uniform(-3, 8):.3g}")
    rows = []
    for _ in range(items):
        if rows and rng.random() < 0.2:
            nearly = 2.0 ** -rng.randint(4, 30)
            rows.append([entry + nearly * rng.randint(-3, 3) for entry in rng.choice(rows)])
        else:
            rows.append([rng.randint(-128, 128) / 64 for _ in range(rank)])
    truth = [rng.gauss(0, 1) for _ in range(rank)]
    utility = [sum(x * w for x, w in zip(row, truth)) for row in rows]
    answers = []
    for _ in range(rng.randint(2, 14)):
        first, second = rng.sample(range(items), 2)
        if (utility[first] < utility[second]) != (rng.random() < 0.2):
            first, second = second, first
        answers.append((first, second))
    return scale, rows, answers


def pull(z):
    """The density over the distribution function of the normal law, and z more than it."""
    ratio = mpmath.npdf(z) / mpmath.ncdf(z)
    return ratio, z + ratio


def fixed_point(scale, rows, answers):
    """The mean and the covariance of the weights of X, whose prior is scale² times the identity."""
    rank = len(rows[0])
    rows = [[mpf(entry) for entry in row] for row in rows]
    along = [[a - b for a, b in zip(rows[i], rows[j])] for i, j in answers]
    mean = [mpf(0)] * rank
    covariance = [[mpf(scale) ** 2 if i == j else mpf(0) for j in range(rank)] for i in range(rank)]
    sites = [(mpf(0), mpf(0))] * len(answers)
    for _ in range(100000):
        moved = mpf(0)
        for at, direction in enumerate(along):
            spread = [sum(c * d for c, d in zip(row, direction)) for row in covariance]
            variance = sum(s * d for s, d in zip(spread, direction))
            if variance == 0:
                continue
            own = sum(m * d for m, d in zip(mean, direction))
            precision, shift = sites[at]
            left = 1 - variance * precision
            cavity_mean, cavity_variance = (own - variance * shift) / left, variance / left
            total = mpmath.sqrt(cavity_variance + 1)
            ratio, more = pull(cavity_mean / total)
            slope, curvature = ratio / total, ratio * more / total**2
            rest = 1 - cavity_variance * curvature
            fresh = (curvature / rest, (slope + cavity_mean * curvature) / rest)
            gained, pushed = fresh[0] - precision, fresh[1] - shift
            sites[at] = fresh
            grown = 1 + gained * variance
            step = (pushed - gained * own) / grown
            deviation = mpmath.sqrt(variance)
            moved = max(moved, abs(step) * deviation, abs(gained) * variance)
            mean = [m + step * s for m, s in zip(mean, spread)]
            covariance = [[c - gained / grown * a * b for c, b in zip(row, spread)] for row, a in zip(covariance, spread)]
        if moved < STILL:
            return rows, mean, covariance
    raise ValueError("EP does not stand still")


def main():
    rng = random.Random(21)
    for _ in range(1000):
        scale, rows, answers = problem(rng)
        exact, mean, covariance = fixed_point(scale, rows, answers)
        means = [sum(x * m for x, m in zip(row, mean)) for row in exact]
        spread = lambda row: sum(row[i] * covariance[i][j] * row[j] for i in range(len(row)) for j in range(len(row)))
        deviations = [mpmath.sqrt(abs(spread(row))) for row in exact]
        number = lambda value: mpmath.nstr(value, 17)
        fields = [
            repr(scale),
            str(len(rows[0])),
            " ".join(repr(entry) for row in rows for entry in row),
            " ".join(f"{i} {j}" for i, j in answers),
            " ".join(map(number, means)),
            " ".join(map(number, deviations)),
        ]
        print(",".join(fields), flush=True)


main()
