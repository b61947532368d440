"""Makes answers.csv: what a fallible judge says to the pairs that Ordain asks. Run: python3 make_answers.py

Needs the command `ordain` on the path. The judge sees the two life expectancies through a little noise: countries far
apart are told apart, close ones sometimes confused. Every run gives the same answers while Ordain asks the same pairs.
"""

import csv
import json
import math
import random
import statistics
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).parent
ANSWERS = 50
NOISE = 0.2  # of either country, in standard deviations of the truth: as ordain.toml has it


def main():
    draw = random.Random(2007)
    with open(HERE / "items.csv", newline="") as file:
        years = {row["id"]: float(row["life_expectancy"]) for row in csv.DictReader(file)}
    noise = math.sqrt(2) * NOISE * statistics.pstdev(years.values())

    time = datetime(2024, 3, 4, 9, 0)
    rows = [["first", "second", "outcome", "judge", "time"]]
    for _ in range(ANSWERS + 1):
        with open(HERE / "answers.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
        first, second = next_pair()
        seen = years[first] - years[second] + draw.gauss(0, noise)
        time += timedelta(seconds=draw.randrange(4, 15))
        rows.append([first, second, "first" if seen > 0 else "second", "anna", time.isoformat() + "Z"])


def next_pair():
    # As `ordain ask` would.
    command = ["ordain", "next", str(HERE), "--inference", "incremental", "--format", "json"]
    said = subprocess.run(command, capture_output=True, check=True)
    pair = json.loads(said.stdout)["pairs"][0]
    return pair["first"], pair["second"]


if __name__ == "__main__":
    main()
