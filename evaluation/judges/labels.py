"""Columns of labels by people: a column, or one for each of several; 1, 0 or no label; and what most of them say."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.tables import Table
from ...votes.answer_tables import VERDICTS_ALLOWED, verdict_of
from ..lists.shapes.names import folded

LABEL = "label"
HUMAN = "human"
"""Who labelled, where there is but one, without a name."""
NO_LABEL = -1


def label_columns(table: Table, column: str = LABEL) -> dict[str, str]:
    """Person -> the name of the column, which is `column`, or COLUMN_NAME for each of several; {} where there is none."""
    found: dict[str, str] = {}
    for name in table.names:
        head, who = name.strip()[: len(column)], name.strip()[len(column) :]
        if folded(head) == column and (not who or who[0] == "_"):
            found[who[1:] or HUMAN] = name
    return found


def read_labels(table: Table, columns: Collection[str]) -> NDArray[np.int8]:
    """int8 [n, h]: 1, 0, or -1 for none. Errors: `InputError` for the first label that is none, with its row."""
    problems: dict[int, InputError] = {}
    parsed = [
        table.parsed(name, verdict_of, "a label of no known kind", VERDICTS_ALLOWED, problems) for name in columns
    ]
    if problems:
        raise problems[min(problems)]
    labels = np.array([[NO_LABEL if said is None else said for said in column] for column in parsed], np.int8)
    return labels.reshape(len(columns), len(table)).T


def majority_of(labels: NDArray[np.int8]) -> NDArray[np.int8]:
    """labels : [m, h]. int8 [m]: what more of the people say; -1 where as many say the one as the other."""
    votes = (labels == 1).sum(1) - (labels == 0).sum(1)
    return np.where(votes > 0, 1, np.where(votes < 0, 0, NO_LABEL)).astype(np.int8)
