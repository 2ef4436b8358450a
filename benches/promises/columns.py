"""CPU seconds of `fit` and `predict` on tables of more and more columns: both must grow as the columns do.

python3 benches/promises/columns.py ONESIDED [COLUMNS ...]

200 rows of whole numbers, a linear model, one thread, the least of three runs. A number that doubles with the columns is linear, one
that grows fourfold quadratic.
"""

import os
import random
import subprocess
import sys
import tempfile

onesided = os.path.abspath(sys.argv[1])
sizes = [int(size) for size in sys.argv[2:]] or [25_000, 50_000, 100_000, 200_000]
ROWS = 200


def seconds(command):
    best = float("inf")
    for _ in range(3):
        child = subprocess.Popen([onesided, *command.split()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        if status != 0:
            raise SystemExit(f"{command}: {said.decode()}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print("| columns | `fit`, s | `predict`, s | `predict`, µs per column |\n|---|---|---|---|", flush=True)
    for columns in sizes:
        draw = random.Random(columns)
        with open("t.csv", "w") as file:
            file.write("y," + ",".join(f"x{at}" for at in range(columns)) + "\n")
            for row in range(ROWS):
                file.write(f"{int(row % 5 == 0)}," + ",".join(str(draw.randrange(100)) for _ in range(columns)) + "\n")
        fit = seconds("fit t.csv --label y --prior 0.3 --method naive --model linear --epochs 1 --threads 1 --out m.safetensors")
        predict = seconds("predict m.safetensors t.csv --in-sample --threads 1 --out list.csv")
        print(f"| {columns:,} | {fit:.1f} | {predict:.1f} | {1e6 * predict / columns:.0f} |", flush=True)
    os.chdir("/")
