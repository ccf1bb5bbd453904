"""How often M is right on diagnoses in plain words, kind by kind: synonyms, negation, kinds and classes, what is no diagnosis.

    python -m dxmatch.recipe.plain_words --model FOLDER --wrong

The pairs are `tests/data/plain_words.csv`: kind, a, b, and the relation that is expected of them. Nothing is trained on them.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cyclopts import App
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..matcher.match_function import load
from ..matcher.protocol import Matcher

NOT_UNDERSTOOD = "not understood"
MATCHES = frozenset(("same", "narrower", "broader"))
EXPECTED = (*sorted(MATCHES), "related", "unrelated", "excluded", NOT_UNDERSTOOD)
"""`a` is a kind of `b` in narrower, `b` of `a` in broader; in excluded one denies what the other says."""
COLUMNS = ("kind", "a", "b", "expected")
POLICY = "specification"
LEVEL = 0.95
FILE = Path(__file__).resolve().parents[1] / "tests" / "data" / "plain_words.csv"
"""In a copy of the repository; the wheel has it not."""

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")

app = App()


@dataclass(frozen=True)
class PlainWords:
    """n pairs, with the kind of each and the relation that is expected, one of `EXPECTED`."""

    kind: list[str]
    a: list[str]
    b: list[str]
    expected: list[str]

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class Judged:
    r"""What M says of the n pairs of `words`.

    probability : float64[n], NaN where M leaves the pair unscored.
    right : bool[n], a match where `MATCHES` has what is expected, no match elsewhere, no score of what is not understood.
    relation : the relation by M, where it has one. relation_right : bool[n], that it is the very one that is expected.
    """

    words: PlainWords
    probability: NDArray[np.float64]
    right: NDArray[np.bool_]
    relation: Sequence[str | None] | None = None

    @property
    def relation_right(self) -> NDArray[np.bool_] | None:
        if self.relation is None:
            return None
        return np.array([said == e for said, e in zip(self.relation, self.words.expected, strict=True)])


def read_plain_words(path: str | os.PathLike[str] = FILE) -> PlainWords:
    r"""The pairs of a CSV with the columns kind, a, b, expected; `\u00ad` and the like stand for the character.

    Raises
    ------
    InputError
        For a file that is not there, other columns, an empty cell, or an expectation that is none of `EXPECTED`.
    """
    source = str(path)
    if not Path(path).is_file():
        raise InputError("there is no such file", source=source, allowed="a CSV of pairs in plain words")
    with Path(path).open(encoding="utf-8", newline="") as handle:
        table = csv.DictReader(handle)
        if tuple(table.fieldnames or ()) != COLUMNS:
            raise InputError("wrong columns", source=source, allowed=", ".join(COLUMNS), got=table.fieldnames)
        columns: list[list[str]] = [[] for _ in COLUMNS]
        for number, row in enumerate(table, 2):
            for name, column in zip(COLUMNS, columns, strict=True):
                if not row[name]:
                    raise InputError("an empty cell", source=source, row=number, column=name, allowed="a text", got="")
                column.append(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), row[name]))
            if row["expected"] not in EXPECTED:
                raise InputError(
                    "an unknown expectation", source=source, row=number, column="expected",
                    allowed=", ".join(EXPECTED), got=row["expected"],
                )  # fmt: skip
    return PlainWords(*columns)


def judged(matcher: Matcher, words: PlainWords) -> Judged:
    """What M, under the policy `specification`, says of the pairs, beside what is expected.

    Raises
    ------
    OptionError
        For an M of another policy: what it calls a match is not what is expected here.
    """
    policy = getattr(matcher, "policy", POLICY)
    if policy != POLICY:
        raise OptionError("matcher", f"one of the policy {POLICY}", f"the policy {policy}")
    probability = np.asarray(matcher.probabilities(words.a, words.b), float)
    scored = ~np.isnan(probability)
    match = np.array([one in MATCHES for one in words.expected])
    understood = np.array([one != NOT_UNDERSTOOD for one in words.expected])
    right = np.where(understood, scored & ((probability >= matcher.threshold) == match), ~scored)
    relations = getattr(matcher, "relations", None)
    return Judged(words, probability, right, None if relations is None else list(relations(words.a, words.b).kinds))


def measure_plain_words(matcher: Matcher, words: PlainWords) -> dict[str, Any]:
    """How often M is right: {"policy", "level", "all": share, "kinds": {kind: share}}, for the manifest's metrics.

    A share is {"pairs", "right", "value", "low", "high"}, with a Wilson interval. Where M tells relations it has "relation"
    too, the share of the pairs in understood words whose very relation is right.
    """
    found = judged(matcher, words)
    kinds = np.array(words.kind)
    return {
        "policy": POLICY,
        "level": LEVEL,
        "all": _share_of(found, np.ones(len(words), bool)),
        "kinds": {kind: _share_of(found, kinds == kind) for kind in dict.fromkeys(words.kind)},
    }


def _share_of(found: Judged, rows: NDArray[np.bool_]) -> dict[str, Any]:
    out: dict[str, Any] = share(found.right[rows])
    if (exact := found.relation_right) is not None:
        understood = rows & np.array([one != NOT_UNDERSTOOD for one in found.words.expected])
        out["relation"] = share(exact[understood])
    return out


def share(right: NDArray[np.bool_]) -> dict[str, Any]:
    """pairs, right, and the value with its Wilson interval; None of nothing."""
    from scipy.stats import binomtest

    n, k = len(right), int(right.sum())
    if not n:
        return {"pairs": 0, "right": 0, "value": None, "low": None, "high": None}
    interval = binomtest(k, n).proportion_ci(LEVEL, "wilson")
    return {"pairs": n, "right": k, "value": k / n, "low": float(interval.low), "high": float(interval.high)}


@app.default
def main(*, words: Path = FILE, model: Path | None = None, wrong: bool = False) -> None:
    """Measures a match function on diagnoses in plain words, kind by kind.

    Parameters
    ----------
    words
        The pairs: kind, a, b, expected.
    model
        A model folder; the shipped model if not given.
    wrong
        Print each pair that M gets wrong, too.
    """
    from rich.console import Console
    from rich.table import Table

    matcher, pairs = load(model), read_plain_words(words)
    measured = measure_plain_words(matcher, pairs)
    told = "relation" in measured["all"]
    table = Table("Kind", "pairs", "right", "share", "95 % interval", *(["relation"] if told else []))
    for kind, one in {**measured["kinds"], "all": measured["all"]}.items():
        cells = [
            f"{one['pairs']:,}",
            f"{one['right']:,}",
            f"{one['value']:.3f}",
            f"{one['low']:.3f} to {one['high']:.3f}",
        ]
        if told:
            exact = one["relation"]["value"]
            cells.append("" if exact is None else f"{exact:.3f}")
        table.add_row(kind, *cells)
    Console().print(table)
    if not wrong:
        return
    found = judged(matcher, pairs)
    for i in np.flatnonzero(~found.right).tolist():
        said = "unscored" if np.isnan(found.probability[i]) else f"{found.probability[i]:.3f}"
        by_name = "" if found.relation is None else f" ({found.relation[i]})"
        print(f"{pairs.kind[i]}: {pairs.a[i]!r} / {pairs.b[i]!r}: expected {pairs.expected[i]}, M {said}{by_name}")


if __name__ == "__main__":
    app()
