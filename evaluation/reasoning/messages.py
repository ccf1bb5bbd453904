"""What the reader of a comparison of reasoning must know before the figures, and what he should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import quoted
from ...files.counted import counted
from ...files.did_you_mean import nearest
from ...matcher.protocol import Matcher, not_understood, of_another_language
from .compared import M, Run
from .domains import DOMAINS
from .graph import KnowledgeGraph
from .human import Labels
from .json_file import ignored_files
from .judge import Judge
from .notes import told_apart_by_folder
from .reached import first_astray

_FEW, _SHOWN = 20, 3


def warnings_of(
    runs: Sequence[Run],
    graph: KnowledgeGraph,
    missing: str,
    matcher: Matcher,
    judge: Judge | None,
    labels: Labels | None,
) -> list[str]:
    """What must stand above the figures."""
    found = _of_matcher(runs, matcher, judge)
    if labels is None and judge is None:
        found.append(
            "The match function was trained on names of diseases; here it compares observations and rationales, and how well it does "
            "so on these notes is not known. Pairs that people labelled would tell; a language model as judge is the source's way."
        )
    n = len(runs[0].notes)
    for run in runs:
        if without := sum(one is None for one in run.predicted):
            how = (
                "they are left out of every metric of this run"
                if missing == "own"
                else "they count as 0 in every metric"
            )
            found.append(f"{run.name}: {without:,} of {n:,} notes have no prediction: {how}.")
    if missing == "own" and len({tuple(one is None for one in run.predicted) for run in runs}) > 1:
        found.append(
            "The runs have predictions of different notes, and their means rest on these: who leaves out hard notes gains. The "
            "differences between runs take the notes that both predicted."
        )
    if empty := sum(not note.deductions for note in runs[0].annotated):
        found.append(
            f"{empty:,} of {n:,} notes have no annotated observation: nothing that is said of them can be right."
        )
    if n < _FEW:
        found.append(f"{counted(n, 'note')}: intervals and p-values of so few say little.")
    if strange := [
        name for name, note in zip(runs[0].notes, runs[0].annotated, strict=True) if not graph.is_path(note.path)
    ]:
        found.append(f"{len(strange):,} annotated paths are no path of a graph, such as that of {strange[0]}.")
    if judge is not None:
        for kind, reasons in judge.unscored.items():
            if reasons:
                told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())
                found.append(
                    f"{judge.model.model} gave no verdict on {sum(reasons.values()):,} pairs of {kind}s ({told}): they count as not alike."
                )
    if labels is not None and (divided := sum(labels.undecided.values())):
        found.append(f"{labels.source}: on {counted(divided, 'pair')} people are divided; left out of the agreement.")
    return found


def _of_matcher(runs: Sequence[Run], matcher: Matcher, judge: Judge | None) -> list[str]:
    """Of texts that M does not score, and of those that it scores though they are not of its language: sentences are, on purpose."""
    times = Counter(
        text
        for run in runs for sides in run.deductions for side in sides for one in side
        for text in (one.observation, one.rationale) if text
    )  # fmt: skip
    unknown = not_understood(matcher, sorted(times))
    foreign = of_another_language(matcher, sorted(times.keys() - unknown.keys()))
    of = f"of {len(times):,} different observations and rationales"
    found = []
    if unknown:
        found.append(
            f"The match function does not understand {len(unknown):,} {of}, {_such_as(unknown, times)}: they are alike to nothing but the "
            "same words. Load it with judge_all=True, and it scores them, too."
        )
    if foreign:
        found.append(
            f"{len(foreign):,} {of} look like no text of the match function's language, {_such_as(foreign, times)}: it scores them all the "
            "same, mostly as alike to nothing but the same words, and its Obs, Exp and Prem say little of these."
        )
    if found and judge is not None:
        found[-1] += " The figures by the judge do not depend on it."
    return found


def _such_as(reasons: Mapping[str, str], times: Counter[str]) -> str:
    often = sorted(reasons, key=lambda text: (-times[text], text))[:_SHOWN]
    return "such as " + ", ".join(f"{quoted(text)} ({reasons[text]}, {times[text]:,})" for text in often)


def notes_of(
    runs: Sequence[Run], graph: KnowledgeGraph, domains: Sequence[str | None], missing: str
) -> list[str]:  # fmt: skip
    """What stands below."""
    notes = []
    for run in runs:
        paths = [one.path_in_graph for one in run.reached if one.path_in_graph is not None]
        if wrong := paths.count(False):
            place = [one.path_in_graph for one in run.reached].index(False)
            said = run.predicted[place]
            assert said is not None
            first = f"the first is of {run.notes[place]}: {first_astray(graph, said, run.reached[place])}"
            notes.append(f"{run.name}: {wrong:,} of {len(paths):,} predicted paths are no path of a graph; {first}.")
        if missing != "own":
            nothing = [
                sum(one is not None and not one.deductions for one in run.predicted),
                sum(said is not None and not one for said, one in zip(run.predicted, run.by[M].pairs, strict=True)),
            ]
            if any(nothing):
                notes.append(
                    f"{run.name}: {counted(nothing[0], 'note was', 'notes were')} predicted without an observation, and in "
                    f"{counted(nothing[1], 'predicted note')} none corresponds (by M): what would be divided by 0 counts as 0."
                )
    if twins := told_apart_by_folder(runs[0].notes):
        notes.append(
            f"{len(twins):,} file names stand in several folders, such as {twins[0]}: these are different notes, told apart by the folder."
        )
    categories = zip(runs[0].categories, domains, strict=True)
    if without := sorted({category for category, domain in categories if domain is None}):
        names = [name for own in DOMAINS.values() for name in own]
        told = ", ".join(f"{name} (near {near})" if (near := nearest(name, names)) else name for name in without)
        notes.append(
            f"No medical domain is known of {told}: these stand in no row of the domains. The option 'domains' takes a table of category "
            "and domain."
        )
    if runs[0].premised:
        shares = [held for note in runs[0].annotated_premised for held in note]
        if shares:
            notes.append(
                f"Of the annotators' own {len(shares):,} deductions {sum(shares) / len(shares):.3f} have a rationale that matches a premise of the "
                "graph by M: the yardstick of Prem."
            )
    return notes


def ignored_notes(folders: Sequence[Path]) -> list[str]:
    """Of each folder the files in it that were not read."""
    found = {folder: ignored_files(folder) for folder in dict.fromkeys(folders)}
    return [
        f"{folder}: {counted(len(files), 'file is', 'files are')} no .json file and not read, such as {files[0].relative_to(folder)}."
        for folder, files in found.items() if files
    ]  # fmt: skip
