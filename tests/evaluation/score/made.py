"""Tables of cases."""

from __future__ import annotations

import csv
import math
from pathlib import Path


def table_of(name: str) -> list[dict[str, str]]:
    """The rows of a table of cases in this folder."""
    with (Path(__file__).parent / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def expected_in(row: dict[str, str]) -> float:
    """The value of the fraction in the column `expected`."""
    return eval(row["expected"], {"__builtins__": {}}, vars(math))
