"""Lists and M -> how an algorithm compares with a panel of experts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..features.errors import OptionError
from .bootstrap import CaseCounts, Rates, check_bootstrap, resampled
from .case_matches import PAIRS_PER_CALL, Matcher, Progress, match_cases
from .categories import top_categories
from .lists import Lists, Panel, panels
from .metrics.relative import check_hardness, check_k
from .multiplicity import multiplicities, sizes
from .reading import read_lists
from .report import Report
from .results import PanelRates, Setting, comparisons, curve_rows, per_case_columns, table_rows

DENOMINATORS = ("nk2", "observed")
_LONGEST_CURVE, _LARGEST_K = 10, 100
HARDNESSES = tuple(h / 10 for h in range(11))

__all__ = ["Report", "evaluate"]


def evaluate(
    lists: Any,
    matcher: Matcher | None = None,
    *,
    k: int = 3,
    hardness: float = 1.0,
    algorithms: Iterable[str] | None = None,
    in_turn: bool = False,
    no_diagnosis: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    rejects: str | os.PathLike[str] | None = None,
    denominator: str = "nk2",
    max_k: int | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    pairs_per_call: int = PAIRS_PER_CALL,
    progress: Progress | None = None,
) -> Report:
    """Relative precision and recall of each algorithm against the experts.

    Parameters
    ----------
    lists : `Lists`, or what `read_lists` reads; `columns`, `no_diagnosis` and `rejects` are its options.
    matcher : M, with `.probabilities(a, b)` and `.threshold`; the shipped match function if not given.
    k : how many diagnoses of each list count, 1 to 100. Longer lists are cut; a shorter one is counted in the report.
    hardness : 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    algorithms : the raters to judge; by default those whose role says so.
    in_turn : each of them (each rater, where none is named) is judged by all other raters.
    denominator : "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : the curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    bootstrap : resamples of the cases for the intervals; 0 for none. The same ones serve every algorithm.
    level : of the percentile intervals.
    progress : called with (pairs done, pairs in all) while M is asked.

    Errors: `InputError` for lists that cannot be right, `OptionError` for the parameters, `ModelError` where M fails.
    """
    if matcher is None:
        from ..models.match_function import load

        matcher = load()
    check_k(k)
    hardness = check_hardness(hardness)
    check_bootstrap(bootstrap, seed, level)
    check_k(pairs_per_call, "pairs_per_call")
    if denominator not in DENOMINATORS:
        raise OptionError("denominator", f"one of {', '.join(DENOMINATORS)}", denominator)
    if k > _LARGEST_K:
        raise OptionError("k", f"{_LARGEST_K} or less", k)
    if max_k is not None and not k <= check_k(max_k, "max_k") <= _LARGEST_K:
        raise OptionError("max_k", f"from k ({k}) to {_LARGEST_K}", max_k)
    read = _read(lists, algorithms, no_diagnosis, columns, rejects)
    judged = panels(read, in_turn)
    widest = max_k or max(k, min(int(read.lengths.max()), _LONGEST_CURVE))

    first, second = _rater_pairs(judged, len(read.raters))
    entries = read.top(widest)
    matches = match_cases(
        entries, first, second, read.strings, matcher, pairs_per_call=pairs_per_call, progress=progress
    )
    mu = multiplicities(entries, first, second, matches)
    categories = top_categories(entries[:, :, 0], first, second, read.strings, matches)
    areas = None
    if denominator == "observed":
        areas = np.stack([sizes(read.lengths, first, second, level_k) for level_k in range(1, widest + 1)])
    counts = CaseCounts(mu, areas, categories.of, first, second)
    # resampled in the order of the names, so that the order of the rows changes no interval
    by_name = np.argsort(np.array(read.cases, dtype=object), kind="stable")
    ordered = CaseCounts(
        mu[:, by_name], None if areas is None else areas[:, by_name], categories.of[by_name], first, second
    )
    data, repeats = counts.rates(), resampled(ordered, bootstrap, seed)

    pair_of = np.full((len(read.raters),) * 2, -1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    setting = Setting(k, hardness, widest, level, counts.n_cases)
    results = [_panel_rates(panel, read.raters, pair_of, data, repeats) for panel in judged]
    return Report(
        k=k,
        hardness=hardness,
        question=_question(read, judged, in_turn),
        rows=[row for panel in results for row in table_rows(panel, setting)],
        curve_rows=[row for panel in results for row in curve_rows(panel, setting, HARDNESSES)],
        comparison_rows=comparisons(results, setting),
        per_case_columns=per_case_columns(results, counts, read.cases, k),
        made_with={
            "source": read.source,
            "n_cases": counts.n_cases,
            "raters": read.raters,
            "panels": {read.raters[p.algorithm]: [read.raters[e] for e in p.experts] for p in judged},
            "in_turn": in_turn,
            "denominator": denominator,
            "bootstrap": bootstrap,
            "seed": seed,
            "level": level,
            "matcher": str(getattr(matcher, "identity", type(matcher).__name__)),
            "threshold": float(matcher.threshold),
            "unique_diagnoses": len(read.strings),
            "pairs_asked": len(matches.codes),
            "lists": int(read.lengths.size),
            "short_lists": {str(level_k): int((read.lengths < level_k).sum()) for level_k in range(1, widest + 1)},
            "cut_lists": int((read.lengths > k).sum()),
            "kappa_categories": categories.count,
            "kappa_agreements": categories.agreements,
            "kappa_agreements_by_chain": categories.chained,
            "rejected_rows": read.rejected.rows,
            "rejected_cases": read.rejected.cases,
            "rejects": read.rejected.path,
        },
        notes=[*read.notes, *_notes(read, k, denominator)],
    )


def _read(
    lists: Any,
    algorithms: Iterable[str] | None,
    no_diagnosis: Iterable[str],
    columns: Mapping[str, str] | None,
    rejects: str | os.PathLike[str] | None,
) -> Lists:
    if not isinstance(lists, Lists):
        return read_lists(lists, algorithms=algorithms, columns=columns, no_diagnosis=no_diagnosis, rejects=rejects)
    for name, value in (("no_diagnosis", tuple(no_diagnosis)), ("columns", columns), ("rejects", rejects)):
        if value:
            raise OptionError(name, "given to read_lists where the lists are read before", value)
    return lists if algorithms is None else lists.with_algorithms(algorithms)


def _rater_pairs(judged: list[Panel], raters: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The pairs of raters that some panel needs, each once, the smaller index first."""
    needed = np.zeros((raters, raters), bool)
    for panel in judged:
        for place, expert in enumerate(panel.experts):
            for other in (panel.algorithm, *panel.experts[:place]):
                needed[min(expert, other), max(expert, other)] = True
    first, second = np.nonzero(needed)
    return first, second


def _panel_rates(
    panel: Panel, raters: list[str], pair_of: NDArray[np.integer], data: Rates, repeats: Rates
) -> PanelRates:
    experts = np.array(panel.experts)
    i, j = np.triu_indices(len(experts), 1)
    return PanelRates(
        raters[panel.algorithm], [raters[e] for e in experts], data, repeats,
        ae=pair_of[panel.algorithm, experts], ee=pair_of[experts[i], experts[j]],
    )  # fmt: skip


def _question(lists: Lists, judged: list[Panel], in_turn: bool) -> str:
    if in_turn:
        return "Does each rater agree with the others as they agree among themselves?"
    names = [lists.raters[panel.algorithm] for panel in judged]
    if len(names) == 1:
        return f"Does {names[0]} agree with the experts as they agree among themselves?"
    return f"Do {', '.join(names[:-1])} and {names[-1]} agree with the experts as they agree among themselves?"


def _notes(lists: Lists, k: int, denominator: str) -> list[str]:
    notes = []
    short = int((lists.lengths < k).sum())
    if short:
        how = "still n k²" if denominator == "nk2" else "their own lengths"
        notes.append(f"{short:,} of {lists.lengths.size:,} lists are shorter than k = {k}; the denominator is {how}.")
    cut = int((lists.lengths > k).sum())
    if cut:
        notes.append(f"{cut:,} of {lists.lengths.size:,} lists are longer than k = {k} and were cut for it.")
    if lists.rejected.rows:
        notes.append(
            f"{lists.rejected.rows:,} rows were refused, and {lists.rejected.cases:,} cases left out with them; "
            f"see {lists.rejected.path}."
        )
    return notes
