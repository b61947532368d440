"""Many users: what they agree on, what each of them likes, and what a newcomer may like."""

import numpy as np
import ordain

random = np.random.default_rng(6)
songs = [f"song {at}" for at in range(15)]
quiet, worth = random.normal(size=15), random.normal(size=15)
taste = {f"user {at}": sign for at, sign in enumerate([1.0, -1.0] * 10)}

# Half of the users like quiet songs; everyone likes good ones, and rates nine of them from 1 to 5.
ratings = []
for user, sign in taste.items():
    for at in random.choice(15, 9, replace=False):
        liking = worth[at] + sign * quiet[at] + 0.3 * random.normal()
        ratings.append((user, songs[at], int(np.clip(np.round(3 + liking), 1, 5))))

model = ordain.CollaborativeModel(rounds=8).fit(songs, ratings)
print(model.consensus())
print(model.rank("user 0"))

# Three ratings tell which half a newcomer belongs to.
order = np.argsort(quiet)
heard = [(songs[order[-1]], 5), (songs[order[-2]], 4), (songs[order[0]], 1)]
found = model.rank_newcomer(heard)
liked = dict(zip(found.ids, found["mean"], strict=True))
agreement = np.corrcoef([liked[song] for song in songs], worth + quiet)[0, 1]
print(f"agreement with a lover of quiet songs: {agreement:.2f}")
assert agreement > 0.5
