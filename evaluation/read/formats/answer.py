"""What one model answered to one case, in whatever format it was kept; several right answers in one value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_APART = re.compile(r"[;\n\r]+")
_LONGEST_GROUP = 60
"""Characters; a longer text describes one case and is no group of cases."""


@dataclass(frozen=True)
class Answer:
    """One model's answer to one case.

    Attributes
    ----------
    case_id : the case.
    model : who answered; None where only the right answers of the case are told.
    diagnoses : the answer as a list, likeliest first; None where it is in `text`, or there is none.
    text : the answer as it was written; None where it is in `diagnoses`.
    references : the right answers of the case; () where they are not told.
    more : what else is told of the case, each a group that figures can be given for.
    source, row : the file, and where in it, as its reader sees it (0: the whole file).
    """

    case_id: str
    model: str | None
    diagnoses: list[str] | None = None
    text: str | None = None
    references: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)
    source: str | Path = ""
    row: int = 0


def references_in(value: Any) -> tuple[str, ...]:
    """The right answers in a value: a list of them, or a text that holds several. None and blanks are none.

    A comma does not part: "diabetes mellitus, type 2" is one.

    >>> references_in("Cholelithiasis; hypertension")
    ('Cholelithiasis', 'hypertension')
    """
    values = value if isinstance(value, list | tuple) else [value]
    parts = [part for one in values if one is not None for part in _APART.split(str(one))]
    return tuple(dict.fromkeys(part.strip() for part in parts if any(map(str.isalnum, part))))


def groups_in(values: Any) -> dict[str, str]:
    """Of an object what may be a group of cases: short texts, whole numbers and yes or no."""
    texts = {str(key): str(value).strip() for key, value in (values or {}).items() if isinstance(value, str | int)}
    return {key: text for key, text in texts.items() if 0 < len(text) <= _LONGEST_GROUP}
