"""Every metric by name, callable on its own: `dxmatch.metrics.rpad(...)`.

A new metric is one declaration and one function in one file of this package; a new file is named once below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ...errors import InputError

# each registers its metrics; this is the order in which they are listed
from . import relative  # noqa: F401  # isort: skip
from . import expected  # noqa: F401  # isort: skip
from . import spread  # noqa: F401  # isort: skip
from . import agreement  # noqa: F401  # isort: skip
from . import alpha  # noqa: F401  # isort: skip
from . import hierarchical  # noqa: F401  # isort: skip
from . import ranking  # noqa: F401  # isort: skip
from . import weighted  # noqa: F401  # isort: skip
from . import recall  # noqa: F401  # isort: skip
from . import multiple_choice  # noqa: F401  # isort: skip
from . import reasoning  # noqa: F401  # isort: skip
from .declaration import REGISTRY, Metric

__all__ = ["REGISTRY", "Metric", "all_metrics", "called"]


def all_metrics() -> tuple[Metric, ...]:
    """Every declaration, in order."""
    return tuple(REGISTRY.values())


def called(names: Iterable[str]) -> tuple[Metric, ...]:
    """The metrics that have these names or symbols, in small letters or capitals; where none has, those whose name holds the word.

    A rank at its end says nothing more: "top-5" finds `top_k_accuracy`. Errors: `InputError` for a word that finds none.
    """
    found: dict[str, Metric] = {}
    for name in names:
        word = name.casefold().strip()
        stem = re.sub(r"[-_@ ]*\d+$", "", word).replace("-", "_").replace(" ", "_")
        exact = [one for one in all_metrics() if word in (one.name, one.symbol.casefold()) or stem == one.name]
        alike = exact or [one for one in all_metrics() if stem and stem in one.name]
        if not alike:
            raise InputError("no metric has this name or symbol", allowed=", ".join(REGISTRY), got=name)
        found.update((one.name, one) for one in alike)
    return tuple(found.values())


def __getattr__(name: str) -> Callable[..., Any]:
    if name in REGISTRY:
        return REGISTRY[name].function
    raise AttributeError(f"no metric is called {name!r}; there are {', '.join(REGISTRY)}")


def __dir__() -> list[str]:
    return sorted([*__all__, *REGISTRY])
