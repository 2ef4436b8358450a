"""What `onesided watch` says of months drawn from one table, and of months in which something changed.

    python -m pip install -r benches/tables/requirements.txt
    python benches/trust/watch.py target/release/onesided benches/trust/watch.jsonl linear         # appends a line per month
    python benches/trust/watch.py target/release/onesided benches/trust/watch.jsonl auto            # the default method
    python benches/trust/watch.py benches/trust/watch.jsonl > benches/trust/watch.md

20 tables of the roles that choices may be made on, four fits each. A table is cut into two random halves. A fit takes up to 2,000 rows of one
half, of whose positives half are labeled, and is told the share of positives. Months are drawn from the other half. Each table gets a
column of dates from three years.
"""

import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tables"))

TABLES = ["spambase", "phoneme", "satimage", "letter", "mushroom", "german", "banana", "hpc_jobs", "mlc_churn", "cells",
          "nass_crashes", "monica", "hmda", "smoke_ban", "k401k", "grid_stability", "covid_tests", "attrition", "caravan", "loans"]
FITS, MONTHS = 4, 25
CHANGED = 2  # fits of a table whose months are changed
ROWS, MONTH = 2_000, 500
SIZES = [200, 500, 2_000]
CHANGES = ["share", "unit", "units", "level", "dates", "rule", "errors"]
METHODS = {"linear": ["--method", "weighted-lr"], "auto": ["--effort", "quick"]}
LABELED = 0.5
DAYS = np.arange(np.datetime64("2021-01-01"), np.datetime64("2024-01-01"))


def numeric(table):
    return [name for name in table if pd.api.types.is_float_dtype(table[name]) or pd.api.types.is_integer_dtype(table[name])]


def month(rng, pool, truth, size, share=None):
    """Numbers of so many rows of a pool, with a share of positives; with replacement where it has too few."""
    if share is None:
        return rng.choice(pool, size, replace=size > len(pool))
    of = [pool[~truth[pool]], pool[truth[pool]]]
    return np.array([rng.choice(of[int(kind)]) for kind in rng.random(size) < share])


def rendered(table):
    """The header, and each row as a line."""
    header, *lines = table.to_csv(index=False).splitlines()
    assert len(lines) == len(table)
    return header, lines


def write(path, rendered, rows, days, labels):
    header, lines = rendered
    with open(path, "w") as file:
        file.write(f"{header},day,pu_label\n")
        file.writelines(f"{lines[row]},{day},{int(label)}\n" for row, day, label in zip(rows, days, labels))


def changed(kind, table):
    """The table after a change of a column; the table itself where the change is elsewhere, None where it has no place for it."""
    if kind in ("unit", "units"):
        columns = [name for name in numeric(table) if table[name].nunique() > 20]
        if not columns:
            return None
        name = max(columns, key=lambda name: table[name].nunique())
        return table.assign(**{name: table[name] * (2.54 if kind == "unit" else 1_000)})
    if kind == "level":
        best = None
        for name in table:
            if pd.api.types.is_numeric_dtype(table[name]):
                continue
            for level, part in table[name].value_counts(normalize=True).items():
                if best is None or abs(part - 0.2) < abs(best[2] - 0.2):
                    best = (name, level, part)
        if best is None or not 0.1 <= best[2] <= 0.5:
            return None
        return table.assign(**{best[0]: table[best[0]].astype(object).where(table[best[0]] != best[1], "renamed")})
    return table


def with_errors(rng, truth, labels):
    """A third of the labels are given to rows that are not positive."""
    others = np.flatnonzero(~truth)
    labels = labels.copy()
    labels[rng.choice(others, min(len(others), max(1, int(labels.sum() / 2))), replace=False)] = True
    return labels


def easy(scores, truth):
    """Labels for the half of the positives that the model scores highest: those that are easy to find."""
    labels = np.zeros(len(truth), dtype=bool)
    rows = np.flatnonzero(truth)
    labels[rows[np.argsort(-scores[rows])][: max(1, len(rows) // 2)]] = True
    return labels


def run(binary, *words):
    said = subprocess.run([binary, *words, "--json", "--threads", "1", "-q"], capture_output=True, text=True)
    if said.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {said.stderr}")
    return json.loads(said.stdout)


def scores_of(binary, model, file, folder, rows):
    run(binary, "predict", model, file, "--out", str(folder / "scores.csv"))
    found = np.empty(rows)
    listed = pd.read_csv(folder / "scores.csv")
    found[listed["row"].to_numpy() - 1] = listed["score"].to_numpy()
    return found


def line(method, name, fit, what, size, watched, share):
    of = watched["share"] or {}
    now = of.get("now")
    return {
        "method": method, "table": name, "fit": fit, "what": what, "rows": size, "action": watched["action"], "moved": watched["moved"],
        "share": round(share, 4), "found": None if now is None else [round(now[key], 4) for key in ("value", "low", "high")],
        "columns": [column["column"] for column in watched["columns"] if column["moved"] or "shift" in column],
    }


def measure(binary, out, method, tables):
    from load import load

    with tempfile.TemporaryDirectory() as folder, open(out, "a") as file:
        folder = Path(folder)
        model, train, new = str(folder / "m.onesided"), str(folder / "train.csv"), str(folder / "new.csv")
        for number, name in enumerate(tables):
            X, y = load(name)
            X, y = X.reset_index(drop=True), np.asarray(y).astype(bool)
            share, usual = float(y.mean()), rendered(X)
            after = {kind: changed(kind, X) for kind in CHANGES}
            after = {kind: usual if table is X else None if table is None else rendered(table) for kind, table in after.items()}
            for fit in range(FITS):
                rng = np.random.default_rng([TABLES.index(name), fit])
                order = rng.permutation(len(X))
                half = len(X) // 2
                rows, pool = order[: min(half, ROWS)], order[half:]
                labeled = lambda truth: truth & (rng.random(len(truth)) < LABELED)
                write(train, usual, rows, rng.choice(DAYS, len(rows)), labeled(y[rows]))
                run(binary, "fit", train, "--label", "pu_label", "--prior", f"{share:.6f}", *METHODS[method], "--seed", "0", "--out", model)

                def watch(what, size, lines, rows, days, labels, share):
                    write(new, lines, rows, days, labels)
                    watched = run(binary, "watch", model, new, "--label", "pu_label")
                    file.write(json.dumps(line(method, name, fit, what, size, watched, share)) + "\n")
                    file.flush()

                for _ in range(MONTHS):
                    rows = month(rng, pool, y, MONTH)
                    watch("nothing", MONTH, usual, rows, rng.choice(DAYS, len(rows)), labeled(y[rows]), float(y[pool].mean()))
                for size in SIZES if fit < CHANGED else []:
                    for kind, lines in after.items():
                        if lines is None or (kind == "share" and share > 0.45):
                            continue
                        then = 2 * share if kind == "share" else None
                        rows = month(rng, pool, y, size, then)
                        days, labels = rng.choice(DAYS, size), labeled(y[rows])
                        if kind == "rule":
                            write(new, usual, rows, days, labels)
                            labels = easy(scores_of(binary, model, new, folder, size), y[rows])
                        if kind == "errors":
                            labels = with_errors(rng, y[rows], labels)
                        if kind == "dates":
                            days = days + np.timedelta64(25 * 365 + 6, "D")
                        watch(kind, size, lines, rows, days, labels, float(y[pool].mean()) if then is None else then)
            print(f"{name}: {number + 1} of {len(tables)}", file=sys.stderr, flush=True)


WORDS = {"share": "the share of positives doubles", "unit": "a column in other units: times 2.54", "units": "a column in other units: times 1,000",
         "level": "a level renamed (10 to 50 % of the rows)", "dates": "dates 25 years later",
         "rule": "labels for the half of the positives with the highest scores", "errors": "a third of the labels given to negatives"}


def is_found(one):
    return one["action"] not in ("keep", "too-few")


def percent(part, of):
    return f"{part} of {of} ({100 * part / max(of, 1):.1f} %)"


def covered(some):
    some = [one for one in some if one["found"] is not None]
    return sum(one["found"][1] <= one["share"] <= one["found"][2] for one in some), len(some)


def tell(path):
    lines = [json.loads(text) for text in open(path)]
    print("# What `onesided watch` finds\n\nMade by [watch.py](watch.py) from [watch.jsonl](watch.jsonl).")
    for method in dict.fromkeys(one["method"] for one in lines):
        tell_of(method, [one for one in lines if one["method"] == method])


def tell_of(method, lines):
    nothing = [one for one in lines if one["what"] == "nothing"]
    print(f"\n## `{' '.join(METHODS[method])}`\n\nMonths like the one of the fit, {MONTH} rows each:\n")
    print("| table | months | false alarms | the share's interval covers |\n|---|---|---|---|")
    for name in dict.fromkeys(one["table"] for one in nothing):
        some = [one for one in nothing if one["table"] == name]
        inside, told = covered(some)
        print(f"| {name} | {len(some)} | {sum(map(is_found, some))} | {inside} of {told} |")
    alarms = sum(map(is_found, nothing))
    print(f"| all | {len(nothing)} | {percent(alarms, len(nothing))} | {percent(*covered(nothing))} |")
    moved = collections.Counter(what for one in nothing if is_found(one) for what in one["moved"] or ["columns"])
    print(f"\nWhat the false alarms were of: {', '.join(f'{what} {count}' for what, count in moved.most_common()) or 'none'}.")
    print("\nAlarms in months in which something changed:\n\n| what changed | " + " | ".join(f"{size:,} rows" for size in SIZES) + " |\n|---|" + "---|" * len(SIZES))
    cell = lambda what, size: [one for one in lines if one["what"] == what and one["rows"] == size]
    for kind, words in WORDS.items():
        print(f"| {words} | " + " | ".join(f"{sum(map(is_found, cell(kind, size)))} of {len(cell(kind, size))}" for size in SIZES) + " |")
    print("\nThe share's interval covers in months with twice the share:\n\n| " + " | ".join(f"{size:,} rows" for size in SIZES) + " |\n|" + "---|" * len(SIZES))
    print("| " + " | ".join(percent(*covered(cell("share", size))) for size in SIZES) + " |")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        tell(sys.argv[1])
    else:
        measure(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:] or TABLES)
