"""A Bradley-Terry model of a file of answers: python3 arena.py evalica|arena-rank|choix ANSWERS.csv

    out: {"read": seconds, "fit": seconds, "scores": {item: number}, "version": ...}

The file has the columns first, second and outcome, which is "first" or "second". Scores grow with strength.
"""

import importlib
import json
import math
import sys
import time
from importlib.metadata import version

import pandas as pd


def evalica(answers):
    from evalica import Winner, bradley_terry

    winners = answers["outcome"].map({"first": Winner.X, "second": Winner.Y})
    result = bradley_terry(answers["first"], answers["second"], winners)
    return {item: math.log(score) for item, score in result.scores.items()}


def arena_rank(answers):
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    outcomes = answers.rename(columns={"first": "model_a", "second": "model_b", "outcome": "winner"})
    outcomes["winner"] = outcomes["winner"].map({"first": "model_a", "second": "model_b"})
    data = PairDataset.from_pandas(outcomes)
    model = BradleyTerry(n_competitors=len(data.competitors))
    model.fit(data)
    return dict(zip(data.competitors, model.params["ratings"].tolist()))


def choix(answers):
    import choix
    import numpy as np

    places, names = pd.factorize(pd.concat([answers["first"], answers["second"]]))
    first, second = places[: len(answers)], places[len(answers) :]
    won = (answers["outcome"] == "first").to_numpy()
    winner, loser = np.where(won, first, second), np.where(won, second, first)
    wins = np.zeros((len(names), len(names)))
    np.add.at(wins, (winner, loser), 1)
    return dict(zip(names, choix.ilsr_pairwise_dense(wins).tolist()))


# What each one imports, before the clock starts.
MODULES = {
    "evalica": ["evalica"],
    "arena-rank": ["arena_rank.models.bradley_terry", "arena_rank.utils.data_utils"],
    "choix": ["choix", "numpy"],
}


def main():
    contender, path = sys.argv[1:]
    for module in MODULES[contender]:
        importlib.import_module(module)
    started = time.perf_counter()
    answers = pd.read_csv(path, usecols=["first", "second", "outcome"])
    read = time.perf_counter() - started
    scores = {"evalica": evalica, "arena-rank": arena_rank, "choix": choix}[contender](answers)
    fit = time.perf_counter() - started - read
    json.dump({"read": read, "fit": fit, "scores": scores, "version": version(contender)}, sys.stdout)


main()
