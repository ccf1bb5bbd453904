"""Lists of terms as they come: which are no diagnosis, which are not understood, and the names of the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError
from ...features.interning import numbered
from ...files.pairs import refused_texts, why_refused
from ...progress import Progress
from ...terms.icd.naming import Naming
from .scorer import Scorer

BLANK = "blank"
NOT_UNDERSTOOD = "not understood: "
_TEXTS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Listed:
    """n terms.

    Attributes
    ----------
    texts : as they came; None for a missing one.
    name : int32[n], the name of each among those of the `Names`; -1 for what is blank or no text of a diagnosis.
    understood : bool[n].
    problems : by row, why it is blank, no diagnosis, or not understood, in words.
    """

    texts: Sequence[Any]
    name: NDArray[np.int32]
    understood: NDArray[np.bool_]
    problems: dict[int, str]

    def __len__(self) -> int:
        return len(self.texts)


def listed(m: Scorer, *lists: Sequence[Any], progress: Progress | None = None) -> tuple[list[str], list[Listed]]:
    """The different normalised names of several lists, and each list with its terms' places among them.

    What is None, NaN or blank is kept as a row without a name. Errors: `InputError` for what is neither a text nor missing.
    """
    index: dict[str, int] = {}
    codes = [_codes(terms, index, which if len(lists) > 1 else None) for which, terms in zip("ab", lists, strict=False)]
    texts = list(index)
    refused = refused_texts(pa.array([text.strip() for text in texts], pa.large_string()))
    reasons: dict[int, str] = {}
    for place in np.flatnonzero(refused).tolist():
        stripped = texts[place].strip()
        reasons[place] = why_refused(stripped)[0] if stripped else BLANK
    sound = np.flatnonzero(~refused)
    named, unknown = _named(m, [texts[place] for place in sound.tolist()], progress)
    reasons |= {int(sound[i]): f"{NOT_UNDERSTOOD}{why}" for i, why in unknown.items()}
    names, of_named = numbered(named)
    name_of = np.full(len(texts) + 1, -1, np.int32)
    name_of[sound] = of_named
    understood = ~np.append(refused, True)
    understood[sound[list(unknown)]] = False
    out = []
    for terms, code in zip(lists, codes, strict=True):
        marked = np.flatnonzero(~understood[code]).tolist()
        problems = {row: reasons.get(int(code[row]), BLANK) for row in marked}
        out.append(Listed(terms, name_of[code], understood[code], problems))
    return names, out


def _codes(terms: Sequence[Any], index: dict[str, int], which: str | None) -> NDArray[np.int32]:
    """int32[n]: the place of each term in `index`, -1 for a missing one."""
    codes = np.full(len(terms), -1, np.int32)
    for row, text in enumerate(terms):
        if isinstance(text, str):
            codes[row] = index.setdefault(text, len(index))
        elif not _is_missing(text):
            raise InputError("not a text", row=row, column=which, allowed="a diagnosis in words, or None", got=text)
    return codes


def _is_missing(value: Any) -> bool:
    """None, and the NaN or NA that a frame has for it."""
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _named(m: Scorer, texts: Sequence[str], progress: Progress | None) -> tuple[list[str], dict[int, str]]:
    """The names of texts, and by place why some are not understood."""
    naming: Naming = m.providers.naming
    names: list[str] = []
    unknown: dict[int, str] = {}
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        some = texts[start : start + _TEXTS_AT_ONCE]
        if naming.vocabulary is None:
            names += naming(some)
        else:
            readings = naming.read(some)
            if not m.judge_all:
                unknown |= {start + i: r.not_understood for i, r in enumerate(readings) if r.not_understood is not None}
            names += [reading.name for reading in readings]
        if progress is not None:
            progress(len(names), len(texts))
    return names, unknown
