"""DiReCT's metrics over folders of graphs, annotations and predictions: read, compare, score, summarise."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, OptionError
from ...files.counted import counted, shown_threshold
from ...matcher.protocol import Matcher, loaded
from ...progress import Progress
from ...stats.resampling import Resampling
from ...votes.asking import Budget, LanguageModel, named_model, services_of
from ...votes.prompts.files import prompt_of
from ...votes.prompts.prompt import Prompt
from ...votes.store import STORE
from ...votes.store.store import VoteStore
from ..report.board import Wish
from ..report.document import Part
from ..report.raters import Raters
from ..report.report import Report
from ..report.results import Setup, settings_in_words
from ..report.summarise import summarise
from ..score.scores import FamilyScores, Score
from .browser import browser
from .correspondence import OBSERVATION, PAIRINGS, RATIONALE, M, by_matcher, by_model
from .data import Domains, data_rows, domains_of
from .findings import findings_of
from .graph import KnowledgeGraph
from .human import agreement_with_people
from .notes import Annotation, read_annotations, read_predictions
from .run import METRICS, Run

Folder = str | os.PathLike[str]
Folders = Folder | Sequence[Folder] | Mapping[str, Folder]
"""A folder, several, or name -> folder."""
Prompted = str | os.PathLike[str] | Prompt | None

MISSING = ("zero", "own", "refuse")
FIRST = ("Acc_diag", "Obs_comp", "Exp_all")
"""The metrics of DiReCT's Fig 5, which charts show by domain; the first places the runs."""
_NOTHING = "no note has anything to divide by, or a prediction"


def reasoning(
    graphs: Folder,
    annotations: Folders,
    predictions: Folders,
    matcher: Matcher | Folder | None = None,
    *,
    missing: str = "zero",
    pairing: str = "best",
    domains: Domains = None,
    judge: str | LanguageModel | None = None,
    observation_prompt: Prompted = None,
    rationale_prompt: Prompted = None,
    endpoints: Folder | None = None,
    store: Folder | None = None,
    budget: Budget | None = None,
    human: Any = None,
    length: Callable[[str], int] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    progress: Progress | None = None,
) -> Report:
    """Compares predicted with annotated diagnostic reasoning: one run, or several side by side.

    Parameters
    ----------
    graphs : path
        A folder of knowledge graphs, one file a category; see `graph`.
    annotations : path or mapping
        A folder of notes; see `notes`. Or run -> folder, where runs have annotations of their own, as of original and amended notes:
        these must be of the same places and names.
    predictions : path, paths or mapping
        A folder of predictions, each of the place and name of its note; several folders; or run -> folder. Two runs may share one
        where their annotations differ.
    matcher : Matcher, path or None
        M, for observations and rationales; the shipped match function if None.
    missing : str
        A note without a prediction, and 0 of 0 in a note. "zero": 0 in every metric, as in the source's program. "own": such a note is
        in no metric of its run; and of the notes that it predicted a metric is the mean over those in which it has something to divide
        by (a predicted note without an observation has Obs_rec 0, but no Obs_pre). "refuse": every note needs a prediction; 0 of 0 is 0.
    pairing : str
        "best", the one-to-one correspondence of the greatest weight; "greedy", the source's.
    domains : mapping or path, optional
        Category -> domain, or a table of the columns category and domain; the source's five by default.
    judge : str or LanguageModel, optional
        A language model beside M, "ENDPOINT:MODEL": the source's way.
    endpoints, store, budget
        Of the judge, as in `evaluate`.
    observation_prompt, rationale_prompt : str, path or Prompt, optional
        What the judge is asked: a text file, or the name of a built-in prompt.
    human : path or table, optional
        Labelled pairs, to see how far M and the judge agree with people (Table 7); see `human`.
    length : callable, optional
        The length of a text, for the table of the data; words by default.
    bootstrap, seed, level : int, int, float
        Resamples of the notes for the intervals, 0 for none; of every draw; of the intervals.
    progress : callable, optional
        Called with (done, in all) while M, or the judge, is asked.

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
        For a parameter outside what is allowed; `NotServed` for a judge that no endpoint serves.
    ModelError
        Where M fails, or cannot be loaded.
    """
    resampling = Resampling(repeats=bootstrap, seed=seed, level=level)
    for option, value, allowed in (("missing", missing, MISSING), ("pairing", pairing, PAIRINGS)):
        if value not in allowed:
            raise OptionError(option, f"one of {', '.join(allowed)}", value)
    graph = KnowledgeGraph.read(graphs)
    folders = named_folders("predictions", predictions)
    notes = _own_folders(annotations, list(folders))
    runs = list(_runs(graph, folders, notes, missing))
    of_domain = domains_of([one.name for one in graph.by_name.values()], domains)

    m = loaded(matcher, judge_all=True)  # observations and rationales are sentences as often as names
    judges = [by_matcher(m, progress)]
    given = {OBSERVATION: observation_prompt, RATIONALE: rationale_prompt}
    prompts = {kind: one if isinstance(one, Prompt) else prompt_of(kind, one) for kind, one in given.items()}
    with ExitStack() as stack:
        if judge is not None:
            model = named_model("judge", judge, *services_of(endpoints))
            votes = stack.enter_context(VoteStore(store or STORE))
            judges.append(by_model(model, prompts, votes, budget or Budget(), progress))
        for run in runs:
            for one in judges:
                run.compare(one, pairing)
        people = [] if human is None else [agreement_with_people(human, runs, judges)]

    categories, cases, names = runs[0].categories, runs[0].notes, list(folders)
    by = {"domain": [of_domain[category] for category in categories], "category": categories}
    scores = [score for one in judges for score in _scores(runs, one.by)]
    family = FamilyScores("reasoning", "DiReCT", scores, per_case={score.name: score.values for score in scores})
    family.tables = {
        "notes": [row for run in runs for row in run.note_rows(by["domain"])],
        "deductions": [row for run in runs for of in run.deductions.values() for rows in of for row in rows],
        "data": data_rows(runs[0].annotated, categories, of_domain, graph, length or (lambda text: len(text.split()))),
    }  # fmt: skip
    settings = {
        "matcher": judges[0].name, "threshold": judges[0].threshold, "judge": judges[-1].name if judge else None, "missing": missing,
        "pairing": pairing, "graphs": str(graphs),
        "judge_prompts": [one.version for one in prompts.values()] if judge else None,
        "annotations": {run: str(folder) for run, folder in notes.items()}, "predictions": {run: str(folder) for run, folder in folders.items()},
        "bootstrap": bootstrap, "seed": seed, "level": level, "versions": {name: version(name) for name in ("dxmatch", "numpy")},
    }  # fmt: skip
    opening = (
        f"{counted(len(cases), 'note')} of {counted(len(set(categories)), 'disease category', 'disease categories')} · {counted(len(runs), 'run')} · "
        f"texts compared by {judges[0].name}, alike from {shown_threshold(judges[0].threshold)} up"
    )
    setup = Setup(
        "Does the model reason as the physicians do?", opening + (f", and {judges[1].name} as judge" if judge else ""), resampling, "note", "run",
        ks={"relative": 1}, settings=settings, lines=settings_in_words(settings), match=f"texts alike by {judges[0].name}", deviations=True,
    )  # fmt: skip
    return summarise(
        [family, *people], cases, Raters(names), setup,
        [Wish(score.symbol, score.of) for score in sorted(scores, key=lambda one: one.symbol not in FIRST)],
        by=by, absent=np.array([[one is None for one in run.predicted] for run in runs]).T if missing == "own" else None,
        findings=list(findings_of(runs, m, judges, of_domain, human is not None)),
        parts=[Part("notes", "Note by note", [browser(runs, judges[-1], by["domain"])])], most=len(scores),
    )  # fmt: skip


def named_folders(option: str, given: Folders) -> dict[str, Path]:
    """Names each folder by its run: as it is named, or else by its own name.

    Raises
    ------
    OptionError
        For something else than folders, each with a name or of its own.
    """
    if not isinstance(given, Mapping):
        folders = [Path(one) for one in ([given] if isinstance(given, str | os.PathLike) else given)]
        named = {folder.resolve().name: folder for folder in folders}
    else:
        folders, named = given, {name: Path(folder) for name, folder in given.items() if name.strip()}
    if not named or len(named) < len(folders):
        raise OptionError(option, "a folder, several of different names, or each with the name of its run", given)
    return named


def _own_folders(annotations: Folders, runs: Sequence[str]) -> dict[str, Path]:
    """Run -> the folder of its notes. Errors: `OptionError` where they are named, and not each run is."""
    if isinstance(annotations, str | os.PathLike):
        return dict.fromkeys(runs, Path(annotations))
    folders = named_folders("annotations", annotations)
    if set(folders) != set(runs):
        raise OptionError("annotations", f"a folder for each run: {', '.join(runs)}", ", ".join(folders))
    return folders


def _runs(
    graph: KnowledgeGraph, predictions: Mapping[str, Path], annotations: Mapping[str, Path], missing: str
) -> Iterator[Run]:
    """Errors: `InputError` where two runs have other notes, or a note of other categories; for a prediction without a note."""
    read = {folder: read_annotations(folder) for folder in dict.fromkeys(annotations.values())}
    of_category = {
        folder: {name: _category(graph, note, folder / name) for name, note in notes.items()}
        for folder, notes in read.items()
    }
    first, names = next((folder, of) for folder, of in of_category.items())
    for run, folder in predictions.items():
        where, predicted = annotations[run], read_predictions(folder)
        notes, own = read[where], of_category[where]
        for problem, source, which in (
            (f"in one of {first} and {where} alone, and runs are compared note by note", where, own.keys() ^ names.keys()),
            (f"of another category than in {first}", where, {name for name, _ in own.items() ^ names.items()}),
            (f"predicted, but not in {where}", folder, predicted.keys() - own.keys()),
            ("not predicted, and the option 'missing' is 'refuse'", folder, own.keys() - predicted.keys() if missing == "refuse" else ()),
        ):  # fmt: skip
            if which:
                problem, allowed = f"notes that are {problem}: {len(which):,}", "files of the same places and names"
                raise InputError(problem, source=str(source), allowed=allowed, got=min(which))
        annotated, said = [notes[name] for name in names], [predicted.get(name) for name in names]
        yield Run(run, graph, list(names), annotated, said, list(names.values()), missing)


def _category(graph: KnowledgeGraph, note: Annotation, file: Path) -> str:
    """Errors: `InputError` where the path begins in no graph."""
    category = graph.category_of(note.path)
    if category is None:
        roots = ", ".join(sorted(one.diagnoses[0] for one in graph.by_name.values()))
        problem = "a path that begins in no graph: one is missing for its category, or names it otherwise"
        raise InputError(problem, source=str(file), allowed=f"innermost one of {roots}", got=note.path[0])
    return category.name


def _scores(runs: Sequence[Run], by: str) -> list[Score]:
    """By M, with what nobody needs to judge; or by the judge."""
    values = [run.values(by) for run in runs]
    cases, names = np.arange(len(runs[0].notes)), [run.name for run in runs]
    return [
        Score(metric, names, cases, np.stack([of[metric] for of in values], 1), of="" if by == M else by, reason=_NOTHING)
        for metric in METRICS if metric in values[0]
    ]  # fmt: skip
