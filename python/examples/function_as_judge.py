"""A function as judge: every answer is on the disk before the next question, so a crash costs nothing."""

import tempfile
from pathlib import Path

import numpy as np
import ordain

random = np.random.default_rng(1)
designs = random.normal(size=(30, 3))


def simulate(left: int, right: int) -> float | None:
    """An expensive simulation: the probability that the left design is better. It fails now and then."""
    if random.random() < 0.05:
        return None
    gap = (designs[left] - designs[right]) @ [1.0, -0.5, 0.2]
    return float(1 / (1 + np.exp(-3 * gap)))


with tempfile.TemporaryDirectory() as folder:
    log = Path(folder) / "answers.csv"
    model = ordain.PreferenceModel(goal="top", top=3).fit(designs)
    model.run(simulate, budget=20, log=log)

    # Another process goes on where this one ended.
    again = ordain.PreferenceModel(goal="top", top=3).fit(designs)
    run = again.run(simulate, budget=40, log=log)

print(run)
print(again.rank(limit=3))
