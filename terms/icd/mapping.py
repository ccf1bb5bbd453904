"""Free text -> ICD-10 with candidates: what `dxmatch.icd` and `dxmatch icd` show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ..text.normalizer import Normalizer, normalize_checked
from .index import CODE, DIRECT, HOW, NEAREST, NONE, UNMAPPED, IcdIndex
from .search import CANDIDATES

COLUMNS = ("diagnosis", "icd10", "name", "how", "score", "candidates", "reason")


BELOW_THE_FLOOR = "no name of ICD-10 is near enough"
"""The reason of a string whose best candidate lies below the floor."""


class Candidate(NamedTuple):
    """found : the name that the code was found by, as ICD-10 writes it; the title itself for a code."""

    code: str
    name: str
    score: float
    found: str


class IcdAnswer(NamedTuple):
    """The columns of one string, but for the string; `reason` says why a language model's answer names no code."""

    icd10: str | None
    name: str | None
    how: str
    score: float | None
    candidates: list[Candidate]
    reason: str | None = None


Answers = Callable[[Sequence[str], IcdIndex, int], list[IcdAnswer]]
"""(unique names, the index, k) -> an answer for each."""


def map_to_icd(
    strings: Sequence[str],
    index: IcdIndex,
    normalizer: Normalizer,
    k: int = CANDIDATES,
    *,
    answers: Answers | None = None,
    unmapped: Sequence[str | None] | None = None,
    read_as: Mapping[str, str] | None = None,
    source: str | None = None,
    column: str | None = None,
    row_number: Callable[[int], int] = lambda i: i + 1,
) -> dict[str, list[Any]]:
    """One row per string, in their order, as columns (`COLUMNS`).

    - `diagnosis`: the string as it came.
    - `icd10`, `name`: the code and its title; None where nothing was found, or nothing near enough.
    - `how`: "direct" (the string is a name of the code), "code" (the string is the code itself), "nearest" (the code of
      the best of the nearest names under the index's encoder), "unmapped" (the best candidate lies below the index's floor, or
      the string was given a reason in `unmapped`), or "none" (the encoder finds nothing in the string).
    - `score`: 1.0 for direct and code; else of the best candidate, see `ranking`: a cosine less what that name says beyond the
      diagnosis, at most 1; None where a reason was given.
    - `candidates`: the k best codes, or names, as `Candidate`, best first, the chosen one in the first place, also for "unmapped";
      for "code" that one alone, since the letters of a code say nothing to an encoder.
    - `reason`: why a string is unmapped; see also `answers`.

    Equal strings are computed once.

    Parameters
    ----------
    normalizer : the one that the index was opened with.
    answers : finds the code of each name in place of the nearest: a language model's picks, say.
    unmapped : for each string, why it is no diagnosis that could have a code, or None where it may be one.
    read_as : the names of strings with slips that were mended, in place of what the normaliser makes of them.
    source, column, row_number : the place of string i, for errors.

    Raises
    ------
    InputError
        For what is not a text, holds no letter or digit, or is too long.
    """
    names: dict[str, str] = {}
    for i, text in enumerate(strings):
        if text in names:
            continue
        try:
            if not isinstance(text, str):
                raise InputError("not a text", allowed="a diagnosis in words")
            (names[text],) = normalize_checked(normalizer, [text])
            names[text] = (read_as or {}).get(text, names[text])
        except InputError as error:
            place = {"source": source, "row": row_number(i), "column": column}
            raise InputError(error.problem, **place, allowed=error.allowed, got=text) from error
    unique = list(dict.fromkeys(names.values()))
    answer = dict(zip(unique, (answers or nearest_answers)(unique, index, k), strict=True))
    rows = [answer[names[text]] for text in strings]
    if unmapped is not None:
        rows = [
            row if why is None else IcdAnswer(None, None, HOW[UNMAPPED], None, row.candidates, why)
            for row, why in zip(rows, unmapped, strict=True)
        ]
    return {"diagnosis": list(strings)} | {name: [getattr(row, name) for row in rows] for name in COLUMNS[1:]}


def nearest_answers(names: Sequence[str], index: IcdIndex, k: int) -> list[IcdAnswer]:
    """By name, by code, or by the best of the nearest names, where it reaches the floor."""
    direct = index.direct(names)
    by_name = [i for i, how in enumerate(direct.how) if how != CODE]
    asked = [names[i] for i in by_name]
    found = index.ranked(asked, k)
    reached = dict(zip(by_name, index.mapped(asked, found).tolist(), strict=True))
    nearest = {i: candidates_of(index, *row) for i, row in zip(by_name, zip(*found, strict=True), strict=True)}
    out = []
    for i, (node, how) in enumerate(zip(direct.nodes.tolist(), direct.how.tolist(), strict=True)):
        candidates = nearest.get(i, [])
        if node >= 0:
            chosen = direct_candidate(index, node, names[i])
            candidates = led_by(chosen, candidates, index, k) if how == DIRECT else [chosen]
        elif candidates and reached[i]:
            chosen, how = candidates[0], NEAREST
        elif candidates:
            out.append(IcdAnswer(None, None, HOW[UNMAPPED], candidates[0].score, candidates, BELOW_THE_FLOOR))
            continue
        else:
            out.append(IcdAnswer(None, None, HOW[NONE], None, []))
            continue
        out.append(IcdAnswer(chosen.code, chosen.name, HOW[how], chosen.score, candidates))
    return out


def candidates_of(
    index: IcdIndex, nodes: NDArray[np.int32], scores: NDArray[np.float32], entries: NDArray[np.int32]
) -> list[Candidate]:
    """One row of `Found` as it is shown."""
    return [
        Candidate(
            index.tree.code(node), index.tree.name(node), min(score, 1.0), index.shown(node, index.names[int(entry)])
        )
        for node, score, entry in zip(nodes.tolist(), scores.tolist(), entries.tolist(), strict=True)
        if node >= 0
    ]


def led_by(chosen: Candidate, candidates: Sequence[Candidate], index: IcdIndex, k: int) -> list[Candidate]:
    """k candidates, the chosen one first and not again: the code, or the name where the index counts names."""
    others = [one for one in candidates if one.code != chosen.code or (index.by_name and one.found != chosen.found)]
    return [chosen, *others][:k]


def direct_candidate(index: IcdIndex, node: int, name: str) -> Candidate:
    """Of a string that is a name of the code, or the code itself."""
    return Candidate(index.tree.code(node), title := index.tree.name(node), 1.0, index.shown(node, name, title))
