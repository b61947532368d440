"""Graded lists: rankers that learn from grades, and LightGBM with the same lambdas as its objective."""

import lightgbm as lgb
import numpy as np
import ordain
from ordain import measures

random = np.random.default_rng(5)
X = random.normal(size=(600, 5))
qid = np.repeat(np.arange(60), 10)
y = np.clip(np.round(X[:, 0] - 0.5 * X[:, 1] + 0.4 * random.normal(size=600) + 0.5), 0, 3).astype(int)
train, test = qid < 45, qid >= 45

scores = {}
for ranker in (ordain.LambdaRank(epochs=30, restarts=1), ordain.RankingSVM()):
    ranker.fit(X[train], y[train], qid=qid[train])
    scores[type(ranker).__name__] = ranker.predict(X[test], qid=qid[test])

data = lgb.Dataset(X[train], y[train], group=[10] * 45)
params = {"objective": ordain.lightgbm_objective(), "verbose": -1, "num_threads": 1}
scores["LightGBM"] = np.asarray(lgb.train(params, data, num_boost_round=50).predict(X[test]), float)

for name, found in scores.items():
    mean = measures.evaluate(y[test], found, qid[test], measures=["ndcg@10", "map"]).mean()
    print(name, {measure: round(value, 3) for measure, value in mean.items()})
    assert mean["ndcg@10"] > 0.8
