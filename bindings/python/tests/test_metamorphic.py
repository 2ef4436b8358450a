"""The same table as pandas, polars, Arrow, objects or texts is the same model and the same scores, or a sentence."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from onesided import PUClassifier

TABLES = range(12)


def table(seed: int, rows: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, words, truth values and dates, with missing cells and equal rows."""
    rng = np.random.default_rng(seed)
    positive = rng.random(rows) < 0.4
    frame = pd.DataFrame({
        "amount": np.round(rng.uniform(-50, 90_000, rows) + 9_000 * positive, int(rng.integers(0, 4))),
        "rate": np.round(rng.uniform(1, 90, rows) + 15 * positive, 3),
        "count": rng.integers(0, 40, rows) + 5 * positive,
        "color": rng.choice(["red", "blue", "weiß", "a,b"], rows),
        "flag": rng.random(rows) < 0.5,
        "day": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 900, rows), "D"),
    })
    frame.loc[rng.random(rows) < 0.06, "rate"] = np.nan
    frame.iloc[5] = frame.iloc[9]
    return frame, (positive & (rng.random(rows) < 0.5)).astype(int)


def _texts(frame: pd.DataFrame, sign: str) -> pd.DataFrame:
    """Every cell as a text, as a CSV file has it."""
    def cell(value: object) -> str | None:
        if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
            return None
        if isinstance(value, float):
            return repr(value).removesuffix(".0").replace(".", sign)
        return value.strftime("%Y-%m-%d") if isinstance(value, pd.Timestamp) else str(value)

    return pd.DataFrame({name: [cell(value) for value in frame[name].tolist()] for name in frame})


FORMS = {
    "pandas": lambda frame: frame,
    "objects": lambda frame: frame.astype(object),
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "texts": lambda frame: _texts(frame, "."),
    "texts with commas": lambda frame: _texts(frame, ","),
}


@pytest.mark.parametrize("seed", TABLES)
def test_every_form_scores_the_same_or_says_why_not(seed: int) -> None:
    frame, y = table(seed)
    rows = np.random.default_rng(seed).integers(0, len(frame), 7)
    new = frame.iloc[rows].reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = {name: _fit(form(frame), y) for name, form in FORMS.items()}
        wanted = models["pandas"].decision_function(new)
        scored = 0
        for fitted, model in models.items():
            for name, form in FORMS.items():
                for size in (1, 3, 7):
                    parts = [new.iloc[at:at + size].reset_index(drop=True) for at in range(0, len(new), size)]
                    try:
                        found = np.concatenate([model.decision_function(form(part)) for part in parts])
                    except ValueError as error:
                        # Texts with the other decimal sign, and nothing else.
                        assert name.startswith("texts") and fitted != name, (fitted, name, error)
                        assert "decimal" in str(error), error
                        continue
                    np.testing.assert_array_equal(found, wanted, err_msg=f"{fitted} scoring {name} by {size}")
                    scored += 1
    assert scored > 60


def _fit(X: object, y: np.ndarray) -> PUClassifier:
    return PUClassifier(method="weighted-lr", prior=0.4, random_state=0).fit(X, y)
