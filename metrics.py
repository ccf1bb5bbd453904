"""Every metric by name, callable on its own: `dxmatch.metrics.rpad(...)`, `from dxmatch.metrics import hdf1`.

Those of ranked answers also take names: `recall_at_k([["heart attack", "asthma"]], ["myocardial infarction"], k=5)`.
"""

from __future__ import annotations

from .evaluation.of_names import OF_NAMES
from .evaluation.score.declare import REGISTRY, Metric, all_metrics

_METRICS = {**{name: metric.function for name, metric in REGISTRY.items()}, **OF_NAMES}
__all__ = ["REGISTRY", "Metric", "all_metrics", *sorted(_METRICS)]

globals().update(_METRICS)
