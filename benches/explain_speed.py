"""Exact Shapley values of one model by `onesided-trees` and by LightGBM's `pred_contrib`, in turn, in one run.

    cargo build --release -p onesided-tools --bin explain_speed
    python benches/explain_speed.py --binary target/release/explain_speed --threads 1

LightGBM trains 200 trees of 31 leaves on 20 columns and explains 2,000 rows; its trees are handed over as they are. Prints the
rows per second of both (the median of five turns), their ratio, and the largest difference between the two. With `--cpu` the
seconds are those of the processor instead of the clock's, for a machine that others use, too; give it one thread.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import lightgbm
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--binary", required=True)
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--rows", type=int, default=2_000)
parser.add_argument("--trees", type=int, default=200)
parser.add_argument("--leaves", type=int, default=31)
parser.add_argument("--turns", type=int, default=5)
parser.add_argument("--cpu", action="store_true")
given = parser.parse_args()

rng = np.random.default_rng(0)
# Multiples of 1/64, which 32-bit floats hold exactly.
x = np.round(rng.standard_normal((20_000, 20)) * 64) / 64
y = (rng.random(len(x)) < 1 / (1 + np.exp(-(x[:, 0] * x[:, 1] + x[:, 2] - np.abs(x[:, 3]))))).astype(int)
x[rng.random(x.shape) < 0.05] = np.nan
settings = {"objective": "binary", "num_leaves": given.leaves, "verbose": -1, "num_threads": given.threads}
model = lightgbm.train(settings, lightgbm.Dataset(x, y), num_boost_round=given.trees)


def tree(info):
    nodes, cover = [], []

    def put(node):
        at = len(nodes)
        nodes.append(None)
        if "leaf_value" in node:
            cover.append(node.get("leaf_count", len(x)))
            nodes[at] = {"leaf": {"value": node["leaf_value"]}}
            return at
        cover.append(node["internal_count"])
        # A split of what is missing from the rest has a threshold beyond 32-bit floats.
        threshold = float(np.clip(node["threshold"], -3e38, 3e38))
        split = {"feature": node["split_feature"], "threshold": threshold, "missing_left": node["default_left"]}
        split["left"] = put(node["left_child"])
        split["right"] = put(node["right_child"])
        nodes[at] = {"split": split}
        return at

    put(info["tree_structure"])
    return {"nodes": nodes, "cover": cover}


def run(command):
    """What it printed, and the seconds of the processor that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


clock = time.process_time if given.cpu else time.perf_counter
rows = x[: given.rows]
ours, theirs, difference = [], [], 0.0
with tempfile.TemporaryDirectory() as folder:
    files = [pathlib.Path(folder) / name for name in ("model.json", "rows.json")]
    trees = [tree(info) for info in model.dump_model()["tree_info"]]
    files[0].write_text(json.dumps({"features": x.shape[1], "start": 0.0, "trees": trees}))
    files[1].write_text(json.dumps([[None if np.isnan(cell) else float(cell) for cell in row] for row in rows]))
    for _ in range(given.turns):
        start = clock()
        contributions = model.predict(rows, pred_contrib=True, num_threads=given.threads)
        theirs.append(clock() - start)
        command = [given.binary, *map(str, files), str(given.threads)]
        said, once = run([*command, "1"])
        # Three times more in one process: what reading the files takes is not counted.
        ours += [(run([*command, "4"])[1] - once) / 3] if given.cpu else said["seconds"]
        difference = max(difference, float(np.abs(np.array(said["parts"]) - contributions[:, :-1]).max()))
ours, theirs = (given.rows / statistics.median(seconds) for seconds in (ours, theirs))
of = "CPU s" if given.cpu else "s"
print(f"onesided {ours:.0f} rows/{of}, lightgbm {theirs:.0f} rows/{of}, ratio {ours / theirs:.2f}, {difference:.1e} apart at most")
