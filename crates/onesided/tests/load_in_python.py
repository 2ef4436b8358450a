"""Reads a model file with Python's safetensors and prints what is in it.

    pip install safetensors numpy
    onesided fit table.csv --label y --prior 0.3 --out model.safetensors
    python crates/onesided/tests/load_in_python.py model.safetensors
"""

import json
import sys

from safetensors import safe_open

with safe_open(sys.argv[1], framework="numpy") as file:
    metadata = file.metadata()
    assert metadata["format"] == "onesided-model" and metadata["version"] in ("1", "2")
    about = json.loads(metadata["onesided"])
    print(about["objective"], about["architecture"], "prior", about["class_prior"])
    for name in file.keys():
        print(name, file.get_tensor(name).shape, file.get_tensor(name).dtype)
