"""Projects: the same numbers as the command, to the last bit, and nothing lost."""

from __future__ import annotations

import csv
import json
import pickle

import numpy as np
import pytest

import ordain


def test_rank_is_the_commands(project, command):
    ours = ordain.Project(project)
    assert ours.rank().to_dict() == json.loads(command("rank", project, "--format", "json"))
    assert ours.rank(top=3).to_dict() == json.loads(command("rank", project, "--format", "json", "--top", "3"))
    step = json.loads(command("rank", project, "--format", "json", "--inference", "incremental"))
    assert ours.rank(inference="incremental").to_dict() == step
    again = json.loads(ours.rank().to_json())
    assert again == ours.rank().to_dict(), "JSON keeps every bit"


def test_forecast_is_the_commands(tmp_path, command):
    rows = [{"id": name, "x": at * 1.5} for at, name in enumerate("abcd")]
    project = ordain.Project.create(tmp_path / "p", rows)
    project.tell("a", "b")
    theirs = json.loads(command("rank", tmp_path / "p", "--format", "json", "--forecast"))
    assert project.rank(forecast=True).to_dict() == theirs
    assert "forecast" in theirs["certainty"]


def test_questions_are_the_commands(project, command):
    theirs = json.loads(command("next", project, "--count", "4", "--format", "json"))["pairs"]
    asked = ordain.Project(project).ask(4)
    ours = [{"first": first, "second": second, "score": question.score} for question in asked for first, second in [question]]
    assert ours == [{key: row[key] for key in ("first", "second", "score")} for row in theirs]
    best = json.loads(command("next", project, "--goal", "best", "--format", "json"))["pairs"][0]
    question = ordain.Project(project).ask(goal="best")
    assert (question.first, question.second, question.score) == (best["first"], best["second"], best["score"])


def test_predictions_are_the_commands(project, command):
    ours = ordain.Project(project)
    first, second = ours.items[:2]
    theirs = json.loads(command("predict", first, second, "--project", project, "--format", "json"))
    assert next(ours.predict([(first, second)]).rows()) == theirs


def test_tuning_and_comparison_are_the_commands(project, command):
    ours = ordain.Project(project)
    tuned = ours.tune(apply=False)
    theirs = json.loads(command("tune", project, "--dry-run", "--format", "json"))
    assert list(tuned.rows()) == theirs["parameters"]
    assert tuned.log_evidence == theirs["log_evidence"]
    if len({frozenset(answer[:2]) for answer in ours.answers}) < 3:
        with pytest.raises(ordain.DataError, match="one per fold"):
            ours.compare(folds=3, tuned=False)
        return
    compared = ours.compare(folds=3, tuned=False)
    theirs = json.loads(command("compare", project, "--folds", "3", "--fixed", "--format", "json"))
    assert [model["log_evidence"] for model in compared.models] == [model["log_evidence"] for model in theirs["models"]]
    assert list(compared["log_loss"]) == [model["log_loss"]["mean"] for model in theirs["models"]]
    assert list(compared["log_loss_low"]) == [model["log_loss"]["low"] for model in theirs["models"]]


def test_answers_are_on_the_disk(project):
    ours = ordain.Project(project)
    before = ours.log.read_text()
    first, second = ours.ask()
    ours.tell(first, second, "second", judge="ann", time="2026-01-01")
    added = ours.log.read_text()[len(before) :]
    assert next(csv.reader([added.strip()]))[:3] == [first, second, "second"]
    assert ordain.Project(project).answers == ours.answers
    assert ordain.Project(project).ask() == ours.ask()
    ours.undo("ann")
    assert ordain.Project(project).answers == ours.answers


def test_applied_tuning_is_in_the_file(project):
    ours = ordain.Project(project)
    ours.tune()
    np.testing.assert_array_equal(ordain.Project(project).mean_, ours.mean_)


def test_kernels_of_a_project_move_into_memory(project):
    ours = ordain.Project(project)
    ids = ours.items
    model = ordain.PreferenceModel(ours.kernel_, noise=0.5)
    if not any(part.table().get("relation") is None and part.kind != "independent" for part in ours.kernel_):
        assert model.fit(ids).ask() is not None


def test_wrong_folders(tmp_path):
    with pytest.raises(ordain.FileError) as caught:
        ordain.Project(tmp_path / "none")
    assert isinstance(caught.value, OSError)
    (tmp_path / "ordain.toml").write_text('[items]\nfile = "items.csv"\nattributs = []\n')
    with pytest.raises(ordain.InputError) as wrong:
        ordain.Project(tmp_path)
    assert wrong.value.line == 3 and str(wrong.value.file).endswith("ordain.toml")


def test_a_log_that_cannot_be_written_loses_nothing(project):
    ours = ordain.Project(project)
    first, second = ours.ask()
    text = ours.log.read_text()
    ours.log.write_text(text + "torn line without its end")
    before = ours.answers
    with pytest.raises(ordain.OrdainError):
        ours.tell(first, second)
    assert ours.answers == before
    ours.log.write_text(text)
    ours.tell(first, second)
    assert len(ordain.Project(project).answers) == len(before) + 1


def test_projects_are_pickled_by_their_place(project):
    ours = ordain.Project(project)
    assert pickle.loads(pickle.dumps(ours)).rank().to_dict() == ours.rank().to_dict()
