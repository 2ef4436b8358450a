"""The recipes of docs/registries.md and docs/serving.md against the real thing: MLflow, skops, DuckDB, DataFusion, polars, FastAPI,
Node, a browser and Rust."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from onesided import BatchScorer, PUClassifier

# .ci/engines has all of them, and a peer that is not there is a failure there.
engines = pytest.mark.skipif(
    not os.environ.get("ONESIDED_ENGINES"), reason="set ONESIDED_ENGINES=1, with the peers installed"
)
ROOT = pathlib.Path(__file__).resolve().parents[3]
NAMES = ["age", "city"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    random = np.random.default_rng(0)
    y = random.random(400) < 0.4
    frame = pd.DataFrame({"age": random.normal(40, 9, 400) + 12 * y, "city": random.choice(["Oslo", "Bergen"], 400)})
    frame.loc[random.random(400) < 0.1, "age"] = np.nan
    frame.loc[random.random(400) < 0.1, "city"] = None
    model = PUClassifier("weighted-lr", prior=0.4, random_state=0).fit(frame, y & (random.random(400) < 0.5))
    path = tmp_path_factory.mktemp("registries") / "m.onesided"
    model.save(path)
    return model, frame, model.decision_function(frame), path


@engines
def test_mlflow(made, tmp_path, monkeypatch):
    import mlflow
    import onnx
    import onnxruntime
    from mlflow.models import infer_signature
    from onesided import mlflow as flavor

    model, frame, expected, _ = made
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    mlflow.set_experiment("onesided")
    with mlflow.start_run():
        info = flavor.log_model(model, "spam", input_example=frame.head())
        model.export("spam.onnx")
        rows = {"age": np.array([[31.0], [70.0]]), "city": np.array([["Oslo"], ["Bergen"]], dtype=object)}
        scored = {"score": np.zeros(2, np.float32), "probability": np.zeros(2, np.float32), "decision": np.zeros(2, bool)}
        exported = mlflow.onnx.log_model(
            onnx.load("spam.onnx"), name="spam-onnx", signature=infer_signature(rows, scored), input_example=rows
        )
    assert info.signature.inputs.input_names() == NAMES
    assert [column.name for column in info.signature.outputs] == ["score", "probability", "decision"]
    scored = mlflow.pyfunc.load_model(info.model_uri).predict(frame)
    np.testing.assert_array_equal(scored["score"].to_numpy(), expected)
    assert (scored["decision"] == (model.predict(frame) == 1)).all()
    # No pickle in what was logged.
    folder = pathlib.Path(mlflow.artifacts.download_artifacts(info.model_uri))
    assert not [file for file in folder.rglob("*") if file.suffix in (".pkl", ".joblib")]
    session = onnxruntime.InferenceSession(mlflow.onnx.load_model(exported.model_uri).SerializeToString())
    np.testing.assert_allclose(session.run(["score"], fed(frame))[0], expected, rtol=1e-5, atol=1e-5)
    loaded = mlflow.pyfunc.load_model(exported.model_uri)
    assert loaded.metadata.signature.inputs.input_names() == NAMES and set(loaded.input_example) == set(NAMES)
    assert [column.name for column in loaded.metadata.signature.outputs] == ["score", "probability", "decision"]
    np.testing.assert_allclose(loaded.predict(fed(frame))["score"], expected, rtol=1e-5, atol=1e-5)


def fed(frame):
    return {
        "age": frame[["age"]].to_numpy(dtype=float),
        "city": frame[["city"]].fillna("").to_numpy(dtype=object),
    }


@engines
def test_skops(made, tmp_path):
    import skops.io

    model, frame, expected, _ = made
    skops.io.dump(model, tmp_path / "m.skops")
    trusted = ["onesided._classifier.PUClassifier"]
    assert skops.io.get_untrusted_types(file=tmp_path / "m.skops") == trusted
    np.testing.assert_array_equal(skops.io.load(tmp_path / "m.skops", trusted=trusted).decision_function(frame), expected)


def test_without_joblib(made):
    model, frame, expected, path = made
    # The file that save writes is the path without pickle.
    np.testing.assert_array_equal(PUClassifier.load(path).decision_function(frame), expected)
    loaded = f"import onesided, sys; onesided.load({str(path)!r}); print([m for m in ('joblib', 'mlflow') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", loaded], text=True).strip() == "[]"


@engines
def test_duckdb(made, tmp_path):
    import duckdb
    import pyarrow as pa

    model, frame, expected, path = made
    frame.assign(id=np.arange(400)).to_parquet(tmp_path / "new.parquet")

    # Recipe: a scalar function for DuckDB.
    scorer = BatchScorer(path, keep=[])

    def pu_score(age, city):
        return scorer(pa.table([age, city], names=NAMES))["score"]

    con = duckdb.connect()
    con.create_function("pu_score", pu_score, ["DOUBLE", "VARCHAR"], "FLOAT", type="arrow", null_handling="special")
    found = con.sql(f"select id, pu_score(age, city) as score from '{tmp_path}/new.parquet' order by id").df()

    np.testing.assert_array_equal(found["score"].to_numpy(), expected)


@engines
def test_datafusion(made, tmp_path):
    import pyarrow as pa
    from datafusion import SessionContext, udf

    model, frame, expected, path = made
    table = pa.table({"id": np.arange(400), **{name: pa.array(frame[name], from_pandas=True) for name in NAMES}})

    # Recipe: a scalar function for DataFusion.
    scorer = BatchScorer(path, keep=[])

    def pu_score(*columns):
        return scorer(pa.record_batch(list(columns), names=NAMES))["score"]

    ctx = SessionContext()
    ctx.register_udf(udf(pu_score, [pa.float64(), pa.string()], pa.float32(), "stable", "pu_score"))
    ctx.from_arrow(table, name="new")
    found = ctx.sql("select id, pu_score(age, city) as score from new order by id").to_pandas()

    np.testing.assert_array_equal(found["score"].to_numpy(), expected)


@engines
def test_polars(made):
    import polars as pl

    model, frame, expected, path = made
    new = pl.from_pandas(frame).lazy()

    # Recipe: an expression for polars.
    scorer = BatchScorer(path, keep=[])

    def pu_score(*names):
        score = lambda rows: pl.Series(scorer(rows.struct.unnest().to_arrow())["score"])
        return pl.struct(*names).map_batches(score, return_dtype=pl.Float32)

    found = new.with_columns(score=pu_score("age", "city")).collect()

    np.testing.assert_array_equal(found["score"].to_numpy(), expected)


@engines
def test_fastapi(made, monkeypatch):
    from fastapi.testclient import TestClient

    model, frame, _, path = made
    monkeypatch.setenv("MODEL", str(path))
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "serving"))
    import app

    client = TestClient(app.app)
    rows = json.loads(frame.head(20).to_json(orient="records"))
    answered = client.post("/score", json=rows).json()
    np.testing.assert_allclose([row["probability"] for row in answered], model.predict_proba(frame.head(20))[:, 1], rtol=1e-6)
    refused = client.post("/score", json=[{"age": 3}])
    assert refused.status_code == 422 and "city" in refused.json()["detail"]


@engines
@pytest.mark.parametrize("runtime", ["onnxruntime-node", "onnxruntime-web"])
def test_node(made, tmp_path, runtime):
    model, frame, expected, _ = made
    shutil.copy(ROOT / "examples" / "serving" / "score.mjs", tmp_path)
    os.symlink(os.environ["ONESIDED_NODE_MODULES"], tmp_path / "node_modules")
    model.export(tmp_path / "m.onnx")
    lists(frame, tmp_path)
    said = subprocess.check_output(["node", "score.mjs", runtime, "m.onnx", "rows.json"], cwd=tmp_path, text=True)
    found = json.loads(said.splitlines()[-1])
    np.testing.assert_allclose(found["score"], expected, rtol=1e-5, atol=1e-5)
    assert found["decision"] == (model.predict(frame) == 1).tolist()
    # What would be scored as a missing cell without a word.
    for cells in UNFIT:
        (tmp_path / "rows.json").write_text(json.dumps(cells))
        said = subprocess.run(["node", "score.mjs", runtime, "m.onnx", "rows.json"], cwd=tmp_path, text=True, capture_output=True)
        assert said.returncode != 0 and "is none" in said.stderr


UNFIT = [{"age": ["2024-03-01"], "city": ["Oslo"]}, {"age": [31], "city": [5]}]


def lists(frame, folder):
    """A list per column, in a file, with blanks around the levels of the category, as `predict` takes them too."""
    frame = frame.assign(city=" " + frame["city"] + "\t")
    rows = {name: json.loads(frame[name].to_json(orient="values")) for name in NAMES}
    (folder / "rows.json").write_text(json.dumps(rows))


@engines
def test_rust(made, tmp_path):
    import onnxruntime

    model, frame, expected, _ = made
    model.export(tmp_path / "m.onnx")
    lists(frame, tmp_path)
    libraries = list((pathlib.Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
    environment = {**os.environ, "ORT_DYLIB_PATH": str(libraries[0]), "CARGO_TARGET_DIR": str(ROOT / "target" / "serving")}
    program = ["cargo", "run", "--release", "--quiet", "--locked", "--", tmp_path / "m.onnx", tmp_path / "rows.json"]
    said = subprocess.check_output(program, cwd=ROOT / "examples" / "serving" / "rust", env=environment, text=True)
    found = json.loads(said)
    np.testing.assert_allclose(found["score"], expected, rtol=1e-5, atol=1e-5)
    assert found["decision"] == (model.predict(frame) == 1).tolist()
    for cells in UNFIT:
        (tmp_path / "rows.json").write_text(json.dumps(cells))
        said = subprocess.run(
            program, cwd=ROOT / "examples" / "serving" / "rust", env=environment, text=True, capture_output=True
        )
        assert said.returncode != 0 and "is none" in said.stderr


# Opens the page, types a row, and says what it shows.
BROWSE = """
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const [tools, modules] = process.argv.slice(2);
const { chromium } = createRequire(tools + "/")("playwright-core");
const types = { html: "text/html", mjs: "text/javascript", wasm: "application/wasm" };
const server = createServer((asked, answer) => {
  const name = asked.url.slice(1);
  try {
    const file = readFileSync(name.startsWith("ort") ? `${modules}/onnxruntime-web/dist/${name}` : name);
    answer.writeHead(200, { "content-type": types[name.split(".").pop()] ?? "application/octet-stream" }).end(file);
  } catch {
    answer.writeHead(404).end();
  }
}).listen(0);
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.goto(`http://localhost:${server.address().port}/browser.html`);
const shown = [];
for (const [age, city] of [["31", "Oslo "], ["70", "Bergen"], ["", ""]]) {
  await page.fill("#age", age);
  await page.fill("#city", city);
  await page.evaluate(() => (document.getElementById("out").textContent = ""));
  for (let tries = 0; tries < 200 && !(await page.textContent("#out")); tries++) {
    await page.click("#go");
    await page.waitForTimeout(100);
  }
  shown.push(await page.textContent("#out"));
}
console.log(JSON.stringify(shown));
await browser.close();
server.close();
"""


@engines
@pytest.mark.skipif(not os.environ.get("ONESIDED_PAGE_TOOLS"), reason="no playwright-core, or no Chromium")
def test_browser(made, tmp_path):
    model, frame, _, _ = made
    page = (ROOT / "examples" / "serving" / "browser.html").read_text()
    shared = "https://cdn.jsdelivr.net/npm/onnxruntime-web/dist/"
    assert shared in page
    # The same files from this machine.
    (tmp_path / "browser.html").write_text(page.replace(shared, "/"))
    (tmp_path / "browse.mjs").write_text(BROWSE)
    model.export(tmp_path / "model.onnx")
    tools = [os.environ["ONESIDED_PAGE_TOOLS"], os.environ["ONESIDED_NODE_MODULES"]]
    shown = json.loads(subprocess.check_output(["node", "browse.mjs", *tools], cwd=tmp_path, text=True, timeout=300))
    rows = pd.DataFrame({"age": [31, 70, np.nan], "city": ["Oslo", "Bergen", None]})
    expected = model.predict_proba(rows)[:, 1]
    assert [text.split(",")[0] for text in shown] == [f"{q:.3f}" for q in expected]
    assert [", positive" in text for text in shown] == (model.predict(rows) == 1).tolist()
