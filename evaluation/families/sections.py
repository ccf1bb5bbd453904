"""Which families of metrics there are, which of them an evaluation wants, and what each gives or lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType

from ...errors import InputError, OptionError
from ...files.did_you_mean import hint
from ..lists.lists import Lists
from ..metrics import REGISTRY, Metric
from ..statistics.measure import Estimate
from ..statistics.section import RELATIVE, Context, Section
from . import agreement, hierarchical, ranking, recall, weighted

CORRECTION = "correction"
_TOP_K = re.compile(r"top[-_ ]?(?:\d+|k)|accuracy")
"""As the leaderboard and others call it."""
COMPUTED: dict[str, ModuleType] = {
    family.NAME: family for family in (ranking, recall, hierarchical, weighted, agreement)
}
"""Family -> its module: `missing(lists, context)` says what the lists lack, `compute(lists, context)` gives the section."""
FAMILIES = (RELATIVE, *COMPUTED)
"""In the order of the report; the correction stands with the first."""

# files of metrics that have not their family's name, and a metric of two families
_FAMILY_OF_FILE = {"expected": RELATIVE, "spread": RELATIVE, "alpha": "agreement"}
_OF_TWO = {"cohen_kappa": (RELATIVE, "agreement")}


@dataclass(frozen=True)
class Wanted:
    """symbols : family -> the symbols of the metrics to keep, or None for all. explicit : named by the user."""

    symbols: Mapping[str, frozenset[str] | None]
    explicit: frozenset[str] = frozenset()

    def __contains__(self, family: str) -> bool:
        return family in self.symbols

    def by_name(self, metric: str) -> bool:
        """Whether this very metric was asked for."""
        return any(REGISTRY[metric].symbol in symbols for symbols in self.symbols.values() if symbols is not None)

    def kept(self, section: Section) -> Section:
        """The section with the rows of the wanted metrics only."""
        symbols = self.symbols[RELATIVE if section.name == CORRECTION else section.name]
        if symbols is None:
            return section
        return replace(
            section,
            rows=[row for row in section.rows if row["metric"] in symbols],
            estimates=_of_symbols(section.estimates, symbols),
            estimates_of_parts=_of_symbols(section.estimates_of_parts, symbols),
        )


def _of_symbols(found: Iterable[Estimate], symbols: frozenset[str]) -> list[Estimate]:
    return [one for one in found if REGISTRY[one.measure.metric].symbol in symbols]


def computed_metrics() -> list[str]:
    """The names of the metrics that an evaluation computes."""
    return [metric.name for metric in REGISTRY.values() if _families_of(metric)]


def wanted(metrics: str | Iterable[str] | None) -> Wanted:
    """What `metrics` names: families, metrics by name or by symbol, in any case; None is everything.

    Raises
    ------
    OptionError
        For a name that is neither, or a metric that no family of an evaluation computes.
    """
    if metrics is None:
        return Wanted(dict.fromkeys(FAMILIES))
    given = [metrics] if isinstance(metrics, str) else list(metrics)
    named = [part.strip() for name in given for part in (name.split(",") if isinstance(name, str) else [name])]
    symbols: dict[str, frozenset[str] | None] = {}
    explicit: set[str] = set()
    for name in named:
        folded = str(name).casefold()
        if _TOP_K.fullmatch(folded):
            folded = "top_k_accuracy"
        if folded in FAMILIES:
            symbols[folded] = None
            explicit.add(folded)
            continue
        found = [m for m in REGISTRY.values() if folded in (m.name.casefold(), m.symbol.casefold())]
        families = _families_of(found[0]) if found else ()
        if not families:
            computed = computed_metrics()
            near = hint(folded, (*FAMILIES, *computed))
            meant = f"; {near.removeprefix('; ')} The metrics are" if near else ", or a metric:"
            raise OptionError("metrics", f"one of {', '.join(FAMILIES)}{meant} {', '.join(computed)}", name)
        for family in families:
            before = symbols.get(family, frozenset())
            symbols[family] = None if before is None else before | {found[0].symbol}
        if len(families) == 1:
            explicit.update(families)
    if not symbols:
        raise OptionError("metrics", "one or more names of families or metrics", metrics)
    return Wanted({family: symbols[family] for family in FAMILIES if family in symbols}, frozenset(explicit))


def _families_of(metric: Metric) -> tuple[str, ...]:
    """Those that compute it; none for a metric that is only called on its own."""
    family = _FAMILY_OF_FILE.get(metric.family, metric.family)
    return _OF_TWO.get(metric.name, (family,) if family in FAMILIES else ())


def family_sections(lists: Lists, context: Context, want: Wanted) -> tuple[list[Section], dict[str, str]]:
    """The sections of every wanted family but the relative one; and the families left out, with what they lack.

    Raises
    ------
    InputError
        For a family that was asked for by name and lacks something; those of the families.
    """
    sections: list[Section] = []
    left_out: dict[str, str] = {}
    for name, family in COMPUTED.items():
        if name not in want:
            continue
        lacking = family.missing(lists, context)
        if lacking is None:
            sections.append(want.kept(family.compute(lists, context)))
        elif name in want.explicit:
            raise InputError(f"the {name} metrics cannot be computed, for want of {lacking}", source=lists.source)
        else:
            left_out[name] = lacking
    return sections, left_out
