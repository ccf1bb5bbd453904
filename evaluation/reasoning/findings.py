"""What the reader of a comparison of reasoning should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ...files.wording import counted
from ...matcher.protocol import Matcher, told
from ..match.matches import texts_in_words
from ..read.findings import Finding
from .correspondence import Likeness
from .notes import WORD
from .run import Run

_NOT_KNOWN = (
    "the match function was trained on names of diseases; here it compares observations and rationales, and how well it does so on these "
    "notes is not known. Pairs that people labelled would tell (the option 'human'); a language model as judge is the source's way."
)


def findings_of(
    runs: Sequence[Run], matcher: Matcher, judges: Sequence[Likeness], domains: Mapping[str, str | None], labelled: bool
) -> Iterator[Finding]:
    """Yields what changes the conclusion, then what is to be known. labelled : whether people labelled pairs."""
    yield from _of_texts(runs, matcher)
    for run in runs:
        if absent := run.predicted.count(None):
            counts = {"own": "are left out of every metric of this run", "zero": "count as 0 in every metric"}[
                run.missing
            ]
            words = f"no prediction for {absent:,} of {len(run.notes):,} notes in {run.name}: they {counts}."
            yield Finding("family", example=words)
        if wrong := [note for note, one in zip(run.notes, run.reached, strict=True) if one.path_in_graph is False]:
            words = f"{counted(len(wrong), 'predicted path')} of {run.name} lead through no graph, such as that of {wrong[0]}."
            yield Finding("origin", example=words)
    for judge in judges:
        for kind, count in Counter(key[0] for key, said in judge.said.items() if said is None).items():
            words = f"no verdict of {judge.name} on {counted(count, 'pair')} of {kind}s: they count as not alike."
            yield Finding("family", example=words)
    if not labelled and len(judges) == 1:
        yield Finding("family", example=_NOT_KNOWN)
    if without := sorted({category for category in runs[0].categories if domains[category] is None}):
        words = f"no medical domain is known of {', '.join(without)}: the option 'domains' takes a table of category and domain."
        yield Finding("origin", example=words)


def _of_texts(runs: Sequence[Run], matcher: Matcher) -> Iterator[Finding]:
    """Of texts that M does not score, and of those that it scores though they are not of its language."""
    said = [one for run in runs for sides in run.sides for side in sides for one in side]
    texts = sorted({text for one in said for text in (one.observation, one.rationale or "") if WORD.search(text)})
    if unknown := told(matcher, "not_understood", texts):
        notes = [
            {text for side in sides for one in side for text in (one.observation, one.rationale)}
            for run in runs
            for sides in run.sides
        ]
        what = f"{len(unknown):,} of {len(texts):,} different observations and rationales"
        touched = sum(not unknown.keys().isdisjoint(of) for of in notes)
        yield Finding("not_understood", touched, len(notes), what, texts_in_words(unknown))
    if foreign := told(matcher, "of_another_language", [text for text in texts if text not in unknown]):
        words = f"{len(foreign):,} of {len(texts):,} different observations and rationales look like no text of the match function's language, such as {texts_in_words(foreign)}"
        words += ": it scores them, but its Obs and Exp say little of these; a judge's do."
        yield Finding("family", example=words)
