"""Labels by humans on the items that judges decide on: is this reference diagnosis in this rater's answer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, plain, quoted
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...files.tables import Table
from ..lists.lists import Lists, as_text
from ..lists.shapes.names import columns_by_name
from .judged import Item
from .labels import LABEL, NO_LABEL, label_columns, majority_of, read_labels

MAJORITY = "majority"
_SHOWN = 4


@dataclass(frozen=True)
class HumanLabels:
    """What h humans say of m items.

    items : (case, rater, reference) as places in the lists, each once. labels : int8 [m, h], 1 included, 0 not included, -1 no label.
    humans : their names; "human" of one who has none.
    """

    items: list[Item]
    labels: NDArray[np.int8]
    humans: list[str]

    @property
    def majority(self) -> NDArray[np.int8]:
        """int8 [m]: what more of the humans say; -1 where as many say the one as the other."""
        return majority_of(self.labels)


def read_human(source: Any, lists: Lists) -> HumanLabels:
    """A table of labels: case_id, rater (or algorithm, model), reference, and label, or label_NAME for each of several humans.

    source : a path, a frame, a list of dicts or a dict of columns. rater may be missing where there is one, reference where each case that
    is labelled has one. A label is 1 or 0, in one of the words of `votes.answer_tables.verdict_of`, or blank for none.

    Raises
    ------
    InputError
        With the row: for an item that is not in the lists, one that is labelled twice, and a label that is none; for a missing column,
        and where nothing is labelled.
    """
    table = read_visible(source)
    of_label = label_columns(table)
    if not of_label:
        allowed = f"a column {LABEL!r}, or {LABEL}_NAME for each of several humans"
        raise InputError("no column of labels", source=table.source, allowed=allowed, got=table.names)
    names = columns_by_name([name for name in table.names if name not in of_label.values()], {}, table.source)
    if "case_id" not in names:
        table.require("case_id")
    if "rater" not in names and len(lists.raters) > 1:
        table.require("rater", "whose answer was labelled")
    item_of = _Items.of(lists, table, names)
    items: dict[Item, int] = {}
    labels = read_labels(table, of_label.values())
    for row in range(len(table)):
        item = item_of(row)
        if item in items:
            first = table.row_number(items[item])
            raise table.error(f"an item that is labelled twice (first in row {first})", row, names["case_id"])
        items[item] = row
    if not (labels != NO_LABEL).any():
        raise InputError("no item is labelled", source=table.source, allowed="1 or 0 in at least one row")
    return HumanLabels(list(items), labels, list(of_label))


@dataclass(frozen=True)
class _Items:
    """Row of the table -> the item that it labels."""

    lists: Lists
    table: Table
    names: Mapping[str, str]
    cells: Mapping[str, list[str]]
    cases: Mapping[str, int]
    raters: Mapping[str, int]

    @classmethod
    def of(cls, lists: Lists, table: Table, names: Mapping[str, str]) -> _Items:
        wanted = [ours for ours in ("case_id", "rater", "reference") if ours in names]
        cells = {ours: [as_text(value) for value in table.column(names[ours])] for ours in wanted}
        cases, raters = ({name: place for place, name in enumerate(of)} for of in (lists.cases, lists.raters))
        return cls(lists, table, names, cells, cases, raters)

    def __call__(self, row: int) -> Item:
        case = self._place(row, "case_id", self.cases, "case")
        rater = self._place(row, "rater", self.raters, "rater") if "rater" in self.names else 0
        references = list(dict.fromkeys(self.lists.reference[case]))
        who, name = self.lists.raters[rater], self.lists.cases[case]
        if self.lists.absent[case, rater]:
            raise self.table.error(f"{quoted(who)} has no list for the case {quoted(name)}", row, self.names["case_id"])
        if not references:
            raise self.table.error(f"the case {quoted(name)} has no reference diagnosis", row, self.names["case_id"])
        said = self.cells["reference"][row] if "reference" in self.names else ""
        if not said:
            if len(references) == 1:
                return case, rater, 0
            problem = f"the case {quoted(name)} has {len(references)} reference diagnoses, and the label does not say which is meant"
            column = self.names.get("reference", self.names["case_id"])
            raise self.table.error(problem, row, column, allowed=_some(references))
        folds = [reference.strip().casefold() for reference in references]
        if said.casefold() not in folds:
            problem = f"no reference diagnosis of the case {quoted(name)}{hint(said, references)}"
            raise self.table.error(problem, row, self.names["reference"], allowed=_some(references), got=said)
        return case, rater, folds.index(said.casefold())

    def _place(self, row: int, ours: str, places: Mapping[str, int], what: str) -> int:
        said = self.cells[ours][row]
        if said not in places:
            problem = f"no {what} of the lists{hint(said, list(places))}"
            raise self.table.error(problem, row, self.names[ours], allowed=_some(list(places)), got=said)
        return places[said]


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(plain, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
