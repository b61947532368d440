"""Rankers, objectives, fusion and measures: scikit-learn's conventions, and the numbers of other implementations."""

from __future__ import annotations

import pickle

import numpy as np
import pandas
import pytest
import scipy.stats
import sklearn.metrics
from sklearn.base import clone
from sklearn.utils import estimator_checks

import ordain
from ordain import fusion, measures


@pytest.fixture
def graded():
    random = np.random.default_rng(5)
    X = random.normal(size=(200, 4))
    qid = np.repeat(np.arange(20), 10)
    y = np.clip(np.round(X @ [1.0, -0.5, 0.2, 0.0] + 0.3 * random.normal(size=200)), 0, 3).astype(int)
    return X, y, qid


RANKERS = [ordain.LambdaRank(epochs=15, restarts=1), ordain.RankNet(epochs=15, restarts=1), ordain.RankingSVM()]


@pytest.mark.parametrize("ranker", RANKERS, ids=repr)
def test_rankers_learn(ranker, graded, tmp_path, command):
    X, y, qid = graded
    ranker = clone(ranker).fit(X[:150], y[:150], qid=qid[:150], eval_set=(X[150:], y[150:], qid[150:]))
    assert ranker.score(X[150:], y[150:], qid=qid[150:]) > 0.8
    assert ranker.feature_importances_.sum() == pytest.approx(1.0)
    assert np.argmax(ranker.feature_importances_) == 0
    scores = ranker.predict(X, qid=qid)
    # Documents of a query need not stand together.
    order = np.random.default_rng(1).permutation(200)
    np.testing.assert_allclose(ranker.predict(X[order], qid=qid[order]), scores[order], atol=1e-12)
    again = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(again.predict(X, qid=qid), scores)
    ranker.save(tmp_path / "model.json")
    assert (tmp_path / "model.json").stat().st_size > 100


#: Checks of scikit-learn that do not fit a ranker, each with the reason. All others pass.
NOT_FOR_RANKERS = {
    "check_array_api_input": "needs a variable of the environment that scikit-learn's own tests set",
    "check_dtype_object": "texts among numbers are refused with a TypeError in other words",
    "check_estimators_empty_data_messages": "no attributes are refused in the library's words",
    "check_fit2d_1sample": "one document is refused in the library's words: there is nothing to rank",
    "check_fit2d_predict1d": "a vector is refused in the words that all functions here have",
    "check_methods_subset_invariance": "attributes are scaled within each query, so part of a query is another query",
    "check_requires_y_none": "a missing y is refused in the words that all functions here have",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "ranker", [ordain.RankingSVM(), ordain.LambdaRank(epochs=3, restarts=1, rates=(0.1,)), ordain.RankNet(epochs=3, restarts=1)], ids=repr
)
def test_estimator_checks(ranker):
    results = estimator_checks.check_estimator(ranker, on_fail=None, on_skip=None)
    assert len(results) > 30
    failed = {result["check_name"]: result["exception"] for result in results if result["status"] != "passed"}
    assert set(failed) <= set(NOT_FOR_RANKERS), failed
    # What must be refused is refused, in other words: nothing crashes.
    for name, error in failed.items():
        assert isinstance(error, AssertionError | ValueError | TypeError) or name == "check_array_api_input", (name, error)


@pytest.mark.parametrize("estimator", [*RANKERS, ordain.PreferenceModel(noise=0.3), ordain.Hedge(beta=0.7), ordain.Margin(), ordain.LabelRanker(), ordain.CollaborativeModel()], ids=repr)
def test_params(estimator):
    again = clone(estimator)
    assert again.get_params() == estimator.get_params()
    name, value = next(iter(estimator.get_params().items()))
    assert again.set_params(**{name: value}) is again
    with pytest.raises(ValueError, match="expected one of"):
        again.set_params(nonsense=1)
    assert type(estimator).__name__ in repr(estimator)


def test_not_fitted(graded):
    from sklearn.exceptions import NotFittedError

    for use in (lambda: ordain.LambdaRank().predict(graded[0]), lambda: ordain.Hedge().weights_, lambda: ordain.PreferenceModel().rank()):
        with pytest.raises(ordain.NotFittedError) as caught:
            use()
        assert isinstance(caught.value, NotFittedError)


@pytest.mark.parametrize(
    "change, error",
    [
        (lambda X, y, q: (X[:-1], y, q), ordain.DataError),
        (lambda X, y, q: (X, y, q[:-1]), ordain.DataError),
        (lambda X, y, q: (X[:, 0], y, q), ordain.DataError),
        (lambda X, y, q: (np.where(X > 2, np.nan, X), y, q), ordain.DataError),
        (lambda X, y, q: (X, y + 0.5, q), ordain.DataError),
        (lambda X, y, q: (X.astype(str), y, q), TypeError),
        (lambda X, y, q: (X, np.zeros_like(y), q), ordain.DataError),
    ],
)
def test_wrong_shapes_and_types(graded, change, error):
    X, y, q = change(*graded)
    with pytest.raises(error):
        ordain.RankingSVM().fit(X, y, qid=q)


def test_columns_keep_their_names(graded):
    X, y, qid = graded
    frame = pandas.DataFrame(X, columns=list("abcd"))
    ranker = ordain.RankingSVM().fit(frame, y, qid=qid)
    assert list(ranker.feature_names_in_) == list("abcd")
    np.testing.assert_array_equal(ranker.predict(frame[["d", "c", "b", "a"]], qid=qid), ranker.predict(frame, qid=qid))
    with pytest.raises(ordain.DataError, match="no column d"):
        ranker.predict(frame[["a", "b", "c"]], qid=qid)
    with pytest.raises(ordain.DataError, match="X has 3 features"):
        ranker.predict(X[:, :3], qid=qid)


def test_lambda_gradient_is_a_gradient():
    """Of RankNet's cross entropy, by differences."""
    random = np.random.default_rng(3)
    y, s, qid = random.integers(0, 3, 12), random.normal(size=12), np.repeat([0, 1], 6)

    def cost(scores):
        total = 0.0
        for i in range(12):
            for j in range(12):
                if qid[i] == qid[j] and y[i] > y[j]:
                    total += np.log1p(np.exp(-(scores[i] - scores[j])))
        return total

    gradient, curvature = ordain.lambda_gradient(y, s, qid, weight="pairs")
    step = 1e-5
    for at in range(12):
        up, down = s.copy(), s.copy()
        up[at] += step
        down[at] -= step
        # Central differences are off by about step² and 1e-16 / step.
        assert gradient[at] == pytest.approx((cost(up) - cost(down)) / (2 * step), abs=1e-8)
        assert curvature[at] == pytest.approx((cost(up) - 2 * cost(s) + cost(down)) / step**2, abs=1e-4)
    mixed = random.permutation(12)
    np.testing.assert_allclose(ordain.lambda_gradient(y[mixed], s[mixed], qid[mixed], weight="pairs")[0], gradient[mixed])
    with pytest.raises(ordain.DataError):
        ordain.lambda_gradient([1, 0], [0.0])
    with pytest.raises(ordain.DataError, match="ndcg"):
        ordain.lambda_gradient([1, 0], [0.0, 1.0], weight="ndgc")


def test_objective_of_lightgbm(graded):
    lightgbm = pytest.importorskip("lightgbm")
    X, y, qid = graded
    train = lightgbm.Dataset(X, y, group=[10] * 20)
    params = {"objective": ordain.lightgbm_objective(), "verbose": -1, "min_data_in_leaf": 5, "num_threads": 1}
    booster = lightgbm.train(params, train, num_boost_round=30)
    found = measures.evaluate(y, booster.predict(X), qid, measures=["ndcg@10"]).mean()["ndcg@10"]
    before = measures.evaluate(y, np.zeros(200), qid, measures=["ndcg@10"], ties="expected").mean()["ndcg@10"]
    assert found > 0.93 > 0.8 > before


def test_objective_of_xgboost(graded):
    xgboost = pytest.importorskip("xgboost")
    X, y, qid = graded
    train = xgboost.DMatrix(X, y, qid=qid)
    booster = xgboost.train({"nthread": 1, "base_score": 0.0}, train, 30, obj=ordain.xgboost_objective())
    found = measures.evaluate(y, booster.predict(train), qid, measures=["ndcg@10"]).mean()["ndcg@10"]
    before = measures.evaluate(y, np.zeros(200), qid, measures=["ndcg@10"], ties="expected").mean()["ndcg@10"]
    assert found > 0.93 > 0.8 > before


def test_measures_are_scikit_learns():
    random = np.random.default_rng(4)
    y, s = random.integers(0, 4, (30, 15)), random.normal(size=(30, 15))
    found = measures.evaluate(y.ravel(), s.ravel(), np.repeat(np.arange(30), 15), measures=["ndcg", "ndcg@5", "map"])
    for at in range(30):
        assert found["ndcg"][at] == pytest.approx(sklearn.metrics.ndcg_score(y[at : at + 1], s[at : at + 1]))
        assert found["ndcg@5"][at] == pytest.approx(sklearn.metrics.ndcg_score(y[at : at + 1], s[at : at + 1], k=5))
        assert found["map"][at] == pytest.approx(sklearn.metrics.average_precision_score(y[at] > 0, s[at]))
    assert found.mean()["map"] == pytest.approx(found["map"].mean())


def test_measures_of_runs_are_trec_evals():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    random = np.random.default_rng(6)
    qrels = {f"q{q}": {f"d{d}": int(random.integers(0, 3)) for d in random.choice(40, 15, replace=False)} for q in range(9)}
    # Scores of one digit have many ties.
    run = {f"q{q}": {f"d{d}": float(random.integers(0, 9)) for d in random.choice(40, 20, replace=False)} for q in range(8)}
    ours = measures.evaluate_run(qrels, run, measures=["map", "ndcg", "ndcg@5", "p@5", "mrr", "recall@10", "bpref", "rprec"])
    names = ["map", "ndcg", "ndcg_cut_5", "P_5", "recip_rank", "recall_10", "bpref", "Rprec"]
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures)).evaluate(run)
    for row in ours.rows():
        for name, own in zip(names, [key for key in row if key != "query"], strict=True):
            # trec_eval rounds to 4 places only when it prints.
            assert row[own] == pytest.approx(theirs[row["query"]][name], abs=1e-9), name
    assert len(ours) == 8


def test_agreement_is_scipys():
    random = np.random.default_rng(8)
    x, y = random.integers(0, 9, 40).astype(float), random.normal(size=40)
    assert measures.kendall_tau_b(x, y) == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    assert measures.spearman_rho(x, y) == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert measures.auc(y, x > 4) == pytest.approx(sklearn.metrics.roc_auc_score(x > 4, y))
    assert measures.paired_t_test(x, y).p_value == pytest.approx(scipy.stats.ttest_rel(x, y).pvalue)
    assert measures.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert 0 < measures.hoeffding_slack(100, 10, 0.05) < 1
    assert {"map", "bpref"} <= set(measures.names())
    for wrong in (lambda: measures.evaluate([1, 0], [0.5]), lambda: measures.evaluate([1, 0], [0.5, float("nan")])):
        with pytest.raises(ordain.DataError):
            wrong()
    with pytest.raises(ordain.OrdainError):
        measures.evaluate([1], [1.0], measures=["mpa"])


def test_fusion_of_ids_of_any_type():
    fused = fusion.fuse([[1, "b", (3,)], {(3,): 5.0, 1: 7.0}], method="borda")
    assert fused.ids[0] == 1 and set(fused.ids) == {1, "b", (3,)}
    assert list(fused["score"]) == sorted(fused["score"], reverse=True)
    # Reciprocal rank fusion by hand.
    rrf = fusion.fuse([["a", "b"], ["b", "a", "c"]], method="rrf")
    assert dict(zip(rrf.ids, rrf["score"], strict=True))["c"] == pytest.approx(1 / 63)
    with pytest.raises(ordain.DataError):
        fusion.fuse([["a", "a"]])
    with pytest.raises(ordain.UnknownWordError):
        fusion.fuse([["a"]], method="bodra")
    with pytest.raises(ordain.OrdainError):
        fusion.fuse([])


def test_agreement_and_clicks():
    experts = [["a", "b", "c"], ["b", "a", "c"]]
    # Over the pairs ab, ac, bc: one half, one, one.
    assert fusion.agreement(["a", "b", "c"], experts) == pytest.approx(2.5)
    best = fusion.fuse(experts, method="exact").ids
    assert fusion.agreement(best, experts) == pytest.approx(2.5)
    assert fusion.clicks(["a", "b", "c"], ["c"]) == [("c", "a"), ("c", "b")]
    with pytest.raises(ordain.DataError):
        fusion.clicks(["a"], ["z"])


def test_hedge_follows_its_formula():
    rounds = [([["a", "b", "c"], ["c", "b", "a"]], {"a": 2, "b": 1, "c": 0}), ([["x", "y"], ["y", "x"]], [("x", "y")])]
    hedge = ordain.Hedge(beta=0.5).fit(rounds)
    # The second expert is wrong about all: weights 1 and 0.5 * 0.5.
    np.testing.assert_allclose(hedge.weights_, [0.8, 0.2])
    np.testing.assert_allclose(hedge.expert_losses_, [0.0, 2.0])
    assert hedge.loss_ <= hedge.bound_
    again = pickle.loads(pickle.dumps(hedge))
    np.testing.assert_array_equal(again.weights_, hedge.weights_)
    assert again.predict([["x", "y"], ["y", "x"]]).ids == ["x", "y"]
    margin = ordain.Margin().fit(rounds)
    assert margin.weights_[0] > margin.weights_[1]
    with pytest.raises(ordain.DataError):
        hedge.partial_fit([["x", "y"]], [("x", "y")])
    with pytest.raises(ordain.DataError, match="'z'"):
        hedge.partial_fit([["x", "y"], ["y", "x"]], [("z", "y")])


@pytest.mark.parametrize("learner", ["online", "logistic", "pairwise", "neighbours", "forest"])
def test_labels_are_ranked(learner):
    random = np.random.default_rng(9)
    X = random.normal(size=(150, 3))
    names = [(1, "a"), "b", 3]
    y = [[name for name, value in zip(names, row, strict=True) if value > 0] for row in X]
    ranker = clone(ordain.LabelRanker(learner, labels=names)).fit(X[:100], y[:100])
    found = ranker.evaluate(X[100:], y[100:])
    assert found["hamming"] < 0.2 and found["average_precision"] > 0.9
    assert ranker.classes_ == names and all(set(row) == set(names) for row in ranker.predict(X[100:]))
    hits = sum(set(one) == set(other) for one, other in zip(ranker.predict_sets(X[100:]), y[100:], strict=True))
    assert hits > 30
    again = pickle.loads(pickle.dumps(ranker))
    np.testing.assert_array_equal(again.decision_function(X), ranker.decision_function(X))
    if learner == "neighbours":
        assert ((ranker.predict_proba(X) >= 0) & (ranker.predict_proba(X) <= 1)).all()
    if learner == "logistic":
        with pytest.raises(ordain.DataError, match="across=False"):
            ranker.predict_proba(X)
        apart = clone(ranker).set_params(across=False).fit(X[:100], y[:100])
        assert ((apart.predict_proba(X) > 0.5) == (apart.decision_function(X) > 0)).all()


def test_orders_and_classes_of_labels():
    random = np.random.default_rng(10)
    X = random.normal(size=(120, 3))
    orders = [np.argsort(-row).tolist() for row in X]
    ranker = ordain.LabelRanker(target="order").fit(X[:80], orders[:80])
    assert ranker.evaluate(X[80:], orders[80:])["tau"] > 0.8
    with pytest.raises(ordain.DataError, match="relevant"):
        ranker.predict_sets(X)
    classes = ordain.LabelRanker("logistic", target="class").fit(X[:80], [order[0] for order in orders[:80]])
    assert classes.evaluate(X[80:], [order[0] for order in orders[80:]])["accuracy"] > 0.8
    for wrong in (lambda: ordain.LabelRanker().fit(X, orders[:5]), lambda: ordain.LabelRanker().fit(X, ["ab"] * 120), lambda: classes.predict(X[:, :2])):
        with pytest.raises(ordain.DataError):
            wrong()


def test_users_share_what_they_like():
    random = np.random.default_rng(11)
    items = [f"film {at}" for at in range(12)]
    worth = random.normal(size=12)
    ratings = []
    for user in range(15):
        for at in random.choice(12, 8, replace=False):
            ratings.append((user, items[at], int(np.clip(np.round(3 + worth[at] + 0.4 * random.normal()), 1, 5))))
    model = clone(ordain.CollaborativeModel(rounds=5)).fit(items, ratings)
    found = dict(zip(model.consensus().ids, model.consensus()["mean"], strict=True))
    assert np.corrcoef([found[item] for item in items], worth)[0, 1] > 0.9
    own = model.rank(3)
    assert own.probabilities.shape == (12, 5) and own.grades == [1, 2, 3, 4, 5]
    np.testing.assert_allclose(own.probabilities.sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.rank(3)["mean"], own["mean"])
    turned = model.rank_newcomer([(items[int(np.argmin(worth))], 5), (items[int(np.argmax(worth))], 1)], [(items[0], items[1])])
    assert turned["grade"].std() < model.consensus()["mean"].std() * 2
    frame = pandas.DataFrame(ratings, columns=["user", "item", "grade"])
    np.testing.assert_array_equal(clone(model).fit(items, frame).rank(3)["mean"], own["mean"])
    for wrong in (
        lambda: model.rank(99),
        lambda: model.rank_newcomer([("no film", 3)]),
        lambda: model.rank_newcomer([(items[0], 9)]),
        lambda: ordain.CollaborativeModel().fit(items, []),
        lambda: ordain.CollaborativeModel().fit(items, [(1, items[0], 2.5)]),
    ):
        with pytest.raises(ordain.DataError):
            wrong()
