"""Who of the raters of a table is what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import Named, Problems, roles
from .lists import FINAL, REFERENCE, UNUSED, assign_roles, note_unused


class Who(NamedTuple):
    """role : rater -> its role, "" where nothing tells it; not of the reference. told : whether anything tells the roles.

    is_reference, is_final : bool [rows]. in_use : bool [raters + 1], the last for no rater.
    """

    role: dict[int, str]
    told: bool
    is_reference: NDArray[np.bool_]
    is_final: NDArray[np.bool_]
    in_use: NDArray[np.bool_]
    notes: list[str]


def who(column: str | None, of_rater: Named, algorithms: Iterable[str] | None, problems: Problems) -> Who:
    """Who is an expert, an algorithm or the reference, by the column role and by those named as algorithms."""
    raters = of_rater[1]
    role_of_rater, role_of_row = roles(column, of_rater, problems)
    listed = [i for i in range(len(raters)) if role_of_rater is None or role_of_rater[i] != REFERENCE]
    assigned = None if role_of_rater is None else tuple(role_of_rater[i] for i in listed)
    notes: list[str] = []
    if algorithms is not None:
        names = [raters[i] for i in listed]
        assigned = assign_roles(names, assigned, algorithms, problems.table.source)
        notes = note_unused(names, assigned)
    role = dict(zip(listed, assigned or [""] * len(listed), strict=True))
    in_use = np.array([role.get(i, UNUSED) != UNUSED for i in range(len(raters))] + [False])
    return Who(role, assigned is not None, role_of_row == REFERENCE, role_of_row == FINAL, in_use, notes)
