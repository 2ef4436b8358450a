"""Makes the tables that run.py measures on: numbers of three decimals, 50 columns, a label and the truth.

    python make.py FOLDER ROWS [csv|parquet ...]

A third of the rows is positive, a tenth of those labeled. Seeds are fixed: the same rows in either format, the first rows of a
long table are those of a short one, and beyond the first million they repeat.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

COLUMNS = 50
AT_ONCE = 100_000
BATCHES = 10


def batch(number, rows):
    draw = np.random.default_rng([17, number])
    positive = draw.random(AT_ONCE) < 1 / 3
    x = draw.normal(size=(COLUMNS, AT_ONCE)) + positive * np.linspace(0, 0.5, COLUMNS)[:, None]
    labeled = positive & (draw.random(AT_ONCE) < 0.1)
    columns = {"id": np.arange(number * AT_ONCE, (number + 1) * AT_ONCE)}
    columns |= {f"x{at}": np.round(x[at] * (1 + at), 3) for at in range(COLUMNS)}
    columns |= {"y": labeled.astype(np.int8), "t": positive.astype(np.int8)}
    return pa.table({name: cells[:rows] for name, cells in columns.items()})


def main(folder, rows, formats):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    schema = batch(0, 1).schema
    writers = []
    if "csv" in formats:
        writers.append(pa.csv.CSVWriter(folder / f"{rows}.csv", schema))
    if "parquet" in formats:
        writers.append(pa.parquet.ParquetWriter(folder / f"{rows}.parquet", schema))
    made = {}
    for number in range(-(-rows // AT_ONCE)):
        if number < BATCHES:
            made[number] = batch(number, AT_ONCE)
        table = made[number % BATCHES]
        table = table.slice(0, rows - number * AT_ONCE)
        for writer in writers:
            writer.write_table(table)
    for writer in writers:
        writer.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:] or ["csv", "parquet"])
