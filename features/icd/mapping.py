"""Free text -> ICD-10 with candidates: what `dxmatch.icd` and `dxmatch icd` show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..errors import InputError
from ..text import Normalizer, normalize_checked
from .index import CODE, DIRECT, HOW, NONE, IcdIndex
from .search import Nearest

COLUMNS = ("diagnosis", "icd10", "name", "how", "score", "candidates")


class Candidate(NamedTuple):
    code: str
    name: str
    score: float


def map_to_icd(
    strings: Sequence[str],
    index: IcdIndex,
    normalizer: Normalizer,
    k: int = 15,
    *,
    source: str | None = None,
    column: str | None = None,
    row_number: Callable[[int], int] = lambda i: i + 1,
) -> dict[str, list[Any]]:
    """One row per string, in their order, as columns (`COLUMNS`).

    - `diagnosis`: the string as it came.
    - `icd10`, `name`: the code and its title; None where nothing was found.
    - `how`: "direct" (the string is a name of the code), "code" (the string is the code itself), "nearest" (the code of
      the nearest name under the index's encoder), or "none" (the encoder finds nothing in the string).
    - `score`: 1.0 for direct and code, else the cosine.
    - `candidates`: the k nearest codes as `(code, name, score)`, best first, the chosen one in the first place;
      for "code" that one alone, since the letters of a code say nothing to an encoder.

    Equal strings are computed once. `normalizer` is the one that the index was opened with.
    Errors: `InputError` for what is no text, holds no letter or digit, or is too long, with `source`, `column` and
    `row_number(i)` as its place.
    """
    first: dict[str, int] = {}
    for i, text in enumerate(strings):
        if not isinstance(text, str):
            place = {"source": source, "row": row_number(i), "column": column}
            raise InputError("no text", **place, allowed="a diagnosis in words", got=text)
        first.setdefault(text, i)
    names: dict[str, str] = {}
    for text, i in first.items():
        try:
            (names[text],) = normalize_checked(normalizer, [text])
        except InputError as error:
            place = {"source": source, "row": row_number(i), "column": column}
            raise InputError(error.problem, **place, allowed=error.allowed, got=text) from error
    unique = list(dict.fromkeys(names.values()))
    answer = dict(zip(unique, _answers(unique, index, k), strict=True))
    rows = [answer[names[text]] for text in strings]
    columns: dict[str, list[Any]] = {"diagnosis": list(strings)}
    for place, name in enumerate(COLUMNS[1:]):
        columns[name] = [row[place] for row in rows]
    return columns


def _answers(
    names: list[str], index: IcdIndex, k: int
) -> list[tuple[str | None, str | None, str, float | None, list[Candidate]]]:
    direct = index.direct(names)
    by_name = [i for i, how in enumerate(direct.how) if how != CODE]
    nearest = dict(zip(by_name, index.candidates([names[i] for i in by_name], k), strict=True))
    out = []
    for i in range(len(names)):
        found, node = nearest.get(i), int(direct.nodes[i])
        candidates = _candidates(found, index) if found is not None else []
        if node >= 0:
            chosen = Candidate(index.tree.code(node), index.tree.name(node), 1.0)
            others = [one for one in candidates if one.code != chosen.code]
            candidates = [chosen, *others[: k - 1]] if direct.how[i] == DIRECT else [chosen]
            how = int(direct.how[i])
        elif candidates:
            chosen, how = candidates[0], HOW.index("nearest")
        else:
            out.append((None, None, HOW[NONE], None, []))
            continue
        out.append((chosen.code, chosen.name, HOW[how], chosen.score, candidates))
    return out


def _candidates(found: Nearest, index: IcdIndex) -> list[Candidate]:
    nodes = index.nodes[found.entries]
    return [
        Candidate(index.tree.code(node), index.tree.name(int(node)), min(float(score), 1.0))
        for node, score in zip(nodes, found.cosines, strict=True)
    ]
