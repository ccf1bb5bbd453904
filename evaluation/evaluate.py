"""Lists and M -> how an algorithm compares with a panel of experts and with the reference."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, OptionError
from ..features.coverage import MIN_COVERAGE
from ..matcher.policy import policy_of as known_policy
from ..matcher.protocol import Matcher, Profile, loaded
from ..progress import Progress
from .families.sections import Wanted, family_sections, wanted
from .judges.by_matcher import MODEL, check_tells_relations, with_relations_by_matcher
from .lists.lists import Lists, Panel, panels
from .lists.reading import read_lists
from .matches.case_matches import PAIRS_PER_CALL
from .matches.policy import policy_of
from .metrics.relative import check_hardness, check_k
from .relative.section import relative_sections
from .report.messages import listed
from .report.report import Report
from .statistics.bootstrap import check_bootstrap
from .statistics.differences import difference_rows
from .statistics.results import algorithms_of
from .statistics.section import RELATIVE, Context, Section
from .statistics.subgroups import subgroup_rows
from .unknown_texts import notes_of, warnings_of

if TYPE_CHECKING:
    from .judges.language_model import Budget, LanguageModel

DENOMINATORS = ("nk2", "observed")
_MAX_CURVE, _MAX_K = 10, 100

__all__ = ["Report", "evaluate"]


def evaluate(
    lists: Any,
    matcher: Matcher | str | os.PathLike[str] | None = None,
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
    judge: str | LanguageModel | None = None,
    relation: str | LanguageModel | None = None,
    severity: str | LanguageModel | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    budget: Budget | None = None,
    min_coverage: float = MIN_COVERAGE,
    policy: str | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    pairs_per_call: int = PAIRS_PER_CALL,
    progress: Progress | None = None,
) -> Report:
    """Every metric that the lists allow: against the experts, and against the reference where there is one.

    Parameters
    ----------
    lists : Lists, path, data frame or Table
        What `read_lists` reads; `columns`, `no_diagnosis` and `rejects` are its options.
    matcher : Matcher, path or None
        M, with `.probabilities(a, b)` and `.threshold`, or the folder of a trained one; the shipped match function if
        None.
    k : int
        How many diagnoses of each list count, 1 to 100. Longer lists are cut; a shorter one is counted in the report.
    hardness : float
        From 0 to 1: 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    metrics : str or iterable of str, optional
        Families (relative, ranking, recall, hierarchical, weighted, agreement) or metrics to compute. By default all that the
        lists allow; what is left out is named in the report, with what was missing.
    algorithms : iterable of str, optional
        The raters to judge; by default those whose role says so.
    in_turn : bool
        Each of them (each rater, where none is named) is judged by all other raters.
    denominator : str
        "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : int, optional
        The curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    icd_source : str or path
        The tree of the codes: "icd10cm", "icd10" (WHO) or the path of a CSV.
    labelled : table, optional
        Pairs of the lists that experts labelled (a, b, label; case_id where whole cases were drawn): P and RPAD, and
        with cases R and RRAD, are also given corrected for M's own errors.
    judge, relation, severity : str or LanguageModel, optional
        Language models, "ENDPOINT:MODEL": a judge of recall in two stages beside M, and models that fill the blank
        cells of the columns relation and severity. The relation "model" is that of M's own relation model.
    endpoints : path, optional
        A TOML file with the endpoints of these models, and of encoders that M needs.
    store : path, optional
        The vote store: read for M where M is loaded here, filled by judge, relation and severity (votes.sqlite if
        None).
    budget : Budget, optional
        Caps on calls and cost of the language models; its `summaries` say afterwards what came of asking.
    min_coverage : float
        Where M is loaded here and rests on votes: the least share of pairs that each vote must be known for.
    policy : str, optional
        What counts as a match, where M is loaded here: "specification" (the default of `load`), "strict",
        "narrower-counts" or "broader-counts". Of a policy that looks one way the reference is the first side; between
        raters either direction counts.
    bootstrap : int
        Resamples of the cases for the intervals; 0 for none. The same ones serve every algorithm.
    seed, level : int, float
        Of the resampling; of the percentile intervals.
    progress : callable, optional
        Called with (done, in all) while M, or a language model, is asked.

    Returns
    -------
    Report
        Rows of values with intervals, further tables, values per case, sentences; prints and saves itself.

    Raises
    ------
    InputError
        For lists that cannot be right, or that a family asked for by name cannot work on.
    OptionError
        For a parameter outside what is allowed; `NotServed` for a language model that no endpoint serves.
    ModelError
        Where M fails, or cannot be loaded.
    """
    check_k(k)
    hardness = check_hardness(hardness)
    check_bootstrap(bootstrap, seed, level)
    check_k(pairs_per_call, "pairs_per_call")
    want = wanted(metrics)
    if denominator not in DENOMINATORS:
        raise OptionError("denominator", f"one of {', '.join(DENOMINATORS)}", denominator)
    if k > _MAX_K:
        raise OptionError("k", f"{_MAX_K} or less", k)
    if max_k is not None and not k <= check_k(max_k, "max_k") <= _MAX_K:
        raise OptionError("max_k", f"from k ({k}) to {_MAX_K}", max_k)
    own_relation = relation == MODEL
    by_language_model = None if own_relation else relation
    asks = any((judge, by_language_model, severity))
    # a store that is about to be filled may be absent; one that is only read may not
    read_store = None if asks and store is not None and not Path(store).exists() else store
    matcher = loaded(
        matcher, store=read_store, endpoints=endpoints, min_coverage=min_coverage, **_policy(matcher, policy)
    )  # fmt: skip
    if own_relation:
        check_tells_relations(matcher)
    read = _read(lists, algorithms, no_diagnosis, columns, rejects)
    if own_relation:
        read = with_relations_by_matcher(read, matcher)
    asking = None
    if asks:
        from .judges.asking import Asking

        asking = Asking.of(matcher, endpoints, store, budget, progress)
        if judge:
            asking.model("judge", judge)
        read = asking.filled(read, by_language_model, severity)
    judged, lacking = _judged(read, in_turn, want)
    if labelled is not None and not judged:
        raise OptionError("labelled", "left out where no algorithm is compared with a panel", labelled)
    context = Context(
        matcher, k=k, n_cases=len(read.cases), hardness=hardness, denominator=denominator, labelled=labelled,
        max_k=max_k or max(k, min(int(read.lengths.max()), _MAX_CURVE)),
        repeats=bootstrap, seed=seed, level=level, icd_source=str(icd_source), progress=progress,
        across_cases=not Profile.of(matcher).rests_on_votes or want.by_name("krippendorff_alpha_by_distance"),
    )  # fmt: skip
    sections: list[Section] = []
    left_out = {} if lacking is None else {RELATIVE: lacking}
    made_with = _made_with(read, context, judged, in_turn)
    if judged:
        made, counts = relative_sections(read, judged, context, pairs_per_call)
        sections += map(want.kept, made)
        made_with |= counts
    others, lacks = family_sections(read, context, want)
    if asking is not None and judge:
        others.append(asking.judged_section(read, judge, context))
    estimates = [one for section in (*sections, *others) for one in section.estimates]
    compared = algorithms_of(made_with)
    differences, how = difference_rows(
        estimates, compared, read.cases, context, read.absent[:, [read.raters.index(r) for r in compared]]
    )
    return Report(
        k=k,
        hardness=hardness,
        question=_question(read, judged, in_turn),
        cases=read.cases,
        sections=[*sections, *others],
        left_out=left_out | lacks,
        made_with=made_with,
        notes=[*read.notes, *_notes(read, k, denominator if judged else None), *notes_of(read, matcher), *how],
        warnings=[
            *warnings_of(read, matcher),
            *(told for section in (*sections, *others) for told in section.warnings),
        ],
        difference_rows=differences,
        subgroup_rows=subgroup_rows(estimates, read.groups, read.cases, context),
    )


def _policy(matcher: Any, policy: str | None) -> dict[str, str]:
    """The option of `load`, where one was given.

    Errors: `OptionError` for another word, and for one beside an M that has its own.
    """
    if policy is None:
        return {}
    known_policy(policy)
    if not (matcher is None or isinstance(matcher, str | os.PathLike)):
        raise OptionError("policy", "given to dxmatch.load where the match function is loaded before", policy)
    return {"policy": policy}


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
        "policy": policy_of(context.matcher),
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
    return (
        f"{'Do' if len(names) > 1 else 'Does'} {listed(names)} agree with the experts as they agree among themselves?"
    )


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
