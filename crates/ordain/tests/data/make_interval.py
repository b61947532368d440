"""Reference values of the normal law on intervals: python3 make_interval.py > interval.csv

Columns: a, b, log(Phi(b) - Phi(a)), and the mean and variance of a standard normal variable known to lie in (a, b), each
to 25 significant digits. a and b are printed so that they read back as the same doubles, and everything is computed
from their exact values.

For an interval on one side of zero the mass is a difference of two tails of that side, which keeps its relative
precision; one around zero is 1 less two tails. The variance of the narrowest interval (1e-8 at 1e3) is 1e-17 left over
from terms of 1e6, which 400 digits can spare.
"""

import mpmath
from mpmath import mp, mpf

mp.dps = 400
DIGITS = 25


def grid():
    places = [0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0, 30.0, 38.0, 50.0, 100.0, 300.0, 1000.0]
    widths = [1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 50.0, 1000.0]
    reaches = [1e-3, 0.1, 1.0, 3.0, 10.0, 38.0, 100.0, 1000.0]
    pairs = {(a, a + w) for p in places for a in (p, -p) for w in widths}
    pairs |= {(-a, b) for a in reaches for b in reaches}
    pairs |= {(-w / 2, w / 2) for w in widths}
    return sorted((a + 0.0, b) for a, b in pairs)  # adding zero turns -0.0 into 0.0


def tail(z):
    """Phi(-z)."""
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2


def density(z):
    return mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi)


def moments(a, b):
    if b <= 0:
        log_mass, mean, variance = moments(-b, -a)
        return log_mass, -mean, variance
    if a >= 0:
        mass = tail(a) - tail(b)
        log_mass = mpmath.log(mass)
    else:
        outside = tail(-a) + tail(b)
        mass = 1 - outside
        log_mass = mpmath.log1p(-outside)
    mean = (density(a) - density(b)) / mass
    variance = 1 + (a * density(a) - b * density(b)) / mass - mean**2
    return log_mass, mean, variance


def text(x):
    return mpmath.nstr(x, DIGITS, min_fixed=0, max_fixed=0)


def main():
    print("a,b,log_mass,mean,variance")
    for a, b in grid():
        print(f"{a!r},{b!r}," + ",".join(text(x) for x in moments(mpf(a), mpf(b))))


if __name__ == "__main__":
    main()
