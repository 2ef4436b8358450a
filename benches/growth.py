"""How the time and the memory of `fit` and `predict` grow with rows and columns.

    cargo build --release -p onesided-cli
    python benches/growth.py measure --binary target/release/onesided --out benches/results/growth.jsonl
    python benches/growth.py draw benches/results/growth.jsonl --out docs/pictures/growth.svg

`measure` needs numpy, pyarrow and GNU time. The tables are made: numbers, four of which tell positives, one in three of which is labeled; Parquet.
Each command runs once, from the start of the process to the written file. A reading holds the seconds of the processor (of user and
kernel, over all threads), those of the clock, and the most memory the process held. Cells that are in the file already are not measured
again, and a cell whose fit is expected to take more than `--most` seconds of the processor is left out: expected is what the cell with a
tenth of the rows, or of the columns, took, times ten. `draw` needs nothing but Python.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

CHUNK = 1 << 22  # cells that are made at once
MODELS = {"the default": [], "--model trees": ["--method", "collective", "--model", "trees"]}
ROWS = [10_000, 100_000, 1_000_000]
COLUMNS = [10, 100, 1_000]


def table(rows, columns, path, labeled):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(rows + columns + labeled)
    names = [f"x{at}" for at in range(columns)] + (["label"] if labeled else [])
    writer = None
    for first in range(0, rows, CHUNK // columns):
        some = min(rows - first, CHUNK // columns)
        X = rng.standard_normal((some, columns), dtype=np.float32)
        logit = X[:, 0] * X[:, 1] + X[:, 2] - np.abs(X[:, 3])
        label = (rng.random(some) < 1 / (1 + np.exp(-logit))) & (rng.random(some) < 1 / 3)
        arrays = [pa.array(X[:, at]) for at in range(columns)] + ([pa.array(label.astype("int8"))] if labeled else [])
        piece = pa.table(arrays, names=names)
        writer = writer or pq.ParquetWriter(path, piece.schema)
        writer.write_table(piece)
    writer.close()


def run(command, folder):
    told = os.path.join(folder, "used")
    start = time.monotonic()
    # A process remembers the memory of the one that started it: GNU time is small, Python is not.
    subprocess.run(
        ["/usr/bin/time", "--format", "%U %S %M", "--output", told, *command],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    clock = time.monotonic() - start
    user, system, kib = (float(part) for part in pathlib.Path(told).read_text().split())
    return {"processor": user + system, "clock": clock, "mib": kib / 1024}


def measure(options):
    out = pathlib.Path(options.out)
    known = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    seconds = {(one["model"], one["rows"], one["columns"]): one["processor"] for one in known if one["job"] == "fit"}
    cells = sorted(((r, c) for r in ROWS for c in COLUMNS), key=lambda cell: (cell[0] * cell[1], cell[0]))
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, out.open("a") as lines:
        train, new, model, listed = (os.path.join(folder, name) for name in ["train.parquet", "new.parquet", "model", "list.csv"])
        for rows, columns in cells:
            made = False
            for name, flags in MODELS.items():
                if (name, rows, columns) in seconds:
                    continue
                smaller = [seconds.get((name, rows // 10, columns)), seconds.get((name, rows, columns // 10))]
                expected = max([10 * one for one in smaller if one is not None], default=0.0)
                first = rows == ROWS[0] and columns == COLUMNS[0]
                if not first and (expected == 0.0 or expected > options.most):
                    why = f"{expected:.0f} s expected" if expected else "no smaller one was measured"
                    print(f"{name}, {rows:,} x {columns:,}: left out ({why})", flush=True)
                    continue
                if not made:
                    table(rows, columns, train, True)
                    table(rows, columns, new, False)
                    made = True
                jobs = {
                    "fit": ["fit", train, "--label", "label", "--prior", "0.4", *flags, "--out", model],
                    "predict": ["predict", model, new, "--out", listed],
                }
                for job, command in jobs.items():
                    one = {"model": name, "rows": rows, "columns": columns, "job": job, "cores": os.cpu_count(), **run([options.binary, *command], folder)}
                    lines.write(json.dumps(one) + "\n")
                    lines.flush()
                    print(one, flush=True)
                    if job == "fit":
                        seconds[name, rows, columns] = one["processor"]


# The picture: a panel for each model and job with seconds, and one with memory; rows along, a line for each number of columns.
WIDE, HIGH, LEFT, TOP = 300, 190, 70, 60
COLORS = {10: "#0064a4", 100: "#b3541e", 1_000: "#5b7f1b"}


def draw(options):
    import math

    lines = [json.loads(line) for line in pathlib.Path(options.lines).read_text().splitlines()]
    panels = [(model, job, what) for what in ["processor", "mib"] for model in MODELS for job in ["fit", "predict"]]
    across = len(MODELS) * 2
    parts = []
    for number, (model, job, what) in enumerate(panels):
        at_x, at_y = LEFT + number % across * (WIDE + 60), TOP + number // across * (HIGH + 90)
        low, high = (0.01, 1_000) if what == "processor" else (10, 10_000)
        x = lambda rows: at_x + WIDE * (math.log10(rows) - 4) / 2  # noqa: E731
        y = lambda value: at_y + HIGH * (1 - math.log(max(value, low) / low) / math.log(high / low))  # noqa: E731
        title = f"{job}, {model}: {'seconds' if what == 'processor' else 'MiB'}"
        parts.append(f'<text x="{at_x}" y="{at_y - 14}" fill="#1d1f24" font-weight="600">{title}</text>')
        step = low
        while step <= high * 1.001:
            parts.append(f'<path d="M{at_x} {y(step):.1f}H{at_x + WIDE}" stroke="#e2dfd6"/>')
            label = f"{step:,.0f}" if step >= 1 else f"{step:g}"
            parts.append(f'<text x="{at_x - 8}" y="{y(step) + 4:.1f}" text-anchor="end" fill="#6b675c" font-size="12">{label}</text>')
            step *= 10
        for rows in ROWS:
            parts.append(f'<text x="{x(rows):.1f}" y="{at_y + HIGH + 18}" text-anchor="middle" fill="#6b675c" font-size="12">{rows:,}</text>')
        for columns, color in COLORS.items():
            some = sorted((o["rows"], o[what]) for o in lines if (o["model"], o["job"], o["columns"]) == (model, job, columns))
            points = [f"{x(rows):.1f} {y(value):.1f}" for rows, value in some]
            if len(points) > 1:
                parts.append(f'<path d="M{"L".join(points)}" stroke="{color}" stroke-width="2" fill="none"/>')
            parts.extend(f'<circle cx="{point.split()[0]}" cy="{point.split()[1]}" r="4" fill="{color}"/>' for point in points)
    wide, high = LEFT + across * (WIDE + 60), TOP + 2 * (HIGH + 90) + 10
    for number, (columns, color) in enumerate(COLORS.items()):
        at = LEFT + number * 150
        parts.append(f'<circle cx="{at}" cy="{high - 22}" r="5" fill="{color}"/><text x="{at + 12}" y="{high - 17}" fill="#1d1f24">{columns:,} columns</text>')
    parts.append(f'<text x="{LEFT + 480}" y="{high - 17}" fill="#6b675c">along: rows; both axes are logarithmic; seconds are of the processor; one run each</text>')
    about = "Seconds of the processor and memory of fit and predict by rows and columns"
    pathlib.Path(options.out).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="system-ui, sans-serif" font-size="15" role="img" '
        f'aria-label="{about}">\n<rect width="{wide}" height="{high}" rx="12" fill="#fbfaf7"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command", required=True)
measuring = commands.add_parser("measure")
measuring.add_argument("--binary", required=True)
measuring.add_argument("--out", required=True)
measuring.add_argument("--folder", help="where tables are written; there is a folder for temporary files otherwise")
measuring.add_argument("--most", type=float, default=600)
drawing = commands.add_parser("draw")
drawing.add_argument("lines")
drawing.add_argument("--out", required=True)
options = parser.parse_args()
(measure if options.command == "measure" else draw)(options)
