"""Lists and M -> how an algorithm compares with a panel of experts and with the reference."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError, OptionError
from ..matcher.protocol import Matcher, Profile
from ..progress import Progress
from .families.sections import Wanted, family_sections, wanted
from .lists.lists import Lists, Panel, panels
from .lists.reading import read_lists
from .matches.case_matches import PAIRS_PER_CALL
from .metrics.relative import check_hardness, check_k
from .relative.section import Relative, relative_sections
from .report.report import Report
from .statistics.bootstrap import check_bootstrap
from .statistics.section import RELATIVE, Context, Section

DENOMINATORS = ("nk2", "observed")
_LONGEST_CURVE, _LARGEST_K = 10, 100

__all__ = ["Report", "evaluate"]


def evaluate(
    lists: Any,
    matcher: Matcher | None = None,
    *,
    k: int = 3,
    hardness: float = 1.0,
    metrics: str | Iterable[str] | None = None,
    algorithms: Iterable[str] | None = None,
    in_turn: bool = False,
    no_diagnosis: Iterable[str] = (),
    columns: Mapping[str, str] | None = None,
    rejects: str | os.PathLike[str] | None = None,
    denominator: str = "nk2",
    max_k: int | None = None,
    icd_source: str | os.PathLike[str] = "icd10cm",
    labelled: Any = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    pairs_per_call: int = PAIRS_PER_CALL,
    progress: Progress | None = None,
) -> Report:
    """Every metric that the lists allow: against the experts, and against the reference where there is one.

    Parameters
    ----------
    lists : `Lists`, or what `read_lists` reads; `columns`, `no_diagnosis` and `rejects` are its options.
    matcher : M, with `.probabilities(a, b)` and `.threshold`; the shipped match function if not given.
    k : how many diagnoses of each list count, 1 to 100. Longer lists are cut; a shorter one is counted in the report.
    hardness : 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    metrics : families (relative, hierarchical, weighted, recall, agreement) or metrics to compute. By default all that
        the lists allow; what is left out is named in the report, with what was missing.
    algorithms : the raters to judge; by default those whose role says so.
    in_turn : each of them (each rater, where none is named) is judged by all other raters.
    denominator : "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : the curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    icd_source : the tree of the codes: "icd10cm", "icd10" (WHO) or the path of a CSV.
    labelled : a table of pairs of the lists that experts labelled (a, b, label; case_id where whole cases were drawn):
        P and RPAD, and with cases R and RRAD, are also given corrected for M's own errors.
    bootstrap : resamples of the cases for the intervals; 0 for none. The same ones serve every algorithm.
    level : of the percentile intervals.
    progress : called with (pairs done, pairs in all) while M is asked.

    Errors: `InputError` for lists that cannot be right, or that a family asked for by name cannot work on;
    `OptionError` for the parameters, `ModelError` where M fails.
    """
    check_k(k)
    hardness = check_hardness(hardness)
    check_bootstrap(bootstrap, seed, level)
    check_k(pairs_per_call, "pairs_per_call")
    want = wanted(metrics)
    if denominator not in DENOMINATORS:
        raise OptionError("denominator", f"one of {', '.join(DENOMINATORS)}", denominator)
    if k > _LARGEST_K:
        raise OptionError("k", f"{_LARGEST_K} or less", k)
    if max_k is not None and not k <= check_k(max_k, "max_k") <= _LARGEST_K:
        raise OptionError("max_k", f"from k ({k}) to {_LARGEST_K}", max_k)
    if matcher is None:
        from ..matcher.match_function import load

        matcher = load()
    read = _read(lists, algorithms, no_diagnosis, columns, rejects)
    judged, lacking = _judged(read, in_turn, want)
    if labelled is not None and not judged:
        raise OptionError("labelled", "left out where no algorithm is compared with a panel", labelled)
    context = Context(
        matcher, k=k, n_cases=len(read.cases), hardness=hardness,
        max_k=max_k or max(k, min(int(read.lengths.max()), _LONGEST_CURVE)),
        repeats=bootstrap, seed=seed, level=level, icd_source=str(icd_source), progress=progress,
        across_cases=not Profile.of(matcher).rests_on_votes or want.by_name("krippendorff_alpha_by_distance"),
    )  # fmt: skip
    sections: list[Section] = []
    left_out = {} if lacking is None else {RELATIVE: lacking}
    made_with = _made_with(read, context, judged, in_turn)
    if judged:
        relative = Relative(denominator, pairs_per_call, labelled)
        made, counts = relative_sections(read, judged, context, relative)
        sections += map(want.kept, made)
        made_with |= counts
    others, lacks = family_sections(read, context, want)
    return Report(
        k=k,
        hardness=hardness,
        question=_question(read, judged, in_turn),
        cases=read.cases,
        sections=[*sections, *others],
        left_out=left_out | lacks,
        made_with=made_with,
        notes=[*read.notes, *_notes(read, k, denominator if judged else None)],
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


def _judged(read: Lists, in_turn: bool, want: Wanted) -> tuple[list[Panel], str | None]:
    """The panels of the relative metrics, or none with what is missing.

    The lists must make panels where relative metrics are asked for by name, or where no reference leaves another answer.
    """
    if RELATIVE not in want:
        return [], None
    try:
        return panels(read, in_turn), None
    except InputError as error:
        if RELATIVE in want.explicit or not any(read.reference):
            raise
        return [], f"{error.problem}: give {error.allowed}"


def _made_with(read: Lists, context: Context, judged: list[Panel], in_turn: bool) -> dict[str, Any]:
    profile = context.profile
    return {
        "source": read.source,
        "n_cases": len(read.cases),
        "raters": read.raters,
        "roles": None if read.roles is None else list(read.roles),
        "panels": {read.raters[p.algorithm]: [read.raters[e] for e in p.experts] for p in judged},
        "in_turn": in_turn,
        "bootstrap": context.repeats,
        "seed": context.seed,
        "level": context.level,
        "matcher": profile.identity,
        "threshold": float(context.matcher.threshold),
        "min_coverage": profile.min_coverage,
        "icd_source": context.icd_source,
        "references": sum(map(bool, read.reference)),
        "unique_diagnoses": len(read.strings),
        "lists": int(read.lengths.size),
        "cut_lists": int((read.lengths > context.k).sum()),
        "rejected_rows": read.rejected.rows,
        "rejected_cases": read.rejected.cases,
        "rejects": read.rejected.path,
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    """Of dxmatch, Python and the libraries whose numbers stand in the report."""
    from importlib.metadata import version
    from platform import python_version

    libraries = ("dxmatch", "numpy", "scikit-learn", "lightgbm")
    return {"python": python_version()} | {name: version(name) for name in libraries}


def _question(lists: Lists, judged: list[Panel], in_turn: bool) -> str:
    if not judged:
        return "How close do the lists come to the reference diagnosis?"
    if in_turn:
        return "Does each rater agree with the others as they agree among themselves?"
    names = [lists.raters[panel.algorithm] for panel in judged]
    if len(names) == 1:
        return f"Does {names[0]} agree with the experts as they agree among themselves?"
    return f"Do {', '.join(names[:-1])} and {names[-1]} agree with the experts as they agree among themselves?"


def _notes(lists: Lists, k: int, denominator: str | None) -> list[str]:
    notes = []
    short = int((lists.lengths < k).sum())
    if short:
        how = {"nk2": "; the denominator is still n k²", "observed": "; the denominator is their own lengths"}
        tail = "" if denominator is None else how[denominator]
        notes.append(f"{short:,} of {lists.lengths.size:,} lists are shorter than k = {k}{tail}.")
    cut = int((lists.lengths > k).sum())
    if cut:
        notes.append(f"{cut:,} of {lists.lengths.size:,} lists are longer than k = {k} and were cut for it.")
    if lists.rejected.rows:
        notes.append(
            f"{lists.rejected.rows:,} rows were refused, and {lists.rejected.cases:,} cases left out with them; "
            f"see {lists.rejected.path}."
        )
    return notes
