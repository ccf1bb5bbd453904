"""CARD.md: what a model is, what it was trained on, how good it is, in words for the person who will use it."""

from __future__ import annotations

from typing import Any

from ..features.coverage import coverage_words
from ..models.manifest import Manifest
from .measure import MEASURES

_PARTS = {
    "held_out": "Held-out references",
    "held_out_not_identical": "Held-out references, without pairs that are equal after normalisation",
    "cross_validated": "Training references, out of fold",
}


def model_card(manifest: Manifest, about: str = "") -> str:
    """The card as Markdown. `about`: what its maker has to say (purpose, sources and licences, limits)."""
    data, chosen = manifest.data, manifest.data.get("chosen", {})
    lines = [
        f"# {manifest.name}",
        "",
        "A match function: it decides whether two free-text diagnoses name the same disease.",
        "",
        *([about.strip(), ""] if about.strip() else []),
        "## Training",
        "",
        f"- {data['rows']:,} labelled pairs of {data['groups']:,} reference diagnoses, {data['matches']:,} of them matches"
        f" ({data['source']}; {data['set_aside']:,} rows were set aside).",
        f"- Features, in order: {', '.join(manifest.feature_names)}.",
        *([f"- {coverage_words(data['coverage'])}"] if "coverage" in data else []),
        f"- Normaliser version {manifest.normalizer['version']}, language {manifest.normalizer['language']}.",
        "- One LightGBM booster for each grouped fold; M averages their raw log-odds. Chosen by out-of-fold average"
        f" precision: {', '.join(f'{key} {_number(value)}' for key, value in chosen.items())}.",
        f"- Probability: 1 / (1 + exp(-({manifest.calibration.slope:.4f} raw + {manifest.calibration.intercept:.4f}))),"
        " fitted on out-of-fold scores.",
        f"- Threshold {manifest.threshold:.4f}: {manifest.threshold_rule}.",
        *(
            ["- After the measurement below it was trained again with the held-out references too."]
            if data.get("refitted")
            else []
        ),
        "",
        "## Measured",
        "",
        "No reference diagnosis is on both sides of a split. Intervals: 95 % bootstrap over references.",
    ]
    for key, title in _PARTS.items():
        if key in manifest.metrics:
            lines += ["", *_section(title, manifest.metrics[key])]
    return "\n".join(lines) + "\n"


def _section(title: str, part: dict[str, Any]) -> list[str]:
    return [
        f"### {title}",
        "",
        f"{part['pairs']:,} pairs, {part['matches']:,} matches, {part['groups']:,} references, threshold {part['threshold']:.4f}.",
        "",
        "| measure | value | 95 % interval |",
        "| --- | --- | --- |",
        *(
            f"| {name.replace('_', ' ')} | {_number(part[name]['value'])} | "
            f"{_number(part[name]['low'])} to {_number(part[name]['high'])} |"
            for name in MEASURES
        ),
    ]


def _number(value: Any) -> str:
    return "undefined" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
