"""Functions as judges: nothing is asked twice, nothing that was heard is lost."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

import ordain

IDS = [f"item {at}" for at in range(6)]
TRUTH = {id: at for at, id in enumerate(IDS)}


def fresh(**params):
    return ordain.PreferenceModel(noise=0.2, **params).fit(IDS)


def better(left, right):
    return left if TRUTH[left] > TRUTH[right] else right


class Counting:
    """A judge who counts, and who raises at one call."""

    def __init__(self, fail_at=None):
        self.calls, self.fail_at = [], fail_at

    def __call__(self, left, right):
        self.calls.append((left, right))
        if len(self.calls) == self.fail_at:
            raise RuntimeError("the service is down")
        return better(left, right)


def test_until_the_goal_is_reached():
    model = ordain.PreferenceModel(ordain.Independent(3.0), noise=0.1).fit(IDS)
    run = model.run(better)
    assert run.reason == "goal" and run.asked == run.answers == len(model.answers)
    assert run.asked < 15, "not every pair is asked"
    assert model.certainty().probability > 0.85
    assert model.rank().ids[0] == IDS[-1]


def test_until_the_budget_is_spent_or_no_pair_is_left():
    model = fresh()
    assert model.run(better, 4, stop=False).reason == "budget"
    assert len(model.answers) == 4
    # The budget counts what this judge answered before.
    assert model.run(better, 4, stop=False).asked == 0
    assert model.run(better, 8, stop=False).asked == 4
    run = model.run(better, stop=False)
    assert run.reason == "exhausted" and len(model.answers) == 15
    assert fresh().run(better, stop=lambda model: len(model.answers) >= 3).reason == "stop"


@pytest.mark.parametrize("verdict, outcome", [("first", "first"), (0.75, "first:0.75"), ((2, 1), "2:1"), (None, "skip"), ("second>>", "second>>"), (True, "first")])
def test_verdicts(verdict, outcome):
    model = fresh()
    model.run(lambda left, right: verdict, 1)
    assert model.answers[0][2] == outcome and model.answers[0][3] == "judge"


def test_ids_count_before_numbers():
    model = ordain.PreferenceModel(noise=0.2).fit([0, 1])
    model.run(lambda left, right: 1, 1)
    winner = {"first": 0, "second": 1}[model.answers[0][2]]
    assert model.answers[0][winner] == 1


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_crash_costs_nothing(tmp_path, concurrency):
    log = tmp_path / "answers.csv"
    first = Counting(fail_at=6)
    with pytest.raises(RuntimeError, match="down"):
        fresh().run(first, stop=False, log=log, concurrency=concurrency)
    kept = len(log.read_text().splitlines()) - 1
    assert kept == len(first.calls) - 1, "all that was answered is in the log"
    second = Counting()
    model = fresh()
    run = model.run(second, stop=False, log=log)
    assert run.asked == 15 - kept and run.answers == 15
    asked = {frozenset(call) for call in second.calls}
    assert not asked & {frozenset(call) for call in first.calls[:5]}, "nothing is paid twice"
    assert len(model.answers) == 15


def test_the_same_model_goes_on_after_an_error(tmp_path):
    model, log = fresh(), tmp_path / "answers.csv"
    with pytest.raises(RuntimeError):
        model.run(Counting(fail_at=3), stop=False, log=log)
    assert len(model.answers) == 2
    model.run(better, 5, stop=False, log=log)
    assert len(model.answers) == 5


def test_resuming_asks_what_an_uninterrupted_run_would(tmp_path):
    whole = Counting()
    fresh().run(whole, 10, stop=False)
    log = tmp_path / "answers.csv"
    one, other = Counting(fail_at=5), Counting()
    with pytest.raises(RuntimeError):
        fresh().run(one, 10, stop=False, log=log)
    fresh().run(other, 10, stop=False, log=log)
    assert one.calls[:4] + other.calls == whole.calls


def test_both_orders(tmp_path):
    log = tmp_path / "answers.csv"
    judge = Counting(fail_at=4)
    with pytest.raises(RuntimeError):
        fresh().run(judge, stop=False, log=log, both_orders=True)
    assert judge.calls[1] == judge.calls[0][::-1]
    again = Counting()
    model = fresh()
    model.run(again, 8, stop=False, log=log, both_orders=True)
    assert again.calls[0] == judge.calls[2][::-1], "the half that was missing comes first"
    pairs = [frozenset(answer[:2]) for answer in model.answers]
    assert len(pairs) == 8 and all(pairs.count(pair) == 2 for pair in pairs)


def test_batches():
    sizes = []

    def judge(pairs):
        sizes.append(len(pairs))
        return [better(*pair) for pair in pairs]

    model = fresh()
    model.run(judge, 10, stop=False, batch=4)
    assert sizes == [4, 4, 2]
    assert len({frozenset(answer[:2]) for answer in model.answers}) == 10, "a batch has no pair twice"
    with pytest.raises(ordain.DataError, match="one per pair"):
        fresh().run(lambda pairs: ["first"], 4, batch=4)


def test_concurrency_has_a_limit_and_no_pair_twice():
    lock, calls, now, most = threading.Lock(), [0], [0], [0]
    gate = threading.Barrier(3)

    def judge(left, right):
        with lock:
            calls[0] += 1
            now[0] += 1
            most[0] = max(most[0], now[0])
            early = calls[0] <= 3
        if early:
            # The first three are out at the same time, or this fails.
            gate.wait(timeout=60)
        with lock:
            now[0] -= 1
        return better(left, right)

    model = fresh()
    model.run(judge, 12, stop=False, concurrency=3)
    assert most[0] == 3
    assert len({frozenset(answer[:2]) for answer in model.answers}) == 12


def test_async_judges():
    running, most = [0], [0]

    async def judge(left, right):
        running[0] += 1
        most[0] = max(most[0], running[0])
        await asyncio.sleep(0)
        running[0] -= 1
        return better(left, right)

    model = fresh()
    assert model.run(judge, 9, stop=False, concurrency=3).asked == 9
    assert most[0] <= 3

    async def inside():
        with pytest.raises(ordain.ParameterError, match="event loop"):
            fresh().run(judge, 2)
        return await fresh().run_async(judge, 5, stop=False)

    assert asyncio.run(inside()).answers == 5


def test_an_async_judge_that_raises_keeps_what_others_answered(tmp_path):
    log, answered = tmp_path / "answers.csv", [0]

    async def judge(left, right):
        if answered[0] == 3:
            raise RuntimeError("down")
        await asyncio.sleep(0)
        answered[0] += 1
        return better(left, right)

    with pytest.raises(RuntimeError, match="down"):
        fresh().run(judge, stop=False, log=log, concurrency=3)
    assert len(log.read_text().splitlines()) - 1 == answered[0]


def test_projects_keep_their_own_log(tmp_path):
    project = ordain.Project.create(tmp_path / "p", [{"id": id} for id in IDS])
    run = project.run(better, 5, stop=False, name="function")
    assert run.asked == 5 and len(ordain.Project(tmp_path / "p").answers) == 5
    again = ordain.Project(tmp_path / "p")
    assert again.run(better, 5, stop=False, name="function").asked == 0
    with pytest.raises(ordain.ParameterError):
        again.run(better, 5, log=tmp_path / "x.csv")


@pytest.mark.parametrize("options", [{"budget": 0}, {"concurrency": 0}, {"batch": 1.5}, {"stop": 1.5}, {"name": ""}])
def test_wrong_options(options):
    with pytest.raises(ordain.ParameterError):
        fresh().run(better, **options)


def test_wrong_verdicts_leave_the_model_usable():
    model = fresh()
    for verdict in (object(), "frist", 3.0):
        with pytest.raises((ValueError, TypeError)):
            model.run(lambda left, right, verdict=verdict: verdict, 2)
    assert model.answers == [] and model.run(better, 2, stop=False).asked == 2


def test_progress_is_told():
    seen = []
    fresh().run(better, 3, stop=False, progress=lambda work, done, of, value, detail: seen.append((work, done, of)))
    assert seen == [("asking", 1, 3), ("asking", 2, 3), ("asking", 3, 3)]


def test_overhead_of_a_question_is_small():
    """20 µs are wanted of the binding; this bounds the whole of a question of a small model, on any machine."""
    model = ordain.PreferenceModel(noise=0.5).fit(range(3), [])
    model.ask()
    start = time.perf_counter()
    for _ in range(1000):
        model.ask()
    assert (time.perf_counter() - start) / 1000 < 1e-3
