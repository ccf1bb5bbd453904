"""Faults put in by hand, each where dxmatch is called or gives back, so that they survive renames: every one is found in the run named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..compare import Row, Table, differences, read
from .adapter import Found, Match, find

HERE = Path(__file__).parent


class Changed:
    """M with other probabilities, or another threshold."""

    def __init__(self, m: Match, of: Callable[[np.ndarray], np.ndarray] = lambda p: p, higher: float = 0.0) -> None:
        self.m, self.of, self.threshold = m, of, m.threshold + higher

    def probabilities(self, a: Any, b: Any) -> np.ndarray:
        return self.of(np.asarray(self.m.probabilities(a, b)))


def option(**options: Any) -> Callable[[Row], None]:
    return lambda run: run["options"].update(options)


def rows_of(file: str, change: Callable[[Row], None]) -> Callable[[Row], None]:
    def apply(run: Row) -> None:
        for row in run["files"][file]:
            change(row)

    return apply


def swap(column: str, one: str, other: str) -> Callable[[Row], None]:
    return lambda row: row.update({column: {one: other, other: one}.get(row[column], row[column])})


def cut_codes(row: Row) -> None:
    row.update({column: row[column][:3] for column in ("icd10", "reference_icd10")})


def drop_a_case(run: Row) -> None:
    del run["options"]["right_answers"]["c07"]


def drop_a_reference(run: Row) -> None:
    next(names for names in run["options"]["right_answers"].values() if len(names) > 1).pop()


def shift_ranks(run: Row) -> None:
    for lists in run["options"]["predictions"].values():
        for case, names in lists.items():
            lists[case] = [*names[1:], names[0]]


def repeat_is_another_prompt(run: Row) -> None:
    """Models are compared under the same prompts alone, so that the other model has one more, too."""
    lists = run["options"]["predictions"]
    lists["gpt4 [other]"] = lists.pop("gpt4 [free #2]")
    lists["llama [other]"] = lists["llama [free]"]


def shift_of_options_ignored(run: Row) -> None:
    for row in run["files"]["answers.jsonl"]:
        row["shift"] = 0


def notes_swapped(run: Row) -> None:
    files = run["files"]
    one, other = "fair/Asthma/a1.json", "fair/Asthma/a2.json"
    files[one], files[other] = files[other], files[one]


def cells(table: str, change: Callable[[Row], Row]) -> Callable[[Found], Found]:
    """What is found, with other cells in the rows of a table."""
    return lambda found: found | {table: Table(found[table].key, [row | change(row) for row in found[table].rows])}


def halved_width(row: Row) -> Row:
    if "low" not in row or "high" not in row:
        return {}
    quarter = (row["high"] - row["low"]) / 4
    return {"low": row["low"] + quarter, "high": row["high"] - quarter}


def middles(row: Row) -> Row:
    return {column: sum(cell) / 2 if isinstance(cell, list) else cell for column, cell in row.items()}


BEFORE: dict[str, tuple[str, Callable[[Row], None]]] = {
    "k off by one": ("models_k_1", option(k=2)),
    "the k of one family for all": ("models_metrics_by_name", option(k=3)),
    "a rank shifted": ("models_metrics_by_name", shift_ranks),
    "a case dropped": ("models_differences", drop_a_case),
    "a reference dropped": ("models_differences", drop_a_reference),
    "two raters swapped": ("panel_nk2", rows_of("panel.json", swap("rater", "Ada", "gpt"))),
    "roles swapped": ("panel_all_families", rows_of("panel.json", swap("role", "expert", "algorithm"))),
    "lists' own length in the place of k": ("panel_nk2", option(denominator="observed")),
    "hardness left out": ("panel_observed", option(hardness=1.0)),
    "missing lists counted as empty": ("missing_own", option(missing="empty")),
    "intervals of another level": ("models_differences", option(level=0.8)),
    "codes cut to three characters": ("panel_all_families", rows_of("panel.json", cut_codes)),
    "group labels swapped": ("subgroups_and_averages", rows_of("long.json", swap("ward", "north", "south"))),
    "two subgroups in one": ("subgroups_and_averages", rows_of("long.json", lambda row: row.update(ward="north"))),
    "the base second": ("models_compared", option(compare=[["gpt4", "llama"], ["llama", "claude"]])),
    "a repeat is another prompt": ("prompts_and_repeats", repeat_is_another_prompt),
    "no word for no diagnosis": ("no_diagnosis_a_word_more", option(no_diagnosis="keep")),
    "another difficulty": ("weighted_easy", option(semantic_best=16)),
    "another tree of codes": ("codes_given_of_who", rows_of("long.json", lambda row: row.update(reference_icd10="A41"))),
    "shifted options not put back": ("choice_subsets", shift_of_options_ignored),
    "predictions of two notes swapped": ("reasoning_zero", notes_swapped),
    "missing notes left out": ("reasoning_zero", option(missing="own")),
    "pairs greedy in the place of best": ("reasoning_own", option(human_labels=None, missing="zero")),
}  # fmt: skip
OF_M: dict[str, tuple[str, Callable[[Match], Match]]] = {
    "M inverted": ("shape_long", lambda m: Changed(m, lambda p: 1 - p)),
    "above the threshold, not from it up": ("at_the_threshold", lambda m: Changed(m, higher=1e-12)),
    "the threshold moved": ("panel_all_families", lambda m: Changed(m, higher=0.05)),
    "M's doubt left out": ("shape_records", lambda m: Changed(m, lambda p: (p >= m.threshold).astype(float))),
    "M inverted where notes are compared": ("reasoning_own", lambda m: Changed(m, lambda p: 1 - p)),
}
AFTER: dict[str, tuple[str, Callable[[Found], Found]]] = {
    "p of one side": ("models_differences", cells("differences", lambda row: {"p": row["p"] / 2} if "p" in row else {})),
    "drawn p of one side": ("subgroups_and_averages", cells("differences", lambda row: {"p": row["p"] / 2} if "p" in row else {})),
    "Holm's correction left out": (
        "models_differences", cells("differences", lambda row: {"p_corrected": row["p"]} if "p" in row else {}),
    ),
    "the ends of intervals swapped": (
        "example_panel", cells("values", lambda row: {"low": row["high"], "high": row["low"]} if "low" in row else {}),
    ),
    "intervals half as wide": ("example_panel", cells("values", halved_width)),
    "intervals shifted": ("example_models", cells("values", lambda row: {"low": row["low"] - 0.3} if "low" in row else {})),
    "counts off by one": ("rows_set_aside", cells("counts", lambda row: {"n": row["n"] + 1})),
    "a value in the last digits": ("panel_nk2", cells("values", lambda row: {"value": row["value"] + 3e-9})),
    "an undefined value is 0": ("panel_undefined", cells("values", lambda row: {"value": row.get("value", 0.0)})),
    "contributions of the other sign": (
        "audit_shipped", cells("contributions", lambda row: {name: -x for name, x in row.items() if name[:5] == "shap_"}),
    ),
}  # fmt: skip


def told(name: str, folder: Path, change: Callable[[Row], None] | None = None, **how: Any) -> list[str]:
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    if change is not None:
        change(run)
    found = find(run, folder, **how)
    assert "errors" not in found  # which any input can make
    return differences(read(HERE / "expected" / f"{name}.json"), found)


@pytest.mark.parametrize("fault", BEFORE)
def test_another_input_or_option_is_found(fault: str, tmp_path: Path) -> None:
    name, change = BEFORE[fault]
    assert told(name, tmp_path, change)


@pytest.mark.parametrize("fault", OF_M)
def test_another_m_is_found(fault: str, tmp_path: Path) -> None:
    name, wrapped = OF_M[fault]
    assert told(name, tmp_path, wrapped=wrapped)


@pytest.mark.parametrize("fault", AFTER)
def test_another_result_is_found(fault: str, tmp_path: Path) -> None:
    """No run again: what was frozen stands for what is found, the middle for a range."""
    name, after = AFTER[fault]
    expected = read(HERE / "expected" / f"{name}.json")
    found = {name: Table(table.key, [middles(row) for row in table.rows]) for name, table in expected.items()}
    assert not differences(expected, found)
    assert differences(expected, after(found))


def test_another_seed_is_no_fault(tmp_path: Path) -> None:
    for seed in (77, 78, 79):
        assert not told("models_differences", tmp_path, seed=seed)
