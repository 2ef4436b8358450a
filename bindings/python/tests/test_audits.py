"""Audits in Python: a sheet with the frame's own index, read and learned from by key."""

from __future__ import annotations

import numpy as np
import pytest
from onesided import AuditReport, DataWarning, PUClassifier

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def frame(made):
    """Rows whose index is neither their number nor in order."""
    rng = np.random.default_rng(3)
    return pd.DataFrame(made.X, columns=["a", "b", "c", "d"], index=rng.permutation(len(made.X)) + 5000)


@pytest.fixture(scope="module")
def fitted(made, frame):
    return PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit(frame, pd.Series(made.y, frame.index))


def answered(sheet, made, frame):
    """With the truth, found by the index."""
    truth = pd.Series(made.truth, frame.index)
    return sheet.assign(positive=np.where(truth.loc[sheet.index], "yes", "no"))


def test_the_sheet_is_blind_and_has_the_index_of_the_frame(made, frame, fitted):
    sheet = fitted.audit_draw(frame, rows=100, keep=["a"])
    assert list(sheet.columns) == ["key", "positive", "note", "reviewer", "a", "draw"]
    assert len(sheet) == 100 and sheet.key.is_unique and sheet.draw.nunique() == 1
    # The index is the frame's, and no number stands beside it.
    assert (frame.loc[sheet.index, "a"] == sheet.a).all()
    # Labeled rows of the fitted table are not drawn.
    assert not pd.Series(made.y, frame.index).loc[sheet.index].any()
    assert sheet.attrs["forecast"]["rows"] == (made.y == 0).sum()


def test_answers_by_the_index_are_right_in_any_form(made, frame, fitted, tmp_path):
    sheet = answered(fitted.audit_draw(frame, rows=200), made, frame)
    report = fitted.audit_read(sheet)
    assert isinstance(report, AuditReport) and report.answered == 200 and report.unanswered == 0
    share = made.truth[made.y == 0].mean()
    assert report.share.low < share < report.share.high
    assert report.found == (sheet.positive == "yes").sum()
    cut = next(cut for cut in report.cuts if cut.rows == report.predicted)
    assert 0 < cut.precision.low <= cut.precision.value <= 1
    sheet.to_csv(tmp_path / "a.csv")
    sheet.iloc[:90].to_csv(tmp_path / "one.csv", sep=";")
    truths = sheet.assign(positive=sheet.positive == "yes")
    for other in (
        tmp_path / "a.csv", [tmp_path / "one.csv", sheet.iloc[90:]], sheet.sample(frac=1, random_state=1),
        truths.reset_index(drop=True), sheet.to_dict("list"),
    ):
        assert fitted.audit_read(other) == report
    polars = pytest.importorskip("polars")
    assert fitted.audit_read(polars.from_pandas(sheet)) == report


def test_polars_in_polars_out_and_arrays_too(made, frame, fitted):
    polars = pytest.importorskip("polars")
    expected = fitted.audit_draw(frame, rows=60)
    sheet = fitted.audit_draw(polars.from_pandas(frame), rows=60, keep="all")
    assert isinstance(sheet, polars.DataFrame) and sheet.columns[5:9] == ["a", "b", "c", "d"]
    assert (frame.index[sheet["position"].to_numpy()] == expected.index).all()
    assert sheet["key"].to_list() == expected.key.tolist()
    array = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit(made.X, made.y)
    # Rows of an array are called by their position, as in rank.
    sheet = array.audit_draw(made.X, rows=60)
    assert set(sheet.index) <= set(array.rank(made.X).row)


def test_numbers_of_rows_cannot_be_mistaken(made, frame, fitted):
    sheet = answered(fitted.audit_draw(frame, rows=100), made, frame)
    # As files have it, from 1; a number that is not the key's is refused.
    at = frame.index.get_indexer(sheet.index)
    assert fitted.audit_read(sheet.assign(row=at + 1)) == fitted.audit_read(sheet)
    for wrong in (sheet.assign(row=at), sheet.assign(row=at[::-1] + 1)):
        with pytest.raises(ValueError, match="^answers: .* column 'row', line 2, and the key there is that of row"):
            fitted.audit_read(wrong)
    with pytest.raises(ValueError, match="^answers: .*all of them yes, and .* lines of the draw missing"):
        fitted.audit_read(sheet[sheet.positive == "yes"])
    with pytest.raises(ValueError, match="^answers: must be a table of answers"):
        fitted.audit_read(3)
    with pytest.raises(ValueError, match="^keep: X has no column 'z'"):
        fitted.audit_draw(frame, rows=100, keep=["z"])
    with pytest.warns(DataWarning, match=r"3 of 100 rows have no answer \(3 are unsure\)"):
        fitted.audit_read(sheet.assign(positive=["unsure"] * 3 + sheet.positive.tolist()[3:]))


def test_fit_finds_the_answered_rows_by_their_cells(made, frame, fitted):
    sheet = answered(fitted.audit_draw(frame, rows=150), made, frame)
    y = pd.Series(made.y, frame.index)
    learned = PUClassifier("weighted-lr", n_jobs=1).fit(frame, y, audit=sheet)
    counts = learned.about_["counts"]
    found = int((sheet.positive == "yes").sum())
    assert (counts["positive"], counts["negative"]) == (made.y.sum() + found, 150 - found)
    share = made.truth[made.y == 0].mean()
    assert abs(learned.prior_estimate_.mu - share) < 0.12
    # In another order, with another index, and the sheet in another order, too.
    order = np.random.default_rng(5).permutation(len(frame))
    shuffled, labels = frame.iloc[order].reset_index(drop=True), pd.Series(made.y[order])
    again = PUClassifier("weighted-lr", n_jobs=1).fit(shuffled, labels, audit=sheet[::-1])
    assert again.about_["counts"] == counts and again.prior_estimate_.mu == learned.prior_estimate_.mu
    more = pd.concat([frame, frame.iloc[:2] * 1000])
    with pytest.warns(DataWarning, match="the table has 2 rows more than when it was audited"):
        PUClassifier("weighted-lr", n_jobs=1).fit(more, [*made.y, 0, 0], audit=sheet)


def test_equal_rows_are_not_told_apart_by_their_order():
    rng = np.random.default_rng(0)
    truth = rng.random(600) < 0.4
    a = np.where(truth, rng.choice(list("xyz"), 600), rng.choice(list("uvwxyz"), 600))
    frame = pd.DataFrame({"a": a, "b": rng.integers(0, 4, 600) + truth})
    y = pd.Series((truth & (rng.random(600) < 0.5)).astype(int))
    model = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit(frame, y)
    shuffled = frame.sample(frac=1, random_state=1)
    said = "rows are equal in every learned column to labeled ones and cannot be told apart; they are listed; leave the labeled ones out with y="
    for X in (frame, shuffled):
        with pytest.warns(DataWarning, match=said):
            listed = model.rank(X)
        assert set(frame.index[y == 0]) <= set(listed.index)
        scores = pd.Series(listed.probability, listed.index).groupby([frame.loc[listed.index, "a"], frame.loc[listed.index, "b"]])
        assert (scores.nunique() == 1).all()
        # With labels it is known.
        assert set(model.rank(X, y=y.loc[X.index]).index) == set(frame.index[y == 0])
        sheet = model.audit_draw(X, rows=100, y=y.loc[X.index])
        assert not y.loc[sheet.index].any()
    with pytest.raises(ValueError, match="^y: in_sample lists all rows"):
        model.rank(frame, in_sample=True, y=y)
