"""CPU seconds of fit and predict on 1,000,000 rows of 50 numbers, by two binaries in turn; the table of ratios.

python3 benches/promises/speed.py BEFORE AFTER [--rows 1000000] [--repeats 3]

Needs numpy and pyarrow. The tables are CSV and Parquet with page checksums. CPU seconds (user and system) are compared, the least of the
repeats, so that other work on the machine matters less.
"""

import argparse
import os
import subprocess
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("before")
parser.add_argument("after")
parser.add_argument("--rows", type=int, default=1_000_000)
parser.add_argument("--repeats", type=int, default=3)
arguments = parser.parse_args()
binaries = [os.path.abspath(arguments.before), os.path.abspath(arguments.after)]


def seconds(binary, command):
    child = subprocess.Popen([binary, *command.split()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    rng = np.random.default_rng(1)
    y = rng.random(arguments.rows) < 0.3
    columns = {f"x{i}": (rng.normal(size=arguments.rows) + 0.1 * y).round(4).astype("float32") for i in range(50)}
    columns["y"] = (y & (rng.random(arguments.rows) < 0.5)).astype("int8")
    table = pa.table(columns)
    pa.csv.write_csv(table, "t.csv")
    pa.parquet.write_table(table, "t.parquet", write_page_checksum=True)
    print("| command | before, s | after, s | ratio |\n|---|---|---|---|")
    for kind in ("csv", "parquet"):
        for name, command in [
            ("fit", f"fit t.{kind} --label y --prior 0.2 --method weighted-lr --threads 1 --out m.safetensors"),
            ("predict", f"predict m.safetensors t.{kind} --in-sample --threads 1 --out list.parquet"),
        ]:
            times = [[], []]
            for _ in range(arguments.repeats):
                for which, binary in enumerate(binaries):
                    times[which].append(seconds(binary, command))
            before, after = map(min, times)
            print(f"| `{name}`, {kind} | {before:.1f} | {after:.1f} | {after / before:.2f} |", flush=True)
    os.chdir("/")
