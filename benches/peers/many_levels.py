"""Categories of thousands of levels: our trees compared with LightGBM's.

    python3 benches/peers/many_levels.py BINARY [SEEDS [FIT …]]

Made tables of 40,000 rows: a column of levels, each with its own effect on the odds of a positive, and five numbers of
which two matter. Half of the rows are learned from, with 30 % of the positives labeled; the AUC is that on the other half,
against the truth. LightGBM has the column as a category (its defaults, 100 trees of 31 leaves, rate .05); it, `--method naive`
and bagging learn "labeled" against the rest. Levels are equally frequent, or by a power of their rank.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import lightgbm as lgb
import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

ROWS = 40_000
FITS = {
    "naive": ["--method", "naive"],
    "collective": [],
    "bagged": ["--model", "bagged-trees"],
}


def table(levels: int, power: float, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    often = (1 + np.arange(levels)) ** -power
    level = random.choice(levels, ROWS, p=often / often.sum())
    effect = random.normal(0, 1.2, levels)
    X = random.standard_normal((ROWS, 5))
    odds = effect[level] + X[:, 0] - 0.7 * X[:, 1] - 1.2
    truth = random.random(ROWS) < 1 / (1 + np.exp(-odds))
    rows = pd.DataFrame(X.round(4), columns=[f"x{i}" for i in range(5)])
    rows.insert(0, "level", [f"l{one}" for one in level])
    rows["y"] = (truth & (random.random(ROWS) < 0.3)).astype(int)
    return rows, truth


def lightgbm(train: pd.DataFrame, test: pd.DataFrame) -> np.ndarray:
    levels = pd.CategoricalDtype(sorted(set(train["level"])))
    X, new = (part.drop(columns="y").astype({"level": levels}) for part in (train, test))
    settings = {"objective": "binary", "num_leaves": 31, "learning_rate": 0.05, "num_threads": 1, "verbose": -1}
    return lgb.train(settings, lgb.Dataset(X, train["y"]), 100).predict(new)


def onesided(binary: str, train: pd.DataFrame, test: pd.DataFrame, truth: np.ndarray, fit: list[str]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        train.to_csv(place / "train.csv", index=False)
        test.drop(columns="y").assign(truth=truth.astype(int)).to_csv(place / "test.csv", index=False)
        model = [] if "--model" in fit else ["--model", "trees"]
        mu = str(round(float(truth.mean()), 3))
        command = [binary, "fit", "train.csv", "--label", "y", *fit, *model, "--prior", mu, "--out", "m", "--threads", "1"]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
        command = [binary, "evaluate", "m", "test.csv", "--truth", "truth", "--json"]
        said = subprocess.run(command, cwd=place, check=True, capture_output=True).stdout
        return json.loads(said)["auc"]


def main() -> None:
    binary, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    fits = {name: FITS[name] for name in sys.argv[3:] or FITS}
    print("levels  power  " + "  ".join(f"{name:>10}" for name in ["lightgbm", *fits]))
    for levels, power in [(5_000, 0.0), (5_000, 1.0), (2_000, 0.0), (500, 0.0), (100, 0.0)]:
        found = []
        for seed in range(seeds):
            rows, truth = table(levels, power, seed)
            half = ROWS // 2
            train, test, hidden = rows[:half], rows[half:], truth[half:]
            line = [roc_auc_score(hidden, lightgbm(train, test))]
            line += [onesided(binary, train, test, hidden, fit) for fit in fits.values()]
            found.append(line)
        print(f"{levels:6}  {power:5}  " + "  ".join(f"{one:10.4f}" for one in np.mean(found, axis=0)), flush=True)


main()
