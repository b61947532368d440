"""Reference values of distances and tests: python3 make_statistics.py, with scipy 1.17.1, scikit-learn 1.9.1, mpmath.

statistics.csv has the columns measure, first, second, statistic, other. The samples are numbers between spaces, drawn
from coarse grids, for ties and zeros, and from the normal law, in sizes from the smallest on. The other value is the p
of a test, Spearman's rho beside Kendall's tau-b, and else empty. Values read back as the doubles they were.

student.csv has the columns t, degrees of freedom, and the two-sided tail of Student's law to 25 digits.
"""

import csv
import itertools
import warnings

import mpmath
import numpy as np
from scipy import stats
from sklearn import metrics

mpmath.mp.dps = 60
warnings.simplefilter("ignore")  # scipy warns of small samples
random = np.random.default_rng(20240611)

SIZES = [2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 32, 33, 64, 100, 200]
GRIDS = [2, 3, 5, 10, 40, 0]  # 0 is the normal law


def sample(size, grid):
    if grid == 0:
        return np.round(random.standard_normal(size), 6)
    return random.integers(0, grid, size) / 4


def text(values):
    return " ".join(repr(float(value)) for value in values)


def correlations():
    for size, one, other in itertools.product(SIZES, GRIDS, GRIDS):
        first, second = sample(size, one), sample(size, other)
        if np.ptp(first) == 0 or np.ptp(second) == 0:
            continue
        tau, rho = stats.kendalltau(first, second).statistic, stats.spearmanr(first, second).statistic
        yield "correlation", first, second, tau, rho


def areas():
    for size, grid, _ in itertools.product(SIZES, GRIDS, range(2)):
        scores, labels = sample(size, grid), random.integers(0, 2, size)
        if np.ptp(labels) > 0:
            yield "auc", scores, labels, metrics.roc_auc_score(labels, scores), ""


def errors():
    for size, grid in itertools.product([1, *SIZES], GRIDS):
        first, second = sample(size, grid), sample(size, grid)
        yield "absolute", first, second, metrics.mean_absolute_error(second, first), ""
        if grid > 0:
            labels = (4 * first).astype(int), (4 * second).astype(int)
            yield "zero_one", first, second, metrics.zero_one_loss(*labels), ""


def paired():
    for size, grid, shift in itertools.product([1, *SIZES, 50, 51], GRIDS, [0.0, 0.25, 1.0]):
        first, second = sample(size, grid) + shift, sample(size, grid)
        difference = first - second
        if size > 1 and np.ptp(difference) > 0:
            yield "paired_t", first, second, *stats.ttest_rel(first, second)
        if np.any(difference != 0):
            yield "signed_rank", first, second, *stats.wilcoxon(first, second, correction=True)


def unpaired():
    pairs = [(1, 1), (1, 2), (2, 2), (3, 4), (5, 5), (8, 8), (8, 9), (9, 9), (7, 60), (60, 8), (3, 200), (20, 30)]
    for (one, other), grid, shift in itertools.product(pairs, GRIDS, [0.0, 0.25, 1.0]):
        first, second = sample(one, grid) + shift, sample(other, grid)
        yield "rank_sum", first, second, *stats.mannwhitneyu(first, second)


def student(t, degrees):
    t, degrees = mpmath.mpf(t), mpmath.mpf(degrees)
    x = degrees / (degrees + t * t)
    return mpmath.betainc(degrees / 2, mpmath.mpf(1) / 2, 0, x, regularized=True)


def main():
    with open("statistics.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", "first", "second", "statistic", "other"])
        for measure, first, second, statistic, other in itertools.chain(
            correlations(), areas(), errors(), paired(), unpaired()
        ):
            cells = repr(float(statistic)), other if other == "" else repr(float(other))
            writer.writerow([measure, text(first), text(second), *cells])
    with open("student.csv", "w") as file:
        print("t,degrees,tail", file=file)
        places = [1e-300, 1e-8, 1e-3, 0.1, 0.5, 1.0, 1.5, 1.7, 1.75, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1e4, 1e9, 1e200]
        degrees = [0.3, 1.0, 2.0, 3.0, 4.5, 7.0, 10.0, 29.0, 79.0, 80.0, 81.0, 200.0, 999.0, 1e5, 1e6]
        for t, nu in itertools.product(places, degrees):
            if (nu + 1) / 2 * mpmath.log1p(mpmath.mpf(t) ** 2 / nu) > 1500:  # far below the smallest double
                continue
            print(f"{t!r},{nu!r},{mpmath.nstr(student(t, nu), 25, min_fixed=0, max_fixed=0)}", file=file)


main()
