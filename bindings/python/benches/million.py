"""Fit and scores of 1,000,000 x 50: Python from an array against the command from a Parquet file, in turns on the same cores.

    python million.py make FOLDER                       # writes X.npy, y.npy and t.parquet: 600 MB, half a minute
    python million.py compare FOLDER [ONESIDED [RUNS [CORES [fit | scores]]]]

ONESIDED is the command, `onesided` on the PATH by default; RUNS of either, 3 by default; CORES the ones to run on, such as 2,3; the last word
leaves the other part out.
What it prints: seconds by the clock, of CPU (user and system), the peak of memory and the page faults of each process; of Python
the seconds of the call alone, too. At the end the medians, the spread, how much more Python takes, and whether the model files
are the same. Needs numpy and the package alone.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numpy as np

ROWS, COLUMNS, THREADS, PRIOR = 1_000_000, 50, 2, 0.3


def make(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    truth = rng.random(ROWS) < 0.3
    X = rng.normal(size=(ROWS, COLUMNS)).astype(np.float32)
    X[:, :10] += 0.6 * truth[:, None]
    y = (truth & (rng.random(ROWS) < 0.3)).astype(np.int32)
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    write_parquet(folder / "t.parquet", {**{f"x{at}": X[:, at] for at in range(COLUMNS)}, "y": y})


def write_parquet(path: Path, columns: dict[str, np.ndarray], group: int = 100_000) -> None:
    """Plain pages of float32 and int32 without compression, where pyarrow is not at hand."""
    rows = len(next(iter(columns.values())))
    kinds = {name: 4 if cells.dtype == np.float32 else 1 for name, cells in columns.items()}
    groups = []
    with open(path, "wb") as file:
        file.write(b"PAR1")
        for start in range(0, rows, group):
            chunks, count = [], min(group, rows - start)
            for name, cells in columns.items():
                data, at = np.ascontiguousarray(cells[start : start + count]).tobytes(), file.tell()
                page = _struct([(1, 0), (2, len(data)), (3, len(data)), (5, [(1, count), (2, 0), (3, 3), (4, 3)])])
                file.write(page + data)
                size = len(page) + len(data)
                about = [(1, kinds[name]), (2, ("i", [0])), (3, ("s", [name])), (4, 0), (5, _Long(count)), (6, _Long(size))]
                chunks.append([(2, _Long(at)), (3, [*about, (7, _Long(size)), (9, _Long(at))])])
            size = count * sum(cells.itemsize for cells in columns.values())
            groups.append([(1, ("f", chunks)), (2, _Long(size)), (3, _Long(count))])
        schema = [[(4, "table"), (5, len(columns))], *([(1, kinds[name]), (3, 0), (4, name)] for name in columns)]
        end = _struct([(1, 1), (2, ("f", schema)), (3, _Long(rows)), (4, ("f", groups))])
        file.write(end + struct.pack("<I", len(end)) + b"PAR1")


class _Long(int):
    """A number of 64 bits."""


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def _value(value) -> tuple[int, bytes]:
    """Thrift's compact type and bytes of a number, a text, fields, or a list of one of these."""
    if isinstance(value, int):
        return (6 if isinstance(value, _Long) else 5), _varint(value << 1)
    if isinstance(value, str):
        return 8, _varint(len(value)) + value.encode()
    if isinstance(value, list):
        return 12, _struct(value)
    kind, items = {"i": 5, "s": 8, "f": 12}[value[0]], value[1]
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return 9, head + b"".join(_value(item)[1] for item in items)


def _struct(fields: list) -> bytes:
    out, last = b"", 0
    for field, value in fields:
        kind, data = _value(value)
        out, last = out + bytes([(field - last) << 4 | kind]) + data, field
    return out + b"\0"


def fit(folder: Path) -> None:
    """Run by `compare` in a process of its own; the last line is the seconds of the call."""
    from onesided import PUClassifier

    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    started = time.perf_counter()
    model = PUClassifier(model="trees", prior=PRIOR, n_jobs=THREADS).fit(X, y)
    taken = time.perf_counter() - started
    model.save(folder / "p.model")
    print(taken)


def scores(folder: Path) -> None:
    """The same of scores."""
    import onesided

    model, X = onesided.load(folder / "p.model"), np.load(folder / "X.npy")
    model.n_jobs = THREADS
    # A model from a file knows its columns by name.
    model.n_features_in_ = COLUMNS
    started = time.perf_counter()
    model.decision_function(X)
    print(time.perf_counter() - started)


def timed(command: list[str], cores: str | None) -> dict[str, float]:
    """One process: seconds by the clock and of CPU, the peak of memory in MiB, page faults, and what it said it took."""
    pinned = {int(core) for core in cores.split(",")} if cores else None
    started = time.perf_counter()
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=None if pinned is None else lambda: os.sched_setaffinity(0, pinned),
    )
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = status
    if status:
        raise SystemExit(f"{' '.join(command)} failed with status {status}")
    found = {
        "clock": time.perf_counter() - started,
        "cpu": used.ru_utime + used.ru_stime,
        "system": used.ru_stime,
        "peak": used.ru_maxrss / 1024,
        "faults": float(used.ru_minflt),
    }
    if command[0] == sys.executable:
        found["call"] = float(said.split()[-1])
    return found


def compare(folder: Path, onesided: str = "onesided", runs: str = "3", cores: str | None = None, only: str = "") -> None:
    this = [sys.executable, str(Path(__file__).resolve())]
    table = str(folder / "t.parquet")
    flags = ["--label", "y", "--model", "trees", "--prior", str(PRIOR), "--threads", str(THREADS)]
    commands = {
        "fit, command": [onesided, "fit", table, *flags, "--out", str(folder / "c.model")],
        "fit, Python": [*this, "fit", str(folder)],
        "scores, command": [onesided, "predict", str(folder / "c.model"), table, "--in-sample", "--top", "1", "--threads", "2"],
        "scores, Python": [*this, "scores", str(folder)],
    }
    found: dict[str, list[dict[str, float]]] = {}
    parts = [part for part in ("fit", "scores") if only in ("", part)]
    for what in parts:
        for run in range(int(runs)):
            # In turns, and the other one first every other time.
            both = [name for name in commands if name.startswith(what)]
            for name in both if run % 2 == 0 else both[::-1]:
                found.setdefault(name, []).append(timed(commands[name], cores))
                numbers = {key: round(value, 2) for key, value in found[name][-1].items()}
                print(json.dumps({"what": name, "run": run + 1, **numbers, "load": os.getloadavg()[0]}), flush=True)
    for name, of_runs in found.items():
        for key in of_runs[0]:
            values = [one[key] for one in of_runs]
            print(f"{name}, {key}: median {median(values):.2f}, from {min(values):.2f} to {max(values):.2f}")
    for what in parts:
        for key, of_python in (("clock", "clock"), ("clock", "call"), ("cpu", "cpu")):
            one, other = (median(run[key] for run in found[f"{what}, {who}"]) for who, key in (("command", key), ("Python", of_python)))
            print(f"{what}: Python's {of_python} against the command's {key}: {100 * (other / one - 1):+.1f} %")
    same = (folder / "c.model").read_bytes() == (folder / "p.model").read_bytes()
    print(f"model files: {'the same bytes' if same else 'DIFFERENT'}; array {ROWS * COLUMNS * 4 / 2**20:.0f} MiB")


if __name__ == "__main__":
    {"make": make, "fit": fit, "scores": scores, "compare": compare}[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
