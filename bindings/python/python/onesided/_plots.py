"""Pictures of a fitted model: shown in a notebook, saved to a file, or drawn on an axis of matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._estimator import say, threads_of
from ._onesided import Figure

if TYPE_CHECKING:
    from ._classifier import PUClassifier

# The colors of the pictures, dark on a light page.
_COLORS = ("#0065a8", "#b84a00", "#007a57", "#5f5f5f", "#7b3f9d")


class Picture:
    """A picture of a model. A notebook shows it.

    Attributes
    ----------
    svg : str
        As an SVG document, light or dark as the page is.
    png : bytes
        As a PNG file, light.
    """

    def __init__(self, figure: Figure) -> None:
        self._figure = figure

    @property
    def svg(self) -> str:
        """As an SVG document."""
        return self._figure.svg()

    @property
    def png(self) -> bytes:
        """As a PNG file."""
        return bytes(self._figure.png())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that ends in .svg or .png, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write it.
        """
        name = os.fspath(path)
        if not name.lower().endswith((".svg", ".png")):
            raise ValueError(f"path: a picture ends in .svg or .png, but this is {name!r}")
        content = self.png if name.lower().endswith(".png") else self.svg.encode()
        half = f"{name}.{os.getpid()}.tmp"
        try:
            with open(half, "wb") as file:
                file.write(content)
            os.replace(half, name)
        finally:
            if os.path.exists(half):
                os.remove(half)

    def draw(self, ax: Any) -> Any:
        """Draw it on an axis of matplotlib, which is returned.

        Parameters
        ----------
        ax : matplotlib axis
            Where to draw.
        """
        title, x_label, y_label, x_range, y_range, parts = self._figure.parts()
        for kind, label, color, names, numbers in parts:
            _draw(ax, kind, label, _COLORS[color % len(_COLORS)], names, numbers)
        ax.set_title(title)
        ax.set_xlabel(x_label)
        ax.set_ylabel(y_label)
        if x_range is not None:
            ax.set_xlim(*x_range)
        if y_range is not None:
            ax.set_ylim(*y_range)
        if any(label for _, label, *_ in parts):
            ax.legend()
        return ax

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<Picture: {self._figure.parts()[0]}>"


def _draw(ax: Any, kind: str, label: str, color: str, names: list[str], numbers: list[list[float]]) -> None:
    if kind in ("line", "thin line"):
        style = {"linewidth": 1.0, "linestyle": ":"} if kind == "thin line" else {"linewidth": 2.0}
        ax.plot(*numbers, color=color, label=label or None, **style)
    elif kind == "band":
        ax.fill_between(*numbers, color=color, alpha=0.17, linewidth=0)
    elif kind == "points":
        x, y, low, high = numbers
        ax.errorbar(x, y, yerr=_sides(y, low, high), fmt="o", color=color)
    else:
        value, low, high = numbers
        places = list(range(len(names)))[::-1]
        if kind == "bars":
            ax.barh(places, value, xerr=_sides(value, low, high), color=color, ecolor=_COLORS[1])
        else:
            ax.errorbar(value, places, xerr=_sides(value, low, high), fmt="o", color=color)
        ax.set_yticks(places, names)


def _sides(value: list[float], low: list[float], high: list[float]) -> list[list[float]]:
    """How far intervals reach below and above; rounding may leave one a hair short of its number."""
    below = [max(one - end, 0.0) for one, end in zip(value, low)]
    above = [max(end - one, 0.0) for one, end in zip(value, high)]
    return [below, above]


class Plots:
    """Pictures of a fitted model: ``model.plot.scores()``, ``.share()``, ``.review()``, ``.calibration()``, ``.importance(X, y)`` and
    ``.effects(column, X)``.

    Without rows they are about those of the fit, which the model has scores of by models that had not met them. Given rows, as
    :meth:`onesided.PUClassifier.report` takes them, they are about these. Each is a :class:`Picture`: a notebook shows it,
    ``save("x.svg")`` and ``save("x.png")`` write it, and with ``ax=`` it is drawn on an axis of matplotlib, which is returned. The numbers
    are those of the page.
    """

    def __init__(self, model: PUClassifier) -> None:
        self._model = model

    def scores(self, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
        """Scores of labeled positives and of the list, with the share that is assumed.

        Parameters
        ----------
        X, y : rows and their labels, optional
            Those of the fit by default.
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("scores", X, y, ax)

    def share(self, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
        """The share of positives by its estimators, and the one that the model uses.

        Parameters
        ----------
        X, y : rows and their labels, optional
            Those of the fit by default.
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("share", X, y, ax)

    def review(self, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
        """Recall and precision along the list, with their intervals.

        Parameters
        ----------
        X, y : rows and their labels, optional
            Those of the fit by default.
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("review", X, y, ax)

    def calibration(self, X: Any = None, y: Any = None, *, ax: Any = None) -> Any:
        """Whether probabilities hold, by groups of rows.

        Parameters
        ----------
        X, y : rows and their labels, optional
            Those of the fit by default.
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("calibration", X, y, ax)

    def importance(self, X: Any, y: Any = None, *, ax: Any = None) -> Any:
        """What the AUC loses without each column.

        Parameters
        ----------
        X : rows of the kind that the model was fitted on, or the path of a table
        y : array of shape (n_rows,), or str where X is a path
            Labels, as ``fit`` takes them, or the column that holds them.
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("importance", X, y, ax)

    def effects(self, column: Any, X: Any, *, ax: Any = None) -> Any:
        """The mean probability of rows with a column changed to each of its values.

        Parameters
        ----------
        column : str
            The column.
        X : rows of the kind that the model was fitted on, or the path of a table
        ax : matplotlib axis, optional
            Where to draw; it is returned.
        """
        return self._shown("effects", X, None, ax, str(column))

    def _shown(self, what: str, X: Any, y: Any, ax: Any, column: str | None = None) -> Any:
        model = self._model
        model._check_fitted()
        if X is None:
            if y is not None:
                raise ValueError("y: labels are those of X; give both or neither")
            summary = model.model_.summary_of_fit()
        else:
            summary, said = self._of_rows(what, X, y, column)
            say(said, model.verbose)
        picture = Picture(summary.figure(what, column))
        return picture if ax is None else picture.draw(ax)

    def _of_rows(self, what: str, X: Any, y: Any, column: str | None) -> Any:
        model = self._model
        threads, device = threads_of(model.n_jobs), model.device or "cpu"
        of_columns = (what == "importance", column)
        if isinstance(X, (str, os.PathLike)):
            if not (y is None or isinstance(y, str)):
                raise ValueError("y: X is a path, so y is the name of its column of labels")
            return model.model_.summary(os.fspath(X), threads, device, None, y, *of_columns)
        if what == "importance" and y is None:
            raise ValueError("y: importance is measured by labels; give those of X")
        return model.model_.summary(model._new_rows(X), threads, device, model._told(X, y), None, *of_columns)
