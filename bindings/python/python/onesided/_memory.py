"""How much memory may be used."""

from __future__ import annotations

from ._onesided import limit_memory as _limit


def limit_memory(size: int | str) -> None:
    """Say how much memory this process may use in all, as ``--memory`` of the command does.

    What grows with a table, a model file or a picture asks before it grows, and what does not fit is refused with a
    :class:`ValueError`. It holds for the whole process, whatever else it does.

    Parameters
    ----------
    size : int or str
        Bytes, or a size such as ``"2G"`` or ``"512M"``.
    """
    _limit(str(size))
