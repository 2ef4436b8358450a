"""The page of a model."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from onesided import PUClassifier


def rows(n=400, seed=0):
    random = np.random.default_rng(seed)
    positive = random.random(n) < 0.4
    X = pd.DataFrame({"a": random.normal(size=n) + 2 * positive, "b": random.normal(size=n), "who": [f"<{i}>" for i in range(n)]})
    return X, (positive & (random.random(n) < 0.5)).astype(int)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))


@pytest.fixture(scope="module")
def fitted():
    X, y = rows()
    return PUClassifier("nnpu", prior=0.4, model="trees", cross_fit=True).fit(X[["a", "b"]], y), X, y


def test_a_page_of_rows_in_memory(fitted, tmp_path):
    model, X, y = fitted
    out = tmp_path / "page.html"
    model.report(out, X[["a", "b"]], y=y)
    page = out.read_text(encoding="utf-8")
    assert "This page contains rows of the table." in page and page.count("<script") == 2
    first = int(model.rank(X[["a", "b"]], k=1, y=y)["row"].iloc[0])
    assert f"<td><bdi>{X['a'].iloc[first]}</bdi></td>" in page
    assert data_of(page)["of"] == int((y == 0).sum())


def test_rows_are_left_out(fitted, tmp_path):
    model, X, y = fitted
    out = tmp_path / "page.html"
    model.report(str(out), X[["a", "b"]], y=y, rows=False)
    assert "contains no rows of the table" in out.read_text(encoding="utf-8")


def test_a_page_of_a_file_is_that_of_the_command(fitted, tmp_path):
    model, X, y = fitted
    table = tmp_path / "table.csv"
    X[["a", "b"]].assign(y=y).to_csv(table, index=False)
    model.report(tmp_path / "page.html", table, y="y")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="first"' in page and 'id="cut"' in page


def test_wrong_labels_are_refused(fitted, tmp_path):
    model, X, y = fitted
    with pytest.raises(ValueError, match="name of its column"):
        model.report(tmp_path / "page.html", tmp_path / "table.csv", y=y)
    assert not (tmp_path / "page.html").exists()
