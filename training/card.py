"""CARD.md: what a model is, what it was trained on, how good it is, in words for the person who will use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..features.coverage import coverage_words
from ..matcher.match_function import MatchFunction
from ..models.manifest import Manifest
from .expert_agreement import agreement_words
from .statistics.measure import MEASURES

_PARTS = {
    "held_out": "Held-out references",
    "held_out_not_identical": "Held-out references, without pairs that are equal after normalisation",
    "cross_validated": "Training references, out of fold",
}
_NOT_FOR = """
It compares names of diagnoses, to evaluate lists of them. It must not diagnose, triage or treat, choose a code that is billed or
reported, or merge patients' records. It knows no patient: whether a diagnosis is right for a case is not asked of it. Two names
that it calls a match are not exchangeable in a record: one may be the stage or the cause of the other. Before you rely on it for
another specialty, language or kind of list, measure it on pairs of your own that experts labelled (`dxmatch audit`).
"""


def model_card(manifest: Manifest, about: str = "") -> str:
    """The card as Markdown. `about`: what its maker has to say (purpose, sources and licences, limits)."""
    lines = [
        f"# {manifest.name}",
        "",
        "A match function: it decides whether two free-text diagnoses name the same disease.",
        "",
        *([about.strip(), ""] if about.strip() else []),
        "## What it must not be used for",
        "",
        _NOT_FOR.strip(),
        "",
        *_training(manifest),
        "",
        "## Measured",
        "",
        "No reference diagnosis is on both sides of a split. Intervals: 95 % bootstrap over references.",
    ]
    for key, title in _PARTS.items():
        if key in manifest.metrics:
            lines += ["", *_section(title, manifest.metrics[key])]
    part = next((key for key in _PARTS if key in manifest.metrics), None)
    if part is not None:
        lines += ["", *_calibration(_PARTS[part], manifest.metrics[part])]
    if "gain_over_plain" in manifest.metrics:
        lines += ["", *_engine(manifest)]
    return "\n".join(lines) + "\n"


def _training(manifest: Manifest) -> list[str]:
    data, chosen = manifest.data, manifest.data.get("chosen", {})
    warnings = [f"- Doubtful: {warning}" for warning in data.get("warnings", ())]
    return [
        "## Training",
        "",
        f"- {data['rows']:,} labelled pairs of {data['groups']:,} reference diagnoses, {data['matches']:,} of them matches"
        f" ({data['source']}; {data['set_aside']:,} rows were set aside).",
        *(f"- {line}" for line in data_words(data)),
        *warnings,
        f"- Features, in order: {', '.join(manifest.feature_names)}.",
        *([f"- {coverage_words(data['coverage'])}"] if "coverage" in data else []),
        f"- Normaliser version {manifest.normalizer['version']}, language {manifest.normalizer['language']}.",
        f"- {'AutoGluon: bagged LightGBM' if data.get('engine') == 'autogluon' else 'LightGBM'} members by grouped folds;"
        f" chosen by out-of-fold average precision: {', '.join(f'{key} {_number(value)}' for key, value in chosen.items())}.",
        f"- Probability: 1 / (1 + exp(-({manifest.calibration.slope:.4f} raw + {manifest.calibration.intercept:.4f}))),"
        " fitted on out-of-fold scores.",
        f"- Threshold {manifest.threshold:.4f}: {manifest.threshold_rule}.",
        *(
            ["- After the measurement below it was trained again with the held-out references too."]
            if data.get("refitted")
            else []
        ),
    ]


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


def _calibration(title: str, part: dict[str, Any]) -> list[str]:
    return [
        f"### Calibration: {title[0].lower()}{title[1:]}",
        "",
        "Of the pairs with a probability in a row's range, the share that are matches.",
        "",
        "| probability | pairs | mean probability | matches | 95 % interval |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {row['from']:.1f} to {row['to']:.1f} | {row['pairs']:,} | {row['mean_probability']:.3f} | {row['matches']:.3f} | "
            f"{_number(row['low'])} to {_number(row['high'])} |"
            for row in part.get("reliability", ())
        ),
    ]


def _engine(manifest: Manifest) -> list[str]:
    gain = manifest.metrics["gain_over_plain"]
    difference = gain["gain"]
    return [
        "### What the engine gains over the plain one",
        "",
        f"Average precision {gain['average_precision']:.3f}, plain LightGBM {gain['plain_average_precision']:.3f}: {difference['value']:+.3f}"
        f" ({_number(difference['low'])} to {_number(difference['high'])}) on {gain['pairs']:,} pairs of {gain['groups']:,} references.",
        "",
        "| model | stack level | out-of-fold average precision | seconds | exported |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {row['model']} | {row['stack_level']} | {row['out_of_fold_average_precision']:.4f} | {row['fit_seconds']:.0f} | "
            f"{'yes' if row['exported'] else 'no'} |"
            for row in manifest.data.get("leaderboard", ())
        ),
    ]


def _number(value: Any) -> str:
    return "undefined" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def print_training(matcher: MatchFunction, folder: Path) -> None:
    """What the terminal shows after a training."""
    parts = {
        key: matcher.metrics[key]
        for key in ("held_out", "held_out_not_identical", "cross_validated")
        if key in matcher.metrics
    }
    table = Table(
        "Measure", *(key.replace("_", " ") for key in parts), title=f"{matcher.name}: on references it has not seen"
    )
    for name in MEASURES:
        cells = []
        for part in parts.values():
            value = part[name]
            shown = "undefined" if value["value"] is None else f"{value['value']:.3f}"
            between = "" if value["low"] is None else f" [{value['low']:.3f}, {value['high']:.3f}]"
            cells.append(shown + between)
        table.add_row(name.replace("_", " "), *cells)
    table.add_row("pairs", *(f"{part['pairs']:,}" for part in parts.values()))
    table.add_row("references", *(f"{part['groups']:,}" for part in parts.values()))
    Console().print(table)
    for line in data_words(matcher.data):
        print(line)
    print(f"{folder}: saved, threshold {matcher.threshold:.3f}. Card: {folder / 'CARD.md'}")


def data_words(data: dict[str, Any]) -> list[str]:
    """What the labelled pairs were, a line each, from the manifest's `data`."""
    lines = []
    if "agreement" in data:
        lines.append(f"Labels: {agreement_words(data['agreement'])}")
    if (inside := data.get("contained", {})) and inside["rule"] != "keep":
        done = {"set-aside": "set aside", "match": "labelled 1"}[inside["rule"]]
        lines.append(
            f"Pairs labelled 0 in which one side's words contain the other's: {inside['pairs'] - inside['matches']:,} {done}."
        )
    for extra in data.get("extra", ()):
        lines.append(
            f"Extra pairs from {extra['source']}: {extra['pairs']:,} of weight {extra['weight']:g}, {extra['matches']:,} of them"
            " matches; training only."
        )
    if "prevalence" in data:
        lines.append(
            f"Probabilities, threshold and measures are for pairs of which {100 * data['prevalence']:g} % match."
        )
    return lines
