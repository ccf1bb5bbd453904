"""Calls dxmatch for a golden run of evaluation: the only place that follows renames."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import dxmatch

from ..compare import Row, differences  # noqa: F401
from ..files import lay_out, resolved, rows_of, tables_of

Match = Any
Found = dict[str, list[Row]]
HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))
COUNTS = (
    "n_cases", "references", "lists", "unique_diagnoses", "cut_lists", "rejected_rows", "rejected_cases", "pairs_asked",
    "kappa_categories", "kappa_agreements", "kappa_agreements_by_chain", "short_lists",
)  # fmt: skip
TABLES = ("table", "subgroups", "differences", "subgroup_differences")


class Given:
    """M as a list of pairs with their probabilities; equal texts match, all others do not."""

    identity = "given"

    def __init__(self, pairs: Iterable[Sequence[Any]], threshold: float) -> None:
        self.threshold = threshold
        self.of = {frozenset((a.casefold(), b.casefold())): p for a, b, p in pairs}

    def probabilities(self, a: Sequence[str], b: Sequence[str]) -> np.ndarray:
        both = [frozenset((x.casefold(), y.casefold())) for x, y in zip(a, b, strict=True)]
        return np.array([1.0 if len(pair) == 1 else self.of.get(pair, 0.0) for pair in both])


def find(name: str, folder: Path, seed: int = 0) -> Found:
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    lay_out(run.get("files", {}), folder)
    given = resolved(run.get("options", {}), folder)
    given.setdefault("resampling", {})["seed"] = seed
    try:
        found = VERBS[run["verb"]](run, given)
    except dxmatch.DxmatchError as error:
        return {"errors": [{"kind": type(error).__name__}]}
    return {name: rows_of(rows) for name, rows in found.items() if rows}


@cache
def _shipped(policy: str = "specification", threshold: float | None = None) -> Match:
    return dxmatch.load(policy=policy, threshold=threshold)


def _m(run: Row) -> Match:
    of = run.get("m", {})
    return Given(of["pairs"], of["threshold"]) if "pairs" in of else _shipped(**of)


def _reported(run: Row, given: Row) -> Found:
    report = getattr(dxmatch, run["verb"])(**given, **({} if run["verb"] == "choice" else {"matcher": _m(run)}))
    found = tables_of(report, (*TABLES, *run.get("freeze", ())))
    return found | {"counts": _counts(report.to_dict(), given)} if run["verb"] == "evaluate" else found


def _counts(told: Row, given: Row) -> list[Row]:
    made = dict(told["made_with"])
    for sentence in (one["sentence"] for one in told["findings"] if one["sentence"].startswith("Kappa rests")):
        kappa = ("kappa_categories", "kappa_agreements_by_chain", "kappa_agreements")
        made |= zip(kappa, (int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", sentence)), strict=True)
    parts = {name: of if isinstance(of := made.get(name), Mapping) else {"": of} for name in COUNTS}
    parts |= {
        "left out": dict.fromkeys(told["left_out"], 1), "raters": dict.fromkeys(made["raters"], 1),
        "panel": {who: len(experts) for who, experts in made["panels"].items()},
        "group of models": {f"{who}: {group}": 1 for who, group in made["groups"].items()},
    }  # fmt: skip
    if rejects := given.get("reading", {}).get("rejects"):
        with rejects.open(encoding="utf-8") as lines:
            parts["lines set aside"] = {"": len(list(csv.reader(lines)))}
    return [
        {"count": name, "of": of, "n": n} for name, each in parts.items() for of, n in each.items() if n is not None
    ]


def _audited(run: Row, given: Row) -> Found:
    """Rows by their names: the order of today's follows values that move with the seed."""
    out = {}
    for table, told in dxmatch.audit(_m(run), **given).tables.items():
        rows = [{"of" if at == "name" else at: cell for at, cell in row.items()} for row in told.to_pylist()]
        out[table] = sorted(rows, key=lambda row: [cell for cell in row.values() if isinstance(cell, str)])
    return out


def _called(run: Row, given: Row) -> Found:
    """Each call of a metric by its name; an array is a row for each of its places."""
    rows = []
    for number, call in enumerate(run["calls"]):
        more = {"matcher": _m(run)} if call.get("of_names") else {}
        value = getattr(dxmatch.metrics, call["metric"])(*call["arguments"], **call.get("named", {}), **more)
        cells = enumerate(np.ravel(value).tolist())
        rows += [{"call": number, "metric": call["metric"], "at": at, "value": one} for at, one in cells]
    return {"values": rows}


VERBS = {**dict.fromkeys(("evaluate", "reasoning", "choice"), _reported), "audit": _audited, "metrics": _called}
