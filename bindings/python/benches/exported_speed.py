"""How fast an exported model scores beside the model itself, and how large its file is.

    python exported_speed.py --out results/exported_speed.json

Ours in Python and onnxruntime take turns, five of each, on one thread each and on the same rows in memory: 10,000 rows at once, and one
row at a time as a service has them. What is told is rows per second and, of the five turns, the lowest and the highest ratio of
onnxruntime's speed to ours. The last lines are the table of docs/export-results.md.
"""

import argparse
import json
import os
import platform
import tempfile
import time
import warnings

import numpy as np
import onnxruntime

import exported
import onesided

ROWS = 10_000
TURNS = 5
SINGLE = 200
SHOWN = {
    "auto": exported.KINDS["auto"],
    "trees": exported.KINDS["trees"],
    "forest": exported.KINDS["forest"],
    "logistic": exported.KINDS["logistic"],
    "kernel": exported.KINDS["kernel"],
    "network": exported.KINDS["network"],
}


def processor():
    """The name of the processor, as the machine tells it."""
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.processor()


def seconds(run):
    """How long something takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def turns(ours, theirs, rows):
    """Rows per second of both, turn about."""
    ours(), theirs()
    return [(rows / seconds(ours), rows / seconds(theirs)) for _ in range(TURNS)]


def measured(kind, settings, folder):
    """Both speeds and both files of a model that learned from 2,000 rows with all kinds of columns but texts and vectors."""
    random, shape = np.random.default_rng(1), np.random.default_rng(4)
    X, y = exported.table(shape, random, 2_000)
    labeled = (y & (random.random(len(y)) < 0.6)).astype(int)
    new, _ = exported.table(np.random.default_rng(4), random, ROWS, new=True, most=1e3)
    model = onesided.PUClassifier(prior=0.4, random_state=0, n_jobs=1, **settings).fit(X, labeled)
    paths = [os.path.join(folder, name) for name in ("model.onesided", "model.onnx")]
    model.save(paths[0])
    model.export(paths[1])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(paths[1], options)
    given = exported.passed(model, session, new)
    one, given_one = [new.iloc[[at]] for at in range(SINGLE)], [{k: v[at : at + 1] for k, v in given.items()} for at in range(SINGLE)]
    at_once = turns(lambda: model.decision_function(new), lambda: session.run(["score"], given), ROWS)
    single = turns(
        lambda: [model.decision_function(row) for row in one], lambda: [session.run(["score"], row) for row in given_one], SINGLE
    )
    bytes_ = [os.path.getsize(path) for path in paths]
    return {"kind": kind, "columns": list(X.columns), "at_once": at_once, "single": single, "bytes": bytes_}


def line(one):
    """The line of the page."""
    cells = [one["kind"]]
    for turn in (one["at_once"], one["single"]):
        ratios = [theirs / ours for ours, theirs in turn]
        ours, theirs = (int(float(f"{np.median([pair[at] for pair in turn]):.2g}")) for at in (0, 1))
        cells += [f"{ours:,}", f"{theirs:,}", f"{min(ratios):.2g} to {max(ratios):.2g}"]
    ours, theirs = one["bytes"]
    return "| " + " | ".join([*cells, f"{ours / 1e3:,.0f}", f"{theirs / 1e3:,.0f}"]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        lines = [measured(kind, settings, folder) for kind, settings in SHOWN.items()]
    about = {"processor": processor(), "load": os.getloadavg()[0], "onnxruntime": onnxruntime.__version__, "onesided": onesided.__version__}
    with open(flags.out, "w") as file:
        file.write(json.dumps({**about, "rows": ROWS, "turns": TURNS, "single": SINGLE, "models": lines}, indent=1) + "\n")
    print(about)
    for one in lines:
        print(line(one))


if __name__ == "__main__":
    main()
