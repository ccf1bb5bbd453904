"""CARD.md: what a model is, what it was trained on, how good it is, in words for the person who will use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.markup import escape

from ..features.coverage import coverage_words
from ..files.wording import shown_threshold
from ..matcher.match_function import MatchFunction
from ..models.manifest import Manifest
from ..terminal import print_table
from .conflicts import conflict_words
from .correlated import dropped_words
from .engines.search_words import search_words
from .expert_agreement import agreement_words
from .statistics.measure import MEASURES

_PARTS = {
    "held_out": "Held-out references",
    "held_out_not_identical": "Held-out references, without pairs that are equal after normalisation",
    "cross_validated": "Training references, out of fold",
}


def model_card(manifest: Manifest, about: str = "") -> str:
    """The card as Markdown. `about`: what its maker has to say (purpose, sources and licences, limits)."""
    template = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    ).get_template("card.md.j2")  # fmt: skip
    parts = [(title, manifest.metrics[key]) for key, title in _PARTS.items() if key in manifest.metrics]
    return template.render(
        m=manifest, data=manifest.data, about=about.strip(), parts=parts, measures=MEASURES, number=_number, between=_between,
        data_words=data_words, coverage_words=coverage_words, plain=manifest.metrics.get("plain_words"), plain_rows=_plain_rows,
    )  # fmt: skip


def _plain_rows(plain: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Each kind of plain words with its shares, then all."""
    return [*plain["kinds"].items(), ("all", plain["all"])]


def _number(value: Any) -> str:
    return "undefined" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _between(measured: dict[str, Any]) -> str:
    return "none" if measured["low"] is None else f"{_number(measured['low'])} to {_number(measured['high'])}"


def print_training(matcher: MatchFunction, folder: Path) -> None:
    """What the terminal shows after a training."""
    parts = {key: matcher.metrics[key] for key in _PARTS if key in matcher.metrics}
    rows = []
    alike = False
    for name in MEASURES:
        cells = []
        for part in parts.values():
            value = part[name]
            between = "" if value["low"] is None else f" [{value['low']:.3f}, {value['high']:.3f}]"
            cells.append(_number(value["value"]) + between)
            alike = alike or (value["low"] is None and value["value"] is not None)
        rows.append((name.replace("_", " "), *cells))
    rows.append(("pairs", *(f"{part['pairs']:,}" for part in parts.values())))
    rows.append(("references", *(f"{part['groups']:,}" for part in parts.values())))
    header = "Measure", *(key.replace("_", " ") for key in parts)
    print_table(header, rows, title=f"{escape(matcher.name)}: on references it has not seen")
    if alike:
        print(
            "Without an interval: every resample of the references gives the same value, as where all pairs are decided rightly."
        )
    for line in data_words(matcher.data):
        print(line)
    print(f"{folder}: saved, threshold {shown_threshold(matcher.threshold)}. Card: {folder / 'CARD.md'}")


def data_words(data: dict[str, Any]) -> list[str]:
    """What the labelled pairs were, a line each, from the manifest's `data`."""
    lines = []
    if "agreement" in data:
        lines.append(f"Labels: {agreement_words(data['agreement'])}")
    if "conflicts" in data:
        lines.append(conflict_words(data["conflicts"]))
    if (inside := data.get("contained", {})) and inside["rule"] != "keep":
        done = {"set-aside": "set aside", "match": "labelled 1"}[inside["rule"]]
        lines.append(
            f"Pairs labelled 0 in which one side's words contain the other's, or the graph calls one a kind of the other: {inside['pairs'] - inside['matches']:,} {done}."
        )
    for extra in data.get("extra", ()):
        lines.append(
            f"Extra pairs from {extra['source']}: {extra['pairs']:,} of weight {extra['weight']:g}, {extra['matches']:,} of them"
            " matches; training only."
        )
    if "dropped" in data:
        lines.append(dropped_words(data["dropped"]["limit"], data["dropped"]["features"]))
    if "search" in data:
        lines.append(search_words(data["search"]))
    if "prevalence" in data:
        lines.append(
            f"Probabilities, threshold and measures are for pairs of which {100 * data['prevalence']:g} % match."
        )
    return lines
