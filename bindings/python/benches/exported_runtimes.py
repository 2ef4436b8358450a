"""Which versions of onnxruntime read exported models, and score them alike.

    for v in 1.18.1 1.20.1 1.31.1; do pip install --no-deps --target runtimes/$v onnxruntime==$v; done
    python exported_runtimes.py runtimes/* [--beside FOLDER]

`--beside` is a folder with an older NumPy, which versions before 1.19 need. A model of each kind learns from a table with every kind of
column and is exported once; every version then scores 1,000 new rows in a process of its own. A line per version: what it reads, and why
not where it does not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings

OTHER = """
import json, sys
import numpy as np
import onnxruntime
onnxruntime.set_default_logger_severity(4)
found = {}
for kind in json.load(open(sys.argv[1] + "/kinds.json")):
    path = f"{sys.argv[1]}/{kind}"
    given = {}
    for name, (dtype, shape, cells) in json.load(open(path + ".json")).items():
        given[name] = np.array(cells, dtype=dtype).reshape(shape)
    ours = np.array(given.pop("ours"))
    try:
        score = onnxruntime.InferenceSession(path + ".onnx").run(["score"], given)[0]
        far = float(np.max(np.abs(score - ours) / np.maximum(1, np.abs(ours))))
        found[kind] = "same" if far <= 1e-5 else f"differs by {far:.2g}"
    except Exception as error:
        found[kind] = str(error).splitlines()[0][:160]
print(json.dumps(found))
"""


def made(folder):
    """A model of each kind, what to pass to it, and its scores."""
    import exported
    import onnxruntime

    for kind, settings in exported.KINDS.items():
        X, labeled, new = exported.rows_of(0, f"every column {kind}", kind, "every", 1_000)
        line = {"text": ["text"]} if "text" in X else {}
        model = exported.onesided.PUClassifier(prior=0.5, random_state=0, n_jobs=1, **settings, **line).fit(X, labeled)
        model.export(f"{folder}/{kind}.onnx", terms=True)
        session = onnxruntime.InferenceSession(f"{folder}/{kind}.onnx")
        given = exported.passed(model, session, new)
        cells = {name: (str(array.dtype), array.shape, array.ravel().tolist()) for name, array in given.items()}
        ours = model.decision_function(new)
        cells["ours"] = ("float64", ours.shape, ours.astype(float).tolist())
        with open(f"{folder}/{kind}.json", "w") as file:
            json.dump(cells, file)
    with open(f"{folder}/kinds.json", "w") as file:
        json.dump(list(exported.KINDS), file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runtimes", nargs="+")
    parser.add_argument("--beside", default="")
    flags = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        made(folder)
        for runtime in flags.runtimes:
            for beside in ["", flags.beside]:
                paths = os.pathsep.join(os.path.abspath(path) for path in (runtime, beside) if path)
                said = subprocess.run(
                    [sys.executable, "-c", OTHER, folder], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True
                )
                if said.returncode == 0:
                    break
            found = json.loads(said.stdout.splitlines()[-1]) if said.returncode == 0 else said.stderr.splitlines()[-1]
            alike = isinstance(found, dict) and set(found.values()) == {"same"}
            print(json.dumps({"onnxruntime": os.path.basename(runtime), "reads": "all" if alike else found}), flush=True)


if __name__ == "__main__":
    main()
