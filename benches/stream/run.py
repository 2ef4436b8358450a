"""Time and peak memory of predict and evaluate on long tables.

    python run.py ONESIDED FOLDER ROWS [csv|parquet ...] >> results.csv

FOLDER holds what make.py made, and 100000.parquet, which the models are fitted on. Every command runs three times with
--memory 1G; a line has the least, the middle and the largest wall time, the middle CPU time, and the largest peak of resident
memory.
"""

import os
import subprocess
import sys
import time

RUNS = 3


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


def main(onesided, folder, rows, formats):
    models = {"linear": "--model linear --epochs 3", "trees": "--model trees"}
    for name, flags in models.items():
        model = f"{folder}/{name}.safetensors"
        if not os.path.exists(model):
            fit = f"fit {folder}/100000.parquet --label y --drop id,t --prior 0.3333 {flags} --out {model}"
            run([onesided, *fit.split()])
    for kind in formats:
        table = f"{folder}/{rows}.{kind}"
        for name in models:
            model = f"{folder}/{name}.safetensors"
            list_of = f"{folder}/list.{kind}"
            commands = {
                "predict --top 100": f"predict {model} {table} --top 100 --id id",
                "predict --out": f"predict {model} {table} --id id --out {list_of}",
                "evaluate --label": f"evaluate {model} {table} --label y",
            }
            for what, command in commands.items():
                runs = sorted(run([onesided, *command.split(), "--memory", "1G"]) for _ in range(RUNS))
                walls = [f"{wall:.2f}" for wall, _, _ in runs]
                cpu = sorted(cpu for _, cpu, _ in runs)[RUNS // 2]
                peak = max(peak for _, _, peak in runs)
                print(f"{what},{name},{kind},{rows},{','.join(walls)},{cpu:.2f},{peak:.0f}", flush=True)
            if os.path.exists(list_of):
                os.remove(list_of)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:] or ["csv", "parquet"])
