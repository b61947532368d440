"""Items that nobody was asked about, beside a model's own: as the command has them, and as a model that had them from the start."""

from __future__ import annotations

import json
import pickle
import shutil

import numpy as np
import pandas
import pytest
import scipy.sparse

import ordain

KNOWN = pandas.DataFrame({"id": ["a", "b", "c", "d"], "x": [1.0, 2.0, 4.0, 8.0], "score": [0.5, -1.0, 2.0, 0.0]})
NEW = pandas.DataFrame({"id": ["e", "f"], "score": [3.0, -3.0], "x": [3.0, 16.0]})
ANSWERS = [("c", "a"), ("d", "b"), ("c", "b")]


def taught(**options):
    kernel = ordain.SquaredExponential() + 0.5 * ordain.Independent()
    return ordain.PreferenceModel(kernel, noise=0.4, **options).fit(KNOWN, ANSWERS, attributes=["x"], prior="score")


def test_newcomers_are_the_commands(tmp_path, command):
    folder = tmp_path / "p"
    taught().save(folder)
    # The saved folder has numbers on the model's own scale, so the files here are of the data as they are.
    KNOWN.to_csv(folder / "items.csv", index=False)
    text = (folder / "ordain.toml").read_text()
    (folder / "ordain.toml").write_text(text.replace("standardize = false", "standardize = true"))
    NEW.to_csv(tmp_path / "new.csv", index=False)
    theirs = json.loads(command("rank", folder, "--with", tmp_path / "new.csv", "--format", "json"))
    project = ordain.Project(folder)
    assert project.with_newcomers(tmp_path / "new.csv").rank().to_dict() == theirs
    assert project.with_newcomers(NEW).rank().to_dict() == theirs
    assert taught().with_newcomers(NEW).rank().to_dict() == theirs
    step = json.loads(command("rank", folder, "--with", tmp_path / "new.csv", "--format", "json", "--inference", "incremental"))
    assert taught().with_newcomers(NEW, inference="incremental").rank().to_dict() == step
    assert project.items == list("abcd"), "newcomers are not kept"


def test_newcomers_are_believed_as_if_they_had_been_there():
    """Without standardizing, an item without answers is what it would have been from the start."""
    both = pandas.concat([KNOWN, NEW])
    model = taught(standardize=False)
    joined = model.with_newcomers(NEW)
    whole = ordain.PreferenceModel(model.kernel, noise=0.4, standardize=False).fit(both, ANSWERS, attributes=["x"], prior="score")
    # Conditioning and EP in another order.
    np.testing.assert_allclose(joined.mean_, whole.mean_, atol=1e-9)
    np.testing.assert_allclose(joined.std_, whole.std_, atol=1e-9)
    np.testing.assert_allclose(joined.predict_proba([("e", "a"), ("f", "e")]), whole.predict_proba([("e", "a"), ("f", "e")]), atol=1e-9)
    np.testing.assert_array_equal(joined.mean_[:4], model.mean_)
    assert joined.items == list("abcdef") and list(joined.rank()["new"]).count(True) == 2
    assert model.items == list("abcd") and model.ask() is not None


def test_links_of_newcomers():
    links, more = [("a", "b"), ("b", "c")], [("d", "a"), ("d", "e")]
    model = ordain.PreferenceModel(ordain.RegularizedLaplacian(links) + ordain.Independent(0.3), noise=0.4)
    model.fit(list("abc"), [("a", "c")])
    joined = model.with_newcomers(["d", "e"], more)
    means = dict(zip(joined.items, joined.mean_, strict=True))
    # `d` hangs on `a`, which won, and `e` on `d`.
    assert means["a"] > means["d"] > means["e"] > 0
    matrix = scipy.sparse.csr_array(([1.0, 1.0], ([3, 3], [0, 4])), shape=(5, 5))
    np.testing.assert_array_equal(model.with_newcomers(["d", "e"], matrix).mean_, joined.mean_)
    # Sums in another order.
    np.testing.assert_allclose(model.with_newcomers(["d"]).mean_[:3], model.mean_, atol=1e-14)
    with pytest.raises(ordain.DataError, match="newcomer"):
        model.with_newcomers(["d", "e"], [("a", "c")])
    with pytest.raises(ordain.UnknownItemError):
        model.with_newcomers(["d", "e"], [("d", "zebra")])
    two = ordain.PreferenceModel(ordain.RegularizedLaplacian(links) + ordain.Diffusion(links), noise=0.4).fit(list("abc"))
    assert len(two.with_newcomers(["d"], [[("d", "a")], None]).items) == 4
    with pytest.raises(ordain.DataError, match="one per kernel"):
        two.with_newcomers(["d"], [[("d", "a")]])
    other = ordain.PreferenceModel(ordain.RegularizedLaplacian([("a", "x")], role="bipartite")).fit(list("ab"))
    with pytest.raises(ordain.DataError, match="other things"):
        other.with_newcomers(["c"], [("c", "x")])


def test_links_of_newcomers_to_a_project(tmp_path, command):
    from conftest import ROOT

    folder = tmp_path / "world"
    shutil.copytree(ROOT / "examples" / "world", folder)
    items = pandas.read_csv(folder / "items.csv")
    row = {**items.iloc[0].to_dict(), "id": "Atlantis"}
    pandas.DataFrame([row]).to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "links.csv").write_text("source,target\nAtlantis,France\n")
    options = ("--with", tmp_path / "new.csv", "--with-links", tmp_path / "links.csv")
    theirs = json.loads(command("rank", folder, "--format", "json", *options))
    project = ordain.Project(folder)
    for links in (tmp_path / "links.csv", {"source": ["Atlantis"], "target": ["France"]}, {"neighbours.csv": tmp_path / "links.csv"}):
        assert project.with_newcomers([row], links).rank().to_dict() == theirs
    with pytest.raises(ordain.InputError):
        project.with_newcomers([row], {"neighbors.csv": tmp_path / "links.csv"})
    with pytest.raises(ordain.DataTypeError):
        project.with_newcomers(3)


@pytest.mark.parametrize("group", [None, "land"])
def test_scales_survive(group, tmp_path):
    known, new = KNOWN.assign(land=["p", "p", "q", "q"]), NEW.assign(land=["p", "q"])
    answers = [("b", "a"), ("d", "c")]
    model = ordain.PreferenceModel(noise=0.4).fit(known, answers, attributes=["x"], prior="score", group=group)
    expected = model.with_newcomers(new)
    model.save(tmp_path / "saved")
    for again in (pickle.loads(pickle.dumps(model)), ordain.PreferenceModel.load(tmp_path / "saved")):
        np.testing.assert_array_equal(again.with_newcomers(new).mean_, expected.mean_)
        assert again.with_newcomers(new).rank().to_dict() == expected.rank().to_dict()


def test_rows_of_an_array_go_on():
    values = np.random.default_rng(2).normal(size=(6, 2))
    model = ordain.PreferenceModel(noise=0.4).fit(values[:4], [(0, 1), (2, 3)])
    joined = model.with_newcomers(values[4:])
    assert joined.items == list(range(6)) and joined.predict([(4, 5)]).probability.shape == (1,)
    mapped = model.with_newcomers({"x": values[4], "y": values[5]})
    assert mapped.items == [0, 1, 2, 3, "x", "y"]
    np.testing.assert_array_equal(mapped.mean_, joined.mean_)


@pytest.mark.parametrize(
    "items, error",
    [
        (pandas.DataFrame({"id": ["a"], "x": [1.0], "score": [1.0]}), ordain.DataError),
        (pandas.DataFrame({"id": ["e"], "score": [1.0]}), ordain.DataError),
        (pandas.DataFrame({"id": ["e"], "x": [1.0]}), ordain.DataError),
        (pandas.DataFrame({"id": ["e"], "x": [float("nan")], "score": [1.0]}), ValueError),
        ({"e": [1.0]}, ordain.DataError),
        ("e", ordain.DataError),
    ],
)
def test_wrong_newcomers(items, error):
    model = taught()
    before = model.mean_
    with pytest.raises(error):
        model.with_newcomers(items)
    np.testing.assert_array_equal(model.mean_, before)


def test_wrong_widths():
    model = ordain.PreferenceModel().fit({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    with pytest.raises(ordain.DataError, match="1 attributes, expected 2"):
        model.with_newcomers({"c": [1.0]})
    with pytest.raises(ordain.DataError, match="0 attributes"):
        model.with_newcomers(["c"])
