"""Long calls: other threads go on, Ctrl-C stops within 200 ms, and the model stays usable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ordain


def large():
    """A model whose tuning takes many seconds."""
    random = np.random.default_rng(3)
    values = random.normal(size=(600, 4))
    truth = values @ random.normal(size=4)
    pairs = random.integers(0, 600, size=(1500, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    swap = truth[pairs[:, 0]] < truth[pairs[:, 1]]
    pairs[swap] = pairs[swap][:, ::-1]
    return ordain.PreferenceModel(noise=0.3).fit(values, pairs)


SCRIPT = """
import os, signal, sys, threading, time
sys.path.insert(0, {tests!r})
from test_long import large
model = large()
sent = []
def press():
    time.sleep(1.0)
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    model.{call}
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
    model.tell(0, 1)
    model.rank(draws=64)
    print(len(model.answers))
else:
    print("finished")
"""


@pytest.mark.parametrize("call", ["tune(restarts=50)", "compare(folds=10, repeats=50)"])
def test_ctrl_c_stops_within_200_ms(call):
    script = textwrap.dedent(SCRIPT).format(tests=os.path.dirname(__file__), call=call)
    waits = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        seconds, answers = done.stdout.split()
        assert int(answers) > 1400, "the model is usable afterwards"
        waits.append(float(seconds))
        if waits[-1] < 0.2:
            break
    # 50 ms until it is seen, 50 ms of grace. The best of three, as a busy machine may take the processor away.
    assert min(waits) < 0.2


def test_progress_is_told_and_may_stop():
    model, seen = large(), []

    def progress(work, done, of, value, detail):
        seen.append(work)
        if len(seen) == 2:
            raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        model.tune(restarts=50, progress=progress)
    assert len(seen) == 2 and all(isinstance(work, str) for work in seen)
    assert np.isfinite(model.mean_).all()


def test_a_progress_function_may_call_a_model_in_memory():
    model, told = large(), []

    def progress(*step):
        if not told:
            model.tell(0, 1)
            told.append(model.ask())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model.tune(restarts=50, progress=progress)
    assert told[0] == model.ask()


def test_a_progress_function_that_calls_its_project_is_told_so(tmp_path):
    large().save(tmp_path / "project")
    project = ordain.Project(tmp_path / "project")

    def progress(*step):
        project.tell("0", "1")

    with pytest.raises(RuntimeError, match="a progress function must not call it"):
        project.tune(restarts=50, progress=progress)
    project.tell("0", "1")
    assert project.answers[-1][:3] == ("0", "1", "first")


def test_other_threads_go_on_meanwhile():
    model, counted, over = large(), [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    model.tune(restarts=0)
    seconds = time.perf_counter() - start
    over.set()
    thread.join()
    # Some counts per second suffice to know that the interpreter was free, on however busy a machine.
    assert counted[0] > 5 * seconds


def test_tqdm_bar(capsys):
    pytest.importorskip("tqdm")
    model = large()
    model.tune(restarts=0, progress=True)
    assert "it" in capsys.readouterr().err


def test_signals_of_other_handlers_are_delivered():
    seen = []
    before = signal.signal(signal.SIGUSR1, lambda *_: seen.append(True))
    try:
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        large().tune(restarts=1)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen == [True]
