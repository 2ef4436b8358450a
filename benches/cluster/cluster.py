"""One checksum, kills, memory, bytes and time of fits on a local Ray, beside the command.

    python benches/cluster/cluster.py checksums            three tables, 1, 2, 3 and 7 workers, five partitionings
    python benches/cluster/cluster.py kills --times 50     a worker is killed at a random moment of each fit
    python benches/cluster/cluster.py costs --rows 1000000 memory, bytes per tree, processor seconds

Prints lines of results.csv.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import ray
from onesided import ray as ours
from pyarrow import parquet

SETTINGS = {"method": "nnpu", "prior": 0.35, "random_state": 4}
FLAGS = "--label y --model trees --method nnpu --prior 0.35 --seed 4".split()


def numbers(rows: int, columns: int, seed: int = 1) -> pa.Table:
    """Normal columns, a few of which know the class; a third is positive, 40 % of those labeled."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.35
    table = {f"x{at}": (rng.normal(size=rows) + truth / (1 + at)).astype(np.float32) for at in range(columns)}
    return pa.table({**table, "y": (truth & (rng.random(rows) < 0.4)).astype(np.int8)})


def mixed(rows: int, seed: int = 2) -> pa.Table:
    """Dates, categories, 700 levels, flags, whole numbers and missing cells."""
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.35
    base = np.datetime64("2021-01-01")
    return pa.table(
        {
            "x": pa.array(rng.normal(size=rows) + 1.3 * truth, mask=rng.random(rows) < 0.1),
            "kind": pa.array(rng.choice(["red", "green", "blue"], rows), mask=rng.random(rows) < 0.05),
            "from": pa.array(base + rng.integers(0, 700, rows).astype("timedelta64[D]")),
            "to": pa.array(base + (700 + rng.integers(0, 300, rows) + 60 * truth).astype("timedelta64[D]")),
            "count": rng.poisson(2 + truth),
            "flag": pa.array(rng.random(rows) < 0.3 + 0.3 * truth),
            "level": pa.array([f"l{one}" for one in rng.integers(0, 700, rows)]),
            "y": (truth & (rng.random(rows) < 0.4)).astype(np.int64),
        }
    )


def copies(rows: int) -> pa.Table:
    """Each row twice, and labels in the first half alone."""
    half = numbers(rows // 2, 6, seed=3)
    return pa.concat_tables([half, half.set_column(6, "y", pa.array(np.zeros(rows // 2, dtype=np.int8)))])


def write(table: pa.Table, folder: Path, cuts: list[int]) -> str:
    folder.mkdir(parents=True)
    edges = [0, *cuts, table.num_rows]
    for at, (start, end) in enumerate(zip(edges[:-1], edges[1:], strict=True)):
        parquet.write_table(table.slice(start, end - start), folder / f"part-{at:04}.parquet", row_group_size=100_000)
    return str(folder / "*.parquet")


def checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def command(place: str, out: Path, *more: str) -> tuple[str, float, int]:
    """The checksum of the command's file, its processor seconds and its peak memory in MiB."""
    binary = os.environ.get("ONESIDED", "onesided")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([binary, "fit", place, *FLAGS, "--out", str(out), *more], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return checksum(out.read_bytes()), used, after.ru_maxrss // 1024


def checksums(args: argparse.Namespace, folder: Path) -> None:
    for name, table in [("numbers", numbers(args.rows, 12)), ("mixed", mixed(args.rows)), ("copies", copies(args.rows))]:
        rows = table.num_rows
        whole = write(table, folder / name / "whole", [])
        # A file tells the number of threads, so that fits of one number are compared.
        of_threads = {n: command(whole, folder / name / "m.model", "--threads", str(n))[0] for n in (1, 2)}
        found = {}
        first = table.take(pa.array(np.argsort(1 - table["y"].to_numpy(), kind="stable")))
        partitions = {
            "one file": [],
            "even": [rows * at // 4 for at in range(1, 4)],
            "uneven": [rows // 10, rows // 9],
            "one row in one file": [1],
            "many": [rows * at // 20 for at in range(1, 20)],
        }
        for workers in (1, 2, 3, 7):
            for kind, cuts in partitions.items():
                place = write(table, folder / name / f"{kind}-{workers}", cuts)
                threads = 1 + workers % 2
                model = ours.fit(place, num_workers=workers, n_jobs=threads, **SETTINGS)
                found[f"{workers} workers, {kind}"] = checksum(model.to_bytes()) == of_threads[threads]
        positives = int(np.count_nonzero(first["y"].to_numpy() == 1))
        place = write(first, folder / name / "first", [positives])
        apart = {"command": command(place, folder / name / "f.model")[0]}
        apart["3 workers"] = checksum(ours.fit(place, num_workers=3, **SETTINGS).to_bytes())
        print(f"checksums,{name},{rows},{len(found)} fits,{sum(found.values())} as the command,{of_threads}", flush=True)
        print(f"all positives in one file,{name},{rows},{len(apart)},{len(set(apart.values()))},{apart['command']}", flush=True)
        if not all(found.values()) or len(set(apart.values())) > 1:
            sys.exit(f"not one checksum: {found} {apart}")


def kills(args: argparse.Namespace, folder: Path) -> None:
    place = write(mixed(args.rows), folder / "kills", [args.rows // 3])
    expected = checksum(ours.fit(place, num_workers=3, **SETTINGS).to_bytes())
    rng, same, restarts, killed = np.random.default_rng(0), 0, 0, 0
    held: list[object] = []
    check = ours._Actors.check

    def checked(self: object) -> None:
        check(self)
        held.append(self)

    ours._Actors.check = checked
    begun = time.monotonic()
    ours.fit(place, num_workers=3, **SETTINGS)
    lasts = time.monotonic() - begun
    for _ in range(args.times):
        done = threading.Event()
        held.clear()

        def kill() -> None:
            nonlocal killed
            while not held and not done.wait(0.01):
                pass
            if not done.wait(float(rng.uniform(0, lasts))):
                try:
                    pid = ray.get(held[0].actors[int(rng.integers(3))].about.remote(), timeout=10)[1]
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
                except Exception as error:
                    print(f"not killed: {error}", file=sys.stderr)

        thread = threading.Thread(target=kill)
        thread.start()
        model = ours.fit(place, num_workers=3, **SETTINGS)
        done.set()
        thread.join()
        same += checksum(model.to_bytes()) == expected
        restarts += model.cluster_["restarts"]
    time.sleep(2)
    from ray.util.state import list_actors

    left = sum(actor.state != "DEAD" for actor in list_actors())
    print(f"kills,mixed,{args.rows},fits {args.times},killed {killed},told again {restarts},same {same},actors left {left}")


def peak(pid: int) -> int:
    """The peak memory of a process, in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0


def processor(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def costs(args: argparse.Namespace, folder: Path) -> None:
    place = write(numbers(args.rows, args.columns), folder / "costs", [args.rows // 2])
    taken: dict[str, object] = {}
    close, check = ours._Actors.close, ours._Actors.check

    def closed(self: object) -> None:
        pids = [pid for _, pid in ray.get([actor.about.remote() for actor in self.actors])]
        taken["peak"] = [peak(pid) for pid in pids]
        taken["seconds"] = [processor(pid) for pid in pids]
        close(self)

    def checked(self: object) -> None:
        check(self)
        pids = [pid for _, pid in ray.get([actor.about.remote() for actor in self.actors])]
        taken["empty"] = [peak(pid) for pid in pids]

    ours._Actors.close, ours._Actors.check = closed, checked
    before, begun = time.process_time(), time.monotonic()
    model = ours.fit(place, num_workers=2, n_jobs=1, **SETTINGS)
    driver, wall = time.process_time() - before, time.monotonic() - begun
    begun = time.monotonic()
    of_command, seconds, memory = command(place, folder / "c.model", "--threads", "2")
    wall_of_command = time.monotonic() - begun
    trees = sum(candidate.get("epochs", 0) for candidate in model.about_["report"].get("candidates", [])) or None
    print(f"costs,{args.rows} x {args.columns},same {checksum(model.to_bytes()) == of_command}")
    print(f"driver,processor s {driver:.1f},peak MiB {peak(os.getpid())}")
    print(f"workers,processor s {taken['seconds']},peak MiB {taken['peak']},empty MiB {taken['empty']}")
    print(f"command,processor s {seconds:.1f},peak MiB {memory}")
    print(f"wall s {wall:.1f},of the command {wall_of_command:.1f},ratio {wall / wall_of_command:.2f}")
    print(f"sent {model.cluster_['sent']},received {model.cluster_['received']},trees {trees}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["checksums", "kills", "costs"])
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--times", type=int, default=50)
    args = parser.parse_args()
    ray.init(num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level="warning")
    with tempfile.TemporaryDirectory() as folder:
        {"checksums": checksums, "kills": kills, "costs": costs}[args.what](args, Path(folder))
    ray.shutdown()


if __name__ == "__main__":
    main()
