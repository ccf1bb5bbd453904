"""What the reader of a comparison of reasoning should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...errors import plain, quoted
from ...files.counted import counted
from ...matcher.protocol import Matcher, not_understood, of_another_language
from ..read.findings import Finding
from .correspondence import Likeness
from .notes import WORD
from .run import Run

_SHOWN = 3
_NOT_KNOWN = (
    "the match function was trained on names of diseases; here it compares observations and rationales, and how well it does so on these "
    "notes is not known. Pairs that people labelled would tell (the option 'human'); a language model as judge is the source's way."
)


def findings_of(
    runs: Sequence[Run], matcher: Matcher, judges: Sequence[Likeness], domains: Mapping[str, str | None], labelled: bool
) -> Iterator[Finding]:
    """Yields what changes the conclusion, then what is to be known. labelled : whether people labelled pairs."""
    yield from _of_texts(runs, matcher)
    for example in _of_notes(runs, judges):
        yield Finding("reasoning", example=example)
    if not labelled and len(judges) == 1:
        yield Finding("reasoning", example=_NOT_KNOWN)
    for example in _to_be_known(runs, domains):
        yield Finding("origin", example=example)


def _of_notes(runs: Sequence[Run], judges: Sequence[Likeness]) -> Iterator[str]:
    n = len(runs[0].notes)
    counts = "are left out of every metric of this run" if runs[0].missing == "own" else "count as 0 in every metric"
    for run in runs:
        if absent := run.predicted.count(None):
            yield f"no prediction for {absent:,} of {n:,} notes in {run.name}: they {counts}."
    for judge in judges:
        for kind, count in Counter(key[0] for key, said in judge.said.items() if said is None).items():
            yield f"no verdict of {judge.name} on {counted(count, 'pair')} of {kind}s: they count as not alike."


def _to_be_known(runs: Sequence[Run], domains: Mapping[str, str | None]) -> Iterator[str]:
    for run in runs:
        if wrong := [at for at, one in enumerate(run.reached) if one.path_in_graph is False]:
            one = run.predicted[wrong[0]]
            path = plain(" → ".join(one.chain or one.diagnoses)) if one else ""
            paths = counted(len(wrong), "predicted path")
            yield f"{paths} of {run.name} lead through no graph, such as that of {run.notes[wrong[0]]}: {path}."
    if without := sorted({category for category in runs[0].categories if domains[category] is None}):
        yield f"no medical domain is known of {', '.join(without)}: the option 'domains' takes a table of category and domain."


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
            example=f"{words}: it scores them, but its Obs and Exp say little of these; a judge's do.",
        )
