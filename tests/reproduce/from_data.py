"""Figures from data, through the commands: small inputs of our own in the forms that the papers publish, and what must come out, by hand.

`made/` holds the inputs, with what is awkward in the published ones: titles and diseases that stand twice, ranks with gaps, keys with a
reason, questions beside cases, a note without a prediction, an index column.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ..command_line import typed
from .figure import Figure, read_rows

MADE = Path(__file__).parent / "made"


def figures(paper: str) -> Iterator[Figure]:
    """paper : as its figures call it."""
    for row in read_rows(MADE / "by_hand.csv"):
        if row["paper"] == paper:
            wanted = dict(one.split("=") for one in row["row"].split(";"))
            found = [one for one in _tables(row["command"]).get(row["table"], ()) if wanted.items() <= one.items()]
            ours = found[0][row["column"]] if len(found) == 1 else math.nan
            yield Figure(paper, "made data", row["what"], float(row["value"]), ours, 1e-8)


@cache
def _tables(command: str) -> dict[str, list[dict[str, Any]]]:
    """What a command prints as JSON, as rows; words that are files of `made/` are taken there."""
    words = [MADE / word if (MADE / word).exists() else word for word in shlex.split(command)]
    done = typed(*words, "--json")
    found = json.loads(done.out) if done.code == 0 else {"tables": {}, "table": [], "per_case": {}}
    cases = [dict(zip(found["per_case"], row, strict=True)) for row in zip(*found["per_case"].values(), strict=True)]
    return {**found["tables"], "table": found["table"], "per_case": cases}
