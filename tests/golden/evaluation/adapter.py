"""Calls dxmatch for a golden run of evaluation, and gives what it found under neutral names: the only place that follows renames."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import narwhals as nw
import numpy as np

import dxmatch

from ..compare import Row, Table, differences  # noqa: F401
from ..files import lay_out

Match = Any
Found = dict[str, Table]
HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))
EXAMPLE = Path(dxmatch.__file__ or "").parent / "example"
# neutral word -> our keyword, where they differ
OPTIONS = {
    "right_answers": "references", "subgroups": "by", "groups_of_models": "groups", "each_in_turn": "in_turn", "curves_to": "max_k",
    "tree": "icd_source", "labelled_pairs": "labelled", "human_labels": "human", "resamples": "bootstrap", "set_aside": "rejects",
}  # fmt: skip
# option of `evaluate` -> the object it is a field of, and its name there
FIELDS = {
    **{name: ("reading", name) for name in ("columns", "format", "missing", "no_diagnosis", "rejects")},
    **{name: ("panel", name) for name in ("algorithms", "in_turn", "hardness", "denominator", "max_k", "labelled")},
    "codes": ("codes", "table"), "icd_source": ("codes", "tree"), "human": ("judge", "human"), "difficulty": ("graded", "difficulty"),
    "semantic_best": ("graded", "best"), "bootstrap": ("resampling", "resamples"), "level": ("resampling", "level"),
}  # fmt: skip
# our column -> neutral name; None is left out: words, and what says nothing that another column does not
COLUMNS = {
    "algorithm": "rater", "run": "rater", "model": "rater", "case_id": "case", "n_cases": "n", "n_notes": "n", "n_questions": "n",
    "p_holm": "p_corrected", "n_comparisons": "comparisons", "sd": "spread", "name": None, "reason": None, "undefined_repeats": None,
    "n_pairs": None, "chapter_name": None, "says": None, "why": None, "answer": None, "response": None,
}  # fmt: skip
# our table -> its neutral name and key
TABLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "table": ("values", ("by", "group", "metric", "of", "rater", "k", "hardness")),
    "differences": ("differences", ("by", "group", "metric", "of", "k", "first", "second")),
    "relative.curves": ("curves", ("metric", "rater", "k", "hardness")),
    "relative.pairs": ("pairs_of_raters", ("metric", "k", "first", "second")),
    "hierarchical.chapters": ("chapters", ("chapter", "rater")),
    "hierarchical.rank_shifts": ("rank_shifts", ("rater", "from", "to")),
    "hierarchical.codes": ("without_a_code", ("rater",)),
    "weighted.plane": ("plane", ("rater", "difficulty")),
    "weighted.quadrants": ("quadrants", ("rater", "right_by")),
    "prompts": ("prompts", ("by", "group", "metric", "of", "k", "rater")),
    "prompt_values": ("prompt_values", ("by", "group", "metric", "of", "k", "rater", "prompt")),
    "weighted.severity_errors": ("severity_errors", ("by", "group", "rater")),
    "correction.errors": ("errors_of_m", ()),
    "human.agreement": ("agreement_with_people", ("who", "against", "metric")),
}  # fmt: skip
REASONING = {"data": ("data", ("by", "group")), "notes": ("cases", ("rater", "note"))}
BY_NOBODY = ("Acc_cat", "Acc_diag")
AVERAGES = {"mean of the subsets": "mean of subsets", "quantity-weighted average": None}
AUDIT = {
    "features": ("feature",), "contributions": ("a", "b"), "permutation": ("of",), "families": ("of", "way"), "alone": ("feature",),
    "correlations": ("first", "second"), "measures": ("pairs", "measure"), "reliability": ("from",),
    "kinds": ("error", "kind"), "worst": ("error", "a", "b"),
}  # fmt: skip
COUNTS = (
    "n_cases", "references", "lists", "unique_diagnoses", "cut_lists", "rejected_rows", "rejected_cases", "pairs_asked",
    "kappa_categories", "kappa_agreements", "kappa_agreements_by_chain", "short_lists",
)  # fmt: skip
NAMES = {metric.symbol: metric.name for metric in dxmatch.metrics.all_metrics()}


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
    given = {OPTIONS.get(word, word): _resolved(value, folder) for word, value in run.get("options", {}).items()}
    try:
        return VERBS[run["verb"]](run, given, seed)
    except dxmatch.DxmatchError as error:
        return {"errors": Table(("kind",), [{"kind": type(error).__name__}])}


def _resolved(value: Any, folder: Path) -> Any:
    """ "file:x" is the run's own file x, "example:x" one of the bundled example."""
    if isinstance(value, str):
        where, _, name = value.partition(":")
        return {"file": folder / name, "example": EXAMPLE / name}.get(where, value)
    if isinstance(value, list):
        return [_resolved(one, folder) for one in value]
    return {key: _resolved(one, folder) for key, one in value.items()} if isinstance(value, dict) else value


@cache
def _shipped(policy: str | None = None, threshold: float | None = None) -> Match:
    m = dxmatch.load(**({} if policy is None else {"policy": policy}))
    m.threshold = m.threshold if threshold is None else threshold
    return m


def _m(run: Row) -> Match:
    of = run.get("m", {})
    return Given(of["pairs"], of["threshold"]) if "pairs" in of else _shipped(of.get("policy"), of.get("threshold"))


def _evaluated(run: Row, given: Row, seed: int) -> Found:
    options: Row = {"resampling": {"seed": seed}}
    for name, value in given.items():
        whole, field = FIELDS.get(name, ("answers" if name == "predictions" else name, ""))
        options[whole] = {**options.get(whole, {}), field: value} if field else value
    report = dxmatch.evaluate(matcher=_m(run), **options)
    held = report.to_dict()
    for row in (*held["table"], *held["subgroups"], *(row for some in held["tables"].values() for row in some)):
        row.pop("sd", None)  # of the cases: frozen of notes alone
    rows = {
        "table": held["table"] + held["subgroups"],
        "differences": held["differences"] + held["subgroup_differences"],
    }
    uncoded = ("algorithm", "diagnoses", "without_code", "share_without_code")
    for name, some in held["tables"].items():
        if name == "hierarchical.codes":  # frozen where some had none, without the ways to the others
            some = [{part: row[part] for part in uncoded} for row in some if any(one["without_code"] for one in some)]
        table = name.rpartition(".")[2]
        rows.setdefault(table if table.startswith("prompt") else name, []).extend(some)
    printed = {
        row["name"]: ", ".join(str(row[part]) for part in ("metric", "of", "k") if row[part]) for row in held["table"]
    }
    out = {
        TABLES[name][0]: _table(TABLES[name][1], some, printed)
        for name, some in rows.items()
        if name in TABLES and some
    }
    out["counts"] = Table(("count", "of"), _counts(held, given.get("rejects")))
    out["cases"] = _table(("case", "rater"), _transposed(held["per_case"]), printed)
    if report.evidence.case_table is not None and "matches" in run.get("freeze", ()):
        out["matches"] = _table(("case", "rater", "rank"), nw.from_native(report.matches).rows(named=True))
    kept = {"values", "differences", "counts", *run.get("freeze", ())}
    return {name: table for name, table in out.items() if name in kept}


def _counts(held: Row, rejects: Path | None) -> list[Row]:
    made, out = dict(held["made_with"]), []
    for sentence in (one["sentence"] for one in held["findings"] if one["sentence"].startswith("Kappa rests")):
        kappa = ("kappa_categories", "kappa_agreements_by_chain", "kappa_agreements")
        made |= zip(kappa, (int(n.replace(",", "")) for n in re.findall(r"\d[\d,]*", sentence)), strict=True)
    for name in COUNTS:
        of = made.get(name)
        parts = of if isinstance(of, Mapping) else {} if of is None else {"": of}
        out += [_neutral({"count": name.removeprefix("n_"), "of": part, "n": int(n)}) for part, n in parts.items()]
    out += [{"count": "left out", "of": family, "n": 1} for family in held["left_out"]]
    out += [{"count": "raters", "of": rater, "n": 1} for rater in made["raters"]]
    out += [{"count": "panel", "of": who, "n": len(experts)} for who, experts in made["panels"].items()]
    out += [{"count": "group of models", "of": f"{who}: {group}", "n": 1} for who, group in made["groups"].items()]
    if rejects is not None:
        with rejects.open(encoding="utf-8") as lines:
            out.append({"count": "lines set aside", "n": len(list(csv.reader(lines)))})
    return out


def _reasoned(run: Row, given: Row, seed: int) -> Found:
    notes, resampling = given.pop("annotations"), {"resamples": given.pop("bootstrap"), "seed": seed}
    held = dxmatch.reasoning(notes=notes, matcher=_m(run), resampling=resampling, **given).to_dict()
    every = [{"by": "all", "group": "all", **row} for row in held["table"]]
    groups = [row for row in held["subgroups"] if row["group"] not in AVERAGES]
    out = {
        "values": _table(("by", "group", "metric", "judged_by", "rater"), map(_judged, every + groups)),
        "differences": _table(("metric", "judged_by", "first", "second"), map(_judged, held["differences"])),
    }
    further = {name: held["tables"].get(f"reasoning.{name}") for name in REASONING}
    if people := held["tables"].get("human.agreement"):
        out["agreement_with_people"] = _table(("question", "who", "against"), _with_people(people))
    return out | {REASONING[name][0]: _table(REASONING[name][1], rows) for name, rows in further.items() if rows}


def _with_people(rows: Sequence[Row]) -> list[Row]:
    """M against the majority, accuracy and kappa side by side, with the counts that the metrics rest on."""
    found: dict[str, Row] = {}
    for row in rows:
        first = found.setdefault(row["question"], {**row, "of": row["against"]})
        if (row["who"], row["against"]) == ("M", first["of"]):
            first[row["metric"]] = row
    out = []
    for question, row in found.items():
        accuracy, kappa, items = row["accuracy"], row["kappa"], row["items"]
        both = round((row["recall"]["value"] or 0) * row["included"])
        neither = round(accuracy["value"] * items) - both
        cells = {"both": both, "against_alone": row["included"] - both, "neither": neither}
        out.append({
            "question": question, "who": "M", "against": "people", "accuracy": accuracy["value"], "low": accuracy["low"], "high": accuracy["high"],
            "kappa": kappa["value"], "kappa_low": kappa["low"], "kappa_high": kappa["high"], **cells,
            "who_alone": items - sum(cells.values()), "pairs": items, "notes": row["n_cases"],
        })  # fmt: skip
    return out


def _judged(row: Row) -> Row:
    """A row with whose pairs of observations it rests on, where it rests on any."""
    return {**row, "of": None, "judged_by": None if row["metric"] in BY_NOBODY else row["of"] or "M"}


def _chosen(run: Row, given: Row, seed: int) -> Found:
    """Each subset, all of them, and their mean, with how many answers stand behind it; one subset is all."""
    if "model" in given:
        given["answers"] = {given.pop("model"): given["answers"]}
    held = dxmatch.choice(resampling={"resamples": given.pop("bootstrap"), "seed": seed}, **given).to_dict()
    parts = [row for row in held["subgroups"] if AVERAGES.get(row["group"], "") is not None]
    whole = "all (weighted by questions)" if parts else "all"
    rows = [
        *({**row, "subset": whole} for row in held["table"]),
        *({**row, "by": None, "group": None, "subset": AVERAGES.get(row["group"], row["group"])} for row in parts),
    ]
    answers = held["tables"]["choice.answers"]
    for row in rows:
        own = [one for one in answers if one["model"] == row["algorithm"] and one["subset"] in (row["subset"], "")]
        own = own or [one for one in answers if one["model"] == row["algorithm"]]
        row |= {"n_answers": len(own), "n_unread": sum(one["unread"] for one in own), "sd": None}
        row |= dict.fromkeys(("low", "high") if row["subset"] == AVERAGES["mean of the subsets"] else ())  # new since
    return {
        "values": _table(("metric", "rater", "subset"), rows),
        "cases": _table(("rater", "question_id", "shift", "repeat"), answers),
    }


def _audited(run: Row, given: Row, seed: int) -> Found:
    resampling = {"resamples": given.pop("bootstrap"), "seed": seed}
    columns = {"label": given.pop("label")}
    tables = dxmatch.audit(_m(run), columns=columns, resampling=resampling, **given).tables
    out = {}
    for name, table in tables.items():
        rows = table.drop_columns(["label"] if name in ("features", "alone") else []).to_pylist()  # what a feature says
        out[name] = _table(
            AUDIT[name], [{"of" if at == "name" else at: cell for at, cell in row.items()} for row in rows]
        )
    return out


def _called(run: Row, given: Row, seed: int) -> Found:
    """Each call of a metric by its name; an array is a row for each of its places."""
    rows = []
    for number, call in enumerate(run["calls"]):
        more = {"matcher": _m(run)} if call.get("of_names") else {}
        value = getattr(dxmatch.metrics, call["metric"])(*call["arguments"], **call.get("named", {}), **more)
        rows += [
            {"metric": call["metric"], "call": number, "at": at, "value": one}
            for at, one in enumerate(np.ravel(value).tolist())
        ]
    return {"values": _table(("call", "metric", "at"), rows)}


VERBS = {"evaluate": _evaluated, "reasoning": _reasoned, "choice": _chosen, "audit": _audited, "metrics": _called}


def _table(key: tuple[str, ...], rows: Iterable[Row], printed: Mapping[str, str] = MappingProxyType({})) -> Table:
    return Table(key, [_neutral(row, printed) for row in rows])


def _neutral(row: Row, printed: Mapping[str, str] = MappingProxyType({})) -> Row:
    """Neutral columns and names of metrics; what is undefined, or says nothing, is absent.

    printed : the name under which a figure is printed -> its metric, of and k.
    """
    out = {}
    for column, cell in row.items():
        name = COLUMNS.get(column, printed.get(column, column))
        value = cell.item() if isinstance(cell, np.generic) else cell
        if name is None or value is None or value == "" or value != value:
            continue
        if column == "probability":  # kept in single precision
            value = round(value, 6)
        names = {"metric": NAMES, "from": printed, "to": printed}.get(column, {})
        out[_named(name)] = _named(names.get(value, value)) if names and isinstance(value, str) else value
    return out


def _named(text: str) -> str:
    """ "Acc, M, 1" with the metric's own name."""
    symbol, comma, rest = text.partition(", ")
    return NAMES.get(symbol, symbol) + comma + rest


def _transposed(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
