"""DiReCT's metrics over folders of graphs, annotations and predictions: read, compare, score, summarise."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from ...endpoints.endpoint import read_services
from ...errors import InputError, OptionError
from ...files.wording import counted, shown_threshold
from ...matcher.protocol import Matcher, loaded
from ...options import File, Table, checked
from ...pages.rows import Row
from ...progress import shown
from ...stats.resampling import CASES_ALONE, Resampling
from ...votes.asking import LanguageModel, named_model
from ...votes.asking_options import Asking
from ...votes.prompts.files import prompt_of
from ...votes.store.store import VoteStore
from ..report.board import Wish
from ..report.cases import browser_of, group_of
from ..report.document import Browser, Part
from ..report.raters import Raters
from ..report.report import Report
from ..report.results import Setup
from ..report.summarise import summarise
from ..score.declare import Measure
from ..score.scores import FamilyScores, Score
from .correspondence import OBSERVATION, RATIONALE, Likeness, M, by_matcher, by_model
from .findings import findings_of
from .graph import KnowledgeGraph, data_rows, domains_of
from .human import agreement_with_people
from .notes import read_annotations, read_predictions
from .run import COMMON, METRICS, Run, is_same

Folders = File | Sequence[File] | Mapping[str, File]
"""A folder, several, or name -> folder."""

FIRST = ("Acc_diag", "Obs_comp", "Exp_all")
"""The metrics of DiReCT's Fig 5, which charts show by domain; the first places the runs."""
_MOST = 600
"""Notes times runs."""
_ABOUT = (
    "Each note with its annotated path, and the path of each run: ✓ where it ends in the right diagnosis. Below it: which observations both sides have, by "
    "{by}, and whether they are explained alike (for one diagnosis, with rationales that are alike); what stands in the note alone; what was predicted alone."
)
_NOTHING = "no note has anything to divide by, or a prediction"


@checked
def reasoning(
    graphs: File,
    notes: File,
    predictions: Folders,
    *,
    matcher: Matcher | File | None = None,
    pairing: Literal["best", "greedy"] = "best",
    missing: Literal["zero", "own"] = "zero",
    domains: Table | Mapping[str, str] | None = None,
    human: Table | None = None,
    judge: str | LanguageModel | None = None,
    prompts: Mapping[str, File] | None = None,
    resampling: Annotated[Resampling, *CASES_ALONE] = Resampling(),
    asking: Annotated[Asking, "endpoints", "store", "max_calls", "max_cost"] | None = None,
) -> Report:
    """Compares predicted with annotated diagnostic reasoning: one run, or several side by side.

    Parameters
    ----------
    graphs : path
        A folder of knowledge graphs, one JSON file a category.
    notes : path
        A folder of annotated notes, one JSON file each.
    predictions : path, paths or mapping
        A folder of predictions, each of the place and name of its note; several folders; or run -> folder.
    matcher : Matcher or path, optional
        M, for observations and rationales; the shipped match function if not given.
    pairing : str
        "best", the one-to-one correspondence of the greatest weight; "greedy", the source's.
    missing : str
        A note without a prediction, and 0 of 0 in a note. "zero": 0 in every metric, as in the source's program. "own": such a note is
        in no metric of its run; and of the notes that it predicted a metric is the mean over those in which it has something to divide
        by (a predicted note without an observation has Obs_rec 0, but no Obs_pre).
    domains : mapping, path or table, optional
        Category -> domain, or a table of the columns category and domain; the source's five by default.
    human : path or table, optional
        Pairs that people labelled, to see how far M and the judge agree with them (Table 7): a table of note, observation, predicted and label,
        or label_NAME for each person; rationale_label likewise; run, where there are several.
    judge : str or LanguageModel, optional
        A language model beside M, "ENDPOINT:MODEL": the source's way.
    prompts : mapping, optional
        What the judge is asked of two texts, {"observation": …, "rationale": …}: a text file, or the name of a built-in prompt.
    resampling : Resampling
        How intervals and tests are drawn, of the notes.
    asking : Asking, optional
        How the judge is asked; its `budget.summaries` say afterwards what came of it.

    Returns
    -------
    Report
        Runs are its raters, notes its cases, domain and category its subgroups. Metrics by the judge are "of" it. Further tables:
        reasoning.notes, reasoning.deductions, reasoning.data, and with people's labels human.agreement.

    Raises
    ------
    InputError
        With the file and the keys, also for a prediction without a note.
    OptionError
        For a parameter outside what is allowed, or a judge that no endpoint serves.
    ModelError
        Where M fails, or cannot be loaded.
    """
    asking, prompts = asking or Asking(), prompts or {}
    if prompts.keys() - {OBSERVATION, RATIONALE}:
        raise OptionError("prompts", f"prompts for {OBSERVATION} and {RATIONALE}", min(prompts))
    graph, folders = KnowledgeGraph.read(graphs), named_folders(predictions)
    runs = list(_runs(graph, folders, Path(notes), missing))
    of_domain = domains_of([one.name for one in graph.by_name.values()], domains)

    m = loaded(matcher, judge_all=True)  # observations and rationales are sentences as often as names
    asks = {kind: prompt_of(kind, prompts.get(kind)) for kind in (OBSERVATION, RATIONALE)}
    with shown("Comparing") as progress, ExitStack() as stack:
        judges = [by_matcher(m, progress)]
        if judge is not None:
            model = named_model("judge", judge, *read_services(asking.endpoints))
            votes = stack.enter_context(VoteStore(asking.filled))
            judges.append(by_model(model, asks, votes, asking.budget, progress))
        for run in runs:
            for one in judges:
                run.compare(one, pairing)
        people = [] if human is None else [agreement_with_people(human, runs, judges)]

    categories, cases, names = runs[0].categories, runs[0].notes, list(folders)
    by = {"domain": [of_domain[category] for category in categories], "category": categories}
    scores = [score for one in judges for score in _scores(runs, one.by)]
    family = FamilyScores(
        "reasoning", "DiReCT", scores, per_case={score.measure.name: score.values for score in scores}
    )
    family.tables = {
        "notes": [row for run in runs for row in run.note_rows(by["domain"])],
        "deductions": [row for run in runs for of in run.deductions.values() for rows in of for row in rows],
        "data": data_rows(runs[0].annotated, categories, of_domain, graph),
    }
    settings = {
        "matcher": judges[0].name, "threshold": judges[0].threshold, "judge": judges[-1].name if judge else None, "missing": missing,
        "pairing": pairing, "graphs": str(graphs), "judge_prompts": [one.version for one in asks.values()] if judge else None, "notes": str(notes),
        "predictions": {run: str(folder) for run, folder in folders.items()},
        **asdict(resampling), "versions": {name: version(name) for name in ("dxmatch", "numpy")},
    }  # fmt: skip
    opening = (
        f"{counted(len(cases), 'note')} of {counted(len(set(categories)), 'disease category', 'disease categories')} · {counted(len(runs), 'run')} · "
        f"texts compared by {judges[0].name}, alike from {shown_threshold(judges[0].threshold)} up"
    )
    setup = Setup(
        "Does the model reason as the physicians do?", opening + (f", and {judges[1].name} as judge" if judge else ""), resampling, "note", "run",
        settings=settings, match=f"texts alike by {judges[0].name}", deviations=True,
    )  # fmt: skip
    return summarise(
        [family, *people], cases, Raters(names), setup,
        [Wish(one.symbol, one.of) for one in sorted((score.measure for score in scores), key=lambda one: one.symbol not in FIRST)],
        by=by, absent=np.array([[one is None for one in run.predicted] for run in runs]).T if missing == "own" else None,
        findings=list(findings_of(runs, m, judges, of_domain, human is not None)),
        parts=[Part("notes", "Note by note", [_browser(runs, judges[-1], by["domain"])])], most=len(scores),
    )  # fmt: skip


def named_folders(given: Folders) -> dict[str, Path]:
    """Names each folder by its run: as it is named, or else by its own name.

    Raises
    ------
    OptionError
        For something else than folders, each with a name or of its own.
    """
    if isinstance(given, str | os.PathLike):
        given = [given]
    pairs = given.items() if isinstance(given, Mapping) else [(Path(one).resolve().name, one) for one in given]
    named = {name: Path(folder) for name, folder in pairs if name.strip()}
    if not named or len(named) < len(given):
        raise OptionError(
            "predictions", "a folder, several of different names, or each with the name of its run", given
        )
    return named


def _runs(graph: KnowledgeGraph, predictions: Mapping[str, Path], folder: Path, missing: str) -> Iterator[Run]:
    """Errors: `InputError` for a prediction without a note, and for a path that begins in no graph."""
    notes, categories = read_annotations(folder), list[str]()
    for name, note in notes.items():
        if (category := graph.category_of(note.path)) is None:
            roots = ", ".join(sorted(one.root for one in graph.by_name.values()))
            problem = "a path that begins in no graph: one is missing for its category, or names it otherwise"
            raise InputError(problem, source=str(folder / name), allowed=f"innermost one of {roots}", got=note.path[0])
        categories.append(category.name)
    for run, where in predictions.items():
        said = read_predictions(where)
        if strays := said.keys() - notes.keys():
            problem, allowed = f"predictions without a note: {len(strays):,}", f"the places and names of {folder}"
            raise InputError(problem, source=str(where), allowed=allowed, got=min(strays))
        yield Run(run, graph, list(notes), [*notes.values()], [said.get(name) for name in notes], categories, missing)


def _scores(runs: Sequence[Run], by: str) -> list[Score]:
    """By M, with what nobody needs to judge; or by the judge."""
    values = [run.values(by) for run in runs]
    cases, names = np.arange(len(runs[0].notes)), [run.name for run in runs]
    return [
        Score(Measure(metric, "" if by == M else by), names, cases, np.stack([of[metric] for of in values], 1), reason=_NOTHING)
        for metric in METRICS if metric in values[0]
    ]  # fmt: skip


def _browser(runs: Sequence[Run], judge: Likeness, domains: Sequence[str | None]) -> Browser:
    """Makes the notes for the page; where they are too many, the first."""
    first = runs[0]
    notes = range(min(len(first.notes), max(1, _MOST // len(runs))))
    lists = [(at, run, run.predicted[at], run.reached[at].diagnosis) for at in notes for run in runs]
    paths = [" → ".join(said.chain if said else ()) for _, _, said, _ in lists]
    data = {
        "of": ["note", "run"], "k": 1, "ranks": 1, "total": len(first.notes), "models": [run.name for run in runs], "cases": [first.notes[at] for at in notes],
        "groups": [group_of(name, [of[at] for at in notes]) for name, of in (("domain", domains), ("category", first.categories))],
        "strings": [*(" → ".join(first.annotated[at].path) for at in notes), *paths],
        "right": [[place] for place in range(len(notes))],
        "final": [""] * len(notes),
        "lengths": [-1 if said is None else 1 for _, _, said, _ in lists],
        "judged": [[place, list(map(_said, run.deductions[judge.by][at]))] for place, (at, run, _, _) in enumerate(lists)],
        "entries": [place if paths[place] else -1 for place, (_, _, said, _) in enumerate(lists) if said is not None],
        "pairs": {
            "diagnosis": [len(notes) + place for place in range(len(lists))],
            "right": [place // len(runs) for place in range(len(lists))],
            "match": [int(is_same(reached, first.annotated[at].path[-1])) for at, _, _, reached in lists],
            "why": [0] * len(lists), "doubtful": [0] * len(lists), **{name: [-1] * len(lists) for name in ("probability", "relation")},
        },
    }  # fmt: skip
    return browser_of(data, about=_ABOUT.format(by=judge.name))


def _said(row: Row) -> str:
    """What stands on one side alone, or what both have and whether they explain it alike."""
    alike = (
        "explained alike" if row["explained"] else "another rationale" if row["same_diagnosis"] else "another diagnosis"
    )
    lines = [f"{row['kind'].capitalize()}{f', {alike}' if row['kind'] == COMMON else ''}"]
    for name, of in (("In the note", ""), ("Predicted", "predicted_")):
        if row[f"{of}observation"]:
            why, diagnosis = row[f"{of}rationale"] or "no rationale", row[f"{of}diagnosis"] or "no diagnosis"
            lines.append(f"{name}: {row[f'{of}observation']}; {why} → {diagnosis}")
    return "\n".join(lines)
