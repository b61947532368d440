"""Jester in splits for both sides, and what a biased matrix factorisation, means of users and of jokes predict.

`split PLACE FILE SPLITS` writes the splits; `peers PLACE SIZES SPLITS` predicts; `neighbours PLACE ITEMS ATTRIBUTES` joins
nearest neighbours with scikit-learn.
"""

import csv
import gzip
import json
import os
import sys
import time

import numpy as np

USERS, GRADES, HIDDEN, SIZES = 100, 5, 0.6, (20, 40, 60)


def split(place, file, splits):
    ratings = {}
    with gzip.open(file, "rt") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            ratings.setdefault(int(row["user"]), []).append((int(row["joke"]), float(row["rating"])))
    order = sorted(ratings, key=lambda user: (-len(ratings[user]), user))
    modelled, others = order[:USERS], order[USERS:]
    everything = np.sort([value for user in others for _, value in ratings[user]])
    ends = [everything[len(everything) * grade // GRADES] for grade in range(1, GRADES)]
    grade = lambda value: 1 + int(np.searchsorted(ends, value, side="right"))
    with open(os.path.join(place, "others.csv"), "w") as out:
        out.write("user,joke,rating,grade\n")
        for user in others:
            out.writelines(f"{user},{joke},{value},{grade(value)}\n" for joke, value in ratings[user])
    for size in SIZES:
        for number in range(splits):
            random = np.random.default_rng([size, number])
            teaches = set(random.permutation(100)[:size].tolist())
            with (
                open(os.path.join(place, f"train-{size}-{number}.csv"), "w") as train,
                open(os.path.join(place, f"test-{size}-{number}.csv"), "w") as test,
            ):
                train.write("user,item,grade\n")
                test.write("user,item,grade\n")
                for user in modelled:
                    for joke, value in ratings[user]:
                        if random.random() >= HIDDEN:
                            (train if joke in teaches else test).write(f"{user},{joke},{grade(value)}\n")
    print(json.dumps({}))


def read(place, kind, size, number):
    with open(os.path.join(place, f"{kind}-{size}-{number}.csv")) as lines:
        return [(row["user"], row["item"], int(row["grade"])) for row in csv.DictReader(lines)]


def peers(place, splits):
    import surprise

    rows = []
    for size in SIZES:
        found = {}
        for number in range(splits):
            train, test = read(place, "train", size, number), read(place, "test", size, number)
            # The other users teach the factorisation about the jokes that the modelled ones were not shown.
            with open(os.path.join(place, "others.csv")) as lines:
                others = [("other" + row["user"], row["joke"], int(row["grade"])) for row in csv.DictReader(lines)]
            users, jokes = {}, {}
            for user, joke, grade in train:
                users.setdefault(user, []).append(grade)
                jokes.setdefault(joke, []).append(grade)
            middle = np.mean([grade for *_, grade in train])
            mean = lambda table, key: np.mean(table[key]) if key in table else middle
            predicted = {
                "user mean": [mean(users, user) for user, _, _ in test],
                "joke mean": [mean(jokes, joke) for _, joke, _ in test],
            }
            for name, known in (("SVD, these users", train), ("SVD, all users", train + others)):
                file = os.path.join(place, "known")
                with open(file, "w") as out:
                    out.writelines(f"{user},{joke},{grade}\n" for user, joke, grade in known)
                reader = surprise.Reader(line_format="user item rating", sep=",", rating_scale=(1, GRADES))
                data = surprise.Dataset.load_from_file(file, reader)
                model = surprise.SVD(random_state=number)
                started = time.perf_counter()
                model.fit(data.build_full_trainset())
                found.setdefault(name + " seconds", []).append(time.perf_counter() - started)
                predicted[name] = [model.predict(user, joke).est for user, joke, _ in test]
            truth = np.array([grade for *_, grade in test])
            for name, values in predicted.items():
                decided = np.clip(np.floor(np.array(values) + 0.5), 1, GRADES)
                found.setdefault(name, []).append((np.abs(decided - truth).mean(), (decided != truth).mean()))
        for name in ("user mean", "joke mean", "SVD, these users", "SVD, all users"):
            absolute, wrong = np.mean(found[name], axis=0)
            seconds = float(np.mean(found.get(name + " seconds", [0.0])))
            rows.append({"name": name, "size": size, "absolute": absolute, "wrong": wrong, "seconds": seconds})
    print(json.dumps({"rows": rows, "versions": {"scikit-surprise": surprise.__version__}}))


def neighbours(place, items, attributes):
    import sklearn
    from sklearn.neighbors import NearestNeighbors

    points = np.fromfile(os.path.join(place, "points"), "<f8").reshape(items, attributes)
    times, links = {}, 0
    for algorithm in ("kd_tree", "brute"):
        started = time.perf_counter()
        search = NearestNeighbors(n_neighbors=3, algorithm=algorithm, n_jobs=2)
        nearest = search.fit(points).kneighbors_graph(mode="connectivity")
        links = (nearest + nearest.T).nnz // 2
        times[algorithm] = time.perf_counter() - started
    print(json.dumps({"times": times, "links": links, "versions": {"scikit-learn": sklearn.__version__}}))


if __name__ == "__main__":
    task, place, *rest = sys.argv[1:]
    if task == "split":
        split(place, rest[0], int(rest[1]))
    elif task == "peers":
        peers(place, int(rest[0]))
    else:
        neighbours(place, int(rest[0]), int(rest[1]))
