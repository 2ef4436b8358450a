"""The losses against PyTorch's autograd on their definitions, and in LightGBM and XGBoost."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from onesided import objectives
from onesided.losses import BoostingObjective, Loss

RNG = np.random.default_rng(0)
P, U = RNG.normal(1, 2, 7).astype(np.float32), RNG.normal(-1, 2, 11).astype(np.float32)
MU = 0.3


def log_sigmoid(x):
    return -np.logaddexp(0, -x)


def test_values_are_the_definitions():
    # Naive: cross entropy of labeled against unlabeled, over the whole batch.
    naive = -(log_sigmoid(P.astype(float)).sum() + log_sigmoid(-U.astype(float)).sum()) / 18
    assert Loss("naive")(P, U) == pytest.approx(naive, rel=1e-6)
    # uPU with the sigmoid loss: mu E_P[l(f)] + E_U[l(-f)] - mu E_P[l(-f)], du Plessis et al. 2015.
    s = lambda x: 1 / (1 + np.exp(-x.astype(float)))
    upu = MU * s(-P).mean() + s(U).mean() - MU * s(P).mean()
    assert Loss("upu", MU)(P, U) == pytest.approx(upu, rel=1e-6)


@pytest.mark.parametrize("name", [one.name for one in objectives()])
def test_gradients_are_finite_differences(name):
    info = next(one for one in objectives() if one.name == name)
    loss = Loss(name, MU if info.needs_prior else None)
    # Where the risk is corrected, the step is not the derivative of the value; with these scores it is not.
    U = globals()["U"] + np.float32(2.0 if "gamma" in info.options else 0.0)
    _, grad_p, grad_u = loss.value_and_grad(P, U)
    step = 1e-2
    for at in range(3):
        moved = [P.copy(), P.copy()]
        moved[0][at] += step
        moved[1][at] -= step
        slope = (loss(moved[0], U) - loss(moved[1], U)) / (float(moved[0][at]) - float(moved[1][at]))
        assert grad_p[at] == pytest.approx(slope, abs=2e-4), name
        moved = [U.copy(), U.copy()]
        moved[0][at] += step
        moved[1][at] -= step
        slope = (loss(P, moved[0]) - loss(P, moved[1])) / (float(moved[0][at]) - float(moved[1][at]))
        assert grad_u[at] == pytest.approx(slope, abs=2e-4), name
    curve_p, curve_u = loss.curvature(P, U)
    assert (curve_p > 0).all() and (curve_u > 0).all()


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="^name: .*nnnpu"):
        Loss("nnnpu", MU)
    with pytest.raises(ValueError, match="^prior_in_unlabeled: the objective 'nnpu' needs"):
        Loss("nnpu")
    with pytest.raises(ValueError, match="^beta: the objective 'upu' has no use for it"):
        Loss("upu", MU, beta=0.1)
    with pytest.raises(ValueError, match="positive: one score per row"):
        Loss("upu", MU)(np.zeros((2, 2)), U)
    assert pickle.loads(pickle.dumps(Loss("nnpu", MU)))(P, U) == Loss("nnpu", MU)(P, U)


def test_lightgbm_learns_with_it(made):
    lightgbm = pytest.importorskip("lightgbm")
    mu = made.truth[made.y == 0].mean()
    share = made.y.mean()
    objective = BoostingObjective("nnpu", mu, labeled_share=share)
    booster = lightgbm.train(
        {"objective": objective, "verbose": -1, "num_leaves": 8, "num_threads": 1, "seed": 0},
        lightgbm.Dataset(made.X, made.y), 60,
    )
    assert np.mean((booster.predict(made.X) > 0) == made.truth) > 0.8
    grad, curve = objective(made.y, np.zeros(1200))
    assert grad.shape == curve.shape == (1200,) and (curve > 0).all()


def test_xgboost_learns_with_it(made):
    xgboost = pytest.importorskip("xgboost")
    mu = made.truth[made.y == 0].mean()
    objective = BoostingObjective("nnpu", mu, labeled_share=made.y.mean())
    data = xgboost.DMatrix(made.X, made.y)
    booster = xgboost.train({"max_depth": 3, "nthread": 1, "base_score": 0.0}, data, 60, obj=objective)
    assert np.mean((booster.predict(data, output_margin=True) > 0) == made.truth) > 0.8
