"""Choices among several items, judges who are left out, gold pairs and priors: as the command has them, and every way to use them wrongly."""

from __future__ import annotations

import json
import pickle

import numpy as np
import oracles
import pandas
import polars
import pytest

import ordain
from ordain import data

IDS = [f"i{at}" for at in range(9)]

TOML = """
[items]
file = "items.csv"
attributes = ["x", "y"]
prior = ["score"]
prior_weights = [0.5]

[[kernel]]
kind = "squared-exponential"
weight = 1.0
kappa = 1.0
rho = 0.7

[[kernel]]
kind = "independent"
weight = 0.4

[answers]
file = "answers.csv"
noise = "learn"
tie_width = 0.1
gold = "gold.csv"
gold_rate = 0.5
"""


@pytest.fixture
def crowd(tmp_path):
    """A project with three judges, screens, gold pairs and a prior, and its columns."""
    random = np.random.default_rng(11)
    columns = {"id": IDS, "x": random.normal(size=9), "y": random.normal(size=9), "score": random.normal(size=9)}
    truth = columns["x"] - 0.5 * columns["y"] + 0.3 * columns["score"]
    folder = tmp_path / "crowd"
    folder.mkdir()
    pandas.DataFrame(columns).to_csv(folder / "items.csv", index=False)
    rows = []
    for at in range(45):
        judge = ("ann", "bob", "dan")[at % 3]
        first, second, third = random.choice(9, 3, replace=False)
        noisy = truth + random.normal(size=9) * (2.0 if judge == "dan" else 0.1)
        best, *others = sorted([first, second, third], key=lambda item: -noisy[item])
        if at % 9 == 4:
            rows.append((IDS[best], IDS[others[0]], f"best:{IDS[others[1]]}", judge))
        elif at % 9 == 7:
            rows.append((IDS[best], IDS[others[0]], f"order:{IDS[others[1]]}", judge))
        elif at % 9 == 8:
            rows.append((IDS[first], IDS[second], "tie" if at % 2 else "skip", judge))
        else:
            rows.append((IDS[first], IDS[second], "first" if noisy[first] > noisy[second] else "second", judge))
    rows += [("i0", "i1", "first", judge) for judge in ("ann", "bob")] + [("i1", "i0", "first", "dan")]
    pandas.DataFrame(rows, columns=["first", "second", "outcome", "judge"]).to_csv(folder / "answers.csv", index=False)
    (folder / "gold.csv").write_text("first,second,outcome\ni0,i1,first\ni2,i3,second\n")
    (folder / "ordain.toml").write_text(TOML)
    return folder, pandas.DataFrame(columns)


def in_memory(folder, items):
    kernel = ordain.SquaredExponential(kappa=1.0, rho=0.7) + 0.4 * ordain.Independent()
    model = ordain.PreferenceModel(kernel, tie_width=0.1, gold_rate=0.5)
    answers, gold = pandas.read_csv(folder / "answers.csv"), pandas.read_csv(folder / "gold.csv")
    return model.fit(items, answers, prior="score", gold=gold)


def test_screens_are_the_commands(crowd, command):
    folder, _ = crowd
    ours = ordain.Project(folder)
    theirs = json.loads(command("next", folder, "--choose", "4", "--count", "2", "--format", "json"))["screens"]
    found = ours.ask(2, choose=4)
    assert [{"items": list(screen), "score": screen.score} for screen in found] == theirs
    assert ours.ask(choose=4) == found[0] and ours.ask(choose=4).score == found[0].score
    assert sorted(ours.shown(found[0])) == sorted(found[0])
    assert ours.shown(found[0]) == ours.shown(found[0])
    best = json.loads(command("next", folder, "--choose", "3", "--goal", "best", "--format", "json"))["screens"][0]
    assert list(ours.ask(choose=3, goal="best")) == best["items"]


def test_judges_are_the_commands(crowd, command):
    folder, _ = crowd
    ours = ordain.Project(folder).judges()
    theirs = json.loads(command("judges", folder, "--format", "json"))
    assert ours.to_dict() == theirs
    assert list(ours.columns) == list(theirs["judges"][0]) == ordain.results._JUDGES
    assert min(ours["gold_answers"]) >= 1 and len(ours.to_pandas()) == 3
    empty = ordain.PreferenceModel().fit(["a", "b"]).judges()
    assert len(empty) == 0 and empty.columns == ours.columns and not empty.told_apart


def test_without_a_judge_is_the_commands(crowd, command):
    folder, _ = crowd
    ours = ordain.Project(folder)
    whole = ours.rank().to_dict()
    for left_out in (["dan"], ["dan", "ann"]):
        options = [option for name in left_out for option in ("--without", name)]
        theirs = json.loads(command("rank", folder, "--format", "json", *options))
        assert ours.rank(without=left_out).to_dict() == theirs
    asked = json.loads(command("next", folder, "--count", "3", "--format", "json", "--without", "dan"))["pairs"]
    assert [(first, second) for first, second in ours.ask(3, without=["dan"])] == [(row["first"], row["second"]) for row in asked]
    screens = json.loads(command("next", folder, "--choose", "3", "--format", "json", "--without", "dan"))["screens"]
    assert list(ours.ask(choose=3, without=["dan"])) == screens[0]["items"]
    assert ours.rank().to_dict() == whole, "nobody is left out for good"
    ours.tell("i4", "i5", judge="dan")
    assert len(ordain.Project(folder).answers) == len(ours.answers), "his answers are kept"


def test_a_judge_who_is_left_out_never_answered(crowd):
    folder, items = crowd
    answers = [answer for answer in in_memory(folder, items).answers if answer[3] != "dan"]
    alone = in_memory(folder, items).fit(items, answers, prior="score", gold=[("i0", "i1"), ("i3", "i2")])
    model = in_memory(folder, items)
    assert model.rank(without=["dan"]).to_dict() == alone.rank().to_dict()
    assert model.ask(without=["dan"]) == alone.ask()
    pairs = [("i4", "i5"), ("i2", "i8")]
    np.testing.assert_array_equal(model.predict_proba(pairs, without=["dan"]), alone.predict_proba(pairs))
    assert model.certainty(without=["dan"]) == alone.certainty()
    model.tell("i4", "i5", judge="ann")
    alone.tell("i4", "i5", judge="ann")
    assert model.ask(without=["dan"]) == alone.ask()
    assert model.ask(goal="best", without=["dan"]) == alone.ask(goal="best")
    model.undo("ann")
    alone.undo("ann")
    last = model.ask(4, without=["dan"])[-1]
    model.ask_only([tuple(last)])
    assert set(model.ask(without=["dan"])) == set(last)


def test_wrong_judges(crowd):
    folder, items = crowd
    for model in (ordain.Project(folder), in_memory(folder, items)):
        for use in (model.rank, model.ask, model.certainty):
            with pytest.raises(ordain.OrdainError) as caught:
                use(without=["dna"])
            assert "dan" in (caught.value.hint or ""), "did you mean"
            with pytest.raises(ordain.DataTypeError, match="list of names"):
                use(without="dan")
        with pytest.raises(ordain.ParameterError, match="dan"):
            model.ask(judge="dan", without=["dan"])
        assert model.ask() is not None


def test_memory_and_project_agree(crowd):
    """The tables of the command, read as frames, give its numbers: priors, gold, screens."""
    folder, items = crowd
    project, model = ordain.Project(folder), in_memory(folder, items)
    assert model.answers == project.answers
    # The weight of the prior differs, so the project gets that of the model.
    project_toml = (folder / "ordain.toml").read_text()
    (folder / "ordain.toml").write_text(project_toml.replace("prior_weights = [0.5]\n", ""))
    project = ordain.Project(folder)
    assert model.rank().to_dict() == project.rank().to_dict()
    assert model.ask() == project.ask() and model.ask(choose=5) == project.ask(choose=5)
    assert model.judges().to_dict() == project.judges().to_dict()
    assert model.gold_question("eve") == project.gold_question("eve")
    tuned = model.tune(apply=False)
    assert "prior[0]" in tuned["name"] and list(tuned.rows()) == list(project.tune(apply=False).rows())


def test_what_is_told_of_a_screen():
    model = ordain.PreferenceModel(noise=0.5).fit(IDS)
    model.tell("i3", ["i1", "i2"], "best", judge="ann", time="2026-01-01")
    model.tell("i3", ["i1", "i3", "i2"])
    model.tell("i5", ["i4", "i6"], "order")
    model.tell("i7", ["i8", "i6"], None)
    model.tell("i8", ["i0"], "best")
    assert model.answers == [
        ("i3", ["i1", "i2"], "best", "ann"),
        ("i3", ["i1", "i2"], "best", None),
        ("i5", ["i4", "i6"], "order", None),
        ("i6", ["i7", "i8"], "skip", None),
        ("i8", "i0", "first", None),
    ]
    again = ordain.PreferenceModel(noise=0.5).fit(IDS, model.answers)
    assert again.answers == model.answers
    np.testing.assert_array_equal(again.mean_, model.mean_)
    assert model.undo("ann") == ("i3", ["i1", "i2"], "best", "ann")
    order = model.rank().ids
    assert order.index("i3") < order.index("i1") and order.index("i5") < order.index("i4") < order.index("i6")


def test_a_screen_is_one_look():
    """The comparisons of a screen share the noise of its best item: EP in NumPy over utilities and one coordinate per item shown."""
    prior, noise = 1.0, 0.6
    model = ordain.PreferenceModel(ordain.Independent(prior), noise=noise).fit(range(4))
    model.tell(2, [0, 3], "best")
    # Utilities of four items, and the noise that each shown item had in this look.
    covariance = np.diag([prior**2] * 4 + [noise**2] * 3)
    seen = {2: 4, 0: 5, 3: 6}
    rows = []
    for other in (0, 3):
        row = np.zeros(7)
        row[[2, seen[2]]], row[[other, seen[other]]] = 1.0, -1.0
        rows.append(row)
    # The mean of a normal vector in a cone, by many draws.
    draws = np.random.default_rng(5).multivariate_normal(np.zeros(7), covariance, size=2_000_000)
    kept = draws[np.all(draws @ np.array(rows).T > 0, axis=1)]
    # EP is no exact mean; it is off by less than this where two normal factors meet, and draws by 0.001.
    np.testing.assert_allclose(model.mean_, kept[:, :4].mean(axis=0), atol=0.01)
    assert model.log_evidence_ == pytest.approx(np.log(1 / 3), abs=0.01), "by symmetry"


def test_a_screen_of_two_is_a_pair():
    model = ordain.PreferenceModel(noise=0.5).fit(["a", "b"], [("a", ["b"], "best"), ("b", ["a"], "order")])
    assert model.answers == [("a", "b", "first", None), ("b", "a", "first", None)]


@pytest.mark.parametrize(
    "answers",
    [
        {"shown": [["i0", "i1", "i2"], ["i3", "i4"]], "best": ["i1", "i4"]},
        {"shown": ["i0|i1|i2", "i3|i4"], "best": ["i1", "i4"]},
        pandas.DataFrame({"shown": [["i0", "i1", "i2"], ["i3", "i4"]], "best": ["i1", "i4"], "judge": ["ann", None]}),
        pandas.DataFrame({"shown": [np.array(["i0", "i1", "i2"]), ("i3|i4")], "best": ["i1", "i4"]}),
        polars.DataFrame({"shown": [["i0", "i1", "i2"], ["i3", "i4"]], "best": ["i1", "i4"]}),
        {"first": ["i1", "i4"], "second": ["i2", "i3"], "outcome": ["best:i0", "first"]},
        [("i1", ["i0", "i2"], "best"), ("i4", "i3")],
        [("i1", ["i0", "i2"]), ("i4", ["i3"])],
    ],
)
def test_tables_of_choices(answers):
    model = ordain.PreferenceModel(noise=0.5).fit(IDS, answers)
    assert [answer[:3] for answer in model.answers] == [("i1", ["i0", "i2"], "best"), ("i4", "i3", "first")]


def test_a_table_of_choices_is_read_as_the_command_reads_it(tmp_path, command):
    ids = ["a|b", "c\\", "d", "1", "e,f"]
    shown = ["|".join(id.replace("\\", "\\\\").replace("|", "\\|") for id in some) for some in (ids[:3], ids[1:], ids)]
    answers = pandas.DataFrame({"shown": shown, "best": ["c\\", "1", "a|b"]})
    project = ordain.Project.create(tmp_path / "p", [{"id": id} for id in ids])
    answers.to_csv(project.log, index=False)
    ours = ordain.PreferenceModel().fit(ids, answers)
    assert ours.answers == ordain.Project(tmp_path / "p").answers
    assert [row["id"] for row in json.loads(command("rank", tmp_path / "p", "--format", "json"))["items"]] == ours.rank().ids


def test_ids_in_a_cell():
    for ids in (["a"], ["", "a|b", "\\", "\\|", " x ", "é|\\\\|"], ["1", "2"]):
        assert data.split_ids(data.joined_ids(ids)) == ids
    assert data.split_ids(r"a\|b|c\\") == ["a|b", "c\\"]
    for wrong in ("a\\b", "a\\"):
        with pytest.raises(ordain.DataError, match="with | between"):
            data.split_ids(wrong)


def test_whole_numbers_in_a_cell():
    """A frame that pandas reads has numbers as ids, and text where several are in one cell."""
    answers = pandas.DataFrame({"first": [1, 2], "second": [2, 3], "outcome": ["best:3|4", "first"]})
    assert ordain.PreferenceModel(noise=0.5).fit([1, 2, 3, 4], answers).answers[0] == (1, [2, 3, 4], "best", None)


@pytest.mark.parametrize(
    "answer, error",
    [
        (("i0", [], "best"), ordain.DataError),
        (("i0", ["i0"], "best"), ordain.DataError),
        (("i0", ["i1", "i1"], "best"), ordain.DataError),
        (("i0", ["i1", "i0", "i0"], "best"), ordain.DataError),
        (("i0", ["i1", "i0"], "order"), ordain.DataError),
        (("i0", ["i1", "zebra"], "best"), ordain.UnknownItemError),
        (("i0", ["i1", "i2"], "second"), ordain.DataError),
        (("i0", ["i1", "i2"], "tie"), ordain.DataError),
        (("i0", ["i1", "i2"], 0.7), ordain.DataError),
        (("i0", ("i1", "i2"), "best"), ordain.UnknownItemError),
        (("i0", None, "best"), ordain.DataError),
        (("i0", ["i1", ["i2"]], "best"), ordain.DataTypeError),
    ],
)
def test_wrong_choices_change_nothing(answer, error):
    model = ordain.PreferenceModel(noise=0.5).fit(IDS, [("i0", "i1")])
    with pytest.raises(error):
        model.tell(*answer)
    with pytest.raises(error):
        ordain.PreferenceModel(noise=0.5).fit(IDS, [answer])
    assert len(model.answers) == 1
    model.tell("i0", ["i1", "i2"], "best")


def test_at_most_32_items_are_shown():
    model = ordain.PreferenceModel(noise=0.5).fit(range(40))
    model.tell(0, list(range(1, 32)), "best")
    for wrong in (lambda: model.tell(0, list(range(1, 33)), "best"), lambda: model.ask(choose=33), lambda: model.ask(choose=1)):
        with pytest.raises(ordain.DataError, match="32 items"):
            wrong()
    assert len(model.ask(choose=32)) == 32


@pytest.mark.parametrize(
    "table, error",
    [
        ({"shown": ["i0|i1"], "best": ["i2"]}, ordain.DataError),
        ({"shown": ["i0"], "best": ["i0"]}, ordain.DataError),
        ({"shown": ["i0|zebra"], "best": ["i0"]}, ordain.UnknownItemError),
        ({"shown": [3.5], "best": ["i0"]}, ordain.DataTypeError),
        ({"shown": [None], "best": ["i0"]}, ordain.DataTypeError),
        ({"shown": ["i0\\i1"], "best": ["i0"]}, ordain.DataError),
        ({"first": ["i0"], "second": ["i1"], "outcome": ["best:i1"]}, ordain.DataError),
        ({"first": ["i0"], "second": ["i1"], "outcome": ["bets:i2"]}, ordain.OrdainError),
        ({"shown": ["i0|i1"], "bets": ["i0"]}, ordain.DataError),
    ],
)
def test_wrong_tables_of_choices(table, error):
    with pytest.raises(error):
        ordain.PreferenceModel(noise=0.5).fit(IDS, table)


def test_questions_cannot_mix():
    model = ordain.PreferenceModel(noise=0.5).fit(IDS)
    with pytest.raises(ordain.ParameterError, match="choose"):
        model.ask(choose=3, pending=[("i0", "i1")])
    with pytest.raises(ordain.DataError, match="strategy"):
        model.ask(choose=3, strategy="predictive-entropy")
    assert model.ask(choose=3) is not None
    small = ordain.PreferenceModel(noise=0.5).fit(["a", "b"])
    small.tell("a", "b")
    assert small.ask(choose=2) is None and small.ask(2, choose=2) == []


def test_asking_for_screens_finds_the_order():
    truth = dict(zip(IDS, [3, 1, 4, 1.5, 9, 2, 6, 5, 3.5], strict=True))
    model = ordain.PreferenceModel(noise=0.1).fit(IDS)
    while (screen := model.ask(choose=4)) is not None and len(model.answers) < 40:
        model.tell(max(screen, key=truth.get), screen, "best")
    assert model.rank().ids[:3] == ["i4", "i6", "i7"]


def test_screens_cross_processes_and_folders(crowd, tmp_path, command):
    folder, items = crowd
    model = in_memory(folder, items)
    model.tell("i4", ["i5", "i6"], "order", judge="eve")
    model.undo("eve")
    model.tell("i4", ["i5", "i6", "i7"], "best", judge="eve")
    model.tune()
    model.save(tmp_path / "saved")
    for again in (pickle.loads(pickle.dumps(model)), ordain.PreferenceModel.load(tmp_path / "saved")):
        assert again.answers == model.answers and again.gold_rate == 0.5
        assert again.rank().to_dict() == model.rank().to_dict()
        assert again.ask(choose=4) == model.ask(choose=4)
        assert again.judges().to_dict() == model.judges().to_dict()
        assert again.gold_question("zoe") == model.gold_question("zoe")
        np.testing.assert_array_equal(again.prior_weights_, model.prior_weights_)
    theirs = json.loads(command("rank", tmp_path / "saved", "--format", "json"))
    assert model.rank().to_dict() == theirs
    screen = model.ask(choose=3)
    copy = pickle.loads(pickle.dumps(screen))
    assert copy == screen and copy.score == screen.score and isinstance(copy, ordain.Screen)


def test_a_prior_is_the_order_before_any_answer():
    model = ordain.PreferenceModel(ordain.Independent(0.5), noise=0.3)
    score = np.array([1.0, 3.0, 2.0])
    assert model.fit(["a", "b", "c"], prior=score).rank().ids == ["b", "c", "a"]
    expected = (score - score.mean()) / score.std()
    # Two roundings.
    np.testing.assert_allclose(model.mean_, expected, rtol=1e-15)
    frame = pandas.DataFrame({"id": ["a", "b", "c"], "score": score, "old": [1.0, 0.0, 0.0]})
    two = ordain.PreferenceModel(ordain.Independent(0.5), noise=0.3, standardize=False).fit(frame, prior=["score", "old"])
    assert two.n_features_in_ == 0
    np.testing.assert_array_equal(two.mean_, score + [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(two.prior_weights_, [1.0, 1.0])
    assert len(ordain.PreferenceModel().fit(["a", "b"]).prior_weights_) == 0


def test_a_prior_and_answers_agree_with_an_independent_ep():
    random = np.random.default_rng(3)
    score, answers = random.normal(size=6), [(0, 1), (2, 3), (4, 5), (5, 0)]
    model = ordain.PreferenceModel(ordain.Independent(1.2), noise=0.5, standardize=False).fit(range(6), answers, prior=score)
    # EP about what is left after the mean: the oracle's utilities have mean 0, so each answer is about a shifted difference.
    mean, variances, log_evidence = oracles.ep(1.44 * np.eye(6), answers, 0.5, prior=score)
    np.testing.assert_allclose(model.mean_, mean, atol=1e-6)
    np.testing.assert_allclose(model.std_, np.sqrt(variances), atol=1e-6)
    assert model.log_evidence_ == pytest.approx(log_evidence, abs=1e-6)


@pytest.mark.parametrize(
    "prior, error",
    [
        ("score", ordain.DataTypeError),
        ([1.0, 2.0], ordain.DataError),
        ([1.0, 2.0, float("nan")], ValueError),
        ([1.0, 1.0, 1.0], ValueError),
        (["x", "y", "z"], ordain.DataTypeError),
        (np.zeros((3, 0)), ordain.DataError),
    ],
)
def test_wrong_priors(prior, error):
    with pytest.raises(error):
        ordain.PreferenceModel().fit(["a", "b", "c"], prior=prior)


def test_wrong_columns_of_a_prior():
    frame = pandas.DataFrame({"id": ["a", "b"], "score": [1.0, 2.0], "word": ["x", "y"]})
    with pytest.raises(ordain.DataError, match='none called "scores"'):
        ordain.PreferenceModel().fit(frame, prior="scores")
    with pytest.raises(ordain.DataTypeError, match="word"):
        ordain.PreferenceModel().fit(frame, prior="word")
    with pytest.raises(ordain.DataError, match="attributes and prior"):
        ordain.PreferenceModel().fit(frame, prior="score", attributes=["score"])


def test_gold_says_how_good_judges_are_and_nothing_of_items():
    gold = [("a", "b"), ("c", "d", "tie")]
    model = ordain.PreferenceModel(noise=0.5, tie_width=0.2).fit(list("abcd"), [("a", "c")], gold=gold)
    before, question = model.mean_, model.ask()
    model.tell("b", "a", judge="ann")
    model.tell("c", "d", "tie", judge="ann")
    np.testing.assert_array_equal(model.mean_, before)
    assert model.ask() == question
    ann = {row["judge"]: row for row in model.judges().rows()}["ann"]
    assert (ann["gold_answers"], ann["answers"], ann["ties"]) == (2, 2, 1) and 0.0 < ann["gold_low"] < ann["gold"] < 1.0
    with pytest.raises(ordain.DataError, match="gold pair 1"):
        ordain.PreferenceModel().fit(list("abcd"), gold=[("a", "b"), ("c", None, "good")])
    with pytest.raises(ordain.DataError):
        ordain.PreferenceModel().fit(list("abcd"), gold=[("a", "b"), ("b", "a")])
    with pytest.raises(ordain.DataError, match="several items"):
        ordain.PreferenceModel().fit(list("abcd"), gold=[("a", ["b", "c"], "best")])
    with pytest.raises(ordain.ParameterError, match="gold_rate"):
        ordain.PreferenceModel(gold_rate=1.5).fit(list("abcd"), gold=gold)


@pytest.mark.parametrize("options", [{}, {"both_orders": True}, {"batch": 3}, {"concurrency": 2}])
def test_run_asks_gold_pairs_once(options, tmp_path):
    ids, gold = list("abcdef"), [("a", "b"), ("c", "d")]
    asked = []

    def judge(pairs):
        asked.extend(frozenset(pair) for pair in pairs)
        return [min(pair) for pair in pairs]

    def one(left, right):
        return judge([(left, right)])[0]

    model = ordain.PreferenceModel(noise=0.5, gold_rate=0.5).fit(ids, gold=gold)
    run = model.run(judge if "batch" in options else one, 20, stop=False, log=tmp_path / "log.csv", **options)
    of_gold = [asked.count(frozenset(pair)) for pair in gold]
    assert of_gold == [1, 1], "at a rate of one half, both come up among so many"
    assert model.judges()["gold_answers"] == [2] and model.judges()["gold"][0] > 0.5
    again = ordain.PreferenceModel(noise=0.5, gold_rate=0.5).fit(ids, gold=gold)
    before = len(asked)
    assert again.run(judge if "batch" in options else one, 20, stop=False, log=tmp_path / "log.csv", **options).answers == run.answers
    assert len(asked) == before or run.reason != "budget"


def test_a_log_with_screens_is_resumed(tmp_path):
    log = tmp_path / "log.csv"
    log.write_text("first,second,outcome,judge,time\ni1,i0,best:i2|i3,ann,\ni4,i5,first,judge,\ni6,i7,first,judge,\n,,undo,judge,\n")
    model = ordain.PreferenceModel(noise=0.5).fit(IDS)
    run = model.run(min, 3, stop=False, log=log)
    assert run.asked == 2 and run.answers == 3
    assert model.answers[0] == ("i1", ["i0", "i2", "i3"], "best", "ann")
    assert sum({"i6", "i7"} == {answer[0], answer[1]} for answer in model.answers if isinstance(answer[1], str)) <= 1
    assert model.run(min, 3, stop=False, log=log).asked == 0


def test_a_log_that_cannot_hold_a_screen_says_so(tmp_path):
    project = ordain.Project.create(tmp_path / "p", [{"id": id} for id in "abcd"])
    project.log.write_text("winner,loser\na,b\n")
    project = ordain.Project(tmp_path / "p")
    with pytest.raises(ordain.InputError) as caught:
        project.tell("c", ["a", "d"], "best")
    assert "new log" in caught.value.hint
    assert project.answers == [("a", "b", "first", None)]
    project.tell("c", "d")
    assert ordain.Project(tmp_path / "p").answers == project.answers
