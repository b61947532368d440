from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ordain

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def animals():
    """Twelve items with attributes and true utilities."""
    random = np.random.default_rng(7)
    values = random.normal(size=(12, 3))
    return [f"animal {at}" for at in range(12)], values, values @ [1.0, -0.5, 0.25]


@pytest.fixture
def taught(animals):
    """A model that learned 30 answers about them."""
    ids, values, truth = animals
    random = np.random.default_rng(8)
    pairs = [random.choice(12, 2, replace=False) for _ in range(30)]
    answers = [(ids[a], ids[b]) if truth[a] > truth[b] else (ids[b], ids[a]) for a, b in pairs]
    return ordain.PreferenceModel(noise=0.5).fit(dict(zip(ids, values, strict=True)), answers)


@pytest.fixture(scope="session")
def command():
    """Runs the `ordain` command that stands beside the package."""
    path = os.environ.get("ORDAIN_COMMAND") or shutil.which("ordain") or ROOT / "target/debug/ordain"
    if not Path(path).exists():
        pytest.fail(f"no command at {path}: build it with `cargo build`, or name it with ORDAIN_COMMAND")

    def run(*args: object) -> str:
        done = subprocess.run([path, *map(str, args)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(params=["world", "six-papers"])
def project(request, tmp_path):
    """A copy of an example project with answers."""
    folder = tmp_path / request.param
    shutil.copytree(ROOT / "examples" / request.param, folder)
    return folder
