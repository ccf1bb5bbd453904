"""DiReCT's metrics over folders of graphs, annotations and predictions."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

from ...errors import InputError, OptionError
from ...matcher.protocol import Matcher, Profile, loaded
from ...progress import Progress
from ...votes.asking import Budget, LanguageModel
from ..statistics.bootstrap import check_bootstrap
from ..statistics.section import Context
from .asked_judge import Prompted, judge_of
from .compared import JUDGE, MISSING, M, Run
from .correspondence import PAIRINGS, Similarity
from .data_tables import data_rows, graph_rows
from .domains import Domains, domains_of
from .figures import differences_of, measures_of, rows_of
from .graph import KnowledgeGraph
from .human import agreement_of_judges, human_labels
from .inputs import Folders, check_each_once, named_folders
from .messages import ignored_notes, notes_of, warnings_of
from .notes import Annotation, Prediction, read_annotations, read_predictions
from .reached import annotated_category
from .result import Reasoning

Folder = str | os.PathLike[str]


def reasoning(
    graphs: Folder,
    annotations: Folders,
    predictions: Folders,
    matcher: Matcher | Folder | None = None,
    *,
    missing: str = "zero",
    pairing: str = "best",
    domains: Domains = None,
    premises: bool = True,
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
) -> Reasoning:
    """Compares predicted with annotated diagnostic reasoning: one run, or several side by side.

    Parameters
    ----------
    graphs : a folder of knowledge graphs, one file a category; see `graph`.
    annotations : a folder of notes; see `notes`. Or run -> folder, where runs have annotations of their own, as of original and
        amended notes: these must be of the same places and names.
    predictions : a folder of predictions, each of the place and name of its note; several folders; or run -> folder. Two runs may
        share one where their annotations differ.
    matcher : M, for observations and rationales; the shipped match function if not given.
    missing : a note without a prediction, and 0 of 0 in a note. "zero": 0 in every metric, as in the source's program. "own": such
        a note is in no metric of its run; and of the notes that it predicted a metric is the mean over those in which it has something
        to divide by (a predicted note without an observation has Obs_rec 0, but no Obs_pre). "refuse": every note needs a prediction; 0 of 0
        is 0.
    pairing : "best", the one-to-one correspondence of the greatest weight; "greedy", the source's.
    domains : category -> domain, or a table of the columns category and domain; the source's five if not given.
    premises : whether M is asked if a rationale matches a premise of the graph (Prem).
    judge : a language model beside M, "ENDPOINT:MODEL": the source's way. endpoints, store, budget : as in `evaluate`.
    observation_prompt, rationale_prompt : what the judge is asked: a text file, or the name of a built-in prompt.
    human : a table of labelled pairs, to see how far M and the judge agree with people (Table 7); see `human`.
    length : the length of a text, for the table of the data; words by default.
    bootstrap : resamples of the notes for the intervals; 0 for none. level : of the intervals.

    Raises
    ------
    InputError
        With the file and the keys, also for a prediction without a note, and for a note that two files claim.
    OptionError
    ModelError
    """
    check_bootstrap(bootstrap, seed, level)
    for name, value, allowed in (("missing", missing, MISSING), ("pairing", pairing, PAIRINGS)):
        if value not in allowed:
            raise OptionError(name, ", ".join(allowed), value)
    graph = KnowledgeGraph.read(graphs)
    folders = named_folders("predictions", predictions)
    notes = _annotations(annotations, list(folders))
    check_each_once(folders, {name: where for name, (where, _) in notes.items()})
    m = loaded(matcher, judge_all=True)  # observations and rationales are sentences as often as names
    spent = budget or Budget()
    asked = judge_of(judge, (observation_prompt, rationale_prompt), endpoints, store, spent, progress)
    runs: list[Run] = []
    for name, folder in folders.items():
        where, annotated = notes[name]
        predicted = read_predictions(folder)
        _check_names(annotated, predicted, where, folder, missing)
        of_category = {note: annotated_category(graph, one, where / note).name for note, one in annotated.items()}
        _check_categories(of_category, runs, where)
        runs.append(Run.of(name, annotated, predicted, graph, list(of_category.values())))
    categories = runs[0].categories
    every = domains_of([one.name for one in graph.categories.values()], domains)
    similar = Similarity(m, progress)
    with asked as model:
        for run in runs:
            run.compare(M, similar, pairing)
            if model is not None:
                run.compare(JUDGE, model, pairing)
            if premises:
                run.find_premises(graph, similar)
        labels = None if human is None else human_labels(human, runs)
        context = Context(m, n_cases=len(categories), repeats=bootstrap, seed=seed, level=level)
        agreement = agreement_of_judges(runs, labels, similar, model, context)
    measures = measures_of(runs, missing)
    names, own_domains = runs[0].notes, [every[category] for category in categories]
    differences, told = differences_of(measures, runs, missing, context)
    return Reasoning(
        runs=runs,
        rows=rows_of(measures, names, own_domains, categories, context),
        difference_rows=differences,
        agreement_rows=agreement,
        data_rows=data_rows(runs[0].annotated, categories, every, graph, length),
        graph_rows=graph_rows(graph, every),
        graph=graph,
        domains=own_domains,
        warnings=warnings_of(runs, graph, missing, m, model, labels),
        notes=[
            *notes_of(runs, graph, own_domains, missing),
            *ignored_notes([Path(graphs), *(where for where, _ in notes.values()), *folders.values()]),
            *told,
        ],
        made_with={
            "matcher": Profile.of(m).identity,
            "threshold": float(m.threshold),
            "judge": None if model is None else model.model.model,
            "judge_prompts": None if model is None else [one.version for one in model.prompts.values()],
            "graphs": str(graphs),
            "annotations": {name: str(notes[name][0]) for name in folders},
            "predictions": {name: str(folder) for name, folder in folders.items()},
            "missing": missing,
            "pairing": pairing,
            "premises": premises,
            "bootstrap": bootstrap,
            "seed": seed,
            "level": level,
            "length": "words" if length is None else "own",
            "versions": {"python": python_version()} | {name: version(name) for name in ("dxmatch", "numpy")},
        },
    )


def _annotations(given: Folders, runs: Sequence[str]) -> dict[str, tuple[Path, dict[str, Annotation]]]:
    """Run -> its folder and its notes. Errors: also where those of two runs are not of the same places and names."""
    if not isinstance(given, Mapping):
        folder = Path(os.fspath(given)) if isinstance(given, str | os.PathLike) else None
        if folder is None:
            raise OptionError("annotations", "a folder of notes, or one for each run by its name", given)
        read = read_annotations(folder)
        return dict.fromkeys(runs, (folder, read))
    folders = named_folders("annotations", given)
    if set(folders) != set(runs):
        allowed = f"a folder for each run: {', '.join(runs)}"
        raise OptionError("annotations", allowed, ", ".join(folders))
    found = {run: (folders[run], read_annotations(folders[run])) for run in runs}
    first, first_notes = found[runs[0]]
    for folder, notes in found.values():
        if others := sorted(notes.keys() ^ first_notes.keys()):
            raise InputError(
                f"{len(others):,} notes are in one of {first} and {folder} alone, and runs are compared note by note",
                source=str(folder), allowed="the same places and names in both", got=others[0],
            )  # fmt: skip
    return {
        run: (folder, {name: notes[name] for name in first_notes}) for run, (folder, notes) in found.items()
    }  # fmt: skip


def _check_categories(categories: Mapping[str, str], runs: Sequence[Run], folder: Path) -> None:
    """Errors: `InputError` where a note is of another category than in the annotations of the first run."""
    if not runs:
        return
    for (note, category), first in zip(categories.items(), runs[0].categories, strict=True):
        if category != first:
            raise InputError(
                f"a note of another category than in the annotations of {runs[0].name}", source=str(folder / note),
                allowed=first, got=category,
            )  # fmt: skip


def _check_names(
    annotated: Mapping[str, Annotation], predicted: Mapping[str, Prediction], notes: Path, folder: Path, missing: str
) -> None:
    if strangers := sorted(predicted.keys() - annotated.keys()):
        raise InputError(
            f"no note for {len(strangers):,} of {len(predicted):,} predictions", source=str(folder),
            allowed=f"files of the places and names of those in {notes}", got=strangers[0],
        )  # fmt: skip
    without = sorted(annotated.keys() - predicted.keys())
    if without and missing == "refuse":
        raise InputError(
            f"no prediction for {len(without):,} of {len(annotated):,} notes, and the option 'missing' is 'refuse'",
            source=str(folder), allowed="a prediction for each note", got=without[0],
        )  # fmt: skip
