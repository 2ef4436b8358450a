"""A number is a number: whatever the texts were like that a model learned from, it is never read as one."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pytest
from onesided import BatchScorer, DataWarning, PUClassifier

pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
ROWS = 400

pytestmark = pytest.mark.filterwarnings("ignore::onesided.OnesidedWarning")


def written(values, sign=",", digits=3):
    """As people write numbers: 12,345."""
    return [None if value is None else f"{value:.{digits}f}".replace(".", sign) for value in values]


class Costs:
    """Costs with three digits behind the sign, each of which could as well be thousands: 12.345 or 12,345."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        truth = rng.random(ROWS) < 0.4
        self.y = (truth & (rng.random(ROWS) < 0.5)).astype(int)
        self.cost = np.round(rng.uniform(10, 99, ROWS) + 40 * truth, 3)
        self.size = np.round(rng.normal(size=ROWS) + truth, 2)

    def frame(self, cost):
        return pd.DataFrame({"cost": cost, "size": self.size})


@pytest.fixture(scope="module")
def costs():
    return Costs()


def model():
    return PUClassifier("weighted-lr", prior=0.4, n_jobs=1)


@pytest.fixture(scope="module")
def fitted(costs):
    """Learned from texts with decimal commas, two digits of which leave no doubt."""
    texts = written(costs.cost)
    texts[:40] = written(costs.cost[:40], digits=2)
    return model().fit(costs.frame(texts), costs.y)


@pytest.fixture(scope="module")
def expected(fitted, costs):
    """By a cell that can be read in one way only."""
    found = fitted.decision_function(costs.frame(written(costs.cost, digits=4)))
    assert np.ptp(found) < 50
    return found


FORMS = {
    "floats": lambda cost: cost,
    "short floats": lambda cost: cost.astype(np.float32),
    "objects": lambda cost: pd.Series(cost.tolist(), dtype=object),
    "numpy objects": lambda cost: pd.Series([np.float64(one) for one in cost], dtype=object),
    "decimals": lambda cost: [decimal.Decimal(str(one)) for one in cost],
    "nullable": lambda cost: pd.array(cost, dtype="Float64"),
    "arrow's": lambda cost: pd.array(cost, dtype=pd.ArrowDtype(pa.float64())),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_floats_of_pandas_after_texts_with_commas(fitted, costs, expected, form):
    np.testing.assert_allclose(fitted.decision_function(costs.frame(form(costs.cost))), expected, atol=1e-4)


OTHERS = {
    "polars": pl.from_pandas,
    "polars, lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow, decimals": lambda frame: pa.table({
        "cost": pa.array([decimal.Decimal(str(one)) for one in frame["cost"]], pa.decimal128(9, 3)), "size": frame["size"].to_numpy(),
    }),
    "arrow, coded": lambda frame: pa.table({"cost": pa.array(frame["cost"]).dictionary_encode(), "size": frame["size"].to_numpy()}),
}


@pytest.mark.parametrize("form", OTHERS.values(), ids=OTHERS.keys())
def test_floats_of_others_after_texts_with_commas(fitted, costs, expected, form):
    np.testing.assert_allclose(fitted.decision_function(form(costs.frame(costs.cost))), expected, atol=1e-4)


def test_an_array_after_texts_with_commas(fitted, costs, expected):
    X = np.column_stack([costs.cost, costs.size])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_allclose(fitted.decision_function(X), expected, atol=1e-4)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_allclose(fitted.decision_function(X.astype(object)), expected, atol=1e-4)


def test_single_rows_and_batches(fitted, costs, expected, tmp_path):
    frame = costs.frame(costs.cost)
    one_by_one = [fitted.decision_function(frame.iloc[[row]])[0] for row in range(20)]
    np.testing.assert_allclose(one_by_one, expected[:20], atol=1e-4)
    fitted.save(tmp_path / "m.model")
    batches = pa.Table.from_pandas(frame, preserve_index=False).to_batches(max_chunksize=7)
    found = [score for batch in BatchScorer(tmp_path / "m.model").map(batches) for score in batch["score"].to_pylist()]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_texts_are_read_as_they_were_learned(fitted, costs, expected):
    np.testing.assert_allclose(fitted.decision_function(costs.frame(written(costs.cost))), expected, atol=1e-4)
    array = np.column_stack([np.array(written(costs.cost)), costs.size.astype(str)])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        np.testing.assert_allclose(
            fitted.decision_function(array), fitted.decision_function(pd.DataFrame(array, columns=["cost", "size"])), atol=1e-4
        )


def test_numbers_next_to_texts_are_refused(fitted, costs):
    mixed = costs.cost.astype(object)
    mixed[3] = "12,345"
    with pytest.raises(ValueError, match=r"^X: column 'cost' mixes values of different types \(float, str\)"):
        fitted.decision_function(costs.frame(mixed))
    with pytest.raises(ValueError, match=r"^X: column 'cost' mixes values of different types \(float, str\)"):
        model().fit(costs.frame(mixed), costs.y)


def test_a_column_of_texts_leaves_a_column_of_numbers_alone(costs):
    """In a fit, a neighbor with decimal commas is no reason to read 80.184 as 80184."""
    beside = written(costs.size, digits=2)
    plain = model().fit(costs.frame(costs.cost), costs.y)
    for X in (
        pd.DataFrame({"cost": costs.cost, "size": beside}),
        pd.DataFrame({"cost": pd.Series(costs.cost.tolist(), dtype=object), "size": beside}),
        pl.DataFrame({"cost": costs.cost, "size": beside}),
        pa.table({"cost": costs.cost, "size": beside}),
    ):
        found = model().fit(X, costs.y)
        np.testing.assert_allclose(found.decision_function(X), plain.decision_function(costs.frame(costs.cost)), atol=1e-4)


def test_parts_of_which_one_holds_numbers(costs):
    texts, numbers = costs.frame(written(costs.cost, digits=4)), costs.frame(costs.cost)
    labeled = costs.y == 1
    found = model().fit_parts(numbers[labeled], texts[~labeled])
    plain = model().fit_parts(numbers[labeled], numbers[~labeled])
    np.testing.assert_allclose(found.decision_function(numbers), plain.decision_function(numbers), atol=1e-4)


def test_numbers_are_not_dates(made):
    """Days since 1900 are refused where a model learned from dates."""
    rng = np.random.default_rng(0)
    day = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(one)) for one in rng.integers(0, 300, ROWS)]
    frame = pd.DataFrame({"a": made.X[:ROWS, 0], "day": pd.to_datetime(day)})
    model_of_dates = model().fit(frame, made.y[:ROWS])
    serial = frame.assign(day=(frame["day"] - pd.Timestamp("1899-12-30")).dt.days)
    with pytest.raises(ValueError, match="column 'day' was dates"):
        model_of_dates.decision_function(serial)


def test_categories_that_are_numbers(fitted, costs, expected):
    """12.345 among categories is that number, too; and they are numbers in a fit where they are asked for."""
    coded = pd.Categorical(costs.cost)
    np.testing.assert_allclose(fitted.decision_function(costs.frame(coded)), expected, atol=1e-4)
    thousands = costs.frame(pd.Categorical(np.round(costs.cost, 0) + 0.125))
    np.testing.assert_array_equal(
        fitted.decision_function(thousands), fitted.decision_function(thousands.astype({"cost": float}))
    )
    asked = PUClassifier("weighted-lr", prior=0.4, n_jobs=1, numeric=["cost"])
    assert asked.fit(thousands, costs.y).to_bytes() == asked.fit(thousands.astype({"cost": float}), costs.y).to_bytes()


def test_codes_as_texts_are_told_of(costs):
    codes = [str(one) for one in np.random.default_rng(0).integers(10000, 10030, ROWS)]
    with pytest.warns(DataWarning, match="texts that are numbers are read as numbers in cost.*categorical=\\['cost'\\]"):
        model().fit(costs.frame(codes), costs.y)
