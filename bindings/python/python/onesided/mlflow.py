"""Models in MLflow: the model file itself, loaded without a pickle.

>>> import onesided.mlflow
>>> info = onesided.mlflow.log_model(model, "spam", input_example=X[:5])
>>> mlflow.pyfunc.load_model(info.model_uri).predict(X)

What is loaded is a file that is checked and of which nothing is run, so no type must be trusted. ``predict`` gives a frame of score,
probability and decision.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from ._classifier import PUClassifier

FILE = "model.onesided"


class Scored:
    """What MLflow calls: rows in, score, probability and decision out."""

    def __init__(self, model: PUClassifier) -> None:
        self.model = model

    def predict(self, rows: Any, params: dict[str, Any] | None = None) -> Any:
        """A frame with a row for each of the rows."""
        import pandas as pd

        probability = self.model.predict_proba(rows)[:, 1]
        return pd.DataFrame(
            {
                "score": np.asarray(self.model.decision_function(rows), dtype=np.float64),
                "probability": np.asarray(probability, dtype=np.float64),
                "decision": probability >= self.model.threshold_,
            }
        )


def _load_pyfunc(path: str) -> Scored:
    """What MLflow looks for in a module that loads."""
    return Scored(PUClassifier.load(path))


def _arguments(model: PUClassifier, folder: str, example: Any, settings: dict[str, Any]) -> dict[str, Any]:
    from mlflow.models import infer_signature

    from . import __version__

    path = os.path.join(folder, FILE)
    model.save(path)
    if example is not None:
        settings.setdefault("signature", infer_signature(example, Scored(model).predict(example)))
        settings.setdefault("input_example", example)
    settings.setdefault("pip_requirements", [f"onesided=={__version__}"])
    return {"loader_module": __name__, "data_path": path, **settings}


def save_model(model: PUClassifier, path: str | os.PathLike[str], input_example: Any = None, **settings: Any) -> None:
    """Write a folder that MLflow loads; ``settings`` are those of ``mlflow.pyfunc.save_model``."""
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        mlflow.pyfunc.save_model(os.fspath(path), **_arguments(model, folder, input_example, settings))


def log_model(model: PUClassifier, name: str, input_example: Any = None, **settings: Any) -> Any:
    """Log it to the active run; ``settings`` are those of ``mlflow.pyfunc.log_model``. An example gives the signature, too."""
    import mlflow

    with tempfile.TemporaryDirectory() as folder:
        return mlflow.pyfunc.log_model(name=name, **_arguments(model, folder, input_example, settings))
