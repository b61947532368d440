"""Makes answers.csv: what a well-read but fallible judge says to "which has more inhabitants?" Run: python3 make_answers.py

The judge sees the two numbers on a logarithmic scale through a little noise: countries far apart in size are always told
apart, close ones sometimes confused, and hardly any difference is called a tie. Same answers at every run.
"""

import csv
import math
import random
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = 60
NOISE = 0.09  # of the judge, in powers of ten
TIE = 0.015


def main():
    draw = random.Random(26)
    with open(HERE / "items.csv", newline="") as file:
        size = {row["id"]: math.log10(float(row["inhabitants"])) for row in csv.DictReader(file)}

    # A ring through all countries in random order, so that each is asked about twice, and random pairs to fill up.
    ring = list(size)
    draw.shuffle(ring)
    pairs = [(ring[i - 1], ring[i]) for i in range(len(ring))]
    asked = {frozenset(pair) for pair in pairs}
    while len(pairs) < ANSWERS:
        pair = tuple(draw.sample(list(size), 2))
        if frozenset(pair) not in asked:
            asked.add(frozenset(pair))
            pairs.append(pair)
    draw.shuffle(pairs)

    time = datetime(2024, 3, 4, 9, 0)
    with open(HERE / "answers.csv", "w", newline="") as file:
        log = csv.writer(file, lineterminator="\n")
        log.writerow(["first", "second", "outcome", "judge", "time"])
        for first, second in pairs:
            seen = size[first] - size[second] + draw.gauss(0, NOISE)
            outcome = "tie" if abs(seen) < TIE else "first" if seen > 0 else "second"
            time += timedelta(seconds=draw.randrange(4, 15))
            log.writerow([first, second, outcome, "anna", time.isoformat() + "Z"])


if __name__ == "__main__":
    main()
