"""What is warned of, as what, and what is said of columns."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
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


def test_a_cautious_cut_is_named(made):
    with pytest.warns(PriorWarning, match=r"predict calls a row positive from a probability of 0\.\d{3} on \(threshold_\)"):
        model = PUClassifier(effort="quick").fit(made.X, made.y)
    assert model.threshold_rule_ == "cautious" and model.threshold_ == model.about_["threshold"] > 0.5
    assert model.about_["threshold_rule"] == "cautious" == PUClassifier.from_bytes(model.to_bytes()).about_["threshold_rule"]
    given = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    assert (given.threshold_rule_, given.threshold_) == ("half", 0.5)
    quantile = PUClassifier("weighted-lr", prior=0.4, threshold="quantile").fit(made.X, made.y)
    assert quantile.threshold_rule_ == "quantile"
    for one in (model, given, quantile):
        assert (one.predict(made.X) == (one.predict_proba(made.X)[:, 1] >= one.threshold_)).all()
    card = model._repr_html_()
    assert f"{model.threshold_:.3f}, cautious" in card


def test_the_command_names_the_rule_of_the_threshold_as_python_does(made, tmp_path):
    table = np.column_stack([made.X, made.y])[:400]
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c,d,y", comments="")
    for flags, rule in ((["--effort", "quick"], "cautious"), (["--method", "weighted-lr", "--prior", "0.4"], "half")):
        command = [sys.executable, "-m", "onesided", "fit", tmp_path / "t.csv", "--label", "y", *flags, "--json", "--out", tmp_path / "m"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert json.loads(done.stdout)["threshold_rule"] == rule == onesided.load(tmp_path / "m").threshold_rule_, done.stderr


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


def _said(code):
    """What a fresh process says."""
    made = """
    import numpy as np, pandas as pd
    from onesided import PUClassifier
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    X = np.column_stack([rng.normal(size=(600, 3)) + truth[:, None], np.ones(600)])
    y = (truth & (rng.random(600) < 0.5)).astype(int)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(made) + textwrap.dedent(code)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_search_says_each_thing_once():
    pytest.importorskip("sklearn")
    said = _said("""
    from sklearn.model_selection import cross_val_score
    from onesided.metrics import make_pu_scorer
    from onesided.model_selection import PUKFold
    model = PUClassifier(effort="quick", n_jobs=1)
    cross_val_score(model, X, y, scoring=make_pu_scorer("auc_pu"), cv=PUKFold(4), error_score="raise")
    """)
    assert said.count("PriorWarning: the prior is a guess") == 1 == said.count("x3 is left out: the same value in every row")
    longest = max(len(line.partition("PriorWarning: ")[2]) for line in said.splitlines())
    assert 0 < longest < 280


def test_other_lines_other_columns_and_other_sentences_are_said():
    said = _said("""
    import warnings
    model = PUClassifier("weighted-lr", prior=0.4)
    for columns in (["a", "b", "x3", "one"], ["a", "b", "x3", "one"], ["a", "b", "x3", "x5"]):
        model.fit(pd.DataFrame(X, columns=columns), y)
        with warnings.catch_warnings():          # which makes Python forget what it has said
            warnings.simplefilter("ignore")
    model.fit(pd.DataFrame(X, columns=list("abcd")).rename(columns={"d": "one"}), y)
    """)
    assert said.count("DataWarning: one is left out") == 1 and said.count("DataWarning: x5 is left out") == 1


def test_who_asks_for_all_warnings_gets_all(made):
    X = np.column_stack([made.X, np.ones(len(made.X))])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            PUClassifier("weighted-lr", prior=0.4).fit(X, made.y)
    assert [str(one.message) for one in seen if one.category is DataWarning] == ["x4 is left out: the same value in every row"] * 3


def test_how_numbers_are_written_is_told_once(made):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, columns=list("abcd"))
    texts = frame.assign(a=[f"{one:.2f}".replace(".", ",") for one in frame["a"]])
    model = PUClassifier("weighted-lr", prior=0.4)
    with pytest.warns(DataWarning, match=r"^texts that are numbers are read as numbers in a \(.*categorical=\['a'\]"):
        model.fit(texts, made.y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(texts)
        model.rank(texts, 5, in_sample=True)


OPEN = r"^no date tells whether day or month comes first in day \(read as \w+ first\)$"


@pytest.fixture(scope="module")
def days(made):
    """Dates in all of which day and month could be the other way round."""
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    day = [f"{rng.integers(1, 13):02}/{rng.integers(1, 13):02}/{rng.integers(2020, 2025)}" for _ in range(600)]
    return pd.DataFrame(made.X[:600], columns=list("abcd")).assign(day=day), made.y[:600]


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "numpy"])
def test_an_order_of_day_and_month_that_is_a_guess_is_told_of(days, form):
    frame, y = days
    X = {
        "pandas": lambda: frame,
        "polars": lambda: pytest.importorskip("polars").from_pandas(frame),
        "arrow": lambda: pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False),
        "numpy": lambda: frame.rename(columns={"day": "x4"}).to_numpy(dtype=object),
    }[form]()
    said = OPEN.replace("in day ", "in x4 ") if form == "numpy" else OPEN
    model = PUClassifier("weighted-lr", prior=0.4)
    with pytest.warns(DataWarning, match=said):
        model.fit(X, y)
    with pytest.warns(DataWarning, match=said):
        model.set_params(max_unlabeled=100).fit(X, y)
    with pytest.warns(DataWarning, match=said):
        onesided.estimate_prior(X, y, n_jobs=1)


def test_so_is_one_of_two_parts(days):
    frame, y = days
    with pytest.warns(DataWarning, match=OPEN):
        PUClassifier("weighted-lr", prior=0.4).fit_parts(frame[y == 1], frame[y == 0])
    with pytest.warns(DataWarning, match=OPEN):
        onesided.estimate_prior(X_pos=frame[y == 1], X_unl=frame[y == 0], n_jobs=1)


def test_so_is_one_of_two_parts_beside_dates(days):
    pd = pytest.importorskip("pandas")
    frame, y = days
    dates = frame.assign(day=pd.to_datetime(frame["day"], format="%d/%m/%Y"))
    with pytest.warns(DataWarning, match=OPEN):
        PUClassifier("weighted-lr", prior=0.4).fit_parts(frame[y == 1], dates[y == 0])


def test_python_says_what_the_command_says(days, tmp_path, capsys):
    """The same notes in the same words: as warnings, or as lines where they were asked for."""
    frame, y = days
    rng = np.random.default_rng(2)
    frame = frame.assign(
        zip=[f"{code:05}" for code in rng.integers(10000, 10040, len(frame))],
        cost=[f"{cost:.2f}".replace(".", ",") for cost in rng.gamma(2, 30, len(frame))],
        one="same",
        key=np.arange(len(frame)),
    )
    frame.loc[3, "a"] = np.nan
    pytest.importorskip("pyarrow")
    frame.assign(label=y).to_parquet(tmp_path / "t.parquet", index=False)
    flags = "--label label --method weighted-lr --prior 0.4 --threads 1 -v --out"
    command = [sys.executable, "-m", "onesided", "fit", tmp_path / "t.parquet", *flags.split(), tmp_path / "m"]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line.partition(": ") for line in done.stderr.splitlines()]
    theirs = {sentence for kind, _, sentence in lines if kind in ("note", "warning")}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        PUClassifier("weighted-lr", prior=0.4, n_jobs=1, verbose=1).fit(frame, y)
    ours = {str(one.message) for one in seen}
    ours |= {line.removeprefix("note: ") for line in capsys.readouterr().err.splitlines()}
    # A hint is a flag there and a keyword here.
    plain = lambda said: {one.partition(";")[0] for one in said}
    assert plain(theirs) == plain(ours)
    assert {"missing cells in a (1)", "key is left out: it rises or falls with the row number, so it tells where a row is and not what it is",
            "no date tells whether day or month comes first in day (read as month first)"} <= plain(ours)
