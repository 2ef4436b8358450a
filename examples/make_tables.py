"""Writes train.csv and new.csv: two overlapping Gaussians in six columns. Needs Python only.

    python3 examples/make_tables.py

30 % of the rows are positive (truth), and two fifths of those are labeled (y = 1), whichever they are. Prints what the
best possible classifier, the true posterior, reaches on new.csv.
"""

from math import exp, log
from pathlib import Path
from random import Random

PRIOR, LABELED, COLUMNS = 0.3, 0.4, 6
# Each column's mean is half of this above or below 0: the classes lie 1.81 apart, which makes the best AUC 0.90.
APART = 1.81 / COLUMNS**0.5


def row(random):
    truth = random.random() < PRIOR
    center = APART / 2 if truth else -APART / 2
    return [random.gauss(center, 1) for _ in range(COLUMNS)], truth, truth and random.random() < LABELED


def posterior(x):
    return 1 / (1 + exp(-log(PRIOR / (1 - PRIOR)) - APART * sum(x)))


def main():
    random, folder = Random(2020), Path(__file__).parent
    names = ",".join(f"x{i + 1}" for i in range(COLUMNS))
    cells = lambda x: ",".join(f"{value:.3f}" for value in x)
    train, new = ([row(random) for _ in range(count)] for count in (1500, 600))
    lines = [f"{cells(x)},{int(y)}" for x, _, y in train]
    (folder / "train.csv").write_text("\n".join([f"{names},y", *lines, ""]))
    lines = [f"c{i:03},{cells(x)},{int(y)},{int(truth)}" for i, (x, truth, y) in enumerate(new, 1)]
    (folder / "new.csv").write_text("\n".join([f"customer,{names},y,truth", *lines, ""]))
    right = sum((posterior(x) >= 0.5) == truth for x, truth, _ in new)
    print(f"the true posterior is right on {right / len(new):.4f} of new.csv")
    for name, rows in (("train.csv", train), ("new.csv", new)):
        print(name, len(rows), "rows,", sum(t for _, t, _ in rows), "positive,", sum(y for *_, y in rows), "labeled")


main()
