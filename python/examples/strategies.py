"""Strategies side by side: how many answers each needs until the best item is on top of the ranking."""

import numpy as np
import ordain

random = np.random.default_rng(4)
values = random.normal(size=(20, 2))
utility = values @ [1.0, 0.5]
best = int(np.argmax(utility))


def answers_until_found(strategy: str | None) -> int:
    """Asks until the best item is first."""
    model = ordain.PreferenceModel(noise=0.3, goal="best", strategy=strategy).fit(values)
    while (asked := len(model.answers)) < 40 and (asked == 0 or int(np.argmax(model.mean_)) != best):
        first, second = model.ask()
        model.tell(first, second, "first" if utility[first] > utility[second] else "second")
    return asked


for strategy in (None, "expected-loss", "random"):
    print(f"{strategy or 'the goal' + chr(39) + 's own'}: {answers_until_found(strategy)} answers")
