"""Models in memory: the same numbers as independent implementations, and every way to use them wrongly."""

from __future__ import annotations

import multiprocessing
import pickle
import threading

import choix
import numpy as np
import oracles
import pytest

import ordain


def by_truth(truth, pairs):
    return [(a, b) if truth[a] > truth[b] else (b, a) for a, b in pairs]


def test_agrees_with_an_independent_ep():
    random = np.random.default_rng(1)
    points, truth = random.normal(size=(15, 2)), random.normal(size=15)
    links = [(0, 1), (1, 2), (5, 9), (3, 14)]
    answers = by_truth(truth, [random.choice(15, 2, replace=False) for _ in range(40)])
    kernel = (
        ordain.SquaredExponential(kappa=1.3, rho=0.6)
        + 0.7 * ordain.RegularizedLaplacian(links, beta=1.5, iota=2.0)
        + ordain.Independent(0.4)
    )
    model = ordain.PreferenceModel(kernel, noise=0.35, standardize=False).fit(points, answers)
    covariance = oracles.squared_exponential(points, 1.3, 0.6)
    covariance += 0.49 * oracles.regularized_laplacian(15, links, 1.5, 2.0) + 0.16 * np.eye(15)
    mean, variances, log_evidence = oracles.ep(covariance, answers, 0.35)
    # EP stops when no site moves by more than 1e-8 or so of itself; the oracle goes to 1e-13.
    np.testing.assert_allclose(model.mean_, mean, atol=1e-6)
    np.testing.assert_allclose(model.std_, np.sqrt(variances), atol=1e-6)
    assert model.log_evidence_ == pytest.approx(log_evidence, abs=1e-6)
    probabilities = model.predict_proba([(0, 1)])
    assert probabilities[0, 0] + probabilities[0, 2] == pytest.approx(1.0)


def test_agrees_with_choix_on_independent_items():
    random = np.random.default_rng(2)
    answers = by_truth(np.arange(8.0), [random.choice(8, 2, replace=False) for _ in range(25)])
    mean, covariance = choix.ep_pairwise(8, answers, alpha=0.25, model="probit", max_iter=10_000)
    # choix: Phi of the difference, and a prior precision of alpha.
    model = ordain.PreferenceModel(ordain.Independent(2.0), noise=np.sqrt(0.5)).fit(range(8), answers)
    # Utilities are known up to a constant; choix moves the mean to 0.
    # It stops when sites move by less than 1e-4.
    np.testing.assert_allclose(model.mean_ - model.mean_.mean(), mean - mean.mean(), atol=1e-4)
    np.testing.assert_allclose(model.std_**2, np.diag(covariance), atol=1e-4)


def test_order_of_items_and_answers_does_not_matter(animals):
    ids, values, truth = animals
    answers = [(ids[a], ids[b]) for a, b in by_truth(truth, [(0, 1), (4, 7), (2, 11), (3, 8)])]
    one = ordain.PreferenceModel(noise=0.3).fit(dict(zip(ids, values, strict=True)), answers)
    turned = ordain.PreferenceModel(noise=0.3).fit(dict(zip(ids[::-1], values[::-1], strict=True)), answers[::-1])
    # Sums in another order.
    np.testing.assert_allclose(one.mean_, turned.mean_[::-1], atol=1e-9)
    assert one.rank().ids == turned.rank().ids


def test_ask_and_tell_find_the_order(animals):
    ids, values, truth = animals
    model = ordain.PreferenceModel().fit(dict(zip(ids, values, strict=True)))
    asked = 0
    while not model.certainty().is_reached:
        first, second = model.ask()
        assert model.ask() == (first, second), "asking again gives the same pair"
        better = truth[ids.index(first)] > truth[ids.index(second)]
        model.tell(first, second, "first" if better else "second", judge="ann")
        asked += 1
        assert asked <= 66
    assert np.corrcoef(model.mean_, truth)[0, 1] > 0.95
    assert len(model.answers) == asked
    assert model.forecast() is None, "the goal is reached"


def test_undo_is_as_if_never_heard(taught):
    before, question, asked = taught.mean_, taught.ask(), len(taught.answers)
    taught.tell("animal 1", "animal 2", "second", judge="bob")
    assert not np.array_equal(taught.mean_, before)
    assert taught.undo("bob") == ("animal 1", "animal 2", "second", "bob")
    np.testing.assert_array_equal(taught.mean_, before)
    assert taught.ask() == question and taught.ask().score == question.score
    assert len(taught.answers) == asked
    assert taught.undo("nobody") is None


def test_many_questions_and_pending_ones(taught):
    questions = taught.ask(5)
    pairs = {frozenset(question) for question in questions}
    assert len(pairs) == 5
    others = taught.ask(3, pending=questions)
    assert not pairs & {frozenset(question) for question in others}
    assert set(taught.shown(questions[0])) == set(questions[0])
    assert taught.ask(goal="best") is not None
    assert taught.ask() == questions[0]


def test_only_some_pairs(taught):
    taught.ask_only([("animal 1", "animal 2"), ("animal 3", "animal 4")])
    asked = {frozenset(question) for question in taught.ask(5)}
    assert asked <= {frozenset({"animal 1", "animal 2"}), frozenset({"animal 3", "animal 4"})}
    with pytest.raises(ordain.DataError):
        taught.ask_only([("animal 1", "animal 1")])
    taught.ask_only(None)
    assert len(taught.ask(5)) == 5


def test_no_pair_is_left():
    model = ordain.PreferenceModel(noise=0.5).fit(["a", "b"])
    model.tell(*model.ask())
    assert model.ask() is None and model.ask(3) == []


@pytest.mark.parametrize("outcome", ["first", "tie", "skip", "first>>", 0.8, (7, 3), (5, 2, 3), None, True, np.float64(0.25)])
def test_outcomes(outcome):
    model = ordain.PreferenceModel(tie_width=0.2).fit(["a", "b", "c"])
    model.tell("a", "b", outcome)
    assert len(model.answers) == 1
    assert np.isfinite(model.mean_).all()


def test_single_items_are_good_or_bad():
    model = ordain.PreferenceModel(noise=0.5).fit(["a", "b"], [("a", None, "good"), ("b", None, "bad")])
    assert model.rank().ids == ["a", "b"]


@pytest.mark.parametrize(
    "outcome, error",
    [("frist", ordain.UnknownWordError), (1.5, ordain.DataError), (object(), TypeError), ("first:2", ValueError), (float("nan"), ValueError)],
)
def test_wrong_outcomes_change_nothing(taught, outcome, error):
    before = taught.answers
    with pytest.raises(error):
        taught.tell("animal 1", "animal 2", outcome)
    assert taught.answers == before
    taught.tell("animal 1", "animal 2")
    assert len(taught.answers) == len(before) + 1


def test_a_tie_needs_a_width(taught):
    before = taught.answers
    with pytest.raises(ordain.ParameterError, match="tie_width"):
        taught.tell("animal 1", "animal 2", "tie")
    with pytest.raises(ordain.ParameterError, match="tie_width"):
        ordain.PreferenceModel().fit(["a", "b"], [("a", "b", "tie")])
    assert taught.answers == before and taught.ask() is not None


def test_unknown_items(taught):
    with pytest.raises(ordain.UnknownItemError, match="'zebra'"):
        taught.tell("zebra", "animal 1")
    with pytest.raises(KeyError):
        taught.predict([("animal 1", 3)])
    model = ordain.PreferenceModel().fit([1, 2])
    with pytest.raises(ordain.UnknownItemError) as caught:
        model.tell("1", 2)
    assert caught.value.hint == "there is 1, of type int"
    with pytest.raises(ordain.DataError, match="compared with itself"):
        model.tell(1, 1)


@pytest.mark.parametrize(
    "items, error",
    [
        (np.zeros((2, 2, 2)), ordain.DataTypeError),
        ([[1.0], [2.0]], TypeError),
        (["a", "a"], ordain.DataError),
        (["a", None], ordain.DataError),
        (["a", float("nan")], ordain.DataError),
        ("ab", TypeError),
        (3, TypeError),
        ({"a": [1.0], "b": [1.0, 2.0]}, ordain.DataError),
        ({"a": [1.0], "b": [float("nan")]}, ValueError),
        ({"a": [1.0], "b": [float("inf")]}, ValueError),
        ({"a": ["x"], "b": ["y"]}, TypeError),
        (np.array([[1 + 2j], [2.0]]), TypeError),
    ],
)
def test_wrong_items(items, error):
    with pytest.raises(error):
        ordain.PreferenceModel().fit(items)


@pytest.mark.parametrize(
    "params, error",
    [
        ({"noise": 0.0}, ordain.ParameterError),
        ({"noise": "lern"}, ordain.ParameterError),
        ({"tie_width": -1.0}, ordain.ParameterError),
        ({"goal": "wohle-order"}, ordain.UnknownWordError),
        ({"goal": "top", "top": 9}, ordain.ParameterError),
        ({"strategy": "no"}, ordain.ParameterError),
        ({"strategy": "random", "focus": 0.1}, ordain.ParameterError),
        ({"kernel": "linear"}, TypeError),
        ({"kernel": ordain.SquaredExponential()}, ordain.DataError),
        ({"kernel": ordain.Independent(-1.0)}, ordain.OrdainError),
    ],
)
def test_wrong_parameters(params, error):
    with pytest.raises(error):
        ordain.PreferenceModel(**params).fit(["a", "b", "c"])


def test_before_fit():
    model = ordain.PreferenceModel()
    for use in (model.ask, model.rank, lambda: model.tell("a", "b"), lambda: model.mean_):
        with pytest.raises(ordain.NotFittedError):
            use()


def test_a_failed_fit_leaves_the_model_as_it_was(taught):
    before = taught.mean_
    with pytest.raises(ordain.DataError):
        taught.fit(["a", "a"])
    np.testing.assert_array_equal(taught.mean_, before)


def test_errors_say_what_to_do():
    with pytest.raises(ordain.UnknownWordError) as caught:
        ordain.PreferenceModel(goal="bets").fit(["a", "b"])
    assert str(caught.value) == 'found "bets", expected a known goal'
    assert caught.value.hint.startswith('did you mean "best"?')
    assert caught.value.__notes__ == [f"hint: {caught.value.hint}"]
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, ordain.OrdainError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_tuning_raises_the_evidence(taught):
    before = taught.log_evidence_
    dry = taught.tune(apply=False)
    assert taught.log_evidence_ == before
    tuned = taught.tune()
    assert list(tuned["value"]) == list(dry["value"])
    assert tuned.log_posterior > tuned.log_posterior_before
    assert {part.weight for part in taught.kernel_} != {1.0, 0.5}
    # Values are rounded as they are written into project files.
    assert taught.log_evidence_ == pytest.approx(tuned.log_evidence, abs=1e-3)


def test_comparison_names_every_kernel(taught):
    found = taught.compare(folds=4, tuned=False)
    assert found["model"] == ["all kernels", "without squared-exponential", "without independent"]
    assert found["change"][1] > 0, "attributes help"
    with pytest.raises(ordain.OrdainError):
        taught.compare(folds=1)


def restored(payload: bytes) -> bytes:
    model = pickle.loads(payload)
    return pickle.dumps((model.mean_, model.std_, model.ask(), model.ask().score, model.rank().to_dict(), model.answers))


@pytest.mark.parametrize("start", ["spawn", "fork"])
def test_models_cross_processes(taught, start):
    taught.tell("animal 3", "animal 4", "first>>", judge="ann")
    taught.undo("ann")
    taught.rank()  # so that threads run before the fork
    with multiprocessing.get_context(start).Pool(2) as pool:
        results = pool.map_async(restored, [pickle.dumps(taught)] * 3).get(timeout=120)
    for result in results:
        assert result == restored(pickle.dumps(taught))
    mean, std, question, score, ranking, answers = pickle.loads(results[0])
    np.testing.assert_array_equal(mean, taught.mean_)
    np.testing.assert_array_equal(std, taught.std_)
    assert (question, score) == (taught.ask(), taught.ask().score)
    assert ranking == taught.rank().to_dict() and answers == taught.answers


def test_params_survive_pickling_before_fit():
    model = pickle.loads(pickle.dumps(ordain.PreferenceModel(ordain.Independent(2.0), noise=0.4, goal="best")))
    assert model.get_params()["noise"] == 0.4 and model.kernel == ordain.Independent(2.0)
    with pytest.raises(ordain.NotFittedError):
        model.rank()


@pytest.mark.parametrize("ids", [["ü, x", 'quo"te', "1"], [3, 1, 2], [(1, "a"), (1, "b"), (2, "a")], [1, "1", 1.5]])
def test_save_and_load(ids, tmp_path, command):
    kernel = ordain.Linear() + ordain.RegularizedLaplacian([(ids[0], ids[1], 2.0)]) + ordain.Independent(0.5)
    model = ordain.PreferenceModel(kernel, noise=0.4, tie_width=0.1, goal="best", seed=5)
    model.fit(dict(zip(ids, [[0.1], [0.7], [-1.0]], strict=True)), [(ids[0], ids[1], "tie", "ann"), (ids[2], ids[0], 0.8)])
    model.save(tmp_path / "saved")
    again = ordain.PreferenceModel.load(tmp_path / "saved")
    assert again.items == ids and again.answers == model.answers
    np.testing.assert_array_equal(again.mean_, model.mean_)
    assert again.rank().to_dict() == model.rank().to_dict()
    assert again.ask() == model.ask()
    assert [type(part) for part in again.kernel] == [type(part) for part in kernel]
    # The folder is a project like any other.
    assert "log_evidence" in command("rank", tmp_path / "saved", "--format", "json")
    with pytest.raises(ordain.FileError):
        model.save(tmp_path / "saved")


def test_ids_that_cannot_be_written(tmp_path):
    class Thing:
        pass

    model = ordain.PreferenceModel().fit([Thing(), Thing()])
    with pytest.raises(ordain.DataTypeError):
        model.save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "ordain.toml").exists()


def test_threads_call_one_model_at_once(taught):
    failures = []

    def work(at: int) -> None:
        try:
            for step in range(10):
                if at % 3 == 0:
                    taught.tell(f"animal {at}", f"animal {(at + step) % 11 + 1}" if at != (at + step) % 11 + 1 else "animal 0", judge=str(at))
                elif at % 3 == 1:
                    taught.rank(draws=100)
                    taught.ask()
                else:
                    taught.predict_proba([("animal 1", "animal 2")])
        except BaseException as error:
            failures.append(error)

    before = len(taught.answers)
    threads = [threading.Thread(target=work, args=(at,)) for at in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    assert failures == []
    assert len(taught.answers) == before + 20, "no answer is lost"


def test_groups_are_ranked_by_themselves():
    model = ordain.PreferenceModel(noise=0.5)
    model.fit(["a", "b", "c", "d"], [("b", "a"), ("d", "c")], group=["x", "x", "y", "y"])
    ranking = model.rank()
    assert ranking.ids == ["b", "a", "d", "c"] and ranking["group"] == ["x", "x", "y", "y"]
    assert list(ranking["rank"]) == [1, 2, 1, 2]
    with pytest.raises(ordain.DataError, match="two groups"):
        model.tell("a", "c")


def test_kernels_are_values():
    kernel = 2 * (ordain.Linear() + 0.5 * ordain.Independent()) + ordain.Matern32(rho=[1.0, 2.0])
    assert [part.weight for part in kernel] == [2.0, 1.0, 1.0]
    assert kernel == pickle.loads(pickle.dumps(kernel))
    assert sum([ordain.Linear(), ordain.Independent()]) == ordain.Linear() + ordain.Independent()
    assert repr(0.5 * ordain.Independent()) == "Independent(weight=0.5)"
    with pytest.raises(TypeError):
        ordain.Linear() * ordain.Linear()
    with pytest.raises(AttributeError):
        ordain.Linear().weight = 3.0


@pytest.mark.parametrize(
    "kernel",
    [
        ordain.SquaredExponential(rho=[1.0, 0.5, 0.2]),
        ordain.Matern32(),
        ordain.Matern52(kappa=2.0),
        ordain.Linear(),
        ordain.Polynomial(degree=3, offset=0.5),
        ordain.Cosine(),
        ordain.SquaredExponential(semi_supervised={"neighbours": 3, "strength": 0.5}),
        ordain.RegularizedLaplacian([("animal 0", "animal 1")]),
        ordain.CommonCause([("animal 0", "animal 1")], form="cliques"),
        ordain.Diffusion([("animal 0", "animal 1")], beta=0.5),
        ordain.DirectedLaplacian([("animal 0", "animal 1")]),
        ordain.Linear(links=[("animal 0", "theme"), ("animal 1", "theme")], role="bipartite"),
    ],
)
def test_every_kernel_comes_back_from_its_table(animals, kernel):
    ids, values, _ = animals
    model = ordain.PreferenceModel(kernel + ordain.Independent(0.3), noise=0.5).fit(dict(zip(ids, values, strict=True)), [(ids[0], ids[1])])
    first = next(iter(model.kernel_))
    assert type(first) is type(kernel)
    given, found = kernel.table(), first.table()
    for key in given:
        if key not in ("relation", "rho"):
            assert found[key] == given[key], key
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.mean_, model.mean_)
