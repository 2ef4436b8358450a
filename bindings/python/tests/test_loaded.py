"""A model from a file has the parameters that it was fitted with: its clone learns the same."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import onesided
import pytest
from onesided import FitWarning, PUClassifier

pd = pytest.importorskip("pandas")
clone = pytest.importorskip("sklearn.base").clone

ROWS = 400
# What is not in the file: the machine's, and what y means.
ELSEWHERE = {"n_jobs", "device", "checkpoint", "pos_label", "negative", "verbose"}


@pytest.fixture(scope="module")
def frame(made):
    rng = np.random.default_rng(1)
    words = np.where(made.truth[:ROWS], "the team won the game", "the bank raised its rates")
    return pd.DataFrame(made.X[:ROWS], columns=list("abcd")).assign(
        leak=made.truth[:ROWS], code=rng.integers(0, 3, ROWS), body=[f"{one} {rng.choice(['soon', 'late'])}" for one in words]
    )


NUMBERS = list("abcd")
CASES = {
    "columns left out": ({"method": "weighted-lr", "prior": 0.4, "drop": ["leak", "body"]}, None),
    "columns chosen": ({"method": "biased-svm", "prior": 0.4, "only": ["a", "b", "code"], "categorical": ["code"],
                        "option": {"cost": 0.1}, "random_state": 3}, None),
    "texts in a table": ({"method": "weighted-lr", "prior": 0.4, "drop": ["leak"], "text": ["body"], "ngrams": 2, "min_texts": 3,
                          "features": "counts", "max_terms": 7, "stop_words": "english"}, None),
    "auto": ({"effort": "quick", "single": True, "max_unlabeled": 200, "missing": "refuse", "monotone": "a:up"}, NUMBERS),
    "an estimated prior": ({"method": "nnpu", "model": "trees", "reserve": 0.2, "beta": 0.1, "cross_fit": True}, NUMBERS),
    "a network": ({"method": "nnpu", "model": "mlp:20,20", "prior_in_unlabeled": 0.3, "epochs": 2, "learning_rate": 0.01,
                   "threshold": "quantile", "average": 0.9}, NUMBERS),
    "case-control": ({"method": "upu", "model": "linear", "prior": 0.4, "scenario": "case-control", "epochs": 2}, NUMBERS),
}


@pytest.mark.filterwarnings("ignore::onesided.OnesidedWarning")
@pytest.mark.parametrize(("params", "columns"), CASES.values(), ids=CASES.keys())
def test_a_clone_of_a_loaded_model_learns_the_same(frame, made, tmp_path, params, columns):
    X, y = frame if columns is None else frame[columns], made.y[:ROWS]
    fitted = PUClassifier(**params, n_jobs=1).fit(X, y)
    fitted.save(tmp_path / "m.model")
    loaded = onesided.load(tmp_path / "m.model")
    given = {"scenario": "single-sample", **params}
    assert {name: value for name, value in loaded.get_params().items() if value != PUClassifier().get_params()[name]} == given
    assert clone(loaded).set_params(n_jobs=1).fit(X, y).to_bytes() == fitted.to_bytes()


def test_texts_and_pictures(made):
    y = made.y[:ROWS]
    texts = np.where(made.truth[:ROWS], "the team won the game", "the bank raised its rates").tolist()
    pixels = np.random.default_rng(0).integers(0, 255, (ROWS, 16)).astype(np.uint8)
    for X, params in (
        (texts, {"method": "weighted-lr", "prior": 0.4, "stop_words": "english"}),
        (pixels, {"method": "nnpu", "prior": 0.4, "model": "cnn", "epochs": 1, "image_shape": "1x4x4"}),
    ):
        fitted = PUClassifier(**params, n_jobs=1).fit(X, y)
        loaded = PUClassifier.from_bytes(fitted.to_bytes())
        assert clone(loaded).set_params(n_jobs=1).fit(X, y).to_bytes() == fitted.to_bytes()
        assert (loaded.predict(X) == fitted.predict(X)).all()


def test_parts(frame, made):
    X, y = frame[NUMBERS], made.y[:ROWS]
    fitted = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit_parts(X[y == 1], X[y == 0])
    loaded = PUClassifier.from_bytes(fitted.to_bytes())
    assert loaded.scenario == "case-control"
    assert clone(loaded).set_params(n_jobs=1).fit_parts(X[y == 1], X[y == 0]).to_bytes() == fitted.to_bytes()


def test_what_the_command_was_told(frame, made, tmp_path):
    frame.assign(label=made.y[:ROWS]).to_csv(tmp_path / "t.csv", index=False)
    flags = "--label label --method weighted-lr --prior 40% --drop leak,body --categorical code --seed 5 --threads 1"
    command = [sys.executable, "-m", "onesided", "fit", tmp_path / "t.csv", *flags.split(), "--out", tmp_path / "m.model"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = onesided.load(tmp_path / "m.model")
    assert (loaded.prior, loaded.drop, loaded.categorical, loaded.random_state) == (0.4, ["leak", "body"], ["code"], 5)
    again = clone(loaded).set_params(n_jobs=1).fit(frame, made.y[:ROWS])
    assert again.to_bytes() == (tmp_path / "m.model").read_bytes()


def test_what_is_not_in_the_file(made):
    y = np.where(made.y == 1, "spam", "ham")
    fitted = PUClassifier("weighted-lr", prior=0.4, n_jobs=1, device="cpu", pos_label="spam", verbose=0).fit(made.X, y)
    loaded = PUClassifier.from_bytes(fitted.to_bytes()).get_params()
    assert {loaded[name] for name in ELSEWHERE} == {None, 0}


def test_a_file_of_an_earlier_version_says_so(made, tmp_path):
    """Its parameters are not known, which is told to who asks for them and to nobody else."""
    fitted = PUClassifier("weighted-lr", prior=0.4, n_jobs=1).fit(made.X, made.y)
    earlier = _without_given(fitted.to_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = PUClassifier.from_bytes(earlier)
        assert (loaded.decision_function(made.X) == fitted.decision_function(made.X)).all()
        repr(loaded)
    for ask in (loaded.get_params, lambda: clone(loaded)):
        with pytest.warns(FitWarning, match="written by an earlier version and does not hold the parameters of its fit"):
            ask()
    assert loaded.method == "weighted-lr"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", category=FitWarning)
        loaded.set_params(prior=0.4).fit(made.X, made.y)
        warnings.simplefilter("error", category=FitWarning)
        loaded.get_params()


def _without_given(model):
    """The same model as a version wrote it that did not keep what was asked."""
    import json
    import zlib

    length = int.from_bytes(model[:8], "little")
    header, data = json.loads(model[8 : 8 + length]), model[8 + length :]
    about = header["__metadata__"]
    document = json.loads(about["onesided"])
    del document["given"]
    about["onesided"] = json.dumps(document)
    about["checksum"] = f"{zlib.crc32((about['onesided'] + about['model']).encode() + data):08x}"
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data
