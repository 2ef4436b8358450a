"""What estimators of scikit-learn do, without importing it: half a second that a user without it need not wait."""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ._warnings import KINDS, warn

Self = TypeVar("Self", bound="Estimator")


class NotFitted(ValueError, AttributeError):
    """An estimator was used before it was fitted."""


def not_fitted(name: str) -> Exception:
    """scikit-learn's own error where it is in use, so that its users catch what they expect."""
    text = f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator."
    if sys.modules.get("sklearn") is not None:
        from sklearn.exceptions import NotFittedError

        error: Exception = NotFittedError(text)
        return error
    return NotFitted(text)


class Estimator:
    """Parameters of a constructor, as scikit-learn reads and sets them."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Every parameter by name."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Set parameters by name."""
        known = self._get_param_names()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}. Valid parameters are: {known!r}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def _changed(self) -> dict[str, Any]:
        defaults = inspect.signature(type(self).__init__).parameters
        return {
            name: value
            for name, value in Estimator.get_params(self).items()
            if not (value is defaults[name].default or value == defaults[name].default)
        }

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self._changed().items())
        return f"{type(self).__name__}({given})"

    def get_metadata_routing(self) -> Any:
        """What is asked for besides X and y: nothing, unless ``set_fit_request`` said so."""
        import copy

        from sklearn.utils.metadata_routing import MetadataRequest

        kept = getattr(self, "_metadata_request", None)
        if kept is not None:
            return copy.deepcopy(kept)
        request = MetadataRequest(owner=self)
        for method in ("fit", "score"):
            if "sample_weight" in inspect.signature(getattr(self, method, len)).parameters:
                getattr(request, method).add_request(param="sample_weight", alias=None)
        return request

    def _add_tags(self, tags: Any) -> None:
        """What an estimator adds to its tags."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        tags = Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=True, string=True, allow_nan=True),
        )
        self._add_tags(tags)
        return tags


def say(said: list[tuple[str, str]], verbose: int) -> None:
    """Warnings as Python's, at the caller of the public method; the rest is printed where it was asked for."""
    for sentence, kind in said:
        if kind in KINDS:
            warn(sentence, KINDS[kind])
        elif verbose:
            print(f"note: {sentence}", file=sys.stderr)


class Teller:
    """Says how far training is: with tqdm if it is there, in plain lines if not."""

    def __init__(self, verbose: int) -> None:
        self._bar: Any = None
        self._last = 0.0
        self._verbose = verbose

    @property
    def callback(self) -> Callable[[int, int, str], None] | None:
        """What Rust calls now and then; nothing unless asked for."""
        return self._tell if self._verbose else None

    def _tell(self, done: int, total: int, what: str) -> None:
        if self._bar is None:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._line(done, total, what)
                return
            self._bar = tqdm(total=total, leave=False)
        self._bar.total, self._bar.n = total, done
        self._bar.set_description(what, refresh=True)

    def _line(self, done: int, total: int, what: str) -> None:
        import time

        if time.monotonic() - self._last > 2:
            self._last = time.monotonic()
            print(f"{what} ({100 * done / max(total, 1):.0f}%)", file=sys.stderr)

    def __enter__(self) -> Teller:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn calls a random state; None is 0, so that the same call gives the same model."""
    if random_state is None:
        return 0
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**31 - 1))
    return whole("random_state", random_state, least=0)


def whole(name: str, value: Any, least: int = 1) -> int:
    """A whole number of at least so much; True and 2.5 are none."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ValueError(f"{name}: must be a whole number of {least} or above, but is {value!r}")
    return number


def threads_of(n_jobs: Any) -> int:
    """Threads: None and -1 are all there are."""
    if n_jobs is None:
        return 0
    try:
        number = operator.index(n_jobs)
    except TypeError:
        raise ValueError(f"n_jobs: must be a whole number, -1 or None, but is {n_jobs!r}") from None
    if number >= 1:
        return number
    if number == -1:
        return 0
    raise ValueError(f"n_jobs: must be 1 or above, or -1 or None for all threads, but is {n_jobs!r}")
