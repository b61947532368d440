"""Writes table.rs: piecewise polynomials for the excess of the normal hazard over its argument.

For x >= 0 let R(x) = (1 - Phi(x)) / phi(x) and C(x) = 1 / R(x) - x. With y = SCALE / (SCALE + x), the function
h(y) = C(x) (x + 1 / C(0)) runs smoothly from h(1) = 1 to h(0) = 1. Each of PIECES equal parts of [0, 1] in y gets the
polynomial through the Chebyshev points of its part, in the centred variable t in [-1, 1].

Run: python make_table.py > table.rs (needs mpmath)
"""

from mpmath import mp, mpf

mp.dps = 60
SCALE, PIECES, DEGREE = mpf(4), 32, 7


def excess(x):
    return mp.sqrt(2 / mp.pi) * mp.exp(-x * x / 2) / mp.erfc(x / mp.sqrt(2)) - x if x < 1000 else asymptotic(x)


def asymptotic(x):
    """1/R - x by the continued fraction 1 / (x + 2 / (x + 3 / (x + ...)))."""
    tail = mpf(0)
    for k in range(60, 1, -1):
        tail = k / (x + tail)
    return 1 / (x + tail)


def h(y):
    if y == 0:
        return mpf(1)
    x = SCALE / y - SCALE
    return excess(x) * (x + mp.sqrt(mp.pi / 2))


def piece(k):
    """Monomial coefficients in t of the interpolant on y in [k, k + 1] / PIECES."""
    n = DEGREE + 1
    nodes = [mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    values = mp.matrix([h((k + (t + 1) / 2) / PIECES) for t in nodes])
    vandermonde = mp.matrix(n, n)
    for i, t in enumerate(nodes):
        for j in range(n):
            vandermonde[i, j] = t**j
    return [c for c in mp.lu_solve(vandermonde, values)]


rows = [piece(k) for k in range(PIECES)]
worst = mpf(0)
for k, row in enumerate(rows):
    for i in range(41):
        t = mpf(i) / 20 - 1
        exact = h((k + (t + 1) / 2) / PIECES)
        worst = max(worst, abs(mp.polyval(row[::-1], t) / exact - 1))

print("//! Made by make_table.py; edit that instead.")
print("//!")
print(f"//! Largest relative error of the polynomials before rounding, on 41 points a piece: {mp.nstr(worst, 2)}.")
print()
print(f"pub(super) const SCALE: f64 = {mp.nstr(SCALE, 3)};")
print()
print("#[rustfmt::skip]")
print(f"pub(super) const PIECES: [[f64; {DEGREE + 1}]; {PIECES}] = [")
for row in rows:
    print("    [" + ", ".join(repr(float(c)) for c in row) + "],")
print("];")
