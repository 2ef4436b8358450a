"""Keywords as Rust takes them: names with texts, those of a fit and those that say how X is read."""

from __future__ import annotations

import decimal
import os
from typing import Any

import numpy as np

from ._estimator import seed_of, threads_of, whole
from ._onesided import reading_settings

# Keywords that say how X is read, as the library lists them; the others are settings of the fit.
READING = tuple(name for name, _, _ in reading_settings())
# Those that name columns.
COLUMNS = tuple(name for name, _, repeated in reading_settings() if repeated)
# Those that are a number.
_NUMBERS = tuple(name for name, takes, _ in reading_settings() if takes == "N")
# What terms count, as a model's file calls it and as the keyword does.
_FEATURES = {"counts": "counts", "tf-idf": "tfidf", "sublinear-tf-idf": "sublinear"}
# Keywords of the estimator itself.
OWN = ("pos_label", "negative", "verbose")
# Shares that may be written in percent.
_SHARES = ("prior", "prior_in_unlabeled", "hold_out")


def reading_of(params: dict[str, Any]) -> dict[str, list[str]]:
    """How X is to be read, as texts."""
    given = {}
    for name in READING:
        value = params.get(name)
        if value is None:
            continue
        if name in COLUMNS:
            given[name] = names_of(name, value)
        elif name == "image_shape":
            given[name] = [value.lower() if isinstance(value, str) else "x".join(str(side) for side in value)]
        else:
            given[name] = [str(whole(name, value) if name in _NUMBERS else value)]
    return given


def names_of(name: str, value: Any) -> list[str]:
    """Names of columns: one, several, or none."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    try:
        return [str(one) for one in value]
    except TypeError:
        raise ValueError(f"{name}: must be the name of a column or a list of names, but is {value!r}") from None


def check_columns(params: dict[str, Any], kind: str) -> None:
    """Refuses names of columns where rows have none: they would be ignored without a word."""
    for name in COLUMNS:
        if kind != "table" and len(names_of(name, params.get(name))) > 0:
            what = "a sparse matrix, whose columns have no names" if kind == "sparse" else f"{kind}, which have no columns"
            raise ValueError(f"{name}: it names columns of a table, and X is {what}; leave it out")


def settings_of(params: dict[str, Any]) -> dict[str, list[str]]:
    """Settings of the fit, as texts."""
    given: dict[str, list[str]] = {}
    for name, value in params.items():
        if value is None or name in READING or name in OWN:
            continue
        if name in ("method", "model") and not isinstance(value, str):
            raise ValueError(f"{name}: must be a name, but is {value!r}{_meant(name, value)}")
        if name == "threshold" and not isinstance(value, str):
            raise ValueError(
                f"threshold: must be a rule ('half', 'quantile' or 'max-pu-accuracy'), but is {value!r}; for your own cut, "
                f"compare probabilities with it: predict_proba(X)[:, 1] >= {value!r}"
            )
        if name in _SHARES and isinstance(value, str) and value.strip().endswith("%"):
            given[name] = [_of_percent(name, value)]
        elif name == "random_state":
            given[name] = [str(seed_of(value))]
        elif name == "n_jobs":
            given[name] = [str(threads_of(value))]
        elif name == "option":
            if not isinstance(value, dict):
                raise ValueError(f"option: must be a dict such as {{'cost': 0.1}}, but is {value!r}")
            given[name] = [f"{key}={_text(one)}" for key, one in value.items()]
        elif name == "monotone":
            if not isinstance(value, (dict, str)):
                raise ValueError(f"monotone: must be a dict such as {{'age': 'up'}}, but is {value!r}")
            pairs = [value] if isinstance(value, str) else [f"{key}:{one}" for key, one in value.items()]
            given[name] = pairs
        elif name == "labeling_depends_on":
            given[name] = [value] if isinstance(value, str) else [str(column) for column in value]
        elif isinstance(value, (bool, np.bool_)):
            given[name] = [str(bool(value)).lower()]
        else:
            given[name] = [_text(value)]
    return given


def _meant(name: str, value: Any) -> str:
    """A share in the place of the method was meant to be the prior."""
    is_share = isinstance(value, (float, np.floating)) and 0 < value < 1
    return f"; did you mean prior={float(value)!r}?" if name == "method" and is_share else ""


def _of_percent(name: str, value: str) -> str:
    """``"30%"`` as ``"0.3"``, with the digits that were written."""
    try:
        return str(decimal.Decimal(value.strip()[:-1].strip()) / 100)
    except decimal.InvalidOperation:
        raise ValueError(f"{name}: must be a share such as 0.3 or '30%', but is {value!r}") from None


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def params_of(about: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a fit by what a model file says of it, the other way round than :func:`settings_of` and :func:`reading_of`.

    How texts and pictures are read is part of their encoding; the other settings are those that were given.
    """
    report = about["report"]
    seed = report.get("seed") or (report.get("config") or {}).get("seed")
    params: dict[str, Any] = {"method": about["method"]} if "given" not in about else {}
    params |= {"scenario": about["scenario"], "random_state": seed or None, **_reading_params(about["features"])}
    for name, value in about.get("given", {}).items():
        params[name.replace("-", "_")] = _value_of(value) if isinstance(value, str) else value
    options = dict(about.get("options", []))
    monotone = options.pop("monotone", None)
    return params | {"monotone": monotone, "option": {name: _value_of(value) for name, value in options.items()} or None}


def _reading_params(encoding: dict[str, Any]) -> dict[str, Any]:
    """How texts and pictures are read, by how they are encoded."""
    if encoding.get("from") == "files":
        return {"image_shape": "{channels}x{height}x{width}".format(**encoding["image"])}
    texts = [encoding, *encoding.get("features", [])]
    options = next((one["text"]["options"] for one in texts if "text" in one), None)
    if options is None:
        return {}
    return {
        "features": _FEATURES[options["weighting"]],
        "ngrams": options["phrase_lengths"][1],
        "min_texts": options["min_texts"],
        "max_terms": options["max_terms"],
        "stop_words": "english" if options["stop_words"] else None,
    }


def _value_of(text: str) -> Any:
    """A setting as a number or a truth value, where it is one."""
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text
