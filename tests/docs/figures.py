"""The figures that a page shows below its code, and whether the code gave them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

import openpyxl

_FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\d)")


def figures_of(text: str) -> list[str]:
    """
    >>> figures_of("1,332 pairs: 83.3 % [58.3, 100.0], I21, T2DM, 2.")
    ['1332', '83.3', '58.3', '100.0', '2']
    """
    return [found.replace(",", "") for found in _FIGURE.findall(text)]


def not_given(shown: str, came: Iterable[str]) -> list[str]:
    """The figures of `shown` that none in `came` is, or rounds to."""
    given = {float(figure) for text in came for figure in figures_of(text)}
    return [figure for figure in figures_of(shown) if not _is_among(figure, given)]


def _is_among(figure: str, given: set[float]) -> bool:
    digits = len(figure.partition(".")[2])
    half = 0.5 * 10.0**-digits + 1e-9 if digits else 0
    return any(abs(float(figure) - one) <= half for one in given)


def cells_of(folder: Path) -> Iterable[str]:
    """The tables that lie in a folder, a text each."""
    for file in folder.glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            yield " ".join(cell for row in csv.reader(opened) for cell in row)
    for file in folder.glob("*.xlsx"):
        for sheet in openpyxl.load_workbook(file, read_only=True):
            yield " ".join(str(cell) for row in sheet.iter_rows(values_only=True) for cell in row)
