"""Many users: everyone's answers, with judges told apart. What a user is not asked, the others tell."""

import numpy as np
import ordain

random = np.random.default_rng(6)
songs = [f"song {at}" for at in range(15)]
worth = dict(zip(songs, random.normal(size=15), strict=True))
noise = {"ann": 0.1, "bob": 0.3, "cleo": 3.0}

model = ordain.PreferenceModel().fit(songs)
for at in range(90):
    user = list(noise)[at % 3]
    # Whoever is asked, questions are chosen for him.
    first, second = model.ask(judge=user)
    gap = worth[first] - worth[second] + noise[user] * random.normal()
    model.tell(first, second, "first" if gap > 0 else "second", judge=user)

print(model.judges())
print(model.rank(limit=5))
assert np.corrcoef(model.mean_, list(worth.values()))[0, 1] > 0.7
