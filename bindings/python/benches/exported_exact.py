"""How far networks of pictures are from their exact scores, in this library and in onnxruntime.

    python exported_exact.py --out results/exported_exact.json

Both add up 32-bit numbers, each in its own order. The exact score is that of the exported graph with every number in 64 bits, computed by
the reference implementation of the package onnx. Distances are the largest |difference| / max(1, |score|) of 300 pictures; decisions and
the distance between the two are of 10,000.
"""

import argparse
import json
import os
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

import exported
import onesided

NETWORKS = ["mlp:16", "cnn", "wide-resnet:10x1", "resnet18"]
NEW_ROWS = 10_000
EXACT_ROWS = 300


def widened(path):
    """The graph with 64 bits wherever it has 32."""
    model = onnx.load(path)
    for constant in model.graph.initializer:
        if constant.data_type == TensorProto.FLOAT:
            wide = numpy_helper.to_array(constant).astype(np.float64)
            constant.CopyFrom(numpy_helper.from_array(wide, constant.name))
    casts = [one for node in model.graph.node if node.op_type == "Cast" for one in node.attribute if one.name == "to"]
    for to in casts:
        to.i = TensorProto.DOUBLE if to.i == TensorProto.FLOAT else to.i
    for output in model.graph.output:
        kind = output.type.tensor_type
        kind.elem_type = TensorProto.DOUBLE if kind.elem_type == TensorProto.FLOAT else kind.elem_type
    return ReferenceEvaluator(model)


def far(found, score):
    """The largest difference in the unit of the limit."""
    return float(np.max(np.abs(found - score) / np.maximum(1, np.abs(score))))


def measured(network, folder):
    """One network, as an object of the results."""
    random = np.random.default_rng([0, *network.encode()])
    X, y = exported.pictures(random, 300)
    new, _ = exported.pictures(random, NEW_ROWS)
    labeled = (y & (random.random(len(y)) < 0.6)).astype(int)
    model = onesided.PUClassifier("nnpu", model=network, epochs=2, prior=0.5, random_state=0, n_jobs=1).fit(X, labeled)
    path = os.path.join(folder, "model.onnx")
    model.export(path)
    theirs, decision = onnxruntime.InferenceSession(path).run(["score", "decision"], {"picture": new})
    ours = model.decision_function(new)
    exact = widened(path).run(["score"], {"picture": new[:EXACT_ROWS]})[0]
    return {
        "network": network,
        "ours_to_exact": far(ours[:EXACT_ROWS], exact),
        "onnxruntime_to_exact": far(theirs[:EXACT_ROWS], exact),
        "apart": far(theirs, ours),
        "decisions_apart": int((decision != (model.predict(new) == 1)).sum()),
        "positive": int(decision.sum()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", help="where to write the numbers")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {"onnxruntime": onnxruntime.__version__, "onesided": onesided.__version__, "new_rows": NEW_ROWS, "exact_rows": EXACT_ROWS, "networks": []}
    with tempfile.TemporaryDirectory() as folder:
        for network in NETWORKS:
            found["networks"].append(measured(network, folder))
            one = found["networks"][-1]
            print("| {network} | {ours_to_exact:.1e} | {onnxruntime_to_exact:.1e} | {apart:.1e} | {decisions_apart} |".format(**one), flush=True)
    if asked.out:
        with open(asked.out, "w") as file:
            json.dump(found, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
