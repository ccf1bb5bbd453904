"""Every metric by name, callable on its own: `dxmatch.metrics.rpad(...)`, `from dxmatch.metrics import hdf1`.

Those of ranked answers also take names: `recall_at_k([["heart attack", "asthma"]], ["myocardial infarction"], k=5)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .evaluation.of_names import OF_NAMES
from .evaluation.score.declare import REGISTRY, Metric, all_metrics

if TYPE_CHECKING:
    from .evaluation.of_names import mrr as mrr
    from .evaluation.of_names import ndcg as ndcg
    from .evaluation.of_names import patient_recall_at_k as patient_recall_at_k
    from .evaluation.of_names import recall_at_k as recall_at_k
    from .evaluation.of_names import top_k_accuracy as top_k_accuracy

__all__ = ["REGISTRY", "Metric", "all_metrics", *sorted({*REGISTRY, *OF_NAMES})]


def __getattr__(name: str) -> Callable[..., Any]:
    if name in OF_NAMES:
        return OF_NAMES[name]
    if name in REGISTRY:
        return REGISTRY[name].function
    raise AttributeError(f"no metric is called {name!r}; there are {', '.join(REGISTRY)}")


def __dir__() -> list[str]:
    return sorted(__all__)
