"""What a metric is, apart from how it is computed: one frozen declaration each, in one ordered registry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

HOW_TO_EVALUATE = "How to Evaluate Medical AI"
_RANGE = re.compile(r"[\[(](-?inf|-?[\d.]+), (inf|-?[\d.]+)[\])]")


@dataclass(frozen=True)
class Metric:
    """A metric as it is listed, cited and called, and what its values must satisfy.

    name : the name under `dxmatch.metrics`, "rpad".
    symbol : the name in tables and files, "RPAD"; unique.
    description : what the metric tells, in one sentence.
    formula : as in the source, in plain text.
    source : the paper or system that defined it.
    inputs : what `function` takes.
    range : the values it can take, as an interval: "[0, 1]", "[0, inf)".
    denominator : what is divided by.
    degenerate : (when, what is returned and why), one per degenerate case. Undefined is NaN, never a number.
    function : pure, on arrays.
    meaning : what it means, in one line for a physician. good : what a good value is, and how high it can come.
    use, avoid : when to use it, and when not.
    notes : what else is to be known: values of its parts, where the source's own figures or program differ.

    The tests hold every metric to what follows:

    example : from a random generator, small arguments by name; where `degenerate` speaks of NaN, some that give it.
    axes : what the axes of an argument stand for, outermost first, {"mu_ae": "case, expert"}. Lists have axes too.
        Arguments that share an axis are ordered alike in it; "pair of experts" follows "expert".
    order_free : the axes whose order changes no value. repeat_free : those that can be taken twice over without change.
    symmetric : two arguments that can change places.
    grows_with, falls_with : arguments that, where one of their entries rises, never lower (raise) the value.
    """

    name: str
    symbol: str
    description: str
    formula: str
    source: str
    inputs: str
    range: str
    denominator: str
    degenerate: tuple[tuple[str, str], ...]
    function: Callable[..., Any]
    meaning: str = ""
    good: str = ""
    use: str = ""
    avoid: str = ""
    notes: tuple[str, ...] = ()
    example: Callable[[np.random.Generator], dict[str, Any]] | None = None
    axes: Mapping[str, str] = field(default_factory=dict)
    order_free: tuple[str, ...] = ()
    repeat_free: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    grows_with: tuple[str, ...] = ()
    falls_with: tuple[str, ...] = ()

    @property
    def bounds(self) -> tuple[float, float]:
        """`range` as two numbers."""
        found = _RANGE.match(self.range)
        if found is None:
            raise ValueError(f"{self.name}: the range is not an interval such as [0, 1]: {self.range!r}")
        return float(found[1]), float(found[2])

    @property
    def family(self) -> str:
        """The file that declares it: "relative"."""
        return self.function.__module__.rpartition(".")[2]

    def printed(self, k: int | None = None, hardness: float | None = None, of: str = "") -> str:
        """The name that identifies a value in tables: `RPAD@3` (H = 1), `RPAD(H=0.5)@3`, `sigma_A(R)@3`, `kappa`."""
        parts = [f"H={hardness:g}"] if hardness is not None and hardness != 1 else []
        inside = ", ".join(parts + ([of] if of else []))
        return f"{self.symbol}{f'({inside})' if inside else ''}{'' if k is None else f'@{k}'}"

    def satisfies(self) -> list[str]:
        """What the tests hold it to, in words."""
        words = [f"the order of the {plural(axis)} changes nothing" for axis in self.order_free]
        words += [f"every {axis} taken twice changes nothing" for axis in self.repeat_free]
        words += [f"{' and '.join(self.symmetric)} can change places"] if self.symmetric else []
        words += [f"never falls where {name} rises" for name in self.grows_with]
        return words + [f"never rises where {name} rises" for name in self.falls_with]


def plural(axis: str) -> str:
    return "diagnoses" if axis == "diagnosis" else f"{axis}s"


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
