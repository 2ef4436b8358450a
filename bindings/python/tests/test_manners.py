"""Ctrl-C, threads, forks, progress, warnings, stubs, and the command in the wheel."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import numpy as np
import onesided
import pytest
from onesided import PUClassifier, _onesided

PACKAGE = Path(onesided.__file__).parent


def python(code: str, **keywords) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, **keywords)


def test_import_needs_numpy_alone():
    code = """
    import sys, onesided
    assert "numpy" not in sys.modules
    from onesided import PUClassifier, estimate_prior, metrics, model_selection, losses
    heavy = {"sklearn", "pandas", "polars", "pyarrow", "scipy", "torch", "tqdm"} & set(sys.modules)
    assert not heavy, heavy
    """
    assert python(code).returncode == 0, python(code).stderr


def test_it_works_without_scikit_learn(tmp_path):
    code = """
    import sys, pickle, numpy as np
    for name in ("sklearn", "pandas", "pyarrow", "polars", "scipy", "tqdm"):
        sys.modules[name] = None
    from onesided import PUClassifier
    from onesided.metrics import make_pu_scorer
    from onesided.model_selection import PUKFold
    X = np.random.default_rng(0).normal(size=(200, 2)); X[:100] += 2
    y = np.arange(200) < 50
    model = PUClassifier("weighted-lr", prior=0.5)
    try:
        model.predict(X)
    except ValueError as error:
        assert "not fitted" in str(error) and isinstance(error, AttributeError)
    for train, test in PUKFold(2).split(X, y):
        assert make_pu_scorer("auc")(model.fit(X[train], y[train]), X[test], y[test]) > 0.8
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    """
    done = python(code)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_stops_between_two_batches():
    code = """
    import numpy as np, sys, signal, threading, os, time
    from onesided import PUClassifier
    X = np.random.default_rng(0).normal(size=(20000, 20)); y = np.arange(20000) % 5 == 0
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        PUClassifier("nnpu", prior=0.5, epochs=100000, patience=100000, n_jobs=1).fit(X, y)
    except KeyboardInterrupt:
        print("stopped")
        # The interpreter is well.
        PUClassifier("weighted-lr", prior=0.5).fit(X, y)
        print("and went on")
    """
    done = python(code, timeout=120)
    assert done.stdout.split("\n")[:2] == ["stopped", "and went on"], done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_stops_members_that_train_side_by_side():
    code = """
    import numpy as np, os, signal, threading, time
    from onesided import _onesided
    heard = threading.Event()

    def interrupt(*_):
        heard.set()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 10)); y = (X[:, 0] + rng.normal(size=4000) > 1.5).astype(np.int8)
    for phase, most in (("prior: scored 0 of", 2), ("trained ", 12)):
        told, sent = [], []
        heard.clear()

        def tell(done, total, what):
            if what.startswith(phase) and not sent:
                sent.append((len(told), done, total))
                os.kill(os.getpid(), signal.SIGINT)
                # Folds are quick, and the main thread of a busy machine may wake late: what is counted starts here.
                assert heard.wait(60)
                time.sleep(0.3)
            told.append((what.split()[0], done))

        try:
            _onesided.fit([("matrix", X, [f"x{at}" for at in range(10)])], y, False, {"n_jobs": ["2"]}, {}, tell)
        except KeyboardInterrupt:
            (at, done, total), = sent
            words, after = zip(*told[at:])
            # Of what was under way, at most what was quick was finished, and no other phase was begun.
            print(phase.split()[0], max(after) - done <= most < total, set(words) == {phase.split()[0]})
    """
    done = python(code, timeout=300)
    assert done.stdout.splitlines() == ["prior: True True", "trained True True"], done.stdout + done.stderr


def test_several_threads_at_once(made):
    expected = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
    scores, found = expected.decision_function(made.X), [None] * 4

    def work(at: int) -> None:
        model = PUClassifier("weighted-lr", prior=0.4).fit(made.X, made.y)
        found[at] = (model.decision_function(made.X), expected.decision_function(made.X))

    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all((mine == scores).all() and (shared == scores).all() for mine, shared in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_after_import_and_after_a_fit():
    code = """
    import os, numpy as np
    from onesided import PUClassifier
    X = np.random.default_rng(0).normal(size=(400, 3)); y = np.arange(400) % 3 == 0
    before = PUClassifier("nnpu", prior=0.5, epochs=2, n_jobs=2).fit(X, y)
    child = os.fork()
    if child == 0:
        after = PUClassifier("nnpu", prior=0.5, epochs=2, n_jobs=2).fit(X, y)
        os._exit(0 if after.to_bytes() == before.to_bytes() else 1)
    assert os.waitpid(child, 0)[1] == 0
    """
    done = python(code, timeout=60)
    assert done.returncode == 0, done.stderr


def test_progress_is_told_where_it_is_asked_for(made, capsys):
    told = []
    settings = {"method": ["nnpu"], "prior": ["0.4"], "epochs": ["200"], "patience": ["200"]}
    rows = ("matrix", np.tile(made.X, (5, 1)), ["a", "b", "c", "d"])
    _onesided.fit([rows], np.tile(made.y, 5).astype(np.int8), False, settings, {}, lambda *said: told.append(said))
    assert told and all(0 <= done <= total and "epoch" in what for done, total, what in told)

    def fail(*_):
        raise RuntimeError("the callback's own")

    with pytest.raises(RuntimeError, match="the callback's own"):
        _onesided.fit([rows], np.tile(made.y, 5).astype(np.int8), False, settings, {}, fail)
    PUClassifier("nnpu", prior=0.4, epochs=2).fit(made.X, made.y)
    assert capsys.readouterr().err == ""
    holes = np.where(made.X > 2.5, np.nan, made.X)
    PUClassifier("nnpu", prior=0.4, epochs=2, verbose=1).fit(holes, made.y)
    assert "note: missing cells in " in capsys.readouterr().err


def test_warnings_point_at_the_caller(made):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        PUClassifier("collective", model="linear", prior=0.4, epochs=1).fit(made.X[:60], made.y[:60])
    assert seen and all(Path(one.filename) == Path(__file__) for one in seen)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"method": "nope"}, "^method: unknown method 'nope'"),
        ({"prior": 1.5}, "^prior: .*1.5"),
        ({"prior": 0.4, "prior_in_unlabeled": 0.2}, "^prior and prior_in_unlabeled: "),
        ({"prior": "much"}, "^prior: unknown prior 'much'; use a number or auto"),
        ({"epochs": "many"}, "^epochs: .*a whole number"),
        ({"epochs": 3, "method": "weighted-lr"}, "^epochs: it is for networks"),
        ({"learning_rate": 0.1, "model": "trees"}, "^learning_rate: it is for networks"),
        ({"n_jobs": 0}, "^n_jobs: must be 1 or above"),
        ({"random_state": -1}, "^random_state: must be a whole number"),
        ({"option": 3, "method": "biased-svm"}, "^option: must be a dict"),
        ({"option": {"costs": 3}, "method": "biased-svm"}, "costs"),
        ({"monotone": 3, "model": "trees"}, "^monotone: must be a dict"),
        ({"monotone": {"x0": "rising"}, "model": "trees"}, "^monotone: unknown direction 'rising'"),
        ({"monotone": {"x0": "up"}, "model": "linear"}, "^monotone: it is for boosted trees"),
        ({"monotone": {"x99": "up"}, "model": "trees", "prior": 0.4}, "there is no column 'x99'"),
        ({"missing": "drop"}, "^missing: unknown policy for missing values 'drop'; use mean or refuse"),
        ({"device": "tpu"}, "^device: .*tpu"),
        ({"threshold": "third"}, "^threshold: .*third"),
        ({"image_shape": "32"}, "^image_shape: must be like '3x32x32'"),
        ({"method": "supervised"}, "^method: 'supervised' learns from true labels"),
        ({"hold_out": 2.0, "prior": 0.4}, "share held out must be strictly between 0 and 1, but is 2"),
    ],
)
def test_errors_name_the_argument(made, params, said):
    with pytest.raises(ValueError, match=said):
        PUClassifier(**params).fit(made.X, made.y)


def test_the_command_is_there_and_makes_the_same_bytes(made, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, columns=["a", "b", "c", "d"]).assign(color=np.where(made.X[:, 0] > 1, "red", "blue"))
    table, out = tmp_path / "t.csv", tmp_path / "m.model"
    frame.assign(label=made.y).to_csv(table, index=False)
    command = [sys.executable, "-m", "onesided"]
    settings = ["--label", "label", "--effort", "quick", "--seed", "5", "--threads", "1"]
    done = subprocess.run([*command, "fit", table, *settings, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    model = PUClassifier(effort="quick", random_state=5, n_jobs=1).fit(frame, made.y)
    assert out.read_bytes() == model.to_bytes()
    loaded = onesided.load(out)
    assert (loaded.decision_function(frame) == model.decision_function(frame)).all()
    # The command ignores columns that the model does not know, and so does a model that it wrote.
    assert (loaded.decision_function(frame.assign(extra=1)[["extra", *frame.columns]]) == model.decision_function(frame)).all()
    with pytest.raises(ValueError, match="^X: .*'color'"):
        loaded.predict(frame.drop(columns="color"))
    model.save(tmp_path / "p.model")
    scored = tmp_path / "scored.csv"
    done = subprocess.run([*command, "predict", tmp_path / "p.model", table, "--in-sample", "--out", scored], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    listed = pd.read_csv(scored).sort_values("row")
    np.testing.assert_allclose(listed.probability, model.predict_proba(frame)[:, 1], rtol=1e-6)
    done = subprocess.run([*command, "fit", tmp_path / "none.csv", "--label", "y", "--out", out], capture_output=True, text=True)
    assert done.returncode == 2 and "none.csv" in done.stderr


def test_a_draw_of_the_unlabeled_rows_is_the_commands(made, tmp_path):
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame(made.X, columns=["a", "b", "c", "d"]).assign(color=np.where(made.X[:, 0] > 1, "red", "blue"))
    table, out = tmp_path / "t.csv", tmp_path / "m.model"
    frame.assign(label=made.y).to_csv(table, index=False)
    flags = "--label label --method nnpu --model linear --prior 0.4 --epochs 3 --hold-out 0.2 --seed 5 --threads 1 --max-unlabeled 100"
    command = [sys.executable, "-m", "onesided", "fit", table, *flags.split(), "--out", out]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    settings = {"method": "nnpu", "model": "linear", "prior": 0.4, "epochs": 3, "hold_out": 0.2, "random_state": 5, "n_jobs": 1}
    drawn = PUClassifier(**settings, max_unlabeled=100)
    arrow = pa.Table.from_pandas(frame)
    first = drawn.fit(frame, made.y).to_bytes()
    for X in (arrow, arrow.to_reader(50)):
        assert drawn.fit(X, made.y).to_bytes() == first
    # A network scores rows in batches, and the last digit of a score depends on the rows next to it: so does the calibration.
    commands = PUClassifier.load(out).predict_proba(frame)
    np.testing.assert_allclose(drawn.predict_proba(frame), commands, rtol=1e-5)
    # All unlabeled rows calibrate: the fifth of the draw that was held out, and those that were not drawn.
    unlabeled = int((np.asarray(made.y) == 0).sum())
    assert drawn.about_["report"]["held_out"]["unlabeled"] == unlabeled - 80
    # What scores each row by itself gives the same file.
    trees = ["--model", "trees", "--prior", "0.4", "--hold-out", "0.2", "--seed", "5", "--threads", "1", "--max-unlabeled", "100"]
    done = subprocess.run([*command[:4], table, "--label", "label", *trees, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    again = PUClassifier(model="trees", prior=0.4, hold_out=0.2, random_state=5, n_jobs=1, max_unlabeled=100)
    assert again.fit(frame, made.y).to_bytes() == out.read_bytes()
    # No more rows than are asked for: nothing is drawn.
    whole = PUClassifier(**settings, max_unlabeled=10**6).fit(frame, made.y).to_bytes()
    assert whole == PUClassifier(**settings).fit(frame, made.y).to_bytes()
    for wrong, X in ((0, frame), (10, ["a text", "another"] * (len(frame) // 2))):
        with pytest.raises(ValueError, match="^max_unlabeled: "):
            PUClassifier(**settings, max_unlabeled=wrong).fit(X, made.y)


def test_memory_can_be_limited():
    code = """
    import numpy as np, onesided
    try:
        onesided.limit_memory("much")
    except ValueError as error:
        assert str(error).startswith("size: "), error
    onesided.limit_memory("64M")
    X = np.random.default_rng(0).normal(size=(200_000, 40)); y = np.arange(200_000) < 5_000
    try:
        onesided.PUClassifier("weighted-lr", prior=0.5).fit(X, y)
    except ValueError as error:
        assert "not enough memory" in str(error), error
    else:
        raise AssertionError("nothing was refused")
    """
    done = python(code)
    assert done.returncode == 0, done.stderr


def test_negatives_weights_reserve_and_audits_are_the_commands(made, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(made.X, columns=["a", "b", "c", "d"])
    y = np.where(~made.truth & (made.X[:, 3] > 1), -1, made.y)
    weights = np.where(made.X[:, 0] > 1, 2.5, 1.0)
    table, plain, out = tmp_path / "t.csv", tmp_path / "plain.csv", tmp_path / "m.model"
    frame.assign(label=y, weight=weights).to_csv(table, index=False)
    frame.assign(label=made.y).to_csv(plain, index=False)
    settings = ["--label", "label", "--effort", "quick", "--threads", "1", "--out"]

    def run(*arguments) -> None:
        done = subprocess.run([sys.executable, "-m", "onesided", *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    run("fit", table, "--negative", "-1", "--weight", "weight", "--reserve", "0.2", *settings, out)
    model = PUClassifier(effort="quick", n_jobs=1, negative=-1, reserve=0.2).fit(frame, y, sample_weight=weights)
    assert out.read_bytes() == model.to_bytes()

    run("fit", plain, *settings, out)
    asked = tmp_path / "asked.csv"
    run("audit", "draw", out, plain, "--label", "label", "--rows", "60", "--out", asked)
    answers = pd.read_csv(asked, dtype=object)
    answers["positive"] = np.where(made.truth[answers["row"].astype(int) - 1], "yes", "no")
    answers.to_csv(asked, index=False)
    run("fit", plain, "--audit", asked, *settings, out)
    # A share that was audited is measured, and no reason to warn.
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="the prior")
        model = PUClassifier(effort="quick", n_jobs=1).fit(frame, made.y, audit=asked)
    assert out.read_bytes() == model.to_bytes() and model.prior_estimate_.audited == 60
    assert model.about_["counts"]["negative"] > 0
    with pytest.raises(ValueError, match="^prior and audit: they contradict one another"):
        PUClassifier(prior=0.4).fit(frame, made.y, audit=asked)
    # Rows are known by their cells, in any order.
    turned = PUClassifier("weighted-lr").fit(frame[::-1], made.y[::-1], audit=asked)
    assert turned.prior_estimate_.audited == 60
    with pytest.raises(ValueError, match="^audit: .*another table"):
        PUClassifier("weighted-lr").fit(frame * 2, made.y, audit=asked)
    with pytest.raises(ValueError, match="^audit: .*none.csv"):
        PUClassifier().fit(frame, made.y, audit=tmp_path / "none.csv")
    with pytest.raises(ValueError, match="^audit: must be a table of answers, a path or a list of these, but is 3"):
        PUClassifier().fit(frame, made.y, audit=3)


def test_the_stubs_are_those_of_the_module():
    stub = ast.parse((PACKAGE / "_onesided.pyi").read_text())
    said = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    constants = {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    public = {name for name in dir(_onesided) if not name.startswith("_")}
    assert said.keys() | (constants - {"__version__"}) == public
    for name in ("Model", "Prior", "Objective"):
        methods = {node.name for node in said[name].body if isinstance(node, ast.FunctionDef)} - {"__init__"}
        assert methods == {one for one in vars(getattr(_onesided, name)) if not one.startswith("_")}


def test_the_types_hold():
    pytest.importorskip("mypy")
    # The source, not what is installed: mypy leaves site-packages alone. PyTorch may be missing.
    source = Path(__file__).resolve().parents[1] / "python"
    options = ["--strict", "--ignore-missing-imports", "--allow-subclassing-any", "--allow-untyped-decorators"]
    command = [sys.executable, "-m", "mypy", *options, "-p", "onesided"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=source)
    assert done.returncode == 0, done.stdout
