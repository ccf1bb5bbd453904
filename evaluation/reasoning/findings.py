"""What the reader of a comparison of reasoning should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ...errors import plain, quoted
from ...files.counted import counted
from ...matcher.protocol import Matcher, not_understood, of_another_language
from ..read.findings import Finding
from .correspondence import Likeness, ModelLikeness
from .human import Label
from .run import Run

_FEW, _SHOWN = 20, 3


def findings_of(
    runs: Sequence[Run],
    matcher: Matcher,
    judges: Sequence[Likeness],
    labels: Sequence[Label],
    domains: Mapping[str, str | None],
) -> Iterator[Finding]:
    """Yields what changes the conclusion, then what is to be known."""
    first, n = runs[0], len(runs[0].notes)
    yield from _of_texts(runs, matcher)
    if not labels and len(judges) == 1:
        yield _said(
            "the match function was trained on names of diseases; here it compares observations and rationales, and how well it does so "
            "on these notes is not known. Pairs that people labelled would tell (the option 'human'); a language model as judge is the source's way."
        )
    absent = {run.name: [one is None for one in run.predicted] for run in runs}
    own = first.missing == "own"
    for name, of in absent.items():
        if any(of):
            counts = "are left out of every metric of this run" if own else "count as 0 in every metric"
            yield _said(f"no prediction for {sum(of):,} of {n:,} notes in {name}: they {counts}.")
    if own and len(set(map(tuple, absent.values()))) > 1:
        yield _said(
            "the runs have predictions of different notes, and their means rest on these: who leaves out hard notes gains. The "
            "differences between runs take the notes that both predicted."
        )
    for judge in judges:
        for (kind, reason), count in judge.unscored.items() if isinstance(judge, ModelLikeness) else ():
            yield _said(
                f"no verdict of {judge.name} on {counted(count, 'pair')} of {kind}s ({reason}): they count as not alike."
            )
    if empty := sum(not note.deductions for note in first.annotated):
        yield _said(
            f"{empty:,} of {n:,} notes have no annotated observation: nothing that is said of them can be right."
        )
    strange = [
        name for name, note in zip(first.notes, first.annotated, strict=True) if not first.graph.is_path(note.path)
    ]
    if strange:
        yield _said(f"{len(strange):,} annotated paths are no path of a graph, such as that of {strange[0]}.")
    if n < _FEW:
        yield _said(f"{counted(n, 'note')}: intervals and p-values of so few say little.")
    if divided := sum(one.alike is None for one in labels):
        yield Finding(
            "labels", example=f"on {counted(divided, 'labelled pair')} people are divided; left out of the agreement."
        )
    for run in runs:
        wrong = [at for at, one in enumerate(run.reached) if one.path_in_graph is False]
        for at in wrong[:1]:
            one = run.predicted[at]
            names = (one and (one.chain or [each.diagnosis or "?" for each in one.deductions])) or ()
            yield _noted(
                f"{counted(len(wrong), 'predicted path')} of {run.name} lead through no graph, such as that of "
                f"{run.notes[at]}: {plain(' → '.join(names))}."
            )
    if without := sorted({category for category in first.categories if domains[category] is None}):
        yield _noted(
            f"no medical domain is known of {', '.join(without)}: the option 'domains' takes a table of category and domain."
        )
    if backed := [held for annotated, _ in first.premised for held in annotated]:
        share = sum(backed) / len(backed)
        yield _noted(
            f"of the annotators' own {len(backed):,} deductions {share:.3f} have a rationale that matches a premise of the graph by M: the "
            "yardstick of Prem."
        )


def findings_of_folders(folders: Iterable[Path]) -> Iterator[Finding]:
    """Yields of each folder the files that are not read, but hidden ones and readmes."""
    for folder in dict.fromkeys(folders):
        others = sorted(
            path.relative_to(folder)
            for path in folder.rglob("*")
            if path.is_file() and path.suffix != ".json" and path.name[0] != "." and path.stem.casefold() != "readme"
        )
        if others:
            yield _noted(
                f"{counted(len(others), 'file')} in {folder} not read, such as {others[0]}: only .json files are."
            )


def _of_texts(runs: Sequence[Run], matcher: Matcher) -> Iterator[Finding]:
    """Of texts that M does not score, and of those that it scores though they are not of its language."""
    sides = [side for run in runs for both in run.sides for side in both]
    times = Counter(text for side in sides for one in side for text in (one.observation, one.rationale) if text)
    unknown = not_understood(matcher, sorted(times))
    foreign = of_another_language(matcher, sorted(times.keys() - unknown.keys()))
    of = f"of {len(times):,} different observations and rationales"
    if unknown:
        yield Finding("not_understood", len(unknown), len(times), f"{len(unknown):,} {of}", _such_as(unknown, times))
    if foreign:
        yield _said(
            f"{len(foreign):,} {of} look like no text of the match function's language, such as {_such_as(foreign, times)}: it scores them "
            "all the same, and its Obs, Exp and Prem say little of these; those by a judge do not depend on it."
        )


def _such_as(reasons: Mapping[str, str], times: Counter[str]) -> str:
    often = sorted(reasons, key=lambda text: (-times[text], text))[:_SHOWN]
    return ", ".join(f"{quoted(text)} ({reasons[text]}, {times[text]:,})" for text in often)


def _said(words: str) -> Finding:
    return Finding("reasoning", example=words)


def _noted(words: str) -> Finding:
    return Finding("origin", example=words)
