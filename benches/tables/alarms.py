"""False alarms and what is missed: columns along which labels stop, in other units, that tell labels, or are called identifiers.

    python alarms.py --binary onesided --out results/alarms.jsonl

On each table of learn and choose (share .4, seed 0, at most 20,000 training rows) a linear model is fitted for one epoch, which reads
as every fit does. Labels were drawn at random, so a column along which they stop is a false alarm. New rows, and the positives among
them, come from the same table, so a column in other units is one, too. With all numbers (of the first 60 columns) times 100, each that
has 20 or more cells other than 0 should be told.

A second fit has three columns more: `entered`, a number that labeled rows have and one of 200 of each kind has or lacks by chance
(it should be told to know labels), `often`, the same with one of 20 (it should not), and `customer_id`, a random number of which each
comes in five rows on average (it should be told to be called an identifier).
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import pandas as pd

import load

UNITS = ("range", "values", "factor")
APART, CALLED = "are told apart almost perfectly by ", "called like an identifier but learned from, since values repeat: "


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)


def named(said, sentence):
    """The columns behind a sentence of a fit."""
    behind = [re.split(" alone; |; if ", line.split(sentence)[1])[0] for line in said if sentence in line]
    return [re.sub(r" \(AUC.*", "", column) for columns in behind for column in re.split(", | and ", columns)]


def planted(train, labeled):
    """The table with columns that say what they should not."""
    random = np.random.default_rng(0)

    def by_label(share):
        known = np.where(random.random(len(train)) < share, ~labeled, labeled)
        return np.where(known, random.normal(size=len(train)), np.nan)

    ids = random.integers(10_000, 10_000 + max(2, len(train) // 5), size=len(train))
    return train.assign(entered=by_label(1 / 200), often=by_label(1 / 20), customer_id=ids)


def one(name, binary, folder):
    parts = load.split(name, 0.4, 0)
    train, new, truth = parts["X_train"][:20_000], parts["X_test"][:5_000], np.asarray(parts["y_test"])[:5_000].astype(bool)
    train.assign(label_=parts["s"][: len(train)].astype(int)).to_csv(folder / "t.csv", index=False)
    flags = "-v --label label_ --method naive --model linear --epochs 1 --threads 1 --out".split()
    said = run(binary, "fit", folder / "t.csv", *flags, folder / "m").stderr.splitlines()
    labeled = parts["s"][: len(train)].astype(bool)
    planted(train, labeled).assign(label_=labeled.astype(int)).to_csv(folder / "p.csv", index=False)
    more = run(binary, "fit", folder / "p.csv", *flags, folder / "p").stderr.splitlines()
    numbers = [c for c in train if pd.api.types.is_numeric_dtype(train[c])][:60]

    def told(table):
        table.to_csv(folder / "n.csv", index=False)
        answer = json.loads(run(binary, "--json", "predict", folder / "m", folder / "n.csv", "--threads", "1").stdout)
        return [shift["column"] for shift in answer.get("shifted", []) if shift["shift"] in UNITS]

    scaled = [c for c in numbers if (new[c].fillna(0) != 0).sum() >= 20]
    times = new.assign(**{c: new[c] * 100 for c in numbers})
    return {
        "table": name,
        "stops": sum("labels stop" in line or "labels begin" in line for line in said),
        "columns": train.shape[1],
        "apart": named(said, APART),
        "called": named(said, CALLED),
        "planted_apart": named(more, APART),
        "planted_called": named(more, CALLED),
        "numbers": len(numbers),
        "told_new": told(new),
        "told_positives": told(new[truth]),
        "scaled": len(scaled),
        "missed": sorted(set(scaled) - set(told(times))),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, arguments.out.open("w") as file:
        for name in load.names("learn", "choose"):
            file.write(json.dumps(one(name, arguments.binary, pathlib.Path(folder))) + "\n")
            file.flush()


if __name__ == "__main__":
    main()
