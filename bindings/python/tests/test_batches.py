"""The recipes of docs/machines.md against a real local Ray and a real local Spark: the same scores as one process."""

from __future__ import annotations

import os
import pickle
import sys

import numpy as np
import pytest
from onesided import BatchScorer, PUClassifier

pa = pytest.importorskip("pyarrow")
# Engines take their time to start.
engines = pytest.mark.skipif(
    not os.environ.get("ONESIDED_ENGINES"), reason="set ONESIDED_ENGINES=1 to start a local Ray and a local Spark"
)


@pytest.fixture(scope="module")
def scored(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("batches")
    table = pa.table({f"x{at}": made.X[:, at] for at in range(4)}).append_column("id", pa.array(np.arange(1200)))
    model = PUClassifier("weighted-lr", prior=0.4).fit(table.drop_columns("id"), made.y)
    model.save(folder / "m.model")
    return folder / "m.model", table, model.decision_function(table.drop_columns("id")).astype(np.float32)


def test_batches_get_two_columns(scored):
    path, table, expected = scored
    scorer = pickle.loads(pickle.dumps(BatchScorer(path, keep=["id"])))
    out = pa.Table.from_batches(scorer.map(table.to_batches(max_chunksize=100)))
    assert out.column_names == ["id", "score", "probability"]
    assert (out["score"].to_numpy() == expected).all()
    np.testing.assert_allclose(out["probability"].to_numpy(), 1 / (1 + np.exp(-expected)), rtol=1e-6)
    assert BatchScorer(path)(table).column_names == [*table.column_names, "score", "probability"]
    assert scorer.model is BatchScorer(path).model


@engines
def test_ray_data_and_ray_tune(scored, made, tmp_path):
    ray = pytest.importorskip("ray")
    path, table, expected = scored
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        # Recipe: score with Ray Data.
        data = ray.data.from_arrow(table)
        out = data.map_batches(
            BatchScorer, fn_constructor_args=(path,), batch_format="pyarrow", concurrency=2, batch_size=100
        )
        rows = sorted(out.take_all(), key=lambda row: row["id"])
        assert np.array_equal(np.array([row["score"] for row in rows], dtype=np.float32), expected)

        # Recipe: sweep with Ray Tune.
        from onesided.metrics import make_pu_scorer
        from onesided.model_selection import PUShuffleSplit
        from ray import tune

        X, y = made.X, made.y
        train, test = next(PUShuffleSplit(1).split(X, y))

        def trial(config):
            model = PUClassifier("biased-svm", prior=0.4, option=config, n_jobs=1).fit(X[train], y[train])
            tune.report({"lee_liu": make_pu_scorer("lee_liu")(model, X[test], y[test])})

        tuner = tune.Tuner(
            trial,
            param_space={"cost": tune.grid_search([0.01, 1.0])},
            tune_config=tune.TuneConfig(metric="lee_liu", mode="max"),
            run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
        )
        assert tuner.fit().get_best_result().metrics["lee_liu"] > 1
    finally:
        ray.shutdown()


@engines
def test_spark_map_in_arrow(scored):
    pyspark = pytest.importorskip("pyspark.sql")
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
    path, table, expected = scored
    session = pyspark.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        # Recipe: score with Spark.
        frame = session.createDataFrame(table.to_pandas()).repartition(4)
        scorer = BatchScorer(path, keep=["id"])
        out = frame.mapInArrow(scorer.map, "id long, score float, probability float").toPandas().sort_values("id")
        assert np.array_equal(out["score"].to_numpy(dtype=np.float32), expected)
    finally:
        session.stop()


@pytest.mark.parametrize("name", ["score", "probability"])
def test_a_column_that_is_there_is_not_doubled(scored, name):
    path, table, _ = scored
    more = table.append_column(name, pa.array(np.ones(1200)))
    with pytest.raises(ValueError, match=f"^{name}: the batch has a column '{name}' already; name the new one {name}='...'"):
        BatchScorer(path)(more)
    assert BatchScorer(path, keep=["id"])(more).column_names == ["id", "score", "probability"]
    assert BatchScorer(path, **{name: "ours"})(more).column_names[-3:].count("ours") == 1
