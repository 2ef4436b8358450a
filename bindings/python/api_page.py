"""Writes docs/python-api.md from the docstrings: python bindings/python/api_page.py"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-api.md"
PUBLIC = [
    ("onesided", ["PUClassifier", "load", "EstimatedPrior", "RecallCut", "CertifiedNegatives", "AuditReport", "FirstPart", "MoreAnswers", "Explanation", "Explanations", "Importance", "Plots", "Picture", "Watched", "estimate_prior", "PriorEstimate", "PriorEstimator", "methods", "estimators",
                  "objectives", "BatchScorer", "limit_memory", "OnesidedWarning", "DataWarning", "PriorWarning", "FitWarning",
                  "InSampleWarning"]),
    ("onesided.metrics", ["make_pu_scorer", "pu_metrics", "pu_score"]),
    ("onesided.model_selection", ["PUKFold", "PUShuffleSplit"]),
    ("onesided.losses", ["Loss", "BoostingObjective"]),
    ("onesided.ray", ["fit", "predict_proba", "rank"]),
]
# Needs PyTorch, which not every reader of docstrings has.
TORCH = "`onesided.torch.PULoss(name='collective', prior_in_unlabeled=None, **options)`: the losses as a module; see [python.md](python.md)."


def signature(thing: object) -> str:
    """Names and defaults, without types."""
    if isinstance(thing, type) and issubclass(thing, Warning):
        return ""
    parts = []
    for one in inspect.signature(thing).parameters.values():  # type: ignore[arg-type]
        if one.name == "self":
            continue
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else f"={one.default!r}"
        parts.append(f"{star}{one.name}{default}")
    return f"({', '.join(parts)})"


def members(thing: type) -> list[tuple[str, object]]:
    """Public methods in the order of the file."""
    own = {name for base in thing.__mro__[:-1] for name in vars(base)}
    found = [(name, getattr(thing, name)) for name in own if not name.startswith("_")]
    found = [(name, one) for name, one in found if inspect.isfunction(one) or inspect.ismethod(one)]
    return sorted(found, key=lambda pair: inspect.unwrap(getattr(pair[1], "__func__", pair[1])).__code__.co_firstlineno)


def page() -> str:
    """The whole page."""
    lines = ["# Python: reference", "", "Made from the docstrings by `bindings/python/api_page.py`. [python.md](python.md) comes first.", ""]
    for module_name, names in PUBLIC:
        module = importlib.import_module(module_name)
        lines += [f"## {module_name}", ""]
        for name in names:
            thing = getattr(module, name)
            lines += [f"### {name}", "", "```text", f"{name}{signature(thing)}", "", inspect.cleandoc(thing.__doc__), "```", ""]
            if inspect.isclass(thing) and not issubclass(thing, tuple):
                for method, function in members(thing):
                    doc = inspect.cleandoc(function.__doc__ or "")
                    lines += [f"**{name}.{method}**`{signature(function)}`", "", "```text", doc, "```", ""]
    lines += ["## onesided.torch", "", TORCH, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
