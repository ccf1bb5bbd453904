"""What was made of the raw texts of pairs: those that are not understood, those that were read as others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..terms.text.understood import Reading

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = ("not_understood", "read_as")
"""Of a scored table: "a: another script", "b: infraction → infarction"."""


@dataclass(frozen=True)
class TextReadings:
    """Of r texts, by place: why some are not understood, and how some were read. The others are absent.

    unknown : those that are not understood, as they came.
    """

    count: int
    not_understood: Mapping[int, str]
    unknown: Mapping[int, str]
    read_as: Mapping[int, str]

    @classmethod
    def of(cls, texts: Sequence[str], readings: Sequence[Reading | None]) -> TextReadings:
        """None for a text that is no diagnosis at all."""
        there = [(place, reading) for place, reading in enumerate(readings) if reading is not None]
        reasons = {place: reading.not_understood for place, reading in there if reading.not_understood is not None}
        read_as = {
            place: ", ".join(f"{written} → {read}" for written, read in reading.read_as)
            for place, reading in there
            if reading.read_as
        }
        return cls(len(readings), reasons, {place: texts[place] for place in reasons}, read_as)

    def __bool__(self) -> bool:
        return bool(self.not_understood or self.read_as)


@dataclass(frozen=True)
class RowReadings:
    """Of n rows of two texts. a, b : int32[n], places in `texts`."""

    texts: TextReadings
    a: NDArray[np.int32]
    b: NDArray[np.int32]

    @property
    def not_understood(self) -> NDArray[np.bool_]:
        """bool[n]: either side is not understood."""
        return np.logical_or(*self._where(self.texts.not_understood))

    def saying(self, reason: str) -> NDArray[np.bool_]:
        """bool[n]: neither side is understood, for this reason."""
        said = {place: why for place, why in self.texts.not_understood.items() if why == reason}
        return np.logical_and(*self._where(said))

    def first(self, rows: NDArray[np.bool_]) -> tuple[str, str]:
        """The first text of `rows`, bool[n], that is not understood, and the reason."""
        return next(iter(self.unknown(rows, 1).items()))

    def unknown(self, rows: NDArray[np.bool_], most: int) -> dict[str, str]:
        """The first different texts of `rows`, bool[n], that are not understood, at most so many, with the reasons."""
        found: dict[str, str] = {}
        for row in np.flatnonzero(rows).tolist():
            for place in (int(self.a[row]), int(self.b[row])):
                if place in self.texts.unknown and len(found) < most:
                    found[self.texts.unknown[place]] = self.texts.not_understood[place]
            if len(found) == most:
                break
        return found

    def columns(self, unscored: NDArray[np.bool_], *, all_columns: bool = False) -> dict[str, pa.Array]:
        """`COLUMNS`, each where it says something of a row; all of them with `all_columns`. unscored : bool[n]."""
        reasons, read_as = (self._column(said) for said in (self.texts.not_understood, self.texts.read_as))
        import pyarrow as pa
        import pyarrow.compute as pc

        reasons = pc.if_else(pa.array(unscored), reasons, pa.scalar(None, pa.string()))  # pyright: ignore[reportAttributeAccessIssue]
        found = dict(zip(COLUMNS, (reasons, read_as), strict=True))
        return {name: values for name, values in found.items() if all_columns or values.null_count < len(values)}

    def _where(self, said: Mapping[int, str]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        marked = np.zeros(self.texts.count, bool)
        marked[list(said)] = True
        return marked[self.a], marked[self.b]

    def _column(self, said: Mapping[int, str]) -> pa.Array:
        """string[n]: what is said of each side of a row; null where nothing is."""
        import pyarrow as pa

        rows = np.flatnonzero(np.logical_or(*self._where(said)))
        values = []
        for a, b in zip(self.a[rows].tolist(), self.b[rows].tolist(), strict=True):
            sides = [f"{side}: {said[place]}" for side, place in (("a", a), ("b", b)) if place in said]
            values.append("; ".join(sides))
        at = np.full(len(self.a), -1, np.int64)
        at[rows] = np.arange(len(rows))
        return pa.array(values, pa.string()).take(pa.array(at, mask=at < 0))


def empty_columns(rows: int) -> dict[str, pa.Array]:
    """`COLUMNS` of rows of which nothing is said."""
    import pyarrow as pa

    return {name: pa.nulls(rows, pa.string()) for name in COLUMNS}
