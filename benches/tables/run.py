"""Measures methods on the tables of the register, one JSON line for each table, share, seed and method.

    python run.py --role choose learn --peers all --seeds 3 --out results/peers.jsonl
    python run.py --role choose --peers ours --binary onesided --flags "--model trees" --name trees --out results/trees.jsonl
    python run.py --tables german hmda --peers lightgbm forest ours --binary onesided --out results/some.jsonl

Lines that are already in the file are not measured again; a method that fails leaves a line with its error and the rest goes
on (--again measures those anew). Roles report, report-2 and report-3 are for one look at the end: they have to be named.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score, roc_auc_score

import load
from load import write_parts
from peers import LIMITS, PEERS


class TooLong(BaseException):
    """Not an Exception, so that no library swallows it."""


def alarm(*_):
    raise TooLong


def ours(parts, seed, given):
    """The binary, told the share of positives in the training rows: (scores, probabilities, seconds of the fit)."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_parts(parts, folder)
        model, scores = folder / "m.onesided", folder / "scores.csv"
        fit = [given["binary"], "fit", folder / "train.csv", "--label", "label", "--prior", f"{parts['prior']:.10g}"]
        fit += ["--out", model, "--seed", seed, "--threads", given["threads"], *shlex.split(given["flags"])]
        predict = [given["binary"], "predict", model, folder / "test.csv", "--out", scores, "--threads", given["threads"]]
        start = time.perf_counter()
        for command in (fit, predict):
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=given["limit"])
            if done.returncode != 0:
                raise RuntimeError(f"{command[1]}: {done.stderr.strip()[-300:]}")
            if command is fit:
                seconds = time.perf_counter() - start
        ranked = pd.read_csv(scores).sort_values("row")
        first = ranked["row"].iloc[0]
        if list(ranked["row"]) != list(range(first, first + len(parts["y_test"]))):
            raise RuntimeError(f"{len(ranked)} scores for {len(parts['y_test'])} rows")
        return ranked["score"].to_numpy(), ranked["probability"].to_numpy(), seconds


def measure(parts, method, seed, given):
    y = parts["y_test"]
    start = time.perf_counter()
    if method == given["name"]:
        scores, chance, seconds = ours(parts, seed, given)
    else:
        known = parts["y_train"] if method == "ceiling" else parts["s"]
        scores, chance = PEERS[method](parts["X_train"], known, parts["X_test"], parts["prior"], seed)
        seconds = time.perf_counter() - start
    scores, chance = np.asarray(scores, dtype=float), np.asarray(chance, dtype=float)
    if not (np.isfinite(scores).all() and np.isfinite(chance).all()):
        raise RuntimeError("a score is not a number")
    return {
        "auc": round(float(roc_auc_score(y, scores)), 6),
        "ap": round(float(average_precision_score(y, scores)), 6),
        "brier": round(float(np.mean((chance - y) ** 2)), 6),
        "accuracy": round(float(np.mean((chance >= 0.5) == y)), 6),
        "all_negative": round(float(np.mean(~y)), 6),
        "seconds": round(seconds, 3),
    }


def cell(work):
    """All methods of one table, share and seed."""
    name, share, seed, methods, given = work
    if time.time() > given["until"]:
        return []
    signal.signal(signal.SIGALRM, alarm)
    table = load.cut(name, given["rows"], seed) if given["rows"] else None
    if table is not None and table[1].sum() < 20:
        return []
    parts = load.split(name, share, seed, table)
    found = []
    for method in methods:
        line = {"table": name, "share": share, "seed": seed, "method": method}
        line |= {"rows": len(parts["s"]), "labeled": int(parts["s"].sum()), "prior": round(parts["prior"], 6)}
        if given["rows"]:
            line["cut"] = given["rows"]
        if method == given["name"] and given["flags"]:
            line["flags"] = given["flags"]
        signal.alarm(given["limit"])
        try:
            line |= measure(parts, method, load.seed_of(name, seed) % 2**31 if method != given["name"] else seed, given)
        except TooLong:
            line["error"] = f"more than {given['limit']} s"
        except Exception as error:
            line["error"] = f"{type(error).__name__}: {error}"[:400]
        finally:
            signal.alarm(0)
        found.append(line)
    return found


def fits(method, row):
    rows, columns = LIMITS.get(method, (10**9, 10**9))
    return int(row["rows"]) < rows and int(row["columns"]) <= columns


def main():
    parser = argparse.ArgumentParser(description="measures methods on tables")
    parser.add_argument("--role", nargs="*", default=[], choices=["learn", "choose", "report", "report-2", "report-3"])
    parser.add_argument("--tables", nargs="*", default=[], help="these tables, instead of a role")
    parser.add_argument("--peers", nargs="+", default=["all"], help="all (of peers.py), ours, or names")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.1, 0.4], help="of the positives that are labeled")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rows", type=int, help="cut tables to this many; those with fewer than 20 positives are left out")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--threads", type=int, default=1, help="of the binary")
    parser.add_argument("--binary", default="onesided")
    parser.add_argument("--flags", default="", help="more flags of fit, in one text: --flags=\"--model trees\"")
    parser.add_argument("--name", default="ours", help="what to call the binary with these flags")
    parser.add_argument("--limit", type=int, default=600, help="seconds, for one method on one table")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no cell begins after this many")
    parser.add_argument("--again", action="store_true", help="measure anew what failed before")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    if not given.role and not given.tables:
        parser.error("name a --role or --tables")
    methods = []
    for peer in given.peers:
        methods += list(PEERS) if peer == "all" else [given.name] if peer == "ours" else [peer]
    unknown = [m for m in methods if m not in PEERS and m != given.name]
    if unknown:
        parser.error(f"no peer {unknown}; there are {', '.join(PEERS)}")
    done = set()
    if given.out.exists():
        for text in given.out.read_text().splitlines():
            line = json.loads(text)
            if not ("error" in line and given.again):
                done.add((line["table"], line["share"], line["seed"], line["method"]))
            if line["method"] == given.name and line.get("flags", "") != given.flags:
                parser.error(f"{given.out} has {given.name} with other flags, {line.get('flags', '')!r}: give another --name")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    options = {key: getattr(given, key) for key in ("binary", "flags", "name", "threads", "limit", "rows")}
    options["until"] = time.time() + given.seconds
    tables = given.tables or load.names(*given.role)
    tables.sort(key=lambda name: int(load.register()[name]["rows"]) * int(load.register()[name]["columns"]))
    works = []
    for seed in range(given.first_seed, given.first_seed + given.seeds):
        for name in tables:
            for share in given.shares:
                left = [m for m in methods if (name, share, seed, m) not in done and fits(m, load.register()[name])]
                if left:
                    works.append((name, share, seed, left, options))
    print(len(works), "cells", flush=True)
    with given.out.open("a") as file:
        if given.jobs == 1:
            results = map(cell, works)
        else:
            # Of a seed the longest first, so that no process is left alone with them at the end; written as they end.
            size = {name: int(load.register()[name]["rows"]) * int(load.register()[name]["columns"]) for name in tables}
            works.sort(key=lambda work: (work[2], -size[work[0]]))
            pool = concurrent.futures.ProcessPoolExecutor(given.jobs)
            ended = concurrent.futures.as_completed([pool.submit(cell, work) for work in works])
            results = (work.result() for work in ended)
        for lines in results:
            for line in lines:
                file.write(json.dumps(line) + "\n")
            file.flush()
            if not lines:
                continue
            worst = max(lines, key=lambda line: line.get("seconds", 0))
            errors = [line["method"] for line in lines if "error" in line]
            first = lines[0]
            print(first["table"], first["share"], first["seed"], f"slowest {worst['method']} {worst.get('seconds')} s", *errors, flush=True)


if __name__ == "__main__":
    sys.exit(main())
