"""What the reader of a comparison of reasoning should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from ...errors import plain, quoted
from ...files.counted import counted
from ...matcher.protocol import Matcher, not_understood, of_another_language
from ...stats.agreement import verdicts_agree
from ..read.findings import Finding
from ..score.scores import Score
from .correspondence import Likeness
from .human import Label
from .notes import WORD
from .run import Run

_FEW, _SHOWN = 20, 3
_NOT_KNOWN = (
    "the match function was trained on names of diseases; here it compares observations and rationales, and how well it does so on these "
    "notes is not known. Pairs that people labelled would tell (the option 'human'); a language model as judge is the source's way."
)


def findings_of(
    runs: Sequence[Run],
    matcher: Matcher,
    judges: Sequence[Likeness],
    labels: Sequence[Label],
    agree: Sequence[Score],
    domains: Mapping[str, str | None],
    folders: Iterable[Path],
) -> Iterator[Finding]:
    """Yields what changes the conclusion, then what is to be known."""
    yield from _of_texts(runs, matcher)
    for kind, example in (
        *(("reasoning", one) for one in _of_notes(runs, judges)),
        *(("reasoning", _NOT_KNOWN) for _ in range(not labels and len(judges) == 1)),
        *(("labels", one) for one in _of_labels(labels, agree)),
        *(("origin", one) for one in _to_be_known(runs, domains, folders)),
    ):
        yield Finding(kind, example=example)


def _of_notes(runs: Sequence[Run], judges: Sequence[Likeness]) -> Iterator[str]:
    first, n = runs[0], len(runs[0].notes)
    counts = "are left out of every metric of this run" if first.missing == "own" else "count as 0 in every metric"
    for run in runs:
        if absent := run.predicted.count(None):
            yield f"no prediction for {absent:,} of {n:,} notes in {run.name}: they {counts}."
    for judge in judges:
        for kind, count in Counter(key[0] for key, said in judge.said.items() if said is None).items():
            yield f"no verdict of {judge.name} on {counted(count, 'pair')} of {kind}s: they count as not alike."
    if n < _FEW:
        yield f"{counted(n, 'note')}: intervals and p-values of so few say little."
    notes = list(zip(first.notes, first.annotated, strict=True))
    for what, places in (
        ("have no annotated observation: nothing that is said of them can be right", [name for name, note in notes if not note.deductions]),
        ("have a path that is no path of a graph", [name for name, note in notes if not first.graph.is_path(note.path)]),
    ):  # fmt: skip
        if places:
            yield f"{len(places):,} of {n:,} annotated notes {what}, such as {places[0]}."


def _of_labels(labels: Sequence[Label], agree: Sequence[Score]) -> Iterator[str]:
    for score in agree:
        counts, of = score.values.sum(0), score.labels
        if score.metric == "accuracy":
            share = float(verdicts_agree(counts, score.metric))
            yield f"{of['who']} says the same as {of['against']} of {share:.0%} of {counted(int(counts.sum()), 'pair')} of {of['question']}s."
    if divided := sum(one.alike is None for one in labels):
        yield f"on {counted(divided, 'labelled pair')} people are divided; left out of the agreement."


def _to_be_known(runs: Sequence[Run], domains: Mapping[str, str | None], folders: Iterable[Path]) -> Iterator[str]:
    for run in runs:
        wrong = [at for at, one in enumerate(run.reached) if one.path_in_graph is False]
        for at in wrong[:1]:
            one = run.predicted[at]
            path = plain(" → ".join(one.chain or one.diagnoses)) if one else ""
            paths = counted(len(wrong), "predicted path")
            yield f"{paths} of {run.name} lead through no graph, such as that of {run.notes[at]}: {path}."
    if without := sorted({category for category in runs[0].categories if domains[category] is None}):
        yield f"no medical domain is known of {', '.join(without)}: the option 'domains' takes a table of category and domain."
    if backed := [held for annotated, _ in runs[0].premised for held in annotated]:
        of = f"{np.mean(backed):.3f} of the annotators' own {len(backed):,} deductions"
        yield f"the yardstick of Prem: {of} have a rationale that matches a premise of the graph by M."
    for folder in dict.fromkeys(folders):
        files = [
            path for path in folder.rglob("*") if path.is_file() and path.suffix != ".json" and path.name[0] != "."
        ]
        if others := sorted(path.relative_to(folder) for path in files if path.stem.casefold() != "readme"):
            yield f"{counted(len(others), 'file')} in {folder} not read, such as {others[0]}: only .json files are."


def _of_texts(runs: Sequence[Run], matcher: Matcher) -> Iterator[Finding]:
    """Of texts that M does not score, and of those that it scores though they are not of its language."""
    sides = [side for run in runs for both in run.sides for side in both]
    texts = (text for side in sides for one in side for text in (one.observation, one.rationale or ""))
    times = Counter(text for text in texts if WORD.search(text))
    of = f"of {len(times):,} different observations and rationales"

    def such_as(reasons: Mapping[str, str]) -> str:
        often = sorted(reasons, key=lambda text: (-times[text], text))[:_SHOWN]
        return ", ".join(f"{quoted(text)} ({reasons[text]}, {times[text]:,})" for text in often)

    if unknown := not_understood(matcher, sorted(times)):
        yield Finding("not_understood", len(unknown), len(times), f"{len(unknown):,} {of}", such_as(unknown))
    if foreign := of_another_language(matcher, sorted(times.keys() - unknown.keys())):
        words = f"{len(foreign):,} {of} look like no text of the match function's language, such as {such_as(foreign)}"
        yield Finding(
            "reasoning",
            example=f"{words}: it scores them, but its Obs, Exp and Prem say little of these; a judge's do.",
        )
