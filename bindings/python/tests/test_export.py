"""Models for other runtimes: the same scores from onnxruntime, and refusals."""

import json
import pathlib

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


def test_auto_with_dates_and_texts(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = table()
    X["day"] = pd.Timestamp("2023-11-28") + pd.to_timedelta((np.arange(len(X)) * 7919) % 1000, unit="D")
    X["note"] = [["late again!", "PAID in full", None, "...", "Paid, late; the 2nd time", "null"][at % 6] for at in range(len(X))]
    X.loc[::9, "day"] = pd.NaT
    model = onesided.PUClassifier(prior=1 / 3, random_state=0, effort="quick", text="note").fit(X, y)
    with pytest.raises(ValueError, match="'note' holds texts.* with terms=True"):
        model.export(tmp_path / "m.onnx")
    model.export(tmp_path / "m.onnx", terms=True)
    session = runtime.InferenceSession(tmp_path / "m.onnx")
    passed = {
        "a": X[["a"]].to_numpy(),
        "kind": X[["kind"]].to_numpy().astype(object),
        "day": ((X["day"] - pd.Timestamp(0)) / pd.Timedelta(seconds=1)).to_numpy(dtype=float).reshape(-1, 1),
        "note": model.terms(X["note"]),
    }
    assert passed["note"][:4, :3].tolist() == [["late", "again", ""], ["paid", "in", "full"], ["", "", ""], [" ", "", ""]]
    assert set(passed["note"][5]) == {""}
    score = session.run(["score"], passed)[0]
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-5, atol=1e-5)
    told = session.get_modelmeta().custom_metadata_map
    assert told["onesided.class_prior"] == str(1 / 3) and told["onesided.threshold_rule"] == model.threshold_rule_
    assert told["onesided.version"] == onesided.__version__ and float(told["onesided.threshold"]) == model.threshold_
    assert told["onesided.method"] == "auto" and told["onesided.model"] and told["onesided.fitted_on"]
    assert float(told["onesided.prior_in_unlabeled"]) == pytest.approx(0.2)
    assert "very few rows" in told["onesided.warnings"] and all(told["onesided.warnings"].split("\n"))


def test_what_the_caller_makes_of_cells(tmp_path):
    """Zones, and blanks around a level: as the page says, and not otherwise."""
    runtime = pytest.importorskip("onnxruntime")
    X, y = table()
    hours = pd.Series(pd.to_timedelta((np.arange(len(X)) * 7919) % 20_000, unit="h"))
    X["seen"] = (pd.Timestamp("2021-11-28", tz="UTC") + hours).dt.tz_convert("Asia/Kolkata")
    model = onesided.PUClassifier("weighted-lr", prior=1 / 3, random_state=0).fit(X, y)
    model.export(tmp_path / "m.onnx")
    session = runtime.InferenceSession(tmp_path / "m.onnx")
    expected = model.decision_function(X)
    # The recipe of docs/export.md.
    utc = (pd.to_datetime(X["seen"], utc=True) - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)
    clock = (X["seen"].dt.tz_localize(None) - pd.Timestamp(0)) / pd.Timedelta(seconds=1)

    def score(seconds, kind):
        passed = {"a": X[["a"]].to_numpy(), "kind": kind.to_numpy(dtype=object).reshape(-1, 1)}
        return session.run(["score"], {**passed, "seen": seconds.to_numpy().reshape(-1, 1)})[0]

    np.testing.assert_allclose(score(utc, X["kind"]), expected, rtol=1e-5, atol=1e-5)
    assert np.abs(score(clock, X["kind"]) - expected).max() > 1e-3
    blanks = " " + X["kind"] + "\t"
    np.testing.assert_array_equal(model.decision_function(X.assign(kind=blanks)), expected)
    np.testing.assert_allclose(score(utc, blanks.str.strip(" \t\n\f\r")), expected, rtol=1e-5, atol=1e-5)
    assert np.abs(score(utc, blanks) - expected).max() > 1e-3


def test_thousands_of_levels(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    random = np.random.default_rng(0)
    y = random.random(9000) < 0.4
    level = np.where(y, random.integers(0, 1900, 9000), random.integers(1100, 3000, 9000))
    X = pd.DataFrame({"a": random.normal(size=9000) + y, "code": [f"c{at}" for at in level]})
    labeled = (y & (random.random(9000) < 0.6)).astype(int)
    model = onesided.PUClassifier("nnpu", model="trees", prior=0.45, random_state=0, n_jobs=1).fit(X, labeled)
    model.export(tmp_path / "m.onnx")
    X.loc[::7, "code"], X.loc[::11, "code"], X.loc[::77, "a"] = "never seen", None, np.nan
    passed = {"a": X[["a"]].to_numpy(), "code": X[["code"]].fillna("").to_numpy(dtype=object)}
    score = runtime.InferenceSession(tmp_path / "m.onnx").run(["score"], passed)[0]
    np.testing.assert_allclose(score, model.decision_function(X), rtol=1e-5, atol=1e-5)


def test_a_probability_of_next_to_nothing_has_a_score(tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    X, y = table()
    model = onesided.PUClassifier("elkan-noto", prior=1 / 3, random_state=0).fit(X[["a"]], y)
    model.export(tmp_path / "m.onnx")
    far = pd.DataFrame({"a": [-1e30, -1e9, -1e5, 1e30]})
    ours = model.decision_function(far)
    assert np.isfinite(ours).all() and (np.diff(ours) > 0).all()
    score, probability = runtime.InferenceSession(tmp_path / "m.onnx").run(["score", "probability"], {"a": far.to_numpy()})
    np.testing.assert_allclose(score, ours, rtol=1e-5)
    np.testing.assert_allclose(probability, model.predict_proba(far)[:, 1], atol=1e-5)


@pytest.mark.parametrize("model", ["cnn", "mlp:16", "wide-resnet:10x1"])
def test_pictures(tmp_path, model):
    runtime = pytest.importorskip("onnxruntime")
    random = np.random.default_rng(0)
    y = np.arange(200) % 3 == 0
    pictures = random.integers(0, 120, (200, 8, 8, 3)).astype(np.uint8)
    pictures[y, 2:5, 2:5] += 100
    settings = dict(model=model, prior=1 / 3, epochs=2, random_state=0, n_jobs=1)
    model = onesided.PUClassifier("nnpu", **settings).fit(pictures, (y & (np.arange(200) % 2 == 0)).astype(int))
    model.export(tmp_path / "m.onnx")
    score = runtime.InferenceSession(tmp_path / "m.onnx").run(["score"], {"picture": pictures})[0]
    np.testing.assert_allclose(score, model.decision_function(pictures), rtol=1e-5, atol=1e-5)


def test_scores_of_xgboost(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    model, X = fitted(method="nnpu", model="trees")
    X = pd.concat([X, pd.DataFrame({"a": [np.nan, 1e30, np.nan], "kind": [None, "never seen", "never seen"]})])
    model.export(tmp_path / "m.json", format="xgboost-json")
    booster = xgboost.Booster(model_file=tmp_path / "m.json")
    codes = {"x": 0, "y": 1, "z": 2, "never seen": 3}
    cells = np.stack([X["a"], X["kind"].map(codes)], axis=1).astype(np.float32)
    rows = xgboost.DMatrix(
        cells, feature_names=booster.feature_names, feature_types=booster.feature_types, enable_categorical=True
    )
    margin = booster.predict(rows, output_margin=True)
    np.testing.assert_allclose(margin, model.decision_function(X), rtol=1e-5, atol=1e-5)
    assert booster.attr("onesided.levels") == '{"kind":["x","y","z"]}'


def test_refusals(tmp_path):
    model, _ = fitted(method="nnpu", model="trees")
    with pytest.raises(ValueError, match=r"unknown format 'onx' \(did you mean 'onnx'\?\)"):
        model.export(tmp_path / "m.onnx", format="onx")
    with pytest.raises(OSError, match="nowhere"):
        model.export(tmp_path / "nowhere" / "m.onnx")
    with pytest.raises(ValueError, match="fit"):
        onesided.PUClassifier().export(tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_shapley_values_of_xgboost(tmp_path):
    xgboost = pytest.importorskip("xgboost")
    model, X = fitted(method="nnpu", model="trees")
    model.export(tmp_path / "m.json", format="xgboost-json")
    booster = xgboost.Booster(model_file=tmp_path / "m.json")
    levels = json.loads(booster.attr("onesided.levels"))["kind"]
    cells = np.stack([X["a"], X["kind"].map(levels.index)], axis=1).astype(np.float32)
    rows = xgboost.DMatrix(cells, feature_names=booster.feature_names, feature_types=booster.feature_types, enable_categorical=True)
    parts = booster.predict(rows, pred_contribs=True)
    assert np.isfinite(parts).all() and np.abs(parts[:, 0]).max() > 0.1
    np.testing.assert_allclose(parts.sum(axis=1), model.decision_function(X), rtol=1e-4, atol=1e-4)


def test_the_page_has_the_numbers_of_the_files():
    root = pathlib.Path(__file__).resolve().parents[3]
    results = root / "bindings" / "python" / "benches" / "results"
    page = (root / "docs" / "export-results.md").read_text()
    exact = json.loads((results / "exported_exact.json").read_text())
    for one in exact["networks"]:
        row = "| `{network}` | {ours_to_exact:.1e} | {onnxruntime_to_exact:.1e} | {apart:.1e} | {decisions_apart} |"
        assert row.format(**one) in page
        # Ours is the farther one, as the page says.
        assert one["network"] == "mlp:16" or one["ours_to_exact"] > one["onnxruntime_to_exact"]
    lines = [json.loads(line) for line in (results / "exported.jsonl").read_text().splitlines()]
    small = [line for line in lines if line["table"].startswith("small ")]
    assert f"{len(small):,} small tables" in page
    # In the unit of the limit.
    assert max(line["far"] for line in small if "far" in line) < 1 and not any(line.get("decisions") for line in lines)
