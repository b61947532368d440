"""What goes in: arrays, frames, matrices, graphs; and what comes back."""

from __future__ import annotations

import datetime
import tracemalloc

import networkx
import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import ordain
from ordain import _arrow, data

ROWS = {"id": ["a", "b", "c"], "x": [1.0, 2.0, 4.0], "n": [3, 1, 2], "word": ["one", "two", "three"]}
ANSWERS = {"winner": ["c", "b"], "loser": ["a", "a"]}


class Capsule:
    """Only the Arrow capsule interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def frames(columns):
    return {
        "pandas": pandas.DataFrame(columns),
        "polars": polars.DataFrame(columns),
        "arrow": pyarrow.table(columns),
        "capsule": Capsule(pyarrow.table(columns)),
        "capsule of polars": Capsule(polars.DataFrame(columns)),
    }


@pytest.mark.parametrize("kind", frames(ROWS))
def test_frames_give_the_same_numbers(kind):
    expected = ordain.PreferenceModel(noise=0.4).fit({"a": [1.0, 3.0], "b": [2.0, 1.0], "c": [4.0, 2.0]}, [("c", "a"), ("b", "a")])
    model = ordain.PreferenceModel(noise=0.4).fit(frames(ROWS)[kind], frames(ANSWERS)[kind])
    assert model.items == ["a", "b", "c"] and model.n_features_in_ == 2
    np.testing.assert_array_equal(model.mean_, expected.mean_)


def test_columns_that_are_named():
    frame = pandas.DataFrame({"city": ["x", "y"], "size": [1.0, 2.0], "mayor": [3.0, 4.0], "land": ["p", "p"]})
    model = ordain.PreferenceModel().fit(frame, id="city", attributes=["size"], group="land")
    assert model.items == ["x", "y"] and model.n_features_in_ == 1
    with pytest.raises(ordain.DataError, match='none called "towns"'):
        ordain.PreferenceModel().fit(frame, id="towns")
    with pytest.raises(ordain.DataTypeError, match="mayor|land"):
        ordain.PreferenceModel().fit(frame, id="city", attributes=["land"])


def test_an_index_is_the_ids():
    frame = pandas.DataFrame({"x": [1.0, 2.0]}, index=pandas.Index([datetime.date(2026, 1, 1), (1, 2)], tupleize_cols=False))
    model = ordain.PreferenceModel().fit(frame, [((1, 2), datetime.date(2026, 1, 1))])
    assert model.rank().ids == [(1, 2), datetime.date(2026, 1, 1)]
    assert ordain.PreferenceModel().fit(pandas.DataFrame({"x": [1.0, 2.0]})).items == [0, 1]
    filtered = pandas.DataFrame({"id": ["a", "b", "c"], "x": [1.0, 2.0, 3.0]})[1:]
    assert ordain.PreferenceModel().fit(filtered).items == ["b", "c"], "a column id is more than an index"


def test_ids_come_back_as_they_were_given():
    ids = [1, "1", (1,), 1.5, frozenset({1}), None.__class__]
    model = ordain.PreferenceModel(noise=0.5).fit(ids, [(ids[0], ids[1])])
    assert model.rank().ids[0] is ids[0]
    assert all(any(id is other for other in ids) for id in model.rank().ids)


@pytest.mark.parametrize(
    "answers",
    [
        [("c", "a"), ("b", "a")],
        [("c", "a", "first"), ("a", "b", "second")],
        [("c", "a", 1.0), ("a", "b", 0.0)],
        {"first": ["c", "a"], "second": ["a", "b"], "outcome": ["first", "second"]},
        pandas.DataFrame({"winner": ["c", "b"], "loser": ["a", "a"], "judge": ["ann", None]}),
        polars.DataFrame({"first": ["c", "a"], "second": ["a", "b"], "outcome": ["first", "second"], "judge": ["ann", None]}),
        np.array([["c", "a"], ["b", "a"]]),
    ],
)
def test_answers(answers):
    expected = ordain.PreferenceModel(noise=0.4).fit("a b c".split(), [("c", "a"), ("b", "a")]).mean_
    np.testing.assert_allclose(ordain.PreferenceModel(noise=0.4).fit("a b c".split(), answers).mean_, expected, atol=1e-9)


def test_judges_and_missing_ones():
    frame = pandas.DataFrame({"first": ["a", "b"], "second": ["b", None], "outcome": ["tie", "good"], "judge": ["ann", np.nan]})
    model = ordain.PreferenceModel(noise=0.4, tie_width=0.1).fit(["a", "b"], frame)
    assert model.answers == [("a", "b", "tie", "ann"), ("b", None, "good", None)]


@pytest.mark.parametrize(
    "answers, error",
    [
        ([("a", "zebra")], ordain.UnknownItemError),
        ([("a", "a")], ordain.DataError),
        ([("a",)], TypeError),
        (["ab"], TypeError),
        ("ab", TypeError),
        (np.zeros((2, 3)), ordain.DataError),
        ({"first": ["a"], "second": ["b"]}, ordain.DataError),
        ({"x": ["a"]}, ordain.DataError),
        ({"winner": ["a"], "loser": ["a", "b"]}, ordain.DataError),
        ([("a", "b", "undone")], ordain.UnknownWordError),
    ],
)
def test_wrong_answers(answers, error):
    with pytest.raises(error):
        ordain.PreferenceModel().fit(["a", "b"], answers)


LINKS = [("a", "b", 2.0), ("b", "c", 1.0)]


def links():
    graph = networkx.Graph()
    graph.add_nodes_from("abc")
    graph.add_weighted_edges_from(LINKS)
    dense = np.array([[0, 2.0, 0], [2.0, 0, 1], [0, 1, 0]])
    return {
        "tuples": LINKS,
        "networkx": graph,
        "csr": scipy.sparse.csr_array(dense),
        "coo matrix": scipy.sparse.coo_matrix(dense),
        "upper triangle": scipy.sparse.csr_array(np.triu(dense)),
        "pandas": pandas.DataFrame(LINKS, columns=["source", "target", "weight"]),
        "dict of columns": {"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 1.0]},
        "array": np.array(LINKS, dtype=object),
    }


@pytest.mark.parametrize("kind", links())
def test_links(kind):
    def fitted(given):
        return ordain.PreferenceModel(ordain.RegularizedLaplacian(given), noise=0.4).fit("a b c".split(), [("a", "c")])

    np.testing.assert_allclose(fitted(links()[kind]).mean_, fitted(LINKS).mean_, atol=1e-12)


def test_links_to_other_things():
    matrix = scipy.sparse.csr_array(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    themes = [("a", "red"), ("b", "red"), ("c", "blue")]
    mapping = {"a": ["red"], "b": ["red"], "c": ["blue"]}
    means = []
    for given in (matrix, themes, mapping):
        kernel = ordain.RegularizedLaplacian(given, role="bipartite")
        means.append(ordain.PreferenceModel(kernel, noise=0.4).fit("a b c".split(), [("a", "c")]).mean_)
    np.testing.assert_allclose(means[0], means[1])
    np.testing.assert_allclose(means[1], means[2])
    assert means[0][1] > means[0][2], "b shares a's theme"


@pytest.mark.parametrize(
    "given, error",
    [
        ([("a", "zebra")], ordain.UnknownItemError),
        ([("a",)], TypeError),
        (scipy.sparse.eye_array(4), ordain.DataError),
        (np.eye(4), ordain.DataError),
        ("links.csv", TypeError),
        (5, TypeError),
        ([("a", "b", -1.0)], ValueError),
        ([("a", "b", float("nan"))], ValueError),
    ],
)
def test_wrong_links(given, error):
    with pytest.raises(error):
        ordain.PreferenceModel(ordain.RegularizedLaplacian(given)).fit("a b c".split())


def test_attributes_of_any_layout_and_type():
    values = np.random.default_rng(1).normal(size=(5, 3))
    expected = ordain.PreferenceModel(noise=0.4).fit(values, [(0, 1)]).mean_
    layouts = [np.asfortranarray(values), values[::-1][::-1], np.repeat(values, 2, axis=0)[::2], values.tolist()]
    for given in layouts[:3]:
        np.testing.assert_array_equal(ordain.PreferenceModel(noise=0.4).fit(given, [(0, 1)]).mean_, expected)
    single = ordain.PreferenceModel(noise=0.4).fit(values.astype(np.float32), [(0, 1)]).mean_
    np.testing.assert_allclose(single, expected, atol=1e-5)
    whole = ordain.PreferenceModel(noise=0.4).fit(np.arange(10).reshape(5, 2), [(0, 1)])
    assert whole.n_features_in_ == 2
    assert ordain.PreferenceModel(noise=0.4).fit(scipy.sparse.csr_array(values), [(0, 1)]).n_features_in_ == 3


def test_a_large_array_is_not_copied_in_python():
    values = np.random.default_rng(1).normal(size=(100_000, 100))
    tracemalloc.start()
    try:
        items = data.read_items(values)
        assert items.values is values or np.shares_memory(items.values, values)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # Ids of 100,000 items; the array has 80 MB.
    assert peak < 20e6


def test_arrow_columns_of_every_kind():
    table = pyarrow.table(
        {
            "i": pyarrow.array([1, None, 3], pyarrow.int32()),
            "f": pyarrow.array([1.5, 2.5, None], pyarrow.float32()),
            "b": pyarrow.array([True, False, True]),
            "s": pyarrow.array(["ü", None, "a longer text than twelve bytes"]),
            "l": pyarrow.array(["x", "y", "z"], pyarrow.large_string()),
            "v": pyarrow.array(["x", None, "a longer text than twelve bytes"], pyarrow.string_view()),
            "d": pyarrow.array(["p", "q", "p"]).dictionary_encode(),
            "t": pyarrow.array([datetime.date(2026, 1, 2), None, datetime.date(1969, 1, 1)]),
            "u": pyarrow.array([datetime.datetime(2026, 1, 2, 3, 4)] * 3, pyarrow.timestamp("us", "UTC")),
            "none": pyarrow.nulls(3),
        }
    )
    for given in (table, table.slice(1), pyarrow.concat_tables([table, table.slice(2)])):
        found = _arrow.read(given)
        expected = given.to_pydict()
        np.testing.assert_array_equal(found["i"], [np.nan if x is None else x for x in expected["i"]])
        np.testing.assert_array_equal(found["f"], [np.nan if x is None else x for x in expected["f"]])
        np.testing.assert_array_equal(found["b"], expected["b"])
        for name in ("s", "l", "v", "d", "none"):
            assert list(found[name]) == expected[name], name
        assert found["t"] == [None if x is None else x.isoformat() for x in expected["t"]]
        assert found["u"][0].startswith("2026-01-02T03:04:00")
    with pytest.raises(ordain.DataTypeError, match="expected numbers, texts"):
        _arrow.read(pyarrow.table({"x": [[1], [2]]}))
    assert len(_arrow.read(pyarrow.table({"x": pyarrow.array([], pyarrow.int64())}))["x"]) == 0


def test_results_become_frames(taught):
    ranking = taught.rank(top=3)
    for frame in (ranking.to_pandas(), ranking.to_polars().to_pandas(), ranking.to_arrow().to_pandas()):
        assert list(frame.columns) == ranking.columns
        assert list(frame["id"]) == ranking.ids
        np.testing.assert_array_equal(frame["mean"], ranking["mean"])
    assert ranking.of("animal 3")["rank"] == ranking.ids.index("animal 3") + 1
    assert len(ranking) == 12 and len(list(ranking.rows())) == 12
    assert "animal 3" in repr(ranking)
    predictions = taught.predict(polars.DataFrame({"first": ["animal 1"], "second": ["animal 2"]}))
    assert predictions.to_pandas().shape == (1, 4)


def test_a_notebook_shows_bars_and_escapes(tmp_path):
    model = ordain.PreferenceModel(noise=0.5).fit(["<b>bold</b>", "x & y"])
    html = model.rank()._repr_html_()
    assert html.count("<svg") == 2 and "<b>bold" not in html and "&lt;b&gt;bold" in html and "x &amp; y" in html
    from xml.etree import ElementTree

    ElementTree.fromstring(f"<div>{html}</div>")
    assert "<table>" in model.predict([("<b>bold</b>", "x & y")])._repr_html_()
