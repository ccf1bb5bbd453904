"""Answers and M -> how algorithms compare with the right answers and with a panel: read, match, score, summarise; then show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import pyarrow as pa

from ..errors import InputError, OptionError
from ..files.reading import Reading
from ..matcher.protocol import Matcher, loaded
from ..options import File, Table, checked
from ..progress import shown
from ..stats.resampling import Resampling
from ..votes.asking_options import Asking
from .match.codes import TextCodes
from .match.judge import Judging
from .match.matches import match, pairs_needed
from .match.options import Codes, Graded, Judge, Panel
from .match.pairs import Panels
from .read.findings import Finding
from .read.lists import Lists, Origin
from .read.reading import read_lists
from .report.board import AGAINST_EXPERTS, AGAINST_REFERENCES
from .report.raters import Compare, Raters, groups_of_raters, named_pairs
from .report.report import Report
from .report.summarise import summarise
from .score.disagreements import with_cases
from .score.panels import panels_of
from .score.scores import Settings
from .score.wanted import RELATIVE, K, Wanted, family_scores, ks_of, wanted
from .setup import setup_of


@checked
def evaluate(
    answers: Table,
    references: Table | None = None,
    *,
    matcher: Matcher | File | None = None,
    metrics: str | Iterable[str] | None = None,
    k: K = None,
    by: str | Iterable[str] = (),
    groups: Mapping[str, str | Iterable[str]] | None = None,
    compare: Compare | None = None,
    reading: Reading = Reading(),
    panel: Panel | None = None,
    codes: Codes | None = None,
    judge: Judge | None = None,
    graded: Graded | None = None,
    resampling: Resampling = Resampling(),
    asking: Annotated[Asking, "endpoints", "store", "max_calls", "max_cost"] | None = None,
) -> Report:
    """Every metric that the answers allow: against the right answers, and against experts where there is a panel.

    Parameters
    ----------
    answers : path, paths, data frame, table, dict or list
        What the models answered, as you have it. A table with a row for each diagnosis, for each case, or a column for each model; JSON or
        JSONL with lists or raw answers; a file for each model, a list of such files, or their folder; files in a published format (inspect,
        lm-eval, craft-md, clinbench-hpb, diagnosis-arena, ddxplus with right answers alone, direct, kernel29). Or {model: {case:
        [diagnosis, ...]}}, {case: [...]} of one model, or a list of lists, one for each of `references`. The likeliest comes first.
    references : dict, list, path or table, optional
        The right answers, where `answers` do not hold them: {case: diagnosis or [diagnosis, ...]}, a list in the order of `answers`, or a
        file of its own.
    matcher : Matcher or path, optional
        The match function, with `.probabilities(a, b)` and `.threshold`, or the folder of a trained one; the shipped one if not given. Its
        options are those of `dxmatch.load`: matcher=dxmatch.load(policy="strict"). Of a policy that looks one way the reference is the first
        side; between raters either direction counts.
    metrics : str or iterable of str, optional
        Families (ranking, recall, hierarchical, weighted, relative, agreement) or metrics to compute. By default all that the answers
        allow; what is left out is named in the report, with what was missing.
    k : int or mapping, optional
        How many diagnoses of each list count, 1 to 100, for every family that takes a k. By default recall and HDF1 are over the whole
        list, RPAD and RRAD over 3, top-k accuracy at 1, 3, 5 and 10; Kernel29's scores are over five ranks in any case. {"recall": None,
        "hierarchical": 5} sets the k of single families; None, or "all", is the whole list.
    by : str or iterable of str
        Columns of the cases, such as a specialty: every metric is given for each of their values, too, and averaged over these: weighted
        by their quantity, and plain.
    groups : mapping, optional
        The groups that models belong to, {"proprietary": ["gpt4", "claude"], ...}, for tables and charts.
    compare : pairs of raters, optional
        Two runs of one model, base first: [("base", "tuned"), ...]. Only these are tested for a difference, on every metric and in each
        group of `by`. A model's name alone, of raters "base [free]", "base [json #2]", is its mean over prompts that all models named came
        under. By default each two algorithms are tested, but for two prompts or repeats of one model.
    reading : Reading
        How the files are read.
    panel : Panel, optional
        Who is compared with a panel of experts, and how.
    codes : Codes, optional
        Where codes of ICD-10 come from.
    judge : Judge, optional
        A language model that judges whole answers, and people who do.
    graded : Graded, optional
        How near the answers are in meaning and in severity, by Kernel29.
    resampling : Resampling
        How intervals and tests are drawn.
    asking : Asking, optional
        How the language models are asked; its `budget.summaries` say afterwards what came of it.

    Returns
    -------
    Report
        Rows of values with intervals, further tables, values per case, sentences; prints and saves itself.

    Raises
    ------
    InputError
        For answers that cannot be right, or that a family asked for by name cannot work on.
    OptionError
        For a parameter outside what is allowed, or a language model that no endpoint serves.
    ModelError
        Where the match function fails, or cannot be loaded.
    """
    if hasattr(references, "probabilities"):
        raise OptionError("references", "right answers; a match function is given as matcher=…", references)
    want, panel, graded, asking = wanted(metrics), panel or Panel(), graded or Graded(), asking or Asking()
    settings = Settings(k=ks_of(k), panel=panel, graded=graded, resampling=resampling)
    with shown("Evaluating") as progress:
        judging, m = Judging(judge, graded, asking, progress), loaded(matcher)
        lists = read(answers, references, by=by, reading=reading, panel=panel, resampling=resampling, judging=judging)
        columns = lists.references.groups
        clusters = resampling.clusters(lists.cases, columns)
        pairs, model_groups = named_pairs(compare, lists.raters), groups_of_raters(groups, lists.raters)
        judged, no_panel = _panels(lists, panel, want)
        matches = with_cases(match(
            lists, m, want.symbols, settings.max_k(lists.lengths), panels=judged, no_panel=no_panel,
            codes=TextCodes(codes or Codes(), m, asking, reading.encoding), judge=judging, progress=progress,
        ))  # fmt: skip
    families, left_out = family_scores(matches, settings, want)
    names, roles = lists.raters, lists.roles or [""] * len(lists.raters)
    of_panels = {names[one]: [names[expert] for expert in experts] for one, *experts in judged}
    raters = Raters(names, dict(zip(names, roles, strict=True)), of_panels, panel.in_turn, model_groups, pairs)
    return summarise(
        families, lists.cases, raters, setup_of(matches, raters, settings, answers),
        AGAINST_EXPERTS if judged else AGAINST_REFERENCES, by={name: of for name, of in columns.items() if name != resampling.cluster},
        clusters=clusters, absent=lists.absent, left_out=left_out, findings=[*_findings_of_reading(matches.answers.origin), *matches.findings], evidence=matches,
    )  # fmt: skip


def pairs_asked(
    answers: Any,
    references: Any = None,
    *,
    metrics: str | Iterable[str] | None = None,
    k: K = None,
    by: str | Iterable[str] = (),
    reading: Reading = Reading(),
    panel: Panel | None = None,
) -> pa.Table:
    """Lists the pairs that `evaluate` asks M about, each once, in the columns a and b; asks nobody. Errors: those of `evaluate`."""
    want, panel = wanted(metrics), panel or Panel()
    settings, lists = Settings(k=ks_of(k), panel=panel), read(answers, references, by=by, reading=reading, panel=panel)
    return pairs_needed(lists, want.symbols, settings.max_k(lists.lengths), _panels(lists, panel, want)[0])


def read(
    answers: Any,
    references: Any = None,
    *,
    by: str | Iterable[str] = (),
    reading: Reading = Reading(),
    panel: Panel | None = None,
    resampling: Resampling = Resampling(),
    judging: Judging | None = None,
) -> Lists:
    """Reads what `evaluate` reads. judging : who reads answers again, and judges whole ones; nobody is asked without. Errors: those of `evaluate`."""
    named, again = panel and panel.algorithms, judging and judging.reader(reading.read_again)
    keep = judging is not None and "judge" in judging.stages
    by = [*([by] if isinstance(by, str) else by or ()), *filter(None, [resampling.cluster])]
    return read_lists(answers, references, reading=reading, algorithms=named, by=by, keep_answers=keep, again=again)


def _panels(answers: Lists, panel: Panel, want: Wanted) -> tuple[Panels, str]:
    """Who is judged by whom, or nobody and why.

    There must be panels where relative metrics are asked for by name, or where no reference leaves another answer.
    """
    lacking = ""
    if RELATIVE in want:
        try:
            return panels_of(answers, panel.in_turn), ""
        except InputError as error:
            meant = panel.in_turn or answers.roles is not None
            if RELATIVE in want.explicit or (meant and not any(answers.reference)):
                raise
            if not any(answers.reference):
                raise answers.no_right_answers() from None
            lacking = f"{error.problem}: give {error.allowed}"
    if panel.labelled is not None:
        raise OptionError("panel.labelled", "left out where no algorithm is compared with a panel", panel.labelled)
    return [], lacking


def _findings_of_reading(of: Origin) -> list[Finding]:
    found = [Finding("reading", example=words) for words in of.warnings]
    found += [Finding("origin", example=words) for words in of.notes]
    return found + [Finding("rejected", of.rejected_rows, of.rejected_cases, str(of.rejects))] * (of.rejected_rows > 0)
