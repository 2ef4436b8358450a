"""What happens to the rows that a model was fitted on: in pickles, files and bytes."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import onesided
import pytest
from onesided import InSampleWarning, PUClassifier


@pytest.fixture(scope="module")
def fitted(made):
    return PUClassifier("weighted-lr", prior=0.4, cross_fit=True).fit(made.X, made.y)


def test_pickles_and_copies_rank_the_fitted_table_alike(made, fitted):
    expected = fitted.rank(made.X)
    assert len(expected) == (made.y == 0).sum()
    joblib = pytest.importorskip("joblib")
    for again in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert (again.rank(made.X) == expected).all()
        assert again.to_bytes() == fitted.to_bytes()
    assert joblib.hash(pickle.loads(pickle.dumps(fitted)).rank(made.X)) == joblib.hash(expected)


def test_a_loaded_model_is_saved_with_its_rows(made, fitted, tmp_path):
    fitted.save(tmp_path / "a.model")
    onesided.load(tmp_path / "a.model").save(tmp_path / "b.model")
    assert (tmp_path / "a.model.rows").read_bytes() == (tmp_path / "b.model.rows").read_bytes()
    assert (onesided.load(tmp_path / "b.model").rank(made.X) == fitted.rank(made.X)).all()


def test_lost_rows_are_told_of_where_they_matter(made, fitted, tmp_path):
    fitted.save(tmp_path / "a.model")
    (tmp_path / "a.model.rows").unlink()
    alone, from_bytes = onesided.load(tmp_path / "a.model"), PUClassifier.from_bytes(fitted.to_bytes())
    for model, said in ((alone, r"a\.model\.rows', which was written next to the model, is not there"), (from_bytes, "do not hold the rows")):
        with pytest.warns(InSampleWarning, match=f"has met these very rows and scores them in sample.*{said}") as seen:
            assert len(model.rank(made.X)) == len(made.X)
        assert seen[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.rank(made.X[:50] + 0.25)


def test_rows_of_another_model_are_not_used(made, fitted):
    state = fitted.__getstate__()
    other = PUClassifier("weighted-lr", prior=0.3, cross_fit=True).fit(made.X, made.y).__getstate__()
    for wrong in (other["rows_"], state["rows_"][:-1]):
        model = PUClassifier()
        model.__setstate__({**state, "rows_": wrong})
        with pytest.warns(InSampleWarning, match="belongs to another model|is damaged"):
            model.rank(made.X)
    # A pickle of an earlier version has no rows.
    earlier = PUClassifier()
    earlier.__setstate__({name: value for name, value in state.items() if name != "rows_"})
    assert np.array_equal(earlier.decision_function(made.X), fitted.decision_function(made.X))
