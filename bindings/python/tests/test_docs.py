"""The pages are true: their code runs, the reference is that of the docstrings, and notebooks show what they print."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import sys
from pathlib import Path

import onesided
import onesided._classifier
import pytest

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "bindings/python/notebooks").glob("*.ipynb"))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    for name in ("pandas", "sklearn", "lightgbm"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    # The later pages take what the first one has made.
    pages = [f"docs/{name}.md" for name in ("python", "python-data", "losses", "machines")]
    blocks = [(page, *block) for page in pages for block in re.findall(r"```python(.*?)\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)]
    assert {page for page, _, _ in blocks} == set(pages)
    names: dict[str, object] = {}
    for page, kind, code in blocks:
        if kind.strip() == "no-run":
            compile(code, page, "exec")
            continue
        if kind.strip() == "torch" and "torch" not in sys.modules:
            try:
                import torch  # noqa: F401
            except ImportError:
                continue
        exec(compile(code, page, "exec"), names)
    assert abs(names["model"].prior_ - 0.4) < 0.05
    assert (names["model"].predict(names["X"]) == names["truth"]).mean() > 0.85
    assert (tmp_path / "spam.model").exists() and (tmp_path / "prior.svg").exists()


def _blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_code_of_the_readme_runs():
    numpy = pytest.importorskip("numpy")
    table = numpy.genfromtxt(ROOT / "examples/train.csv", delimiter=",", skip_header=1)
    names: dict[str, object] = {"X": table[:, :-1], "y": table[:, -1], "X_new": table[:40, :-1]}
    (code,) = _blocks("README.md")
    exec(compile(code, "README.md", "exec"), names)
    assert len(names["model"].predict_proba(names["X_new"])) == 40


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_file_opens_as_its_page_says(tmp_path, monkeypatch, capsys):
    pytest.importorskip("safetensors")
    numpy = pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    table = numpy.genfromtxt(ROOT / "examples/train.csv", delimiter=",", skip_header=1)
    model = onesided.PUClassifier(method="weighted-lr", prior=0.3).fit(table[:, :-1], table[:, -1])
    model.save("model.safetensors")
    (code,) = _blocks("docs/model-file.md")
    exec(compile(code, "docs/model-file.md", "exec"), {})
    assert "0.3" in capsys.readouterr().out


def test_the_example_of_the_docstring_runs():
    found = doctest.DocTestFinder().find(onesided._classifier.PUClassifier, "PUClassifier", globs={})
    for test in found:
        assert doctest.DocTestRunner().run(test).failed == 0


def test_the_reference_is_that_of_the_docstrings():
    made = runpy.run_path(str(ROOT / "bindings/python/api_page.py"))
    assert made["PAGE"].read_text() == made["page"](), "run bindings/python/api_page.py"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_what_they_print(path):
    """Executed anew in this interpreter, cell by cell; what is printed must be what the file shows."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for name in ("sklearn", "pandas"):
        pytest.importorskip(name)
    book = nbformat.read(path, 4)
    shown = [_printed(cell) for cell in book.cells]
    assert any(shown)
    kernel = {"resources": {"metadata": {"path": str(ROOT / "bindings/python/notebooks")}}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", **kernel).execute()
    assert [_printed(cell) for cell in book.cells] == shown


def _printed(cell) -> str:
    outputs = json.loads(json.dumps(cell.get("outputs", [])))
    return "".join(one.get("text", "") for one in outputs if one.get("name") == "stdout")
