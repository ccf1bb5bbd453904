"""Lists of terms as they come: which are no diagnosis, which are not understood, and the names of the others."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError, ReadingWarning, quoted
from ...features.interning import numbered
from ...files.pairs import refused_texts, why_refused
from ...progress import Progress
from ...terms.icd.naming import Naming
from .scorer import Scorer
from .tables import is_missing, only_texts

BLANK = "blank"
NO_TEXT = "not a text: "
NOT_UNDERSTOOD = "not understood: "
_TEXTS_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Listed:
    """n terms.

    Attributes
    ----------
    texts : as they came; None for what is no text.
    text : int32[n], the place of each among the different texts of all lists that were read together; -1 for what is no text.
    name : int32[n], the name of each among those of the `Names`; -1 for what is blank or no text of a diagnosis.
    understood : bool[n].
    problems : by row, why it is blank, no diagnosis, or not understood, in words.
    """

    texts: Sequence[Any]
    text: NDArray[np.int32]
    name: NDArray[np.int32]
    understood: NDArray[np.bool_]
    problems: dict[int, str]

    def __len__(self) -> int:
        return len(self.texts)


def listed(
    m: Scorer, *lists: Sequence[Any], sides: Sequence[str] = ("a", "b"), progress: Progress | None = None
) -> tuple[list[str], list[Listed]]:
    """The different normalised names of several lists, and each list with its terms' places among them.

    What is None, NaN, blank or, with a warning, no text is kept as a row without a name.

    sides : what the lists are called in warnings and errors.

    Errors: `InputError` for a list without a text in which something is not missing.
    """
    index: dict[str, int] = {}
    codes = [_codes(terms, index) for terms in lists]
    no_texts = list(map(_no_texts, lists, codes, sides))
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
    for terms, code, said in zip(lists, codes, no_texts, strict=True):
        marked = np.flatnonzero(~understood[code]).tolist()
        problems = {row: reasons.get(int(code[row]), BLANK) for row in marked} | said
        out.append(Listed(only_texts(terms), code, name_of[code], understood[code], problems))
    return names, out


def _codes(terms: Sequence[Any], index: dict[str, int]) -> NDArray[np.int32]:
    """int32[n]: the place of each term in `index`, -1 for what is no text."""
    places = (index.setdefault(text, len(index)) if isinstance(text, str) else -1 for text in terms)
    return np.fromiter(places, np.int32, len(terms))


def _no_texts(terms: Sequence[Any], code: NDArray[np.int32], side: str) -> dict[int, str]:
    """What is said of the terms that are neither texts nor missing, by row; with a warning, or an error where nothing is a text."""
    found = {row: terms[row] for row in np.flatnonzero(code < 0).tolist() if not is_missing(terms[row])}
    if found:
        row, value = next(iter(found.items()))
        if not (code >= 0).any():
            raise InputError("not a text", row=row, column=side, allowed="a diagnosis in words, or None", got=value)
        warnings.warn(
            f"{len(found):,} of {len(terms):,} terms ({side}) {'is' if len(found) == 1 else 'are'} no text, and treated as blank; the first is in row "
            f"{row}: {quoted(value)}.",
            ReadingWarning,
            stacklevel=6,
        )
    return {row: f"{NO_TEXT}{quoted(value)}" for row, value in found.items()}


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
