"""Lists of terms as users hold them (lists, series, a column of a table or file): which are no diagnosis, and the names of the others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError, ModelError, NotUnderstoodWarning, ReadingWarning, quoted, warn
from ..features.compute import prepare
from ..features.names import Names
from ..features.providers import SHIPPED
from ..files.pairs import refused_texts, why_refused
from ..files.reading import Reading
from ..files.table import of_columns, term_column
from ..files.tables import Table, read_table
from ..progress import Progress, shown
from .batch import PairModel

BLANK = "blank"
NOT_UNDERSTOOD = "not understood: "
_UNNAMED_INDEX = "__index_level_"
"""Begins the name that Arrow gives an index of pandas that has none."""


@dataclass(frozen=True)
class Terms:
    """n terms, as they came; None, NaN and what is no text among them. table : where they stand in `column`; of a list, that one column."""

    texts: Sequence[Any]
    table: Table
    column: str

    @property
    def places(self) -> NDArray[np.int64]:
        """int64[n]: where each stands in its list or frame, or below the header of its file, rows without a value counted; from 0."""
        return self.table.row_numbers() - self.table.first_row

    def others(self, prefix: str, *, index: bool = False) -> dict[str, pa.ChunkedArray]:
        """The other columns of the table, their names with a prefix. index : also the index of a pandas frame, where it has a name."""
        data, frame = self.table.data, self.table.frame
        own = set(data.column_names if frame is None or index else map(str, frame.columns)) - {self.column}
        return {
            f"{prefix}{name}": data.column(name)
            for name in data.column_names
            if name in own and not name.startswith(_UNNAMED_INDEX)
        }

    def native(self, data: pa.Table, rows: Sequence[int] | NDArray[np.int64]) -> Any:
        """`Table.native` of `data`, whose rows are about these of the terms: in pandas, each keeps its term's index."""
        made, frame = self.table.native(data), self.table.frame
        if frame is not None and frame.implementation.is_pandas():
            made.index = frame.to_native().index.take(rows)
        return made


def read_terms(
    source: Any, column: str | None = None, option: str | None = None, reading: Reading = Reading()
) -> Terms:
    """Reads a list of terms.

    Parameters
    ----------
    source : a list, series or array, of which some may be None; or a table, as `read_table` takes it.
    column : the column of a table; as `term_column` finds it.
    option : the parameter that names the column, for errors.

    Raises
    ------
    InputError
        For a source that is empty or a single text, a table without such a column, and a column without a text.
    """
    if has_columns(source) or (option is not None and isinstance(source, str | os.PathLike)):
        table = read_table(source, reading.encoding)
        chosen = term_column(table, column, option)
        return Terms(table.text(chosen).to_pylist(), table, chosen)
    texts = _as_list(source, option or "terms")
    if option is not None and not texts:
        raise InputError("no terms", column=option, allowed="at least one")
    frame = nw.from_native(source, series_only=True).to_frame() if nw.dependencies.is_into_series(source) else None
    name = column or "diagnosis"
    data = of_columns({name: [one if isinstance(one, str) else None for one in texts]}, "terms")
    return Terms(texts, Table(data, "terms", 0, frame), name)


def has_columns(source: Any) -> bool:
    """Whether a list of terms comes as a table rather than as a list, series or array."""
    records = isinstance(source, list | tuple) and bool(source) and isinstance(source[0], Mapping)
    return records or isinstance(source, Table | Mapping) or hasattr(type(source), "columns")


def _as_list(terms: Any, name: str) -> Sequence[Any]:
    methods = ("to_pylist", "tolist", "to_list")  # Arrow, numpy and pandas, polars
    if method := next((one for one in methods if hasattr(terms, one)), None):
        terms = getattr(terms, method)()
    if isinstance(terms, str | bytes | os.PathLike) or not hasattr(terms, "__iter__"):
        raise InputError("not a list of terms", column=name, allowed="a list or a column of texts", got=terms)
    return terms if isinstance(terms, list | tuple) else list(terms)


def _is_missing(value: Any) -> bool:
    """None, and the NaN or NA that a frame has for it."""
    return type(value).__name__ in ("NoneType", "NAType", "NaTType") or (isinstance(value, float) and value != value)


@dataclass(frozen=True)
class Listed:
    """n terms by their names.

    Attributes
    ----------
    texts : as they came; None for what is no text.
    text : int32[n], the place of each among the different texts of all lists that were read together; -1 for what is no text.
    name : int32[n], the place of its name; -1 for what is blank or no text of a diagnosis.
    understood : bool[n].
    problems : by row, why it is blank, no diagnosis, or not understood, in words.
    """

    texts: Sequence[str | None]
    text: NDArray[np.int32]
    name: NDArray[np.int32]
    understood: NDArray[np.bool_]
    problems: dict[int, str]

    def __len__(self) -> int:
        return len(self.texts)

    def warn_of_unknown(self, name: str) -> None:
        """Warns, once, of terms that are not understood; name : of the list."""
        if unknown := [row for row, problem in self.problems.items() if problem.startswith(NOT_UNDERSTOOD)]:
            first, reason = quoted(self.texts[unknown[0]]), self.problems[unknown[0]].removeprefix(NOT_UNDERSTOOD)
            warn(
                f"{len(unknown):,} of {len(self):,} terms ({name}) are not understood; the first is {first} ({reason}).",
                NotUnderstoodWarning,
            )


def prepared(model: PairModel, **lists: Sequence[Any]) -> tuple[Names, list[Listed]]:
    """`listed`, with progress shown, of lists that candidates are looked for in: all that the features need of the names is made.

    Raises
    ------
    InputError
        As of `listed`.
    ModelError
        For a model that has no encoder to find candidates by.
    """
    with shown("Reading terms") as report:
        names, read = listed(model, report, **lists)
    if SHIPPED not in model.providers.encoders:
        raise ModelError("The model has no encoder of its own, so it cannot look for candidates in a list.")
    with shown("Preparing terms") as report:
        prepare(names, model.features, progress=report)
    return names, read


def listed(model: PairModel, progress: Progress | None = None, **lists: Sequence[Any]) -> tuple[Names, list[Listed]]:
    """The names of several lists, and each list with its terms' places among them.

    What is None, NaN, blank or, with a warning, no text is kept as a row without a name.

    lists : by what they are called in warnings and errors.

    Raises
    ------
    InputError
        For a list without a text in which something is not missing.
    """
    kept = [[term if isinstance(term, str) else None for term in terms] for terms in lists.values()]
    texts = list(dict.fromkeys(text for some in kept for text in some if text is not None))
    place_of: dict[str | None, int] = {text: place for place, text in enumerate(texts)}
    codes = [np.array([place_of.get(text, -1) for text in some], np.int32) for some in kept]
    no_texts = [_no_texts(terms, code, side) for (side, terms), code in zip(lists.items(), codes, strict=True)]
    refused = refused_texts(pa.array([text.strip() for text in texts], pa.large_string()))
    sound = np.flatnonzero(~refused)
    names = Names.read([texts[place] for place in sound.tolist()], model.providers, progress=progress)
    reasons = {int(p): why_refused(texts[p].strip())[0] if texts[p].strip() else BLANK for p in np.flatnonzero(refused)}
    name_of, understood = np.full(len(texts) + 1, -1, np.int32), np.zeros(len(texts) + 1, bool)
    name_of[sound] = names.name_of
    understood[sound] = True
    if not model.judge_all:
        understood[sound[list(names.not_understood)]] = False
        reasons |= {int(sound[place]): f"{NOT_UNDERSTOOD}{why}" for place, why in names.not_understood.items()}
    out = []
    for some, code, said in zip(kept, codes, no_texts, strict=True):
        problems = {
            row: reasons.get(int(code[row]), BLANK) for row in np.flatnonzero(~understood[code]).tolist()
        } | said
        out.append(Listed(some, code, name_of[code], understood[code], problems))
    return names, out


def _no_texts(terms: Sequence[Any], code: NDArray[np.int32], side: str) -> dict[int, str]:
    """What is said of the terms that are neither texts nor missing, by row; with a warning, or an error where nothing is a text."""
    found = {row: terms[row] for row in np.flatnonzero(code < 0).tolist() if not _is_missing(terms[row])}
    if found:
        row, value = next(iter(found.items()))
        if not (code >= 0).any():
            raise InputError("not a text", row=row, column=side, allowed="a diagnosis in words, or None", got=value)
        warn(
            f"{len(found):,} of {len(terms):,} terms ({side}) {'is' if len(found) == 1 else 'are'} no text, and treated as blank; the first is in row "
            f"{row}: {quoted(value)}.",
            ReadingWarning,
        )
    return {row: f"not a text: {quoted(value)}" for row, value in found.items()}
