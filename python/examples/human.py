"""A person as judge: the model asks until the whole order is sure enough. `ask` is where a notebook shows two buttons."""

import sys

import ordain

films = ["Alien", "Brazil", "Casablanca", "Dune", "Eraserhead"]


def ask(left: str, right: str) -> str | None:
    """One line from the keyboard: 1, 2, = for a tie, or nothing to skip."""
    print(f"1 {left}   2 {right}   = equal   enter: skip", flush=True)
    answer = sys.stdin.readline().strip()
    return {"1": "first", "2": "second", "=": "tie"}.get(answer)


model = ordain.PreferenceModel(tie_width=0.2).fit(films)
run = model.run(ask, budget=6, log=sys.argv[1] if len(sys.argv) > 1 else None, name="me")
print(f"stopped: {run.reason}")
print(model.rank())
