"""What a metric is, apart from how it is computed: what its docstring says, as one record in one registry."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ...errors import InputError, OptionError
from ...files.wording import hint

PAIRS = "pair of experts"
"""An axis that follows that of the experts: (1,2), (1,3), …, (2,3), …."""
_RANGE = re.compile(r"[\[(](-?inf|-?[\d.]+), (inf|-?[\d.]+)[\])]")
_SECTIONS = {
    "formula": "Formula",
    "denominator": "Denominator",
    "good": "Good values",
    "use": "When to use",
    "avoid": "When not",
}
"""Field of `Description` -> the section of the docstring that says it, as one text."""


@dataclass(frozen=True)
class Description:
    """What the docstring of a metric says; each text is empty where Python leaves docstrings out.

    meaning : what it tells, in one line for a physician.
    formula : as in the source, in plain text. denominator : what is divided by.
    good : what a good value is, and how high it can come.
    use, avoid : when to use it, and when not.
    source : the paper or system that defined it. references : it and what else is cited, in full, with a link.
    inputs : what `function` takes.
    range : the values it can take, as an interval: "[0, 1]", "[0, inf)".
    degenerate : (when, what is returned and why), one per degenerate case. Undefined is NaN, never a number.
    notes : what else is to be known: values of its parts, where the source's own figures or program differ.
    """

    meaning: str
    formula: str
    denominator: str
    good: str
    use: str
    avoid: str
    source: str
    references: tuple[str, ...]
    inputs: str
    range: str
    degenerate: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Metric:
    """A metric as it is listed, cited and called, and what its values must satisfy.

    name : the name under `dxmatch.metrics`, "rpad".
    symbol : the name in tables and files, "RPAD"; unique.
    function : pure, on arrays.
    description : what it says in words. also : its names in papers and libraries.

    The tests hold every metric to what follows:

    axes : what the axes of an argument stand for, outermost first, {"mu_ae": "case, expert"}. Lists have axes too.
        Arguments that share an axis are ordered alike in it; "pair of experts" follows "expert".
        Of none but "rank" may the order change a value. repeat_free : those that can be taken twice over without change.
    symmetric : two arguments that can change places.
    grows_with, falls_with : arguments that, where one of their entries rises, never lower (raise) the value.
    lower_is_better : whether the leaderboard places the lowest value first.
    """

    name: str
    symbol: str
    function: Callable[..., Any]
    description: Description
    also: tuple[str, ...] = ()
    axes: Mapping[str, str] = field(default_factory=dict)
    repeat_free: tuple[str, ...] = ()
    symmetric: tuple[str, ...] = ()
    grows_with: tuple[str, ...] = ()
    falls_with: tuple[str, ...] = ()
    lower_is_better: bool = False

    @property
    def order_free(self) -> tuple[str, ...]:
        """Lists the axes whose order changes no value."""
        named = [axis for axes in self.axes.values() for axis in axes.split(", ")]
        return tuple(dict.fromkeys("expert" if axis == PAIRS else axis for axis in named if axis != "rank"))

    @property
    def family(self) -> str:
        """Names the file that declares it: "relative"."""
        return self.function.__module__.rpartition(".")[2]

    def satisfies(self) -> list[str]:
        """Says in words what the tests hold it to."""
        words = [f"the order of the {_plural(axis)} changes nothing" for axis in self.order_free]
        words += [f"every {axis} taken twice changes nothing" for axis in self.repeat_free]
        words += [f"{' and '.join(self.symmetric)} can change places"] if self.symmetric else []
        words += [f"never falls where {name} rises" for name in self.grows_with]
        return words + [f"never rises where {name} rises" for name in self.falls_with]


def _plural(axis: str) -> str:
    return "diagnoses" if axis == "diagnosis" else f"{axis}s"


REGISTRY: dict[str, Metric] = {}
"""Name -> metric."""


@dataclass(frozen=True)
class Measure:
    """A metric with what it is taken at, as it is printed: `RPAD@3` (H = 1), `RPAD(H=0.5)@3`, `sigma_A(R)@3`, `kappa`.

    metric : its name in the registry; or, in a table beside the headline one, what that table calls it. of : a part, a judge.
    """

    metric: str
    of: str = ""
    k: int | None = None
    hardness: float | None = None

    @property
    def symbol(self) -> str:
        """Names its metric in tables: "RPAD"."""
        return REGISTRY[self.metric].symbol if self.metric in REGISTRY else self.metric

    @property
    def name(self) -> str:
        """Names it in full: "RPAD(H=0.5)@3"."""
        parts = [f"H={self.hardness:g}"] if self.hardness not in (None, 1) else []
        inside = ", ".join(filter(None, [*parts, self.of]))
        return f"{self.symbol}{f'({inside})' if inside else ''}{'' if self.k is None else f'@{self.k}'}"

    @property
    def columns(self) -> dict[str, Any]:
        """Names it in a row of a table."""
        return {"metric": self.symbol, "of": self.of, "k": self.k, "hardness": self.hardness, "name": self.name}


_Function = TypeVar("_Function", bound=Callable[..., Any])


def declare(symbol: str, **properties: Any) -> Callable[[_Function], _Function]:
    """Registers the decorated function under its own name, with its docstring and further fields of `Metric`."""

    def register(function: _Function) -> _Function:
        name = function.__name__
        if name in REGISTRY or any(symbol == other.symbol for other in REGISTRY.values()):
            raise ValueError(f"two metrics are called {name!r} or {symbol!r}")
        meaning, sections = _sections(function)
        also = tuple(filter(None, ", ".join(sections.get("Also called", ())).split(", ")))
        REGISTRY[name] = Metric(name, symbol, function, _described(meaning, sections), also, **properties)
        return function

    return register


def _sections(function: Callable[..., Any]) -> tuple[str, dict[str, list[str]]]:
    """What a docstring says first, and under each heading: an entry a line, which goes on where the next is indented."""
    summary, *rest = re.split(r"^(\S.*)\n-+\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    bodies = (re.sub(r"\n +", " ", body).strip().splitlines() for body in rest[1::2])
    return summary.partition("\n\n")[0].replace("\n", " "), dict(zip(rest[::2], bodies, strict=True))


def _described(meaning: str, sections: Mapping[str, list[str]]) -> Description:
    source, *references = sections.get("References", [""])
    interval = _RANGE.search(" ".join(sections.get("Returns", ())))
    cases = (entry.partition(" : ") for entry in sections.get("Edge cases", ()))
    return Description(
        meaning=meaning,
        inputs="; ".join(entry.rstrip(".").replace(" : ", ": ") for entry in sections.get("Parameters", ())),
        range=interval[0] if interval else "",
        degenerate=tuple((when, what) for when, _, what in cases),
        source=source,
        references=tuple(references),
        notes=tuple(sections.get("Notes", ())),
        **{name: " ".join(sections.get(title, ())) for name, title in _SECTIONS.items()},
    )


def all_metrics() -> tuple[Metric, ...]:
    """Lists every declaration, in the order of the files in `score`."""
    return tuple(REGISTRY.values())


def called(names: Iterable[str]) -> tuple[Metric, ...]:
    """Finds the metrics that have these names or symbols, or are called so elsewhere, in any case; where none is, those whose name holds the word.

    A rank at its end says nothing more: "top-5" finds `top_k_accuracy`. Errors: `InputError` for a word that finds none.
    """
    metrics = all_metrics()
    found: dict[str, Metric] = {}
    for name in names:
        stem = _folded(name)
        alike = exactly_called(name) or [one for one in metrics if stem and stem in one.name]
        if not alike:
            near = hint(name, [other for one in metrics for other in (one.name, *one.also)])
            allowed = ", ".join(metric.name for metric in metrics)
            raise InputError(f"no metric has this name or symbol{near}", allowed=allowed, got=name)
        found.update((one.name, one) for one in alike)
    return tuple(found.values())


def exactly_called(name: str) -> list[Metric]:
    """Finds the metrics that have a name or symbol, or are called so elsewhere, whatever its case, rank or judge: "Top-5 Accuracy"."""
    return [one for one in all_metrics() if _folded(name) in map(_folded, (one.name, one.symbol, *one.also))]


def _folded(name: str) -> str:
    """Its words, without a rank, a judge and possessives: "top_accuracy" for "Top-5 Accuracy", "acc" for "Acc(M)@5"."""
    plain = re.sub(r"\(.*|@.*|(?<=\w)['’]s?\b|(?:(?<=^top)|(?<=[\W_]))\d+", "", name.casefold())
    return "_".join(word for word in re.split(r"[\W_]+", plain) if word not in ("", "k"))


def check_k(k: Any) -> int:
    """Checks that `k` is a whole number of at least 1. Errors: `OptionError`."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise OptionError("k", "a whole number, 1 or more", k)
    return int(k)


def truths(values: Any) -> Any:
    """Reads whole numbers that are all 0 or 1 as bool; anything else stays as it is, for whoever takes it to refuse.

    >>> truths([[1, 0]]).tolist()
    [[True, False]]
    """
    if isinstance(values, np.ndarray | list | tuple):
        try:
            array = np.asarray(values)
        except ValueError:
            return values
        if array.dtype.kind in "iu" and array.size and ((array == 0) | (array == 1)).all():
            return array.astype(bool)
    return values
