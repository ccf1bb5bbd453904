"""Results of models under several prompts as results of the models: each its mean over prompts."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from ...pages.rows import Row, known
from .results import Results
from .variants import over_prompts, several, variant_of


def by_model(report: Results) -> Results:
    """The same results with one rater for each model; those given where no model came under several prompts, or repeatedly.

    Rows of such a model hold its mean over prompts, each prompt's value being the mean over its repeats, with n_prompts, sd_prompts (the
    population standard deviation over the prompts) and sd_repeats, and no interval. Differences are left out. Where everyone is judged
    by all others in turn, variants are each other's panel, and the results stay as they are.
    """
    made = report.made_with
    models = several(made["raters"])
    if not models or made["in_turn"]:
        return report

    def name(rater: str) -> str:
        model = variant_of(rater).model
        return model if model in models else rater

    raters = list(dict.fromkeys(map(name, made["raters"])))
    roles = dict(zip(map(name, made["raters"]), made["roles"] or [], strict=False))
    groups = {name(rater): group for rater, group in made.get("groups", {}).items()}
    panels = {name(who): list(dict.fromkeys(map(name, panel))) for who, panel in made["panels"].items()}
    return replace(
        report,
        sections=[
            replace(section, rows=_of_models(section.rows, models.keys()), per_case={}) for section in report.sections
        ],
        made_with={
            **made, "raters": raters, "roles": [roles[rater] for rater in raters] if roles else made["roles"], "groups": groups,
            "panels": panels,
        },
        difference_rows=[],
        subgroup_rows=_of_models(report.subgroup_rows, models.keys()),
        subgroup_difference_rows=[],
    )  # fmt: skip


def _of_models(rows: Sequence[Row], models: Set[str]) -> list[Row]:
    """The rows, those of a model's variants as one."""
    found: dict[tuple[Any, Any, str, str], list[Row]] = {}
    for row in rows:
        model = variant_of(row["algorithm"]).model
        who = model if model in models else row["algorithm"]
        found.setdefault((row.get("by"), row.get("group"), who, row["name"]), []).append(row)
    return [
        _mean(str(who), of) if variant_of(of[0]["algorithm"]).model == who != of[0]["algorithm"] else of[0]
        for (_, _, who, _), of in found.items()
    ]


def _mean(model: str, rows: Sequence[Row]) -> Row:
    of_prompt: dict[str, list[float | None]] = {}
    for row in rows:
        of_prompt.setdefault(variant_of(row["algorithm"]).prompt, []).append(row["value"])
    said = over_prompts(of_prompt)
    reasons = dict.fromkeys(row["reason"] for row in rows if row["value"] is None and row["reason"])
    return rows[0] | {
        "algorithm": model, "value": known(said.mean), "low": None, "high": None, "undefined_repeats": 0, "reason": "; ".join(reasons),
        "n_cases": max(row["n_cases"] for row in rows), "n_prompts": len(of_prompt), "sd_prompts": said.sd_prompts,
        "sd_repeats": said.sd_repeats,
    }  # fmt: skip


def spread_note(row: Row | None) -> str:
    """`± 0.019`, the deviation over prompts; of one prompt that over its repeats, named; "" where there is none."""
    if row is None or row["value"] is None:
        return ""
    if row.get("sd_prompts") is not None:
        return f"± {row['sd_prompts']:.3f}"
    return f"± {row['sd_repeats']:.3f} (repeats)" if row.get("sd_repeats") is not None else ""
