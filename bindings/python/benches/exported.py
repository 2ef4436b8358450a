"""Exported models next to the model itself: fit, export, score by onnxruntime and XGBoost, compare.

    python exported.py                              200 small random tables, and long ones for each kind of model
    python exported.py --tables 1000 --results results/exported.jsonl
    python exported.py --kinds auto,trees
    python exported.py --only-summary --results results/exported.jsonl

A score may differ by 1e-5 · max(1, |score|), and a decision only where its probability is that near to the threshold. Ends with 1 if
one does. With `--results` each table is a line of that file, and tables that are there already are not run again. Besides small
tables there are, for each kind of model, one long table of a random shape, one with every kind of column (10,000 new rows each), and
one small table for each method of the registry; trees and forests also meet categories with thousands of levels, and three networks
pictures.
"""

import argparse
import json
import os
import sys
import tempfile
import warnings
from collections import Counter

import numpy as np
import onnxruntime
import pandas as pd
import xgboost

import onesided

ALLOWED = 1e-5
KINDS = {
    "auto": {"effort": "quick"},
    # Members that cannot be made to rise, such as kernels, are left out: a blend of the others.
    "blend": {"monotone": {"number 0": "up"}, "effort": "quick"},
    "trees": {"method": "nnpu", "model": "trees"},
    "forest": {"model": "forest"},
    "logistic": {"method": "weighted-lr"},
    "svm": {"method": "biased-svm"},
    "kernel": {"method": "puld"},
    "share of labels": {"method": "elkan-noto"},
    "share of labels of trees": {"method": "elkan-noto", "model": "trees"},
    "network": {"method": "nnpu", "model": "mlp:16", "epochs": 3},
    "line of a network": {"method": "nnpu", "model": "linear", "epochs": 3},
}
# Of the small tables of auto and of its blend every so many are fitted at the usual effort.
IN_FULL = 10
# The largest new number, 1e30 for all others: of sums of 32 bits in another order, 1e30 leaves something else.
MOST = {"network": 1e3, "line of a network": 1e3}
# Also written as XGBoost's JSON.
BOOSTED = ["trees", "forest", "levels of trees", "levels of a forest"]
# Categories with more levels than bins, which each node parts anew.
MANY_LEVELS = {"levels of trees": KINDS["trees"], "levels of a forest": KINDS["forest"]}
PICTURES = {"pictures, cnn": "cnn", "pictures, mlp": "mlp:16", "pictures, wide-resnet": "wide-resnet:10x1"}
# Convolutions of ours are themselves farther than ALLOWED from the exact scores (exported_exact.py): so many times as far, and decisions as ever.
FARTHER = {"pictures, cnn": 10, "pictures, wide-resnet": 10}
LEVELS = np.array(["", "red", "green", "blue", "grün", "a b", "0"], dtype=object)
WORDS = np.array(["late", "Paid", "again", "über", "x", "2nd", "in", "full", "never"], dtype=object)


def table(shape, random, rows, new=False, most=1e30, every=False):
    """Columns of all kinds, some cells missing; new rows also have levels that were not seen and extreme numbers.

    `shape` draws which columns there are, `random` their cells. `every` takes one of each.
    """
    y = random.random(rows) < 0.4
    columns = {}
    has = lambda share: shape.random() < share or every
    for at in range(shape.integers(1, 4)):
        x = (random.normal(size=rows) + y) * 10.0 ** shape.integers(-3, 4)
        x[random.random(rows) < 0.15] = np.nan
        if new:
            x = np.where(random.random(rows) < 0.05, random.choice([0.0, -0.0, most, -most, 1e-30], size=rows), x)
        columns[f"number {at}"] = x
    for at in range(max(shape.integers(0, 3), every)):
        x = random.choice(LEVELS[: shape.integers(3, 8)], size=rows)
        x = np.where(y & (random.random(rows) < 0.5), "red", x)
        columns[f"category {at}"] = np.where(new & (random.random(rows) < 0.1), "never seen", x).astype(object)
    if has(0.4):
        columns["flag"] = pd.array(random.random(rows) < 0.3 + 0.4 * y, dtype="boolean")
        columns["flag"][random.random(rows) < 0.1] = pd.NA
    if has(0.3):
        columns["vector"] = list((random.normal(size=(rows, 3)) + y[:, None]).astype(np.float32))
    if has(0.3):
        days = np.datetime64("2024-02-27") + (random.random(rows) * 900 + 300 * y).astype(int)
        columns["date"] = pd.Series(days.astype("datetime64[s]") + (random.random(rows) * 86400).astype("timedelta64[s]"))
        columns["date"][random.random(rows) < 0.1] = pd.NaT
    if has(0.1):
        # Numbers that differ only behind their seventh digit.
        x = 1e9 + random.integers(0, 60, rows) + 30.0 * y
        columns["wide"] = np.where(random.random(rows) < 0.1, np.nan, x)
    if has(0.1):
        drawn = random.choice(WORDS, size=(rows, 6))
        texts = [" ".join(words[: 1 + at % 6]) + ("!" if hit else "") for at, (words, hit) in enumerate(zip(drawn, y))]
        texts = np.where(y & (random.random(rows) < 0.4), "paid in full, late", np.array(texts, dtype=object))
        columns["text"] = np.where(random.random(rows) < 0.1, random.choice([None, "", "..."], size=rows), texts)
    frame = pd.DataFrame(columns)
    if new and "vector" not in frame:
        frame.loc[random.random(rows) < 0.02, :] = None
    return frame, y


def levels_table(random, rows, new=False):
    """A number and two categories of many levels, the larger one of 4,000; new rows have levels that were not seen, too."""
    y = random.random(rows) < 0.4
    code = np.where(y, random.integers(0, 2500, rows), random.integers(1500, 4000, rows)) + new * random.integers(0, 2, rows) * 2000
    small = random.integers(0, 600, rows) // (1 + y)
    frame = pd.DataFrame({
        "number": random.normal(size=rows) + y,
        "code": np.array([f"c{at}" for at in code], dtype=object),
        "place": np.array([f"p{at}" for at in small], dtype=object),
    })
    frame.loc[random.random(rows) < 0.1, "code"] = None
    frame.loc[random.random(rows) < 0.1, "number"] = np.nan
    if new:
        frame.loc[random.random(rows) < 0.02, :] = None
    return frame, y


def pictures(random, rows):
    """Small pictures in color, brighter in the middle where they are positive."""
    y = random.random(rows) < 0.4
    all_ = random.integers(0, 120, (rows, 8, 8, 3)).astype(np.uint8)
    all_[y, 2:5, 2:5] += 100
    return all_, y


def passed(model, session, frame):
    """The columns as the exported model takes them."""
    if not isinstance(frame, pd.DataFrame):
        return {"picture": frame}
    given = {}
    for one in session.get_inputs():
        column = frame[one.name]
        if one.name == "text":
            given[one.name] = model.terms(column)
        elif one.type == "tensor(string)":
            cells = column.astype(object).where(column.notna(), "").to_numpy(dtype=object)
            given[one.name] = cells.reshape(-1, 1)
        elif column.dtype.kind == "M":
            seconds = (column - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
            given[one.name] = seconds.to_numpy(dtype=float).reshape(-1, 1)
        elif one.type == "tensor(float)":
            given[one.name] = np.stack(column.to_numpy()).astype(np.float32)
        else:
            given[one.name] = column.astype("Float64").to_numpy(dtype=float, na_value=np.nan).reshape(-1, 1)
    return given


def compare(model, rows, folder):
    """The largest difference in units of what is allowed, how many decisions differ, and the inputs."""
    path = os.path.join(folder, "model.onnx")
    model.export(path, terms=True)
    session = onnxruntime.InferenceSession(path)
    score, probability, decision = session.run(["score", "probability", "decision"], passed(model, session, rows))
    return far_of(model, rows, score, decision), [one.name for one in session.get_inputs()]


def far_of(model, rows, score, decision):
    """The largest difference in units of what is allowed, and how many decisions differ."""
    ours = model.decision_function(rows)
    far = np.abs(score - ours) / (ALLOWED * np.maximum(1, np.abs(ours)))
    q = model.predict_proba(rows)[:, 1]
    near = np.abs(q - model.threshold_) <= ALLOWED
    # A score that is no number is as far away as can be.
    return float(np.nan_to_num(far, nan=np.inf).max()), int((~near & (decision != (model.predict(rows) == 1))).sum())


def compare_booster(model, frame, folder):
    """The same for the JSON, scored by XGBoost; nothing, and why, where the model is refused."""
    path = os.path.join(folder, "model.json")
    try:
        model.export(path, format="xgboost-json")
    except ValueError as error:
        return None, str(error)
    booster = xgboost.Booster(model_file=path)
    levels = json.loads(booster.attr("onesided.levels"))
    cells = []
    for name in booster.feature_names:
        if name in levels:
            codes = {level: code for code, level in enumerate(levels[name])}
            known = [np.nan if pd.isna(level) or level == "" else codes.get(level, len(codes)) for level in frame[name]]
            cells.append(np.array(known, dtype=np.float32))
        elif name.startswith("vector."):
            cells.append(np.stack(frame["vector"].to_numpy())[:, int(name[7:])])
        else:
            cells.append(frame[name].astype("Float64").to_numpy(dtype=np.float32, na_value=np.nan))
    rows = xgboost.DMatrix(
        np.stack(cells, axis=1).astype(np.float32), feature_names=booster.feature_names,
        feature_types=booster.feature_types, enable_categorical=True,
    )
    score = booster.predict(rows, output_margin=True)
    decision = booster.predict(rows) >= float(booster.attr("onesided.threshold"))
    return far_of(model, frame, score, decision), None


def methods():
    """The methods of the registry, each with the settings that it needs for a table."""
    few = {"genpu": {"option": {"steps": 200}}}
    return {f"method {one.name}": {"method": one.name, **few.get(one.name, {})} for one in onesided.methods() if one.name != "auto"}


def plan(tables, kinds):
    """What is run: a name that stays the same, the kind, its settings, which rows, and how many new ones."""
    for at in range(tables):
        kind = kinds[at % len(kinds)]
        settings = dict(KINDS[kind])
        if at // len(kinds) % IN_FULL == 0:
            settings.pop("effort", None)
        yield f"small {at}", kind, settings, "random", 100
    for kind in kinds:
        yield f"long {kind}", kind, KINDS[kind], "random", 10_000
        yield f"every column {kind}", kind, KINDS[kind], "every", 10_000
    if kinds == list(KINDS):
        for kind, settings in MANY_LEVELS.items():
            yield kind, kind, settings, "levels", 10_000
        for kind, network in PICTURES.items():
            yield kind, kind, {"method": "nnpu", "model": network, "epochs": 2}, "pictures", 10_000
        for kind, settings in methods().items():
            yield kind, kind, settings, "random", 1_000


def rows_of(seed, name, kind, which, new_rows):
    """Rows to learn from with their labels, and new ones."""
    numbers = [seed, *name.encode()]
    random, shape = np.random.default_rng(numbers), [*numbers, 1]
    if which == "levels":
        X, y = levels_table(random, 20_000)
        new, _ = levels_table(random, new_rows, new=True)
    elif which == "pictures":
        X, y = pictures(random, 300)
        new, _ = pictures(random, new_rows)
    else:
        rows = 1000 if new_rows > 1000 else int(random.integers(80, 200))
        every, most = which == "every", MOST["network"] if kind.startswith("method ") else MOST.get(kind, 1e30)
        X, y = table(np.random.default_rng(shape), random, rows, every=every)
        new, _ = table(np.random.default_rng(shape), random, new_rows, new=True, most=most, every=every)
        # Nothing that is tried on texts can be made to rise.
        X, new = (frame.drop(columns=["text"] if kind == "blend" and "text" in frame else []) for frame in (X, new))
    return X, (y & (random.random(len(y)) < 0.6)).astype(int), new


def run(seed, folder, name, kind, settings, which, new_rows):
    """One table, as a line of the results."""
    X, labeled, new = rows_of(seed, name, kind, which, new_rows)
    line = {"table": name, "kind": kind, "settings": settings, "new_rows": new_rows}
    text = {"text": ["text"]} if isinstance(X, pd.DataFrame) and "text" in X else {}
    model = onesided.PUClassifier(prior=0.5, random_state=seed, n_jobs=1, **settings, **text)
    try:
        model.fit(X, labeled)
    except ValueError as error:
        # What cannot be learned from such a table is no matter of exports.
        return {**line, "not_fitted": str(error)}
    try:
        (line["far"], line["decisions"]), taken = compare(model, new, folder)
        line["inputs"] = sorted(name.split()[0] for name in taken)
        if kind in BOOSTED:
            found, why = compare_booster(model, new, folder)
            line |= {"xgboost_far": found[0], "xgboost_decisions": found[1]} if found else {"xgboost_refused": why}
    except ValueError as error:
        line["refused"] = str(error)
    return line


def is_beyond(line):
    """Whether something is farther than allowed, or was refused though it should not be."""
    most = FARTHER.get(line["kind"], 1)
    beyond = any(line.get(f"{of}far", 0) > most or line.get(f"{of}decisions", 0) for of in ("", "xgboost_"))
    return beyond or "refused" in line


def summary(lines):
    """The counts and the largest differences."""
    compared, largest, inputs, boosted, why = Counter(), {}, Counter(), 0, Counter()
    for line in lines:
        if "far" in line:
            compared[line["kind"]] += 1
            largest[line["kind"]] = max(largest.get(line["kind"], 0), line["far"] * ALLOWED)
            inputs.update(set(line["inputs"]))
        if "xgboost_far" in line:
            boosted += 1
            largest["xgboost"] = max(largest.get("xgboost", 0), line["xgboost_far"] * ALLOWED)
        for word in ("not_fitted", "refused", "xgboost_refused"):
            why.update([f"{word}: {line[word]}"] if word in line else [])
    beyond = [line["table"] for line in lines if is_beyond(line)]
    rows = sum(line["new_rows"] for line in lines if "far" in line)
    return {
        "tables": len(lines), "compared": sum(compared.values()), "new_rows": rows, "of_each_kind": compared, "tables_with": inputs,
        "xgboost": boosted, "why_not": why, "largest_difference": {kind: float(f"{far:.2g}") for kind, far in largest.items()},
        "beyond": beyond,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", default=",".join(KINDS), help="some of the kinds")
    parser.add_argument("--results", help="a file of JSON lines, to which what is not in it is added")
    parser.add_argument("--only-summary", action="store_true", help="of the results that are there")
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = []
    if flags.results and os.path.exists(flags.results):
        with open(flags.results) as file:
            lines = [json.loads(line) for line in file]
    done = {line["table"] for line in lines}
    with tempfile.TemporaryDirectory() as folder:
        for what in plan(flags.tables, flags.kinds.split(",")) if not flags.only_summary else []:
            if what[0] in done:
                continue
            line = run(flags.seed, folder, *what)
            lines.append(line)
            if is_beyond(line):
                print(json.dumps(line), flush=True)
            if flags.results:
                line |= {"onnxruntime": onnxruntime.__version__, "xgboost": xgboost.__version__}
                with open(flags.results, "a") as file:
                    file.write(json.dumps(line) + "\n")
    told = summary(lines)
    print(json.dumps(told))
    return 1 if told["beyond"] else 0


if __name__ == "__main__":
    sys.exit(main())
