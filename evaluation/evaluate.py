"""Answers and M -> how algorithms compare with the right answers and with a panel: read, match, score, summarise; then show."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from ..errors import InputError, OptionError
from ..features.coverage import MIN_COVERAGE
from ..matcher.origin import Origin, check_names, with_origin
from ..matcher.policy import policy_of as known_policy
from ..matcher.protocol import Matcher, Profile, loaded
from ..progress import Progress
from ..stats.resampling import Resampling
from .lists.formats.recorded import Record
from .lists.lists import Lists, Panel, panels
from .lists.reading import read_lists
from .match.codes import text_codes
from .match.judge import Judging
from .match.matches import Needs, match, pairs_needed
from .read.findings import Finding
from .report.board import AGAINST_EXPERTS, AGAINST_REFERENCES
from .report.raters import Compare, Raters, groups_of_raters, named_pairs
from .report.report import Report
from .report.summarise import summarise
from .score.declare import check_k
from .score.relative import check_hardness
from .score.scores import Settings
from .score.wanted import MAX_K, RELATIVE, K, Wanted, deepest, family_scores, ks_of, wanted
from .score.weighted import CHECKS, SETTINGS, check_best
from .setup import setup_of

if TYPE_CHECKING:
    import pyarrow as pa

    from ..matcher.match_function import MatchFunction
    from ..votes.asking import Budget, LanguageModel

DENOMINATORS = ("nk2", "observed")
_MAX_CURVE = 10
_ACROSS_CASES = "krippendorff_alpha_by_distance"
"""The metric that asks M about diagnoses of different cases."""

__all__ = ["Report", "evaluate"]


@with_origin
def evaluate(
    lists: Any = None,
    matcher: Matcher | str | os.PathLike[str] | None = None,
    *,
    predictions: Any = None,
    references: Any = None,
    k: K = None,
    metrics: str | Iterable[str] | None = None,
    by: str | Iterable[str] | None = None,
    groups: Mapping[str, str | Iterable[str]] | None = None,
    compare: Compare | None = None,
    columns: Mapping[str, str | Sequence[str]] | None = None,
    format: str | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    record: Record | None = None,
    no_diagnosis: str | Iterable[str] | None = None,
    missing: str | None = None,
    rejects: str | os.PathLike[str] | None = None,
    algorithms: Iterable[str] | None = None,
    in_turn: bool = False,
    hardness: float = 1.0,
    denominator: str = "nk2",
    max_k: int | None = None,
    icd_source: str | os.PathLike[str] = "icd10cm",
    codes: Any = None,
    pick: str | None = None,
    features: str | os.PathLike[str] | None = None,
    icd_encoder: str | None = None,
    icd_distance: str | None = None,
    icd_entries: str | None = None,
    icd_direct: bool = True,
    difficulty: str = "hard",
    semantic_best: float = 16,
    labelled: Any = None,
    judge: str | LanguageModel | None = None,
    check: str | LanguageModel | None = None,
    judge_prompt: str | os.PathLike[str] | None = None,
    check_prompt: str | os.PathLike[str] | None = None,
    judge_equal: bool = False,
    human: Any = None,
    relation: str | LanguageModel | None = None,
    severity: str | LanguageModel | None = None,
    relation_prompt: str | os.PathLike[str] | None = None,
    severity_prompt: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    budget: Budget | None = None,
    min_coverage: float = MIN_COVERAGE,
    policy: str | None = None,
    threshold: float | None = None,
    judge_all: bool = False,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
    **origin: Unpack[Origin],
) -> Report:
    """Every metric that the lists allow: against the right answers, and against experts where there is a panel.

    Parameters
    ----------
    lists : Lists, path, paths, data frame, Table, dict or list
        What the models answered, as you have it: `read_lists` says what it takes. A path may be a file of each model's
        answers, a folder of such files, or one table of all.
    matcher : Matcher, path or None
        M, with `.probabilities(a, b)` and `.threshold`, or the folder of a trained one; the shipped match function if
        None.
    predictions : dict or list, optional
        In the place of `lists`: {model: {case: [diagnosis, ...]}}, {case: [...]} of one model, or a list of lists, one for
        each of `references`. The likeliest comes first.
    references : dict, list or path, optional
        The right answers, where `lists` do not hold them: {case: diagnosis or [diagnosis, ...]}, a list in the order of
        `predictions`, or a file of its own.
    k : int or mapping, optional
        How many diagnoses of each list count, 1 to 100, for every family that takes a k. By default recall and HDF1 are over
        the whole list, RPAD and RRAD over 3, top-k accuracy at 1, 3, 5 and 10; Kernel29's scores are over five ranks in any
        case. {"recall": None, "hierarchical": 5} sets the k of single families; None, or "all", is the whole list.
    metrics : str or iterable of str, optional
        Families (ranking, recall, hierarchical, weighted, relative, agreement) or metrics to compute. By default all that
        the lists allow; what is left out is named in the report, with what was missing.
    by : str or iterable of str, optional
        Columns of the cases, such as a specialty: every metric is given for each of their values, too, and averaged over
        these: weighted by their quantity, and plain.
    groups : mapping, optional
        The groups that models belong to, {"proprietary": ["gpt4", "claude"], ...}, for tables and charts; before the column
        model_group of the lists, or that of `columns={"group": ...}`.
    compare : pairs of raters, optional
        Two runs of one model, base first: [("base", "tuned"), ...]. Only these are tested for a difference, on every metric and
        in each group of `by`. A model's name alone, of raters "base [free]", "base [json #2]", is its mean over prompts that all
        models named came under. By default each two algorithms are tested, but for two prompts or repeats of one model.
    columns : mapping, optional
        Which column is what, where it is not recognised: {"reference": "gold", "predictions": ["gpt4", "claude"]}.
    format : str, optional
        The format of the files, where it is not recognised: "inspect", "lm-eval", "craft-md", "clinbench-hpb",
        "diagnosis-arena", "ddxplus" (right answers alone), "direct" or "kernel29".
    encoding : str, optional
        Of text files that are not UTF-8, such as "cp1252".
    separator : str, optional
        What parts several diagnoses in one cell beside line breaks, ";" and "|", such as ","; "none" where nothing else does. Asked for
        where a tenth of the cells hold commas that nothing else tells.
    record : callable, optional
        Your own function from a record of a file, {column: value}, to its answers: an object, or several, with case_id, model, diagnoses
        (a list) or text, and references. The way out for every file that has none of the shapes that are read.
    no_diagnosis : str or iterable of str, optional
        More words that mean "no diagnosis", beside none, N/A, unknown and the like; "keep" takes these as diagnoses.
    missing : str, optional
        What a list that is not there counts as: "empty", an empty answer (the default, but for experts of a panel), "own",
        nothing: each model has its own number of cases; or "refuse".
    rejects : path, optional
        A file for what cannot be right; without it the first such row is an error.
    algorithms : iterable of str, optional
        The raters to judge, by default those whose role says so; all others are the panel of experts.
    in_turn : bool
        Each of them (each rater, where none is named) is judged by all other raters.
    hardness : float
        From 0 to 1: 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    denominator : str
        "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : int, optional
        The curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    icd_source : str or path
        The tree of the codes: "icd10cm", "icd10" (WHO) or the path of a CSV.
    codes : path, table or dict, optional
        One reference table for all models, as `dxmatch icd --unique` writes it (columns diagnosis and icd10), or
        {diagnosis: code}: it goes before every other way from text to code, but after codes in the lists themselves. What it
        lacks is mapped by the options below or by M, which is counted and said above the figures.
    pick : str, optional
        The language model that picks the code of each diagnosis among the nearest, as `dxmatch icd` does: a feature of the kind
        "icd_pick" in `features`, by its name or its model. Its answers are kept in `store`.
    features : path or str, optional
        The feature set that declares the pick and encoders: "paper17" (if not given) or a TOML file.
    icd_encoder, icd_distance, icd_entries : str, optional
        What finds the nearest names of ICD-10, as `encoder`, `distance` and `entries` of `dxmatch.icd`.
    icd_direct : bool
        With `pick`: as `direct` of `dxmatch.icd`; False asks about every diagnosis, as H-DDx does.
    difficulty : str
        "easy", "medium" or "hard": how much more a model's bad cases weigh where its semantic and severity scores are aggregated
        for the severity-semantic plane; hard in the figures of Kernel29. The table has all three.
    semantic_best : float
        The semantic score that is rescaled to 1: 16, the best there is, as in Kernel29's text; its authors' scripts take 10.33.
    labelled : table, optional
        Pairs of the lists that experts labelled (a, b, label; case_id where whole cases were drawn): P and RPAD, and
        with cases R and RRAD, are also given corrected for M's own errors.
    judge, check : str or LanguageModel, optional
        Language models, "ENDPOINT:MODEL", or "model", which is M: a judge that reads whole answers, and a check of what it says is not
        included, which sees its judgement and basis; the judge itself by default, "none" for no check. They give recall beside M's.
    judge_prompt, check_prompt, relation_prompt, severity_prompt : str or path, optional
        Other prompts than the built-in ones: a name or version, or a text file (`votes.prompts.files.prompt_of`).
    judge_equal : bool
        Ask them also about diagnoses whose name stands in the list, as ClinBench-HPB does; these count as included unasked otherwise.
    human : path or table, optional
        Labels by humans: case_id, rater, reference, label (1: included); label_NAME of several. The report then says how far M and the
        judge agree with them.
    relation, severity : str or LanguageModel, optional
        Language models that fill the blank cells of the columns relation and severity. The relation "model" is that of M's own
        relation model.
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
    threshold : float, optional
        The probability from which M calls two diagnoses a match, in [0, 1]; M's own if not given.
    judge_all : bool
        Where M is loaded here: diagnoses that it does not understand are judged all the same.
    bootstrap : int
        Resamples of the cases for the intervals; 0 for none. The same ones serve every algorithm.
    seed, level : int, float
        Of the resampling; of the percentile intervals.
    origin
        encoders, allow_download, identity and signed_by, as `load` takes them for the folder of M; `allow_download` is for the
        encoder of codes, too.
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
    want, ks, resampling = wanted(metrics), ks_of(k), Resampling(repeats=bootstrap, seed=seed, level=level)
    check_hardness(hardness)
    check_best(semantic_best, "semantic_best")
    for option, value, allowed in (("difficulty", difficulty, SETTINGS), ("denominator", denominator, DENOMINATORS)):
        if value not in allowed:
            raise OptionError(option, f"one of {', '.join(allowed)}", value)
    if max_k is not None and not (ks[RELATIVE] or 1) <= check_k(max_k, "max_k") <= MAX_K:
        raise OptionError("max_k", f"from k ({ks[RELATIVE]}) to {MAX_K}", max_k)
    judging = Judging(
        judge, check, relation, severity, judge_equal, endpoints=endpoints, store=store, budget=budget, progress=progress,
        judge_prompt=judge_prompt, check_prompt=check_prompt, relation_prompt=relation_prompt, severity_prompt=severity_prompt,
    )  # fmt: skip
    # a store that is about to be filled may be absent; one that is only read may not
    fills = judging.fills_store or pick is not None
    m = _matcher(
        matcher, None if fills and store is not None and not Path(store).exists() else store, endpoints, min_coverage, policy,
        threshold, judge_all, origin,
    )  # fmt: skip

    answers = _read(
        lists, predictions, algorithms, references=references, columns=columns, format=format, encoding=encoding, separator=separator, record=record,
        no_diagnosis=no_diagnosis, missing=missing, by=by, rejects=rejects, k=deepest(ks, want.symbols), wanted=want, checks=CHECKS,
        keep_answers=judge is not None,
    )  # fmt: skip
    pairs = named_pairs(compare, answers.raters)
    model_groups = groups_of_raters(groups, answers.raters, answers.model_groups)
    judged_by, no_panel = _panels(answers, in_turn, want)
    if labelled is not None and not judged_by:
        raise OptionError("labelled", "left out where no algorithm is compared with a panel", labelled)
    settings = Settings(
        k=ks, hardness=hardness, denominator=denominator, labelled=labelled, difficulty=difficulty, semantic_best=semantic_best,
        max_k=_widest(answers, ks, max_k), resampling=resampling,
        across_cases=not Profile.of(m).rests_on_votes or want.by_name(_ACROSS_CASES),
    )  # fmt: skip
    of_texts = text_codes(
        codes, pick, m, icd_source, encoding, budget, features=features, endpoints=endpoints, store=store, encoder=icd_encoder,
        allow_download=origin.get("allow_download", False), distance=icd_distance, entries=icd_entries, direct=icd_direct,
        progress=progress,
    )  # fmt: skip

    matches = match(
        answers, m, Needs.of(answers, want.symbols, ks, settings.max_k, settings.across_cases), panels=judged_by, no_panel=no_panel,
        codes=of_texts, icd_tree=str(icd_source), judge=judging, humans=human, seed=seed, progress=progress,
    )  # fmt: skip

    families, left_out = family_scores(matches, settings, want)

    names, roles = answers.raters, answers.roles or [""] * len(answers.raters)
    raters = Raters(
        names, dict(zip(names, roles, strict=True)), {names[p.algorithm]: [names[e] for e in p.experts] for p in judged_by},
        in_turn, model_groups, pairs,
    )  # fmt: skip
    return summarise(
        families, answers.cases, raters, setup_of(matches, raters, settings, Profile.of(m), lists if predictions is None else predictions),
        AGAINST_EXPERTS if judged_by else AGAINST_REFERENCES, by=answers.groups, absent=answers.absent, left_out=left_out,
        findings=[*_findings_of_reading(answers), *matches.findings], evidence=matches,
    )  # fmt: skip


def pairs_asked(
    lists: Any,
    *,
    k: K = None,
    metrics: str | Iterable[str] | None = None,
    in_turn: bool = False,
    max_k: int | None = None,
    seed: int = 0,
    **options: Any,
) -> pa.Table:
    """Lists the pairs that `evaluate` asks M about, each once, in the columns a and b; asks nobody.

    options : the others of `evaluate`; those that say how lists are read count. Errors: those of `evaluate`.
    """
    want, ks = wanted(metrics), ks_of(k)
    of_reading = {name: value for name, value in options.items() if name in signature(read_lists).parameters}
    answers = read_lists(lists, k=deepest(ks, want.symbols), wanted=want, checks=CHECKS, **of_reading)
    judged_by, _ = _panels(answers, in_turn, want)
    needs = Needs.of(answers, want.symbols, ks, _widest(answers, ks, max_k), want.by_name(_ACROSS_CASES))
    return pairs_needed(answers, needs, panels=judged_by, seed=seed)


def _widest(answers: Lists, ks: Mapping[str, int | None], max_k: int | None) -> int:
    """The longest lists of the relative metrics' curves."""
    return max_k or max(ks[RELATIVE] or 1, min(int(answers.lengths.max()), _MAX_CURVE))


def _matcher(
    matcher: Any,
    store: str | os.PathLike[str] | None,
    endpoints: str | os.PathLike[str] | None,
    min_coverage: float,
    policy: str | None,
    threshold: float | None,
    judge_all: bool,
    origin: Origin,
) -> Matcher:
    """Loads M; options of loading are refused beside an M that is loaded already."""
    if policy is not None:
        known_policy(policy)
    check_names(origin, "evaluate")
    given: dict[str, Any] = {"policy": policy} if policy is not None else {}
    given |= {"judge_all": True} if judge_all else {}
    if matcher is None or isinstance(matcher, str | os.PathLike):
        made = loaded(matcher, store=store, endpoints=endpoints, min_coverage=min_coverage, **given, **origin)
        if threshold is not None:
            ours = cast("MatchFunction", made)
            ours.threshold = ours.threshold_or(threshold)
        return made
    given |= {name: value for name, value in origin.items() if name != "allow_download" and value is not None}
    given |= {"threshold": threshold} if threshold is not None else {}
    if given:
        name, value = next(iter(given.items()))
        raise OptionError(name, "given to dxmatch.load where the match function is loaded before", value)
    return loaded(matcher, store=store, endpoints=endpoints, min_coverage=min_coverage)


def _read(lists: Any, predictions: Any, algorithms: Iterable[str] | None, **options: Any) -> Lists:
    """options : the others of `read_lists`; k, wanted and checks are no choice of the caller."""
    if (lists is None) == (predictions is None):
        raise OptionError("lists", "given, or else predictions, one of the two", predictions)
    given = predictions if lists is None else lists
    if not isinstance(given, Lists):
        return read_lists(given, algorithms=algorithms, **options)
    for name, value in options.items():
        if value is not None and name not in ("k", "wanted", "checks", "keep_answers"):
            raise OptionError(name, "given to read_lists where the lists are read before", value)
    return given if algorithms is None else given.with_algorithms(algorithms)


def _panels(answers: Lists, in_turn: bool, want: Wanted) -> tuple[list[Panel], str]:
    """Who is judged by whom, or nobody and why.

    There must be panels where relative metrics are asked for by name, or where no reference leaves another answer.
    """
    if RELATIVE not in want:
        return [], ""
    try:
        return panels(answers, in_turn), ""
    except InputError as error:
        if RELATIVE in want.explicit:
            raise
        if not any(answers.reference):
            raise error if in_turn or answers.roles is not None else answers.no_right_answers() from None
        return [], f"{error.problem}: give {error.allowed}"


def _findings_of_reading(answers: Lists) -> list[Finding]:
    out = answers.rejected
    found = [Finding("reading", example=words) for words in answers.warnings]
    found += [Finding("origin", example=words) for words in answers.notes]
    return [*found, *([Finding("rejected", out.rows, out.cases, str(out.path))] if out.rows else [])]
