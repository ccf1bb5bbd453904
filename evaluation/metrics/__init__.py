"""Every metric by name, callable on its own: `dxmatch.metrics.rpad(...)`.

A new metric is one declaration and one function in one file of this package; a new file is named once below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

__all__ = ["REGISTRY", "Metric", "all_metrics"]


def all_metrics() -> tuple[Metric, ...]:
    """Every declaration, in order."""
    return tuple(REGISTRY.values())


def __getattr__(name: str) -> Callable[..., Any]:
    if name in REGISTRY:
        return REGISTRY[name].function
    raise AttributeError(f"no metric is called {name!r}; there are {', '.join(REGISTRY)}")


def __dir__() -> list[str]:
    return sorted([*__all__, *REGISTRY])
