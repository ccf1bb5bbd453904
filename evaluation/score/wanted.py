"""Which families and metrics an evaluation is asked for, how many diagnoses of each list count in them, and what they give."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from ...errors import InputError, OptionError
from ...files.wording import hint
from ..match.matches import Matches
from ..match.options import MAX_K
from .declare import Metric, all_metrics, check_k, exactly_called
from .scores import FamilyScores, Lacking, Score, Settings

RELATIVE, CORRECTION = "relative", "correction"
FAMILIES = (RELATIVE, "ranking", "recall", "hierarchical", "weighted", "agreement")
"""In the order of the report; the correction belongs to the first."""
_FILES = {RELATIVE: "panels"}
"""Family -> the file of this folder that has its `scores`, where it is called otherwise."""
_COMPUTED_BY = {"cohen_kappa": (RELATIVE, "agreement"), "krippendorff_alpha_by_distance": ()}
"""Metric -> the families that compute it, where that is not the one whose file declares it; M on diagnoses of different cases is asked by nobody."""

WHOLE = "all"
"""The word for whole lists, beside None."""
K = int | str | None | Mapping[str, int | str | None]
DEFAULT: Mapping[str, int | None] = {RELATIVE: 3, "ranking": None, "recall": None, "hierarchical": None}
"""Family -> its k; None is the whole list, and for ranking its own ranks 1, 3, 5 and 10 alone."""


@dataclass(frozen=True)
class Wanted:
    """symbols : family -> the symbols of the metrics to keep, or None for all. explicit : families named by the user."""

    symbols: Mapping[str, Collection[str] | None]
    explicit: Collection[str] = ()

    def __contains__(self, family: str) -> bool:
        return (RELATIVE if family == CORRECTION else family) in self.symbols

    def kept(self, family: FamilyScores) -> FamilyScores:
        """Keeps the wanted scores of a family, and what is told of them; a part that holds none of them is not tested."""
        symbols = self.symbols[RELATIVE if family.name == CORRECTION else family.name]
        if symbols is None:
            return family

        def of(scores: Iterable[Score]) -> list[Score]:
            return [one for one in scores if one.measure.symbol in symbols]

        tested = tuple(name for name in family.tested if of(family.parts[name]))
        gone = {one.measure.symbol for one in family.scores} - {*symbols}
        told = [one for one in family.findings if one.place not in gone]
        return replace(family, scores=of(family.scores), tested=tested, findings=told)


def computed_metrics() -> list[str]:
    """Lists the names of the metrics that an evaluation computes."""
    return [metric.name for metric in all_metrics() if _families_of(metric)]


def wanted(metrics: str | Iterable[str] | None) -> Wanted:
    """Reads what `metrics` names: families, metrics by name or by symbol, in any case; None is everything.

    Raises
    ------
    OptionError
        For a name that is neither, or a metric that no family of an evaluation computes.
    """
    if metrics is None:
        return Wanted(dict.fromkeys(FAMILIES))
    given = [metrics] if isinstance(metrics, str) else list(metrics)
    named = [part.strip() for name in given for part in str(name).split(",")]
    if not named:
        raise OptionError("metrics", "one or more names of families or metrics", metrics)
    symbols: dict[str, set[str] | None] = {}
    explicit: set[str] = set()
    for name in named:
        folded = name.casefold()
        if folded in FAMILIES:
            symbols[folded] = None
            explicit.add(folded)
            continue
        metric = _metric(name)
        families = _families_of(metric)
        for family in families:
            before = symbols.setdefault(family, set())
            if before is not None:
                before.add(metric.symbol)
        if len(families) == 1:
            explicit.update(families)
    return Wanted({family: symbols[family] for family in FAMILIES if family in symbols}, explicit)


def _metric(name: str) -> Metric:
    """Finds the metric that an evaluation computes. Errors: `OptionError`."""
    if found := [one for one in exactly_called(name) if _families_of(one)]:
        return found[0]
    computed = computed_metrics()
    near = hint(name, (*FAMILIES, *computed))
    meant = f"; {near.removeprefix('; ')} The metrics are" if near else ", or a metric:"
    raise OptionError("metrics", f"one of {', '.join(FAMILIES)}{meant} {', '.join(computed)}", name)


def _families_of(metric: Metric) -> tuple[str, ...]:
    """Finds those that compute it; none for a metric that is only called on its own."""
    return _COMPUTED_BY.get(metric.name, (metric.family,) if metric.family in FAMILIES else ())


def ks_of(k: K) -> dict[str, int | None]:
    """Finds for each family how many diagnoses of each list count; None is all of them.

    k : None for the default of each family; one number for all of them; or the k of single families, the others keeping
        their default: {"recall": None, "hierarchical": 5}.

    Raises
    ------
    OptionError
        For a number outside 1 to 100, or a family that takes no k.
    """
    if not isinstance(k, Mapping):
        number = _number(k)
        return dict(DEFAULT) if number is None else dict.fromkeys(DEFAULT, number)
    for family in k:
        if family not in DEFAULT:
            allowed = f"for one of {', '.join(DEFAULT)}; the other families have a depth of their own"
            raise OptionError("k", allowed, family)
    found = dict(DEFAULT) | {family: _number(value) for family, value in k.items()}
    if found[RELATIVE] is None:
        raise OptionError("k", "a number for relative: RPAD and RRAD compare lists of one length", None)
    return found


def _number(k: Any) -> int | None:
    if k is None or k == WHOLE:
        return None
    if check_k(k) > MAX_K:
        raise OptionError("k", f"{MAX_K} or less; all is the whole list", k)
    return int(k)


def family_scores(matches: Matches, settings: Settings, want: Wanted) -> tuple[list[FamilyScores], dict[str, str]]:
    """Scores every wanted family, then what a judge says and how far humans agree; names the families left out, with what they lack.

    Raises
    ------
    InputError
        For a family that was asked for by name and lacks something; those of the families.
    """
    found: list[FamilyScores] = []
    left_out: dict[str, str] = {}
    for name in (RELATIVE, CORRECTION, *FAMILIES[1:]):
        if name not in want or (name == CORRECTION and settings.panel.labelled is None):
            continue
        family = import_module(f".{_FILES.get(name, name)}", __package__)
        try:
            found.append(want.kept(family.scores(matches, settings)))
        except Lacking as lacks:
            if name in want.explicit:
                raise InputError(
                    f"the {name} metrics cannot be computed, for want of {lacks}", source=matches.answers.source
                ) from None
            left_out[name] = str(lacks)
    if matches.judged is not None:
        found.append(import_module(".recall", __package__).judged_scores(matches, settings))
    if matches.humans or settings.graded.human is not None:
        found.append(import_module(".human", __package__).scores(matches, settings))
    return found, left_out
