"""What documents show is true: docstrings, the README, the examples, the notebook, the types."""

from __future__ import annotations

import doctest
import http.server
import importlib
import json
import os
import pkgutil
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import ordain

HERE = Path(__file__).resolve().parents[1]
EXAMPLES = sorted(path.name for path in (HERE / "examples").glob("*.py"))
MODULES = ["ordain", *(f"ordain.{module.name}" for module in pkgutil.iter_modules(ordain.__path__) if module.name != "_core")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, tmp_path):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"folder": tmp_path / "project"}, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_every_public_name_is_explained():
    for name in ordain.__all__:
        thing = getattr(ordain, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
        if isinstance(thing, type):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert (value.__doc__ or "").strip(), f"{name}.{attribute}"


def test_readme():
    text = (HERE / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 2
    first = text.index(blocks[0]) + len(blocks[0])
    assert text[:first].count("\n") <= 10, "from a frame to a ranking in ten lines"
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)


def run(name, *arguments, typed=""):
    # Ten short scripts: whoever reads one sees all of it.
    assert len((HERE / "examples" / name).read_text().splitlines()) <= 50
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, HERE / "examples" / name, *arguments],
        input=typed, capture_output=True, text=True, timeout=300, check=False, env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_there_are_ten_examples():
    assert len(EXAMPLES) == 10


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in ("human.py", "language_model.py")])
def test_examples(name):
    assert run(name)


def test_a_person_answers(tmp_path):
    shown = run("human.py", tmp_path / "answers.csv", typed="1\n2\n=\n\n1\n2\n")
    assert "Casablanca" in shown and shown.count("enter: skip") == 6
    assert len((tmp_path / "answers.csv").read_text().splitlines()) == 7


class Model(http.server.BaseHTTPRequestHandler):
    """A language model that prefers the answer with "Paris" in it, and the left one otherwise."""

    asked: list[str] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][0]["content"]
        Model.asked.append(prompt)
        left, right = prompt.split("\n\nA: ")[1].split("\n\nB: ")
        reply = "B" if "Paris" in right and "Paris" not in left else "A"
        answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": reply}}]}).encode()
        self.send_response(200 if self.path == "/v1/chat/completions" and body["model"] == "judge-1" else 404)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def test_a_language_model_judges():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        shown = run("language_model.py", f"http://127.0.0.1:{server.server_port}/v1", "judge-1")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert len(Model.asked) == 12 and "judge-1" in shown
    ranked = re.findall(r"^\s*(capital|essay|shrug|wrong)\s", shown, re.M)
    assert set(ranked[:2]) == {"capital", "essay"}


def test_the_notebook_runs(tmp_path, monkeypatch):
    import nbclient
    import nbformat

    notebook = nbformat.read(HERE / "examples" / "ordain.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are made, not kept"
    path = os.pathsep.join(path for path in sys.path if path)
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {kind for cell in notebook.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert {"text/html", "image/png"} <= kinds


def strictly_typed(place, cache):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", HERE / "pyproject.toml", "--cache-dir", cache, place],
        capture_output=True, text=True, check=False, cwd=cache,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_examples_are_typed(tmp_path):
    """Against the package as it is installed, by its stubs."""
    strictly_typed(HERE / "examples", tmp_path)


def test_the_package_is_typed(tmp_path):
    # mypy takes a folder of installed packages for the root of its own sources, so it gets a copy elsewhere.
    copy = tmp_path / "ordain"
    shutil.copytree(Path(ordain.__file__).parent, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    strictly_typed(copy, tmp_path)


def test_stubs_are_those_of_the_module(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "ordain._core"], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(ordain.__file__).parents[1]), "MYPY_CACHE_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stdout + done.stderr
