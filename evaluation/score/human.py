"""How well a judge, M or a language model, agrees with humans, and these with each other, over cases.

ClinBench-HPB, §3.2, prints the first of it: 97.5 % with physicians on 393 Chinese diseases, 97.7 % on 132 English ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.pair_labels import BLANK, majority_of
from ...pages.rows import Row
from ...stats.agreement import VERDICTS, verdicts_agree
from ..match.judge import BOTH, BY_M, MAJORITY
from ..match.matches import Matches
from ..read.findings import Finding
from .declare import Measure
from .scores import FamilyScores, Score, Settings, of_columns

NAME, TITLE = "human", "Agreement with human labels"
COLUMNS = (
    "who", "against", "metric", "value", "low", "high", "undefined_repeats", "reason", "items", "included", "n_cases",
)  # fmt: skip

Labels = NDArray[np.int8]


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Compares M over whole lists, a judge, and a judge with its check with humans, on the items that each of them decides.

    The part agreement names who agrees with whom: each judge with the human, or where there are several with their majority and with
    each; and each two humans. items : that both decide. included : how many of them the second includes.

    Raises
    ------
    InputError
        Where no labelled item has a verdict of all.
    """
    references = matches.references
    assert references is not None
    verdicts = {BY_M: references.hits.any(2), **({} if matches.judged is None else matches.judged.verdicts)}
    labelled = np.logical_or.reduce([one != BLANK for one in matches.humans.values()])
    humans, judges = (
        {who: of[labelled].astype(np.int8) for who, of in those.items()} for those in (matches.humans, verdicts)
    )
    return family([of_labels(humans, judges, np.nonzero(labelled)[0].tolist(), matches.answers.source)], COLUMNS)


def family(found: Sequence[tuple[list[Score], list[Finding]]], columns: Sequence[str]) -> FamilyScores:
    """Makes the family of what `of_labels` gave, of one question or several. columns : of its table."""
    rows, findings = ([one for part in parts for one in part] for parts in zip(*found, strict=True))
    return FamilyScores(
        NAME, TITLE, parts={"agreement": rows}, shown={"agreement": partial(of_columns, columns)}, sentences=_sentences, findings=findings
    )  # fmt: skip


def of_labels(
    humans: Mapping[str, Labels], judges: Mapping[str, Labels], cases: Sequence[int], source: str, **more: str
) -> tuple[list[Score], list[Finding]]:
    """Compares judges with humans, and these with each other, on m items; cases are resampled with all their items.

    humans, judges : name -> int [m], 1 or 0, below 0 without a label or verdict. cases : of the items. more : further columns.

    Raises
    ------
    InputError
        Where no labelled item has a verdict of all.
    """
    decided = np.logical_and.reduce([one >= 0 for one in judges.values()])
    labels = np.stack(list(humans.values()), 1)
    if not (decided & (labels != BLANK).any(1)).any():
        allowed = "at least one labelled item on which the judge gives a verdict"
        raise InputError("no labelled item has a verdict of every judge", source=source, allowed=allowed)
    against = {MAJORITY: majority_of(labels, of_all=False), **humans} if len(humans) > 1 else humans
    pairs = [((who, said), one, decided) for one in against.items() for who, said in judges.items()]
    pairs += [(one, other, np.ones_like(decided)) for one, other in combinations(humans.items(), 2)]
    rows = [score for one, other, kept in pairs for score in _agreement(one, other, kept, np.array(cases), more)]
    words = []
    if out := int((~decided).sum()):
        words.append(
            f"{out:,} of {len(decided):,} labelled items are left out for all: one of the judges gave no verdict on them."
        )
    if len(humans) > 1 and (ties := int((majority_of(labels, of_all=False) == BLANK).sum())):
        words.append(f"{ties:,} of {len(decided):,} items have no majority of the humans.")
    return rows, [Finding("family", place=NAME, example=one) for one in words]


def _agreement(
    first: tuple[str, Labels],
    second: tuple[str, Labels],
    kept: NDArray[np.bool_],
    of_items: NDArray[np.integer],
    more: Mapping[str, str],
) -> Iterator[Score]:
    """One score for each of `VERDICTS`."""
    (who, one), (of, other) = first, second
    at = np.flatnonzero(kept & (one >= 0) & (other >= 0))
    cases, place = np.unique(of_items[at], return_inverse=True)
    counts = np.zeros((len(cases), 4))
    np.add.at(counts, (place, 2 * (one[at] != 1) + (other[at] != 1)), 1)
    labels = {**more, "who": who, "against": of, "items": len(at), "included": int((other[at] == 1).sum())}
    for measure, why in VERDICTS.items():
        yield Score(
            Measure(measure), [who], cases.astype(np.intp), counts, np.arange(4)[None], partial(verdicts_agree, measure=measure), reason=why, compared=False, labels=labels
        )  # fmt: skip


def _sentences(rows: Sequence[Row]) -> list[str]:
    """Says how often each judge agrees with the human, or with their majority."""
    out: list[str] = []
    for row in rows:
        if row["metric"] == "accuracy" and row["against"] == rows[0]["against"] and row["value"] is not None:
            whom = "the majority of the humans" if row["against"] == MAJORITY else "the human labels"
            who = "M" if row["who"] == BY_M else f"The {row['who']}"
            agrees = "agree" if row["who"] == BOTH else "agrees"
            interval = "" if row["low"] is None else f" ({row['low']:.1%} to {row['high']:.1%})"
            out.append(
                f"{who} {agrees} with {whom} on {row['value']:.1%}{interval} of {row['items']:,} {row.get('question', 'item')}s."
            )
    return out
