"""Time and peak memory of fit (trees), predict and evaluate on long tables, all with --memory 1G.

    python run.py ONESIDED FOLDER [ROWS ...] > results.csv

ROWS are 100000, 1000000 and 10000000 if none are given. Tables that FOLDER lacks are made by make.py, and the models that
predict and evaluate score with are fitted on 100,000 rows. predict and evaluate run three times, fit once: a line has the
least, the middle and the largest wall time, the middle CPU time, and the largest peak of resident memory. There is one command
behind every line, so any of them can be repeated by hand; what is done so far stays if the rest is interrupted.

The set of lines can be narrowed by FITS=0 (no fit), FORMATS=parquet and RUNS=1 in the environment.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

MAKE = Path(__file__).with_name("make.py")

RUNS = int(os.environ.get("RUNS", "3"))
FITS = os.environ.get("FITS", "1") != "0"
FORMATS = os.environ.get("FORMATS", "csv,parquet").split(",")
SIZES = [100_000, 1_000_000, 10_000_000]
MODELS = {"linear": "--model linear --epochs 3", "trees": "--model trees"}


def run(command):
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {said}")
    wall = time.perf_counter() - started
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def made(folder, rows, kind):
    """In its own process: a child's peak counts what its parent held when it was started."""
    subprocess.run([sys.executable, MAKE, folder, str(rows), kind], check=True)


def line(onesided, what, name, kind, rows, command, runs):
    done = sorted(run([onesided, *command.split(), "--memory", "1G"]) for _ in range(runs))
    walls = [done[0][0], done[len(done) // 2][0], done[-1][0]]
    cpu = sorted(cpu for _, cpu, _ in done)[len(done) // 2]
    peak = max(peak for _, _, peak in done)
    walls = ",".join(f"{wall:.2f}" for wall in walls)
    print(f"{what},{name},{kind},{rows},{walls},{cpu:.2f},{peak:.0f}", flush=True)


def main(onesided, folder, sizes):
    print("command,model,format,rows,wall_least_s,wall_middle_s,wall_largest_s,cpu_s,peak_mb", flush=True)
    short = folder / "100000.parquet"
    if not short.exists():
        made(folder, 100_000, "parquet")
    fit = "--label y --drop id,t --prior 0.3333"
    for name, flags in MODELS.items():
        if not (folder / f"{name}.safetensors").exists():
            run([onesided, *f"fit {short} {fit} {flags} --out {folder}/{name}.safetensors".split()])
    for rows in sizes:
        for kind in FORMATS:
            table = folder / f"{rows}.{kind}"
            if not table.exists():
                made(folder, rows, kind)
            out = folder / f"list.{kind}"
            for name in MODELS:
                model = folder / f"{name}.safetensors"
                commands = {
                    "predict --top 100": f"predict {model} {table} --top 100 --id id",
                    "predict --out": f"predict {model} {table} --id id --out {out}",
                    "evaluate --label": f"evaluate {model} {table} --label y",
                }
                for what, command in commands.items():
                    line(onesided, what, name, kind, rows, command, RUNS)
                out.unlink(missing_ok=True)
            if FITS:
                fitted = folder / "fitted.safetensors"
                line(onesided, "fit", "trees", kind, rows, f"fit {table} {fit} --model trees --out {fitted}", 1)
                fitted.unlink(missing_ok=True)
                Path(f"{fitted}.rows").unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), [int(rows) for rows in sys.argv[3:]] or SIZES)
