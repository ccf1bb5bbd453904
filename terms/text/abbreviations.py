"""A user's own abbreviations, from a table."""

from __future__ import annotations

import os

from ...files.tables import read_table


def read_abbreviations(path: str | os.PathLike[str]) -> dict[str, str]:
    """A user's abbreviation table: the columns `abbreviation` and `expansion`, each abbreviation once."""
    table = read_table(path)
    out: dict[str, str] = {}
    for name in ("abbreviation", "expansion"):
        table.require(name)
    for row, (short, long) in enumerate(
        zip(table.required_text("abbreviation").to_pylist(), table.required_text("expansion").to_pylist(), strict=True)
    ):
        if out.setdefault(short, long) != long:
            raise table.error(
                "the abbreviation stands twice", row, "abbreviation", allowed="one expansion each", got=short
            )
    return out
