"""Models for other runtimes: the same scores from onnxruntime, and refusals."""

import numpy as np
import pandas as pd
import pytest

import onesided


def table(rows=240):
    random = np.random.default_rng(0)
    y = np.arange(rows) % 3 == 0
    frame = pd.DataFrame({"a": random.normal(size=rows) + 2 * y, "kind": random.choice(["x", "y", "z"], size=rows)})
    return frame, (y & (np.arange(rows) % 2 == 0)).astype(int)


def fitted(**settings):
    X, y = table()
    return onesided.PUClassifier(prior=1 / 3, random_state=0, **settings).fit(X, y), X


def test_file_is_the_one_of_the_command(tmp_path):
    model, _ = fitted(method="nnpu", model="trees")
    model.export(tmp_path / "python.onnx")
    model.save(tmp_path / "model.st")
    onesided.load(tmp_path / "model.st").export(str(tmp_path / "loaded.onnx"), format="onnx")
    bytes_ = (tmp_path / "python.onnx").read_bytes()
    assert bytes_ == (tmp_path / "loaded.onnx").read_bytes()
    assert b"TreeEnsemble" in bytes_ and b"kind" in bytes_


def test_scores_of_onnxruntime(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    model, X = fitted(method="nnpu", model="trees")
    model.export(tmp_path / "m.onnx")
    session = runtime.InferenceSession(tmp_path / "m.onnx")
    passed = {"a": X[["a"]].to_numpy(), "kind": X[["kind"]].to_numpy().astype(object)}
    score, probability, decision = session.run(["score", "probability", "decision"], passed)
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(probability, model.predict_proba(X)[:, 1], rtol=1e-5, atol=1e-5)
    assert (decision == (model.predict(X) == 1)).all()


def test_refusals(tmp_path):
    model, _ = fitted(method="nnpu", model="trees")
    with pytest.raises(ValueError, match=r"unknown format 'onx' \(did you mean 'onnx'\?\)"):
        model.export(tmp_path / "m.onnx", format="onx")
    with pytest.raises(OSError, match="nowhere"):
        model.export(tmp_path / "nowhere" / "m.onnx")
    with pytest.raises(ValueError, match="fit"):
        onesided.PUClassifier().export(tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []
