"""Pictures of a model, and frames of what it says."""

from __future__ import annotations

import warnings

import numpy as np
import onesided
import pytest
from onesided import PUClassifier

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def rows(made):
    names = [f"row {at}" for at in range(len(made.X))]
    return pd.DataFrame(made.X, columns=list("abcd"), index=names), pd.Series(made.y, index=names)


@pytest.fixture(scope="module")
def model(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=onesided.OnesidedWarning)
        return PUClassifier(effort="quick", n_jobs=1).fit(*rows)


@pytest.mark.parametrize("what", ["scores", "share", "review", "calibration"])
def test_pictures_of_the_rows_of_the_fit_need_no_rows(model, rows, what):
    picture = getattr(model.plot, what)()
    assert picture._repr_svg_().startswith("<svg") and picture._repr_png_().startswith(b"\x89PNG")
    assert repr(picture).startswith("<Picture: ")
    # The same as with these rows: they are known.
    assert getattr(model.plot, what)(rows[0]).svg == picture.svg


def test_pictures_of_columns(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=onesided.OnesidedWarning)
        bars = model.plot.importance(*rows)
        effect = model.plot.effects("a", rows[0])
    assert all(f">{name}<" in bars.svg for name in "abcd") and "How a matters" in effect.svg
    with pytest.raises(ValueError, match="^y: importance is measured by labels"):
        model.plot.importance(rows[0])
    with pytest.raises(ValueError, match="no effect of a column 'nowhere'"):
        model.plot.effects("nowhere", rows[0])
    with pytest.raises(ValueError, match="^y: labels are those of X"):
        model.plot.scores(y=rows[1])


def test_pictures_are_saved(model, tmp_path):
    picture = model.plot.review()
    for name, content in (("x.svg", picture.svg.encode()), ("x.PNG", picture.png)):
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content
    with pytest.raises(ValueError, match=r"^path: a picture ends in \.svg or \.png"):
        picture.save(tmp_path / "x.pdf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.PNG", "x.svg"]


def test_a_share_that_was_given_has_no_estimates(made):
    given = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    with pytest.raises(ValueError, match="the share of positives was given"):
        given.plot.share()
    with pytest.raises(ValueError, match="not fitted"):
        PUClassifier().plot


def test_pictures_are_drawn_on_an_axis(model, rows):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=onesided.OnesidedWarning)
        drawn = [
            model.plot.scores(ax=axes[0, 0]),
            model.plot.share(ax=axes[0, 1]),
            model.plot.review(ax=axes[0, 2]),
            model.plot.calibration(ax=axes[1, 0]),
            model.plot.importance(*rows, ax=axes[1, 1]),
            model.plot.effects("b", rows[0], ax=axes[1, 2]),
        ]
    assert all(one is axis for one, axis in zip(drawn, axes.flat))
    assert axes[0, 2].get_title() == "How far to read" and axes[0, 2].get_xlabel() == "rows read from the top"
    labels = [line.get_label() for line in axes[0, 2].lines]
    assert labels[:2] == ["recall", "precision"]
    recall = axes[0, 2].lines[0].get_ydata()
    assert (np.diff(recall) >= 0).all() and 0 <= recall[0] and recall[-1] <= 1
    pyplot.close(figure)


def test_frames_have_the_index_of_the_rows(model, rows, made):
    X, y = rows
    best = model.rank(X, 5)
    assert isinstance(best, pd.DataFrame) and best.index.tolist() == [f"row {row}" for row in best.row]
    plain = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    assert plain.rank(made.X, 5).dtype.names == ("row", "score", "probability", "low", "high")
    explained = plain.explain(made.X[:12], most=2)
    frame = explained.to_frame()
    assert list(frame.columns) == ["feature", "part", "score"] and len(frame) == 24
    assert explained[0][0] == (frame.feature.iloc[0], frame.part.iloc[0])
    assert len(repr(explained).splitlines()) == 11 and repr(explained).endswith("… and 2 more rows")
    named = PUClassifier("weighted-lr", prior=0.4).fit(X, y).explain(X.iloc[[7, 3]])
    assert named.to_frame().index.unique().tolist() == ["row 7", "row 3"]


def test_importance_is_a_frame_and_a_short_text(made):
    wide = np.hstack([made.X, np.random.default_rng(0).normal(size=(len(made.X), 9))])
    model = PUClassifier("weighted-lr", prior=0.4).fit(wide[:700], made.y[:700])
    found = model.importance(wide[700:], made.y[700:], repeats=2)
    frame = found.to_frame()
    assert frame.index.name == "column" and frame.index[0] == found.columns[0].column
    assert frame.lost.is_monotonic_decreasing and list(frame.columns) == ["lost", "low", "high"]
    lines = repr(found).splitlines()
    assert len(lines) == 12 and lines[0].startswith("AUC ") and lines[-1] == "… and 3 more columns"


def test_the_card_is_the_page_in_short(model):
    card = model._repr_html_()
    for word in ("learned from", "assumed", "share", "how good", "naive", "labels are a random sample", "model.plot", "<svg"):
        assert word in card, word
    assert "<script" not in card


def test_a_warning_is_said_once_per_process(made):
    from onesided import _warnings

    _warnings._SAID.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for X in (made.X, made.X[:900]):
            PUClassifier("weighted-lr", prior=0.4).fit(np.column_stack([X, np.ones(len(X))]), made.y[: len(X)])
        PUClassifier("weighted-lr", prior=0.4).fit(np.column_stack([made.X, np.ones(len(made.X))]), made.y)
    assert len([one for one in seen if "the same value in every row" in str(one.message)]) == 1
