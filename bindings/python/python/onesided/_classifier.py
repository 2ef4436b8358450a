"""The classifier."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._audits import AuditReport, answers_of, cells_of, kept_of, table_of
from ._estimator import Estimator, Teller, not_fitted, say, seed_of, threads_of, whole
from ._index import aligned, frame_like, index_of
from ._input import Rows, parts_of, rows_of
from ._labels import Labels, column_of, negative_of, read_labels, refuse_masked
from ._onesided import RANDOM_LABELS, Model, probabilities, table_negatives
from ._onesided import fit as _fit
from ._plots import Plots
from ._results import CertifiedNegatives, EstimatedPrior, Explanation, Explanations, Importance, RecallCut, Watched
from ._settings import check_columns, names_of, params_of, reading_of, settings_of
from ._warnings import FitWarning, warn


class PUClassifier(Estimator):
    """A classifier that learns from positive and unlabeled rows.

    Some rows are known to be positive; the rest are unlabeled, a mix of positives and negatives. What is not set is
    chosen by the data. Every parameter but those of the last group is a flag of the command ``onesided fit`` too, and the
    same settings, seed and number of threads give the same model file, byte by byte.

    Parameters
    ----------
    method : str, optional
        The method by its name; :func:`onesided.methods` lists them. By default ``"auto"``, which tries several models
        and mixes those that do well; ``"collective"`` if you set a loss, a model or its training.
    prior : float or "auto", optional
        The share of positives in the population, such as 0.3 or ``"30%"``. Estimated where a method needs it and nothing is
        said.
    prior_in_unlabeled : float, optional
        The share of positives among the unlabeled rows, instead of ``prior``.
    scenario : {"single-sample", "case-control"}, optional
        How the rows were drawn: one sample of which some positives are labeled (the default of :meth:`fit`), or
        positives and unlabeled rows separately (the default of :meth:`fit_parts`).
    effort : {"quick", "normal", "thorough"}, optional
        For ``auto``: how much time it may take.
    single : bool, optional
        For ``auto``: keep the one best model instead of a mean of several.
    fast : bool, optional
        For ``auto`` on tables: keep boosted trees that learned the scores of the mean. They score several times as many rows per
        second; what that costs in AUC is in what ``fit`` reports.
    model : str, optional
        What scores, for methods that are a loss: ``"linear"``, ``"mlp"``, ``"cnn"``, ``"vgg16"``, ``"resnet18"``, ``"trees"``,
        ``"forest"``, ``"extra-trees"``, ``"bagged-trees"``, or a form such as ``"mlp:300x5:softsign"``.
    monotone : dict or str, optional
        For trees and ``auto``: columns of numbers that the score may only rise with or only fall with, such as
        ``{"age": "up", "income": "down"}``.
    option : dict, optional
        Settings of a classic method, such as ``{"cost": 0.1}``.
    reduction, surrogate : str, optional
        Of the losses: see the book's page on methods.
    beta, gamma, smoothing : float, optional
        Of the losses.
    epochs, batch, patience : int, optional
        Of networks: the most passes over the data, rows per batch, and epochs without a lower held-out risk before
        training stops.
    learning_rate, warm_up, weight_decay : float, optional
        Of networks.
    optimizer, schedule, augment : str, optional
        Of networks.
    teacher : str, optional
        Of networks: ``"on"`` lets an average of the network teach it on strongly changed pictures, or on rows of which some
        numbers or words are left out, for few labels; numbers such as ``"weight=2,ramp=5"`` change how, and ``"off"`` trains without. Where nothing is said, it takes
        part for color pictures with at most 10,000 labels under ``vgg16``, ``resnet18`` or ``wide-resnet`` on a GPU.
    mixup : str, optional
        Of networks: ``"on"`` asks that predictions for mixed rows are mixed predictions, as in VPU; or numbers
        such as ``"weight=0.03,alpha=0.3"``.
    average : float, optional
        Of networks: keep a moving average of the weights, of which this much stays at each step, such as 0.99.
    checkpoint : path, optional
        A file to resume training from after an interruption.
    hold_out : float, optional
        The share of rows held out for choosing, calibrating and measuring.
    cross_fit : bool, optional
        Whether each fifth of the rows is held out in turn and the model then trained on all of them, so that every row has a
        score by what was trained without it. ``auto`` does this anyway, and so do other methods on small data.
    labeling : {"random", "easy-first"}, optional
        How positives were labeled: at random, or the likelier ones rather. With ``"easy-first"`` rows are ranked and cut at the share of
        positives, which must be given, and have no probabilities.
    labeling_depends_on : str or list of str, optional
        Columns that decide which positives were labeled. Labeled rows are weighted by the chance that positives like them are labeled, if
        that says better which rows are labeled; :attr:`who_labels_` says what was found.
    reserve : float, int or str, optional
        Labeled positives to set aside before anything is looked at, a share (``0.2``, ``"20%"``) or a number of them: what
        :meth:`recall_cut` promises rests on them.
    threshold : {"half", "quantile", "max-pu-accuracy"}, optional
        How the threshold is chosen. For your own cut, compare probabilities with it:
        ``predict_proba(X)[:, 1] >= 0.3``.
    device : str, optional
        ``"auto"``, ``"cpu"``, ``"cuda"`` or ``"cuda:0"``.
    precision : {"bf16", "f32"}, optional
        Numbers of a GPU.
    random_state : int, RandomState, Generator or None
        The seed of everything random. None is 0: the same call gives the same model.
    n_jobs : int, optional
        Threads. None and -1 are all there are.
    drop, only, text, numeric, categorical, date : list of str, optional
        Columns to leave out, to learn from alone, of free text, to read as numbers, as categories, and as dates.
    missing : {"mean", "refuse"}, optional
        What happens to missing values, and to broken pictures in :meth:`fit`: the mean and left out, or refused. Rows to predict
        each need an answer, so there a broken picture is always refused.
    image_shape : str or tuple, optional
        The shape that pictures are brought to, or that columns of pixels have: ``"3x32x32"``.
    features, stop_words : str, optional
        Of texts: ``"tfidf"``, ``"sublinear"`` or ``"counts"``; ``"none"`` or ``"english"``.
    ngrams, min_texts, max_terms : int, optional
        Of texts: phrases of up to this many words, the fewest texts a term occurs in, the most terms.
    max_unlabeled : int, optional
        Learn from at most this many unlabeled rows of a table, drawn at random; all unlabeled rows calibrate, set the
        threshold and give the metrics.
    pos_label : object, optional
        The value of y that means positive. By default 1, against 0, -1, False or NaN.
    negative : object or list, optional
        The value of y that means a known negative, or several. :meth:`predict` then says the first of them of rows that are
        not positive, if it is a word where positives have a word and a number where they have a number.
    verbose : int, default=0
        Whether to show how far training is.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two values that :meth:`predict` returns, sorted.
    pos_label_ : object
        The one that means positive.
    model_ : onesided._onesided.Model
        What was learned.
    about_ : dict
        What the model is and how it was made: method, priors, threshold, held-out metrics, warnings.
    columns_ : list of dict
        What each column of a table was read as: ``name``, ``kind`` (``number``, ``true-false``, ``category``, ``date``, ``text``,
        ``vector``, ``left-out``, ``not-used``), how many ``features`` the model sees of it, how many cells are ``missing``, and
        ``why`` it is left out. Not there for a model from a file.
    threshold_ : float
        The probability from which on :meth:`predict` calls a row positive.
    threshold_rule_ : str
        How it was chosen; ``"cautious"`` where the share of positives is a guess.
    prior_ : float or None
        The share of positives in the population at which probabilities are given.
    prior_estimate_ : EstimatedPrior or None
        Where the prior was estimated: how sure it is.
    who_labels_ : dict or None
        How labels were taken to be given, where that is not at random: the ``columns``, whether they were ``used``, the ``chance`` that a
        positive is labeled, and ``share`` and ``auc`` with it and with random labels.
    labeling_ : dict or None
        Whether the labels can be a random sample of the positives, as ``onesided fit --json`` has it: ``p`` by all rows and columns, and
        the ``columns`` where labels are too dense. None where that was not tested.
    n_features_in_, feature_names_in_
        As scikit-learn has them.

    Examples
    --------
    >>> import numpy as np
    >>> from onesided import PUClassifier
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.4
    >>> X = rng.normal(size=(1000, 3)) + 1.5 * truth[:, None]
    >>> y = truth & (rng.random(1000) < 0.5)     # half of the positives are labeled
    >>> model = PUClassifier(effort="quick", n_jobs=1).fit(X, y)
    >>> bool(np.mean(model.predict(X) == truth) > 0.8)
    True
    """

    # Of a model from a file that does not hold them.
    _params_are_unknown = False
    # Of a model that was fitted on a cluster.
    cluster_: dict[str, int]

    def __init__(
        self,
        method: str | None = None,
        *,
        prior: float | str | None = None,
        prior_in_unlabeled: float | None = None,
        scenario: str | None = None,
        effort: str | None = None,
        single: bool | None = None,
        fast: bool | None = None,
        model: str | None = None,
        monotone: dict[str, str] | str | None = None,
        option: dict[str, Any] | None = None,
        reduction: str | None = None,
        surrogate: str | None = None,
        beta: float | None = None,
        gamma: float | None = None,
        smoothing: float | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        optimizer: str | None = None,
        schedule: str | None = None,
        warm_up: float | None = None,
        weight_decay: float | None = None,
        patience: int | None = None,
        augment: str | None = None,
        teacher: str | None = None,
        mixup: str | None = None,
        average: float | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        hold_out: float | None = None,
        cross_fit: bool | None = None,
        labeling: str | None = None,
        labeling_depends_on: str | list[str] | None = None,
        reserve: float | str | None = None,
        threshold: str | None = None,
        device: str | None = None,
        precision: str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        drop: Any = None,
        only: Any = None,
        text: Any = None,
        numeric: Any = None,
        categorical: Any = None,
        date: Any = None,
        missing: str | None = None,
        image_shape: Any = None,
        features: str | None = None,
        ngrams: int | None = None,
        min_texts: int | None = None,
        max_terms: int | None = None,
        stop_words: str | None = None,
        max_unlabeled: int | None = None,
        pos_label: Any = None,
        negative: Any = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.prior = prior
        self.prior_in_unlabeled = prior_in_unlabeled
        self.scenario = scenario
        self.effort = effort
        self.single = single
        self.fast = fast
        self.model = model
        self.monotone = monotone
        self.option = option
        self.reduction = reduction
        self.surrogate = surrogate
        self.beta = beta
        self.gamma = gamma
        self.smoothing = smoothing
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.optimizer = optimizer
        self.schedule = schedule
        self.warm_up = warm_up
        self.weight_decay = weight_decay
        self.patience = patience
        self.augment = augment
        self.teacher = teacher
        self.mixup = mixup
        self.average = average
        self.checkpoint = checkpoint
        self.hold_out = hold_out
        self.cross_fit = cross_fit
        self.labeling = labeling
        self.labeling_depends_on = labeling_depends_on
        self.reserve = reserve
        self.threshold = threshold
        self.device = device
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.drop = drop
        self.only = only
        self.text = text
        self.numeric = numeric
        self.categorical = categorical
        self.date = date
        self.missing = missing
        self.image_shape = image_shape
        self.features = features
        self.ngrams = ngrams
        self.min_texts = min_texts
        self.max_terms = max_terms
        self.stop_words = stop_words
        self.max_unlabeled = max_unlabeled
        self.pos_label = pos_label
        self.negative = negative
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None, audit: Any = None) -> PUClassifier:
        """Learn from rows of which some are labeled positive.

        Parameters
        ----------
        X : array, DataFrame, Arrow table, sparse matrix, list of texts or list of paths
            The rows.
        y : array of shape (n_rows,)
            1 where a row is positive and 0, -1, False or NaN where it is unlabeled; see ``pos_label`` for other values and
            ``negative`` for known negatives. Where X and y both have an index of pandas, the same labels in another order are
            matched, and other labels are refused. What a masked array hides is unlabeled.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts: numbers above 0. An index is matched as that of y is.
        groups : array of shape (n_rows,), optional
            Which rows belong together, such as a customer's: rows of one value are never parted between learning and measuring, so
            that what is measured, and promised, is of new groups. A row without one (None, NaN) is a group of its own. An index is
            matched as that of y is. Leave the column out of X where new rows will be of new groups.
        audit : table, path, or list of these, optional
            Answers to :meth:`audit_draw` or ``onesided audit draw`` for a model of these rows, in any order. Answered rows become
            positives and known negatives, and the share of positives is the audited one. A row is known by its cells, so X may
            be in another order or have more rows by now.

        Returns
        -------
        self
        """
        rows = self._rows(X, "X")
        y = aligned(X, y)
        labels = read_labels(y, self.pos_label, self.negative)
        if rows.count is not None and rows.count != len(labels.positive):
            raise ValueError(
                "y: Found input variables with inconsistent numbers of samples: X has "
                f"{rows.count} rows and y has {len(labels.positive)}"
            )
        weights = _weights_of(_beside(X, y, sample_weight), len(labels.positive))
        return self._learn([rows.given], rows, labels, weights=weights, audit=answers_of(audit, "audit"), groups=_groups_of(X, y, groups, len(labels.positive)))

    def set_fit_request(self, *, sample_weight: bool | str | None) -> PUClassifier:
        """Whether searches and pipelines of scikit-learn hand weights to :meth:`fit`, where its metadata routing is on."""
        return self._request("fit", sample_weight)

    def set_score_request(self, *, sample_weight: bool | str | None) -> PUClassifier:
        """Whether they hand weights to :meth:`score`."""
        return self._request("score", sample_weight)

    def _request(self, method: str, sample_weight: bool | str | None) -> PUClassifier:
        request = self.get_metadata_routing()
        getattr(request, method).add_request(param="sample_weight", alias=sample_weight)
        self._metadata_request = request
        return self

    def fit_parts(self, X_pos: Any, X_unl: Any, X_neg: Any = None) -> PUClassifier:
        """Learn from positives and unlabeled rows in separate tables, and known negatives if you have some.

        The scenario is case-control unless another was set: the unlabeled rows are the population.

        Parameters
        ----------
        X_pos : rows of any kind that :meth:`fit` takes
            Rows that are all positive.
        X_unl : rows of the same kind
            Rows that are positive or negative.
        X_neg : rows of the same kind, optional
            Rows that are all negative.

        Returns
        -------
        self
        """
        given = {"X_pos": X_pos, "X_unl": X_unl, **({} if X_neg is None else {"X_neg": X_neg})}
        rows = {argument: self._rows(X, argument) for argument, X in given.items()}
        parts, counts = parts_of(rows)
        kinds = np.repeat([1, 0, -1][: len(counts)], counts)
        label = 1 if self.pos_label is None else self.pos_label
        negative = None if X_neg is None else kinds == -1
        labels = Labels(kinds == 1, np.array([negative_of(label), label]), 1, negative)
        return self._learn(parts, rows["X_pos"], labels, apart=True)

    def _rows(self, X: Any, argument: str) -> Rows:
        shape = self.image_shape
        if shape is not None and not isinstance(shape, str):
            shape = "x".join(str(side) for side in shape)
        return rows_of(X, argument=argument, image_shape=shape, drop=names_of("drop", self.drop))

    def _learn(
        self,
        parts: list[tuple[Any, ...]],
        rows: Rows,
        labels: Labels,
        apart: bool = False,
        weights: np.ndarray | None = None,
        audit: list[Any] | None = None,
        groups: np.ndarray | None = None,
    ) -> PUClassifier:
        params = self.get_params()
        check_columns(params, rows.kind)
        settings, reading = settings_of(params), reading_of(params)
        kinds = labels.kinds
        if np.count_nonzero(kinds == 1) == 1:
            raise ValueError("y: only 1 row is labeled positive, and at least 2 are needed: one to learn from, one to measure on")
        with Teller(self.verbose) as teller:
            model, said, columns = _fit(parts, kinds, apart, settings, reading, teller.callback, weights, audit, groups)
        say(said, self.verbose)
        self._take(model)
        self._params_are_unknown = False
        self.columns_ = json.loads(columns)
        self.classes_, self.pos_label_ = labels.classes, labels.classes[labels.pos_index]
        self._pos_index = labels.pos_index
        if rows.width is not None:
            self.n_features_in_ = rows.width
        if rows.names is not None:
            self.feature_names_in_ = np.array(rows.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def _take(self, model: Model) -> None:
        self.model_ = model
        self.about_: dict[str, Any] = {**json.loads(model.about()), "threshold_rule": model.threshold_rule()}

    @property
    def threshold_(self) -> float:
        """The probability from which on :meth:`predict` calls a row positive."""
        self._check_fitted()
        return float(self.about_["threshold"])

    @property
    def threshold_rule_(self) -> str:
        """How it was chosen: ``"half"``, ``"quantile"``, ``"max-pu-accuracy"``, or ``"cautious"``, which is one half at a cautious
        guess of the share of positives, because the share itself is a guess."""
        self._check_fitted()
        return str(self.about_["threshold_rule"])

    @property
    def prior_(self) -> float | None:
        """The share of positives in the population at which probabilities are given."""
        self._check_fitted()
        prior: float | None = self.about_["class_prior"]
        return prior

    @property
    def prior_estimate_(self) -> EstimatedPrior | None:
        """Where the prior was estimated: how sure it is. None where it was given or none is used."""
        self._check_fitted()
        about = self.about_.get("prior_estimate")
        return None if about is None else EstimatedPrior._of(about)

    @property
    def who_labels_(self) -> dict[str, Any] | None:
        """How labels were taken to be given, where that is not at random: on which columns they depend, next to what random labels give."""
        self._check_fitted()
        found: dict[str, Any] | None = self.about_["report"].get("who_labels")
        return found

    @property
    def labeling_(self) -> dict[str, Any] | None:
        """Whether the labels can be a random sample of the positives. None where that was not tested."""
        self._check_fitted()
        found: dict[str, Any] | None = self.about_["report"].get("labeling")
        return found

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _new_rows(self, X: Any) -> tuple[Any, ...]:
        """Rows of the model's own columns, checked as scikit-learn checks them."""
        self._check_fitted()
        rows = self._rows(X, "X")
        fitted = getattr(self, "feature_names_in_", None)
        if rows.names is not None and fitted is not None:
            self._check_names(list(fitted), rows.names)
        elif rows.names is None and fitted is not None and rows.kind == "table":
            warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names", UserWarning)
        elif rows.names is not None and fitted is None and hasattr(self, "n_features_in_"):
            warn(f"X has feature names, but {type(self).__name__} was fitted without feature names", UserWarning)
        width = getattr(self, "n_features_in_", None)
        if width is not None and rows.width is not None and rows.width != width:
            raise ValueError(
                f"X has {rows.width} features, but {type(self).__name__} is expecting {width} features as input."
            )
        # A model from a file knows its columns by name alone.
        if width is None or rows.kind != "table" or (rows.names is not None and fitted is not None):
            return rows.given
        return self._with_names(rows.given)

    def _with_names(self, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Columns without names are the fitted ones in their order."""
        names = getattr(self, "feature_names_in_", [f"x{at}" for at in range(self.n_features_in_)])
        if given[0] == "matrix":
            return ("matrix", given[1], list(names))
        if given[0] == "columns":
            return ("columns", [(name, *column[1:]) for name, column in zip(names, given[1], strict=True)], given[2])
        return given

    def _check_names(self, fitted: list[str], found: list[str]) -> None:
        if fitted == found:
            return
        message = "X: The feature names should match those that were passed during fit.\n"
        unseen, missing = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
        if unseen:
            message += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in unseen[:5])
        if missing:
            message += "Feature names seen at fit time, yet now missing:\n"
            message += "".join(f"- {name}\n" for name in missing[:5])
        if not unseen and not missing:
            message += "Feature names must be in the same order as they were in fit.\n"
        raise ValueError(message)

    def _scores(self, X: Any) -> np.ndarray:
        """The logit of being positive, per row."""
        given = self._new_rows(X)
        scores, said = self.model_.score(given, threads_of(self.n_jobs), self.device or "cpu")
        say(said, self.verbose)
        return scores

    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row: a logit at the population's prior, above 0 where ``classes_[1]`` is the likelier.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on

        Returns
        -------
        ndarray of shape (n_rows,), float64
        """
        scores = self._scores(X).astype(np.float64)
        return scores if self._pos_index == 1 else -scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class at the population's prior, in the order of ``classes_``.

        A row that is empty in every column that is learned from, as a line of totals is, says nothing: its probability is the share
        of positives, and a DataWarning names the first such row. :meth:`rank` leaves such rows out, and so does fitting.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on

        Returns
        -------
        ndarray of shape (n_rows, 2), float64
        """
        positive = _probability(self._scores(X))
        both = np.column_stack([1.0 - positive, positive])
        return both if self._pos_index == 1 else np.ascontiguousarray(both[:, ::-1])

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The natural logarithm of :meth:`predict_proba`.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on

        Returns
        -------
        ndarray of shape (n_rows, 2), float64
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> np.ndarray:
        """The predicted class of each row: positive where its probability is at least ``threshold_``.

        That is one half only where the share of positives was given. Where it is a guess, ``threshold_rule_`` is
        ``"cautious"`` and the threshold is usually higher. For your own cut, compare probabilities with it:
        ``predict_proba(X)[:, 1] >= 0.3``.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        positive = _probability(self._scores(X)) >= self.about_["threshold"]
        return self.classes_[np.where(positive, self._pos_index, 1 - self._pos_index)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy against y, which must be the truth for the number to mean anything.

        With positives and unlabeled rows, use a scorer of :mod:`onesided.metrics` instead.
        """
        refuse_masked(y, "y", "its true label")
        y = aligned(X, y)
        sample_weight = _beside(X, y, sample_weight)
        truth, found = column_of(y), np.asarray(self.predict(X))
        if len(truth) != len(found):
            raise ValueError(f"y: has {len(truth)} values, but X has {len(found)} rows")
        if sample_weight is not None and np.shape(sample_weight) != found.shape:
            shape = np.shape(sample_weight)
            has = f"{shape[0]} values" if len(shape) == 1 else f"the shape {shape}"
            raise ValueError(f"sample_weight: has {has}, but X has {len(found)} rows")
        return float(np.average(found == truth, weights=sample_weight))

    def rank(
        self, X: Any, k: int | None = None, in_sample: bool = False, *, y: Any = None, keep: Any = None
    ) -> Any:
        """The likeliest positives, the likeliest first.

        Rows that the model was fitted on are ranked by scores of models that had not met them, where there are such scores:
        the model itself knows these rows by heart and may rank a hidden positive low. Of the table that it was fitted on, the
        labeled rows are left out. The others are known to be unlabeled, and in the single-sample scenario their probability is
        that of an unlabeled row, lower than :meth:`predict_proba`, which answers for any row of the population. Rows that are equal
        in all columns have one score; where nothing tells labeled ones from others they are all listed, and a warning says so.
        Probabilities hold if the labeled positives are a random sample of the positives. The command ``onesided predict`` lists the
        same rows of a file; ids tell equal rows apart in files alone.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on, or the path of a table or a folder
            A table at a path is read piece by piece and need not fit into memory.
        k : int, optional
            How many; all by default.
        in_sample : bool, default=False
            Rank all rows by the model itself, whether it has met them or not.
        y : array of shape (n_rows,), or str where X is a path, optional
            Labels, as :meth:`fit` takes them, or the column that holds them: labeled rows are left out.
        keep : list of str or "all", optional
            Columns of a data frame to copy, or of the table at a path, as texts.

        Returns
        -------
        data frame or numpy record array
            ``row`` (from 0), ``score``, ``probability``, and ``low`` and ``high``: between which the probability lies over
            the interval of an estimated prior. They equal the probability where the prior was given. Columns to keep come last. A data
            frame of pandas with the index of X where X is one, so that ``frame.loc[found.index]`` are the rows; a data frame of polars
            where X is one; otherwise a record array of numpy.
        """
        k = None if k is None else whole("k", k)
        if in_sample and y is not None:
            raise ValueError("y: in_sample lists all rows, so labels tell nothing; leave one of them out")
        threads, device = threads_of(self.n_jobs), self.device or "cpu"
        if isinstance(X, (str, os.PathLike)):
            self._check_fitted()
            if not (y is None or isinstance(y, str)):
                raise ValueError("y: X is a path, so y is the name of its column of labels")
            kept = [] if keep is None else [keep] if isinstance(keep, str) else list(keep)
            *numbers, columns, said = self.model_.rank(os.fspath(X), threads, device, k, in_sample, None, y, kept)
        else:
            *numbers, columns, said = self.model_.rank(self._new_rows(X), threads, device, k, in_sample, self._told(X, y))
        say(said, self.verbose)
        fields: dict[str, Any] = dict(zip(("row", "score", "probability", "low", "high"), numbers, strict=True))
        fields = {name: cells if name == "row" else cells.astype(np.float64) for name, cells in fields.items()}
        if not isinstance(X, (str, os.PathLike)):
            columns = [(str(name), cells_of(X, name, fields["row"])) for name in kept_of(X, keep)]
        for name, cells in columns:
            fields[f"{name}_of_table" if name in fields else name] = np.asarray(cells, dtype=object)
        frame = frame_like(X, fields, fields["row"])
        if frame is not None:
            return frame
        return np.rec.fromarrays(list(fields.values()), dtype=[(name, cells.dtype) for name, cells in fields.items()])

    def _told(self, X: Any, y: Any) -> np.ndarray | None:
        """Which rows are labeled, where it is told."""
        if y is None:
            return None
        return read_labels(aligned(X, y), self.pos_label, self.negative).kinds

    def audit_draw(
        self,
        X: Any,
        rows: int = 150,
        *,
        y: Any = None,
        cuts: Any = (),
        keep: Any = None,
        scores: bool = False,
        random_state: Any = None,
    ) -> Any:
        """Rows for a person to label, drawn from the list of :meth:`rank` with known probabilities.

        The answers tell the share of positives, and the precision and the recall of the list, whatever the model is worth; see
        :meth:`audit_read`. Given to :meth:`fit`, they make the next model better. The command ``onesided audit`` draws the same
        rows, and reads them.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on
        rows : int, default=150
            How many to draw.
        y : array of shape (n_rows,), optional
            Labels, as :meth:`fit` takes them: labeled rows are not drawn. You need not give them for the table that the model was
            fitted on, unless some of its rows are equal.
        cuts : list, optional
            Cuts to judge in addition to the model's own: the first rows of the list, such as ``[100]`` or ``["1%"]``.
        keep : list of str or "all", optional
            Columns of a data frame to copy, for the person who labels.
        scores : bool, default=False
            Copy the scores, too, though they may sway the person.
        random_state : int, optional
            The seed of the draw; None is 0. Draws with different seeds add up.

        Returns
        -------
        data frame
            A line per drawn row, in random order: of pandas with the index of X, or of polars, as X is. Fill the column ``positive``
            with yes, no or unsure, and ``note`` and ``reviewer`` as you like, and save it to a file if you want. Lines and columns may be
            sorted and moved. ``key`` and ``draw`` say which row a line is about; for people the index does, or ``position``, from 0,
            where there is no pandas. What to expect of the answers is in ``attrs`` of a data frame of pandas.
        """
        given = self._new_rows(X)
        cuts = [str(cut) for cut in ([cuts] if isinstance(cuts, (int, str)) else cuts)]
        columns, drawn, about, said = self.model_.audit_draw(
            given, whole("rows", rows), cuts, seed_of(random_state), scores, threads_of(self.n_jobs), self.device or "cpu",
            self._told(X, y),
        )
        say(said, self.verbose)
        table = table_of(X, columns, drawn, keep)
        if hasattr(table, "attrs"):
            table.attrs.update(json.loads(about))
        return table

    def audit_read(self, answers: Any, confidence: float = 0.95, *, precision: float | None = None) -> AuditReport:
        """What the answers to :meth:`audit_draw` say: the share of positives, and the precision and recall of the list.

        Parameters
        ----------
        answers : table, path, or list of these
            What was drawn, filled in. Several draws of one model and table add up, and so do parts of one draw.
        confidence : float, default=0.95
            The level of the intervals.
        precision : float, optional
            Also name the longest first part of the list with at least this precision (``first_part``), at that confidence for all
            lengths at once, or how many more answers it may take (``more_answers``).

        Returns
        -------
        AuditReport
        """
        self._check_fitted()
        report, said = self.model_.audit_read(answers_of(answers, "answers"), confidence, precision)
        say([(sentence, "data") for sentence in said], self.verbose)
        return AuditReport._of(json.loads(report))

    def recall_cut(self, X: Any, recall: float = 0.9, confidence: float = 0.95, *, labeling_odds: float = 1.0) -> RecallCut:
        """How many rows of a list to review so that a share of the positives is found.

        The promise rests on positives that the model has never met: fit with ``reserve`` to have some. It holds whatever the
        model is worth, if labels are a random sample of the positives; a better model makes the list shorter. A ValueError says why
        where nothing can be promised: share and labels do not fit together, an audit refutes what the labels say, or columns of X
        hold something else than in training.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on
            New rows: neither those that it was fitted on nor labeled ones.
        recall : float, default=0.9
            The share of the positives to find.
        confidence : float, default=0.95
            How sure that must be.
        labeling_odds : float, default=1
            What if labels are not a random sample: promise for labels that favor some positives, whose odds of being labeled are up to
            this many times those of others. Above 1 no precision is told, and ``about["share_at_odds"]`` has the most that the share
            of positives may be.

        Returns
        -------
        RecallCut
        """
        for name, share in (("recall", recall), ("confidence", confidence)):
            if not 0 < share < 1:
                raise ValueError(f"{name}: must lie strictly between 0 and 1, but is {share!r}")
        self._check_fitted()
        given = self._new_rows(X)
        found, said = self.model_.review(
            given, threads_of(self.n_jobs), self.device or "cpu", recall, confidence, labeling_odds
        )
        say(said, self.verbose)
        return RecallCut._of(json.loads(found))

    def negatives(
        self, X: Any, fdr: float = 0.05, *, y: Any = None, groups: Any = None, labeling_odds: float = 1.0
    ) -> CertifiedNegatives:
        """New rows that are not positive: on average at most a share ``fdr`` of such a list are.

        It rests on positives that the model has never met, and on labels that are a random sample of the positives: fit with ``reserve`` to
        have some. Rows that the model was fitted on cannot be certified by it; see :meth:`negatives_of`. A warning says how many reserved
        positives it takes where there are too few.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on
            New rows.
        fdr : float, default=0.05
            The share of positives that such a list may have on average.
        y : array of shape (n_rows,), optional
            Labels, as :meth:`fit` takes them: labeled rows are left out.
        groups : array of shape (n_rows,), optional
            Which rows belong together. Whole groups are certified, and what is bounded is the share of groups with a positive. Give it where
            the model was fitted with groups.
        labeling_odds : float, default=1
            What if labels are not a random sample: bound the share for labels that favor some positives, whose odds of being labeled are up to
            this many times those of others.

        Returns
        -------
        CertifiedNegatives
        """
        self._check_fitted()
        given = self._new_rows(X)
        told = self._told(X, y)
        of_groups = None if groups is None else _groups_of(X, groups, groups, len(groups))
        *columns, about, said = self.model_.negatives(
            given, threads_of(self.n_jobs), self.device or "cpu", fdr, labeling_odds, told, of_groups
        )
        say(said, self.verbose)
        return CertifiedNegatives._of(columns, json.loads(about), index_of(X))

    def negatives_of(
        self,
        X: Any,
        y: Any,
        fdr: float = 0.05,
        *,
        splits: int = 1,
        groups: Any = None,
        labeling_odds: float = 1.0,
    ) -> CertifiedNegatives:
        """Unlabeled rows of a labeled table that are not positive: on average at most a share ``fdr`` of such a list are.

        It learns for itself, with the settings of this classifier and as if some of the labeled positives were unlabeled, which then say how low
        positives score: ``reserve`` of them, or half. This classifier is neither fitted nor changed by it.

        Parameters
        ----------
        X, y, groups
            As for :meth:`fit`.
        fdr : float, default=0.05
            The share of positives that such a list may have on average.
        splits : int, default=1
            How often the positives are split: more make a list that depends less on luck, and take as many fits.
        labeling_odds : float, default=1
            As for :meth:`negatives`.

        Returns
        -------
        CertifiedNegatives
        """
        splits = whole("splits", splits)
        rows = self._rows(X, "X")
        y = aligned(X, y)
        labels = read_labels(y, self.pos_label, self.negative)
        params = self.get_params()
        check_columns(params, rows.kind)
        of_groups = _groups_of(X, y, groups, len(labels.positive))
        with Teller(self.verbose) as teller:
            *columns, about, said = table_negatives(
                [rows.given], labels.kinds, settings_of(params), reading_of(params), teller.callback, fdr, labeling_odds, splits, of_groups
            )
        say(said, self.verbose)
        return CertifiedNegatives._of(columns, json.loads(about), index_of(X))

    def explain(self, X: Any, most: int = 5) -> Explanations:
        """What carried each score: exact for linear models and trees, by Shapley values for others; not for pictures.

        All numbers are log-odds of being positive, the unit of scores: a part of 0.7 doubles the odds.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on
        most : int, default=5
            How many features per row.

        Returns
        -------
        Explanations
            A list with an Explanation per row; ``to_frame()`` makes a data frame of it, with the index of X. Each is a list of (feature, part), the largest parts first; below 0 a feature spoke against the row. Its ``base`` is
            the score of a row that says nothing, ``rest`` what the features that are not listed add up to, and ``score`` the
            row's score: ``base + sum of parts + rest``.
        """
        most = whole("most", most)
        given = self._new_rows(X)
        found, adds_up, said = self.model_.explain(given, most)
        say(said, self.verbose)
        explained = (Explanation._of(parts, rest, score, adds_up) for parts, rest, score in found)
        return Explanations(explained, index_of(X))

    def importance(
        self,
        X: Any,
        y: Any = None,
        *,
        truth: Any = None,
        repeats: int = 5,
        columns: int = 50,
        random_state: Any = None,
    ) -> Importance:
        """How much the model counts on each column of a table: what its AUC loses when the column's cells change places.

        Give it rows that the model was not fitted on, such as a part that you held out; a warning says so if it has met them.
        Columns that say the same stand in for one another, and each seems to matter little.

        Parameters
        ----------
        X : rows of a table with the columns that the model was fitted on
        y : array of shape (n_rows,)
            1 where a row is labeled positive and 0, -1, False or NaN where it is unlabeled, as :meth:`fit` takes it. The AUC is
            that of labeled positives against unlabeled rows.
        truth : array of shape (n_rows,), optional
            Instead of y, true labels. The AUC is that of positives against negatives.
        repeats : int, default=5
            Shuffles of each column.
        columns : int, default=50
            Columns to measure in full; of more, those that lose most in a first pass on 2,000 rows.
        random_state : int, optional
            The seed of the shuffles; None is 0.

        Returns
        -------
        Importance
        """
        if (y is None) == (truth is None):
            raise ValueError("y: give labels as y, or true labels as truth=, and not both")
        counts = (whole("repeats", repeats), whole("columns", columns), seed_of(random_state))
        given = self._new_rows(X)
        if truth is None:
            kinds = read_labels(aligned(X, y), self.pos_label, self.negative).kinds
        else:
            refuse_masked(truth, "truth", "its true label")
            kinds = read_labels(aligned(X, truth, "truth"), self.pos_label).kinds
        with Teller(self.verbose) as teller:
            found, said = self.model_.importance(
                given, kinds, truth is not None, counts, threads_of(self.n_jobs), self.device or "cpu", teller.callback
            )
        say(said, self.verbose)
        return Importance._of(json.loads(found))

    def watch(
        self, X: Any, y: Any = None, *, false_alarms: float = 0.05, history: str | os.PathLike[str] | None = None
    ) -> Watched:
        """Whether new rows still look like those of the fit, and whether to fit again.

        Columns, scores, decisions and the share of positives are compared with what the model keeps of its fit, and labels where you
        give some. The command ``onesided watch`` tells the same of a file.

        Parameters
        ----------
        X : new rows of the kind that the model was fitted on
        y : array of shape (n_rows,), optional
            Labels, as :meth:`fit` takes them: whether they are still given to positives in the same way.
        false_alarms : float, default=0.05
            The share of runs on rows like those of the fit that may raise an alarm, all comparisons together.
        history : str or path, optional
            A file that the run is added to, a line of JSON each.

        Returns
        -------
        Watched
        """
        given = self._new_rows(X)
        labels = None if y is None else read_labels(aligned(X, y), self.pos_label, self.negative).kinds
        found, said = self.model_.watch(
            given, false_alarms, threads_of(self.n_jobs), self.device or "cpu", labels,
            None if history is None else os.fspath(history),
        )
        say(said, self.verbose)
        return Watched._of(json.loads(found))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, whole or not at all: the one that the command and Rust read and write.

        A second file, with ``.rows`` behind the name, holds fingerprints of the rows that the model was fitted on and their scores
        by models that had not met them: :meth:`rank` needs it for these rows. Copy both. It holds no cell of the rows.
        """
        self._check_fitted()
        self.model_.save(os.fspath(path))

    def report(self, path: str | os.PathLike[str], X: Any, *, y: Any = None, rows: bool = True) -> None:
        """Write a page of the model and some rows: one HTML file to look at and to send, which loads nothing.

        What was found and how sure it is, what is assumed and how that stands, how far to read, what another share or biased labels
        would change, what drives the model, and the first rows with reasons. The command ``onesided report`` writes the same page of a
        file.

        Parameters
        ----------
        path : str or path
            Where to write it.
        X : rows of the kind that the model was fitted on, or the path of a table or a folder
            The rows that it was fitted on are ranked by scores of models that had not met them.
        y : array of shape (n_rows,), or str where X is a path, optional
            Labels, as :meth:`fit` takes them, or the column that holds them. You need not give them for rows that the model was
            fitted on, but importance is measured by them.
        rows : bool, default=True
            Show the first rows. The page then contains rows of your table.
        """
        threads, device = threads_of(self.n_jobs), self.device or "cpu"
        if isinstance(X, (str, os.PathLike)):
            self._check_fitted()
            if not (y is None or isinstance(y, str)):
                raise ValueError("y: X is a path, so y is the name of its column of labels")
            place = os.fspath(X)
            said = self.model_.report(os.fspath(path), place, place, not rows, threads, device, None, y)
        else:

            def shown(found: list[int]) -> list[tuple[str, list[str]]]:
                chosen = np.asarray(found, dtype=np.int64)
                return [(str(name), [str(cell) for cell in cells_of(X, name, chosen)]) for name in kept_of(X, "all")]

            said = self.model_.report(
                os.fspath(path), self._new_rows(X), "rows in memory", not rows, threads, device, self._told(X, y), None, shown
            )
        say(said, self.verbose)

    def export(self, path: str | os.PathLike[str], format: str = "onnx", terms: bool = False) -> None:
        """Write the model for another runtime, whole or not at all.

        An ``onnx`` file takes the columns and gives ``score``, ``probability`` and ``decision``. Each column is an input of its name:
        numbers are doubles with NaN where nothing is, categories are strings, empty where nothing is, vectors are floats.
        ``xgboost-json`` holds sums of trees for XGBoost, with categories as codes.

        Parameters
        ----------
        path : str or path
            Where to write it.
        format : {"onnx", "xgboost-json"}, default="onnx"
            The format.
        terms : bool, default=False
            That texts will be passed as their words, see :meth:`terms`. Without it, a model of texts is refused.

        Raises
        ------
        ValueError
            If the model cannot be written exactly.
        """
        self._check_fitted()
        self.model_.export(os.fspath(path), format, terms)

    def terms(self, texts: Iterable[str | None], column: str | None = None) -> np.ndarray:
        """The words of texts as an exported model takes them: an array with a row per text, filled up with empty strings.

        Parameters
        ----------
        texts : iterable of str or None
            The texts.
        column : str, default=None
            Their column, where the model has several of texts.
        """
        self._check_fitted()
        found = self.model_.terms([text if isinstance(text, str) else None for text in texts], column)
        rows = np.full((len(found), max([1, *map(len, found)])), "", dtype=object)
        for row, words in zip(rows, found):
            row[: len(words)] = words
        return rows

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PUClassifier:
        """Read a model file that Python, the command or Rust wrote, and the file of rows next to it if it is there.

        Everything in them is checked; nothing in them is run. The model has the parameters that it was fitted with, see
        :meth:`get_params`, so ``clone(model).fit(X, y)`` learns in the same way.
        """
        if not os.path.exists(path):
            raise FileNotFoundError(f"path: '{os.fspath(path)}' does not exist; check the path of the model")
        return cls._of_model(Model.load(os.fspath(path)))

    @classmethod
    def from_bytes(cls, data: bytes) -> PUClassifier:
        """Read a model from the bytes of a model file.

        They do not hold the rows that it was fitted on; a pickle does. :meth:`rank` warns where that matters.
        """
        return cls._of_model(Model.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The bytes of the model file that :meth:`save` writes, without the file of rows."""
        self._check_fitted()
        return self.model_.to_bytes()

    @classmethod
    def _of_model(cls, model: Model) -> PUClassifier:
        loaded = cls()
        loaded._take(model)
        # What another version calls a setting is not one here.
        known = cls._get_param_names()
        loaded.set_params(**{name: value for name, value in params_of(loaded.about_).items() if name in known})
        loaded.classes_, loaded.pos_label_, loaded._pos_index = np.array([0, 1]), 1, 1
        loaded._params_are_unknown = "given" not in loaded.about_
        return loaded

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter by name.

        A model from a file has those that it was fitted with, except for what depends on the machine (``n_jobs``, ``device``,
        ``checkpoint``), on y (``pos_label``, ``negative``) and on you (``verbose``).
        """
        if self._params_are_unknown:
            warn(
                "the file of this model was written by an earlier version and does not hold the parameters of its fit: only "
                "those that the model itself tells are known",
                FitWarning,
            )
        return super().get_params(deep)

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: plain values and the bytes that :meth:`save` writes into its two files, no code."""
        state = self.__dict__.copy()
        if "model_" in state:
            model = state["model_"]
            state["model_"] = model.to_bytes()
            state["rows_"] = model.rows_to_bytes(state["model_"])
            state.pop("about_")
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        model, rows = state.pop("model_", None), state.pop("rows_", None)
        self.__dict__.update(state)
        if model is not None:
            self._take(Model.from_bytes(model, rows))

    def _add_tags(self, tags: Any) -> None:
        from sklearn.utils import ClassifierTags

        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.target_tags.single_output = True

    @property
    def plot(self) -> Plots:
        """Pictures of the fitted model; see :class:`Plots`."""
        self._check_fitted()
        return Plots(self)

    def _repr_html_(self) -> str:
        """A card for notebooks, the page in short: what it learned from, what is assumed, how good it is, and what to look at."""
        title = f"<b>{html.escape(repr(self))}</b>"
        if not hasattr(self, "model_"):
            return f"<div>{title}<br>not fitted</div>"
        lines, warnings = self.model_.in_short()
        lines.append(("predicts", f"positive from a probability of {self.threshold_:.3f}, {self.threshold_rule_}"))
        rows = "".join(
            f'<tr><th style="text-align:left;vertical-align:top">{html.escape(about)}</th>'
            f'<td style="text-align:left">{html.escape(said)}</td></tr>'
            for about, said in lines
        )
        look = "".join(f"<li>{html.escape(one)}</li>" for one in warnings)
        look = f"<p>Look at this first:</p><ul>{look}</ul>" if look else ""
        look += _drawn(self.model_)
        more = "<code>model.plot</code> draws it, <code>model.report(&quot;page.html&quot;, X)</code> writes all of it to a page"
        return f"<div>{title}{look}<table>{rows}</table>{more}</div>"


def _drawn(model: Model) -> str:
    """Pictures of a card, where the model has scores of the rows of its fit."""
    try:
        summary = model.summary_of_fit()
    except ValueError:
        return ""
    drawn = []
    for what in ("scores", "review"):
        try:
            drawn.append(summary.figure(what).svg())
        except ValueError:
            continue
    return f"<details><summary>Scores, and how far to read</summary>{''.join(drawn)}</details>" if drawn else ""


def _probability(scores: np.ndarray) -> np.ndarray:
    """The probability of each score, which is a logit."""
    return probabilities(scores, 0.0).astype(np.float64)


def _beside(X: Any, y: Any, sample_weight: Any) -> Any:
    """Weights in the order of the rows, by the index of X or, where that has none, of y."""
    refuse_masked(sample_weight, "sample_weight", "a weight")
    return aligned(X, sample_weight, "sample_weight") if index_of(X) is not None else aligned(y, sample_weight, "sample_weight", "y")


def _groups_of(X: Any, y: Any, groups: Any, rows: int) -> np.ndarray | None:
    """The number of each row's group."""
    if groups is None:
        return None
    refuse_masked(groups, "groups", "a group")
    groups = aligned(X, groups, "groups") if index_of(X) is not None else aligned(y, groups, "groups", "y")
    names = np.asarray(groups, dtype=object)
    if names.ndim != 1 or len(names) != rows:
        raise ValueError(f"groups: has the shape {names.shape}, but y has {rows} rows")
    numbers: dict[Any, int] = {}
    alone = [name is None or name != name or name == "" for name in names]
    found = [rows + at if alone[at] else numbers.setdefault(name, len(numbers)) for at, name in enumerate(names)]
    return np.array(found, dtype=np.uint32)


def _weights_of(sample_weight: Any, rows: int) -> np.ndarray | None:
    """A weight above 0 for every row."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight)
        weights = weights.astype(np.float64, casting="unsafe" if weights.dtype.kind == "O" else "same_kind")
    except (TypeError, ValueError):
        raise ValueError("sample_weight: must hold numbers") from None
    if weights.ndim == 0:
        weights = np.full(rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"sample_weight: Sample weights must be 1D array or scalar, but the shape is {weights.shape}")
    if len(weights) != rows:
        raise ValueError(f"sample_weight: has {len(weights)} values, but y has {rows}")
    if len(weights) and not weights.any():
        raise ValueError("sample_weight: every weight is zero; weights are finite numbers above 0")
    # Numbers that vanish in 32 bits, or overflow them, are not weights, either.
    with np.errstate(over="ignore", under="ignore"):
        narrow = weights.astype(np.float32)
    wrong = np.flatnonzero(~((narrow >= np.finfo(np.float32).tiny) & np.isfinite(narrow)))
    if len(wrong):
        raise ValueError(
            f"sample_weight: weights are finite numbers above 0, but row {wrong[0]} has {weights[wrong[0]]:g} (32 bits hold 1.2e-38 "
            "to 3.4e38); leave rows without weight out"
        )
    return narrow


def load(path: str | os.PathLike[str]) -> PUClassifier:
    """Read a model file that Python, the command or Rust wrote; see :meth:`PUClassifier.load`."""
    return PUClassifier.load(path)
