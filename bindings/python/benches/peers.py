"""scikit-learn's check_estimator on every classifier of pulearn and pu-toolbox: how many checks pass.

    pip install pulearn==0.2.0 pu-toolbox==1.11.0 scikit-learn==1.9.1 torch
    python peers.py
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import signal
import warnings
from collections import Counter

from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import check_estimator

# A class that takes longer than this is given up.
SECONDS = 100


def classes(package: str) -> dict[str, type]:
    """What predicts, by name."""
    found = {}
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(root.__path__, package + "."):
        try:
            module = importlib.import_module(info.name)
        except Exception:  # An optional dependency that is not there.
            continue
        for name, one in inspect.getmembers(module, inspect.isclass):
            ours = one.__module__.startswith(package) and not name.startswith("_") and not inspect.isabstract(one)
            if ours and issubclass(one, BaseEstimator) and hasattr(one, "predict"):
                found[name] = one
    return found


def made(one: type) -> BaseEstimator | None:
    """By its defaults; where it asks for something, a prior of one half, or a logistic regression to work with."""
    inner = {"estimator": LogisticRegression()}
    for arguments in ({}, {"prior": 0.5}, {"class_prior": 0.5}, inner, {**inner, "labeled": 10, "unlabeled": 10}):
        try:
            return one(**arguments)
        except Exception:
            continue
    return None


def give_up(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, give_up)
    for package in ("pulearn", "pu_toolbox"):
        for name, one in sorted(classes(package).items()):
            estimator = made(one)
            if estimator is None:
                print(package, name, "needs arguments")
                continue
            signal.alarm(SECONDS)
            try:
                results = check_estimator(estimator, on_fail=None, on_skip=None)
                print(package, name, dict(Counter(one["status"] for one in results)), flush=True)
                failed = (one["exception"] for one in results if one["status"] == "failed")
                for why, times in Counter(f"{type(e).__name__}: {e}"[:90] for e in failed).most_common(3):
                    print(f"    {times} x {why!r}", flush=True)
            except TimeoutError:
                print(package, name, "given up")
            finally:
                signal.alarm(0)


if __name__ == "__main__":
    main()
