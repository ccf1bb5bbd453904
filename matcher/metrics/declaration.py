"""What a metric is, apart from how it is computed: one frozen declaration each, in one ordered registry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

HOW_TO_EVALUATE = "How to Evaluate Medical AI"


@dataclass(frozen=True)
class Metric:
    """A metric as it is listed, cited and called.

    name : the name under `dxmatch.metrics`, "rpad".
    symbol : the name in tables and files, "RPAD"; unique.
    says : what the metric tells, in one sentence.
    formula : as in the source, in plain text.
    source : the paper or system that defined it.
    inputs : what `function` takes.
    range : the values it can take.
    denominator : what is divided by.
    degenerate : (when, what is returned and why), one per degenerate case. Undefined is NaN, never a number.
    function : pure, on arrays.
    """

    name: str
    symbol: str
    says: str
    formula: str
    source: str
    inputs: str
    range: str
    denominator: str
    degenerate: tuple[tuple[str, str], ...]
    function: Callable[..., Any]

    def printed(self, k: int | None = None, hardness: float | None = None, of: str = "") -> str:
        """The name that identifies a value in tables: `RPAD@3` (H = 1), `RPAD(H=0.5)@3`, `sigma_A(R)@3`, `kappa`."""
        inside = of if hardness is None or hardness == 1 else f"H={hardness:g}"
        return f"{self.symbol}{f'({inside})' if inside else ''}{'' if k is None else f'@{k}'}"


REGISTRY: dict[str, Metric] = {}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def declare(**fields: Any) -> Callable[[_Function], _Function]:
    """Registers the decorated function under its own name, with the fields of `Metric`."""

    def register(function: _Function) -> _Function:
        metric = Metric(name=function.__name__, function=function, **fields)
        if metric.name in REGISTRY or any(metric.symbol == other.symbol for other in REGISTRY.values()):
            raise ValueError(f"two metrics are called {metric.name!r} or {metric.symbol!r}")
        REGISTRY[metric.name] = metric
        return function

    return register
