"""What is warned of, as what, and what is said of columns."""

from __future__ import annotations

import warnings

import numpy as np
import onesided
import pytest
from onesided import DataWarning, FitWarning, OnesidedWarning, PriorWarning, PUClassifier


def test_each_warning_has_its_kind(made):
    assert issubclass(OnesidedWarning, UserWarning)
    with pytest.warns(OnesidedWarning) as seen:
        PUClassifier(effort="quick").fit(np.column_stack([made.X, np.ones(len(made.X))])[:300], made.y[:300])
    kinds = {one.category: str(one.message) for one in seen}
    assert kinds.keys() == {DataWarning, PriorWarning} or kinds.keys() == {DataWarning, PriorWarning, FitWarning}
    assert kinds[DataWarning] == "x4 is left out: the same value in every row"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=OnesidedWarning)
        PUClassifier(effort="quick").fit(made.X[:300], made.y[:300])


def test_columns_that_are_left_out_are_told_of_and_listed(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, columns=list("abcd")).assign(nan=np.nan, none=None, one=1, word="same")
    frame.loc[3, "a"] = np.nan
    with pytest.warns(DataWarning) as seen:
        model = PUClassifier("weighted-lr", prior=0.4).fit(frame, made.y)
    said = [str(one.message) for one in seen if one.category is DataWarning]
    assert said == [
        "2 columns are left out (nan, none): empty in every row",
        "2 columns are left out (one, word): the same value in every row",
    ]
    columns = {one["name"]: one for one in model.columns_}
    assert columns["a"] == {"name": "a", "kind": "number", "features": 1, "missing": 1}
    assert {name: one["why"] for name, one in columns.items() if one["kind"] == "left-out"} == {
        "nan": "empty", "none": "empty", "one": "constant", "word": "constant",
    }


def test_words_among_numbers_are_told_of_at_predict(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, columns=list("abcd"))
    model = PUClassifier("weighted-lr", prior=0.4).fit(frame, made.y)
    texts = frame.round(3).astype({"b": str})
    texts.loc[[7, 9], "b"] = ["n.a.?", "much"]
    with pytest.warns(DataWarning, match=r"taken as missing, in b \(2, first 'n\.a\.\?' in row 7\); rows count from 0") as seen:
        found = model.predict(texts)
    assert seen[0].filename == __file__ and len(found) == len(frame)
    pl = pytest.importorskip("polars")
    with pytest.warns(DataWarning, match="row 7"):
        model.predict(pl.DataFrame({name: texts[name].tolist() for name in texts}))


def test_an_index_in_another_order_is_told_of(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X[:400], index=np.arange(400) + 7)
    y = pd.Series(made.y[:400], index=frame.index)
    model = PUClassifier("weighted-lr", prior=0.4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=FitWarning)
        model.fit(frame, y)
        model.fit(frame, y.reset_index(drop=True))
    with pytest.warns(DataWarning, match=r"^y: its index has the labels of X's index in another order.*y\.loc\[X\.index\]") as seen:
        model.fit(frame, y[::-1])
    assert seen[0].filename == __file__


def test_a_cautious_cut_is_named(made):
    with pytest.warns(PriorWarning, match=r"predict calls a row positive from a probability of 0\.\d{3} on \(threshold_\)"):
        model = PUClassifier(effort="quick").fit(made.X, made.y)
    assert model.threshold_rule_ == "cautious" and model.threshold_ == model.about_["threshold"] > 0.5
    given = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    assert (given.threshold_rule_, given.threshold_) == ("half", 0.5)
    quantile = PUClassifier("weighted-lr", prior=0.4, threshold="quantile").fit(made.X, made.y)
    assert quantile.threshold_rule_ == "quantile"
    for one in (model, given, quantile):
        assert (one.predict(made.X) == (one.predict_proba(made.X)[:, 1] >= one.threshold_)).all()
    card = model._repr_html_()
    assert f"{model.threshold_:.3f}, cautious" in card


def test_the_card_has_no_value_in_a_useless_interval(made):
    model = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    metrics = model.about_["report"]["metrics"]
    metrics["precision"] = {"value": 0.925, "low": 0.0, "high": 1.0}
    metrics["recall"] = {"value": 0.81234, "low": 0.75678, "high": 0.86789}
    card = model._repr_html_()
    assert "<td>between 0.00 and 1.00</td>" in card and "0.925" not in card
    assert "<td>0.812 [0.757, 0.868]</td>" in card


def test_a_search_over_the_prior_is_told_of(made):
    from onesided.metrics import make_pu_scorer

    low, high = (PUClassifier("weighted-lr", prior=prior).fit(made.X, made.y) for prior in (0.3, 0.8))
    scorer = make_pu_scorer("f1")
    scorer(low, made.X, made.y)
    with pytest.warns(PriorWarning, match=r"each model's own share of positives \(0\.\d{3} and 0\.\d{3} so far\).*prior=SHARE.*auc_pu"):
        scorer(high, made.X, made.y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer(low, made.X, made.y)
        for quiet in (make_pu_scorer("f1", prior=0.4), make_pu_scorer("f1", prior_in_unlabeled=0.2), make_pu_scorer("auc_pu")):
            for model in (low, high):
                quiet(model, made.X, made.y)
    assert onesided.PriorWarning is PriorWarning


def test_one_share_judges_all(made):
    from onesided.metrics import make_pu_scorer, pu_score

    model = PUClassifier("weighted-lr", prior=0.7).fit(made.X, made.y)
    positives, rows = int(made.y.sum()), len(made.y)
    # In one sample, labeled positives are part of the population: (0.4 n - n_p) / n_u of the others are positive.
    mu = (0.4 * rows - positives) / (rows - positives)
    expected = pu_score("precision", made.y, model.predict(made.X), prior_in_unlabeled=mu)
    assert make_pu_scorer("precision", prior=0.4)(model, made.X, made.y) == pytest.approx(expected, rel=1e-12)
    apart = PUClassifier("weighted-lr", prior=0.7, scenario="case-control").fit(made.X, made.y)
    expected = pu_score("precision", made.y, apart.predict(made.X), prior_in_unlabeled=0.4)
    assert make_pu_scorer("precision", prior=0.4)(apart, made.X, made.y) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match=r"^prior: 0\.01 does not fit: .* labeled positive"):
        make_pu_scorer("f1", prior=0.01)(model, made.X, made.y)
    for keywords in ({"prior": 1.5}, {"prior_in_unlabeled": 0.0}, {"prior": 0.3, "prior_in_unlabeled": 0.2}):
        with pytest.raises(ValueError, match="^prior"):
            make_pu_scorer("f1", **keywords)
