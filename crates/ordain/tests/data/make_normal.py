"""Reference values of the normal law: python3 make_normal.py > normal.csv

Columns: z, log Phi(z), the hazard r = phi(z)/Phi(z) and the curvature r (z + r), each to 25 significant digits. z is
printed so that it reads back as the same double, and everything is computed from that double's exact value.

z + r loses about 2 log10|z| digits far below zero (16 at -1e8), which 400 digits can spare. Far above zero 1 - Phi(-z)
would lose all of them, so log Phi is log1p(-Phi(-z)) there. Numbers below the smallest double are written all the same:
read in double precision they become denormal or 0, which is then the right answer.
"""

import mpmath
from mpmath import mp, mpf

mp.dps = 400
DIGITS = 25


def grid():
    points = {k / 40 for k in range(-400, 401)}  # the nearest doubles to -10, -9.975 .. 10
    points |= {0.0, 1e-300, 1e-20, 1e-8, -1e-300, -1e-20, -1e-8}
    points |= {-(10 ** (1 + k / 60)) for k in range(121)}  # -10 .. -1e3
    points |= {-(10 ** (3 + k / 4)) for k in range(1, 21)}  # .. -1e8
    points |= {10 + k / 4 for k in range(109)}  # .. 37
    points |= {37.5, 37.67, 38.0, 38.25, 38.4, 38.48, 38.5, 38.6, 39.0, 40.0, 50.0, 100.0, 300.0, 1000.0}
    # Where implementations change branch, and where they are known to fail.
    points |= {-37.0, -37.5, -38.0, -38.4, -38.5, -38.6, -39.0, -40.0, -26.5, -26.7, -100.0, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8}
    return sorted(points)


def text(x):
    return mpmath.nstr(x, DIGITS, min_fixed=0, max_fixed=0)


def main():
    print("z,log_phi,hazard,curvature")
    for point in grid():
        z = mpf(point)
        upper = mpmath.erfc(z / mpmath.sqrt(2)) / 2  # Phi(-z)
        lower = mpmath.erfc(-z / mpmath.sqrt(2)) / 2  # Phi(z)
        log_phi = mpmath.log1p(-upper) if z > 0 else mpmath.log(lower)
        hazard = mpmath.exp(-z * z / 2) / mpmath.sqrt(2 * mpmath.pi) / lower
        curvature = hazard * (z + hazard)
        print(f"{point!r},{text(log_phi)},{text(hazard)},{text(curvature)}")


if __name__ == "__main__":
    main()
