"""Pictures are drawn, with what they should show on their axes."""

from __future__ import annotations

import numpy as np
import pytest

import ordain

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402

from ordain import plot  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_ranking(taught):
    axes = plot.ranking(taught.rank(), limit=5)
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == taught.rank().ids[:5]
    axes.figure.canvas.draw()


def test_learning_curve(taught):
    taught.tell("animal 1", ["animal 2", "animal 3"], "best")
    before = taught.answers
    axes = plot.learning_curve(taught, every=10)
    (line,) = axes.lines
    assert line.get_xdata().tolist() == [0, 10, 20, 30, 31]
    assert line.get_ydata()[-1] == taught.certainty().probability
    assert taught.answers == before


def test_belief_kernel_and_wins(taught, animals):
    axes = plot.belief(taught, animals[1][:, 0], label="weight")
    np.testing.assert_array_equal(np.sort(animals[1][:, 0]), axes.lines[0].get_xdata())
    axes = plot.kernel(taught, ids=["animal 1", "animal 2"])
    picture = axes.images[0].get_array()
    assert picture.shape == (2, 2) and picture[0, 1] == picture[1, 0]
    # The squared exponential and a quarter of the independent part.
    assert picture[0, 0] == pytest.approx(1.25)
    wins = plot.win_matrix(taught).images[0].get_array()
    assert wins[0, 1] + wins[1, 0] == pytest.approx(1.0) and wins[0, -1] > 0.5
    with pytest.raises(ordain.DataError):
        plot.belief(taught, [1.0])


def test_training_curve():
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 2))
    ranker = ordain.LambdaRank(epochs=4, restarts=1).fit(X, (X[:, 0] > 0).astype(int), qid=np.repeat(range(8), 5))
    assert len(plot.training_curve(ranker).lines) == 2
