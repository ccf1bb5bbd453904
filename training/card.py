"""CARD.md: what a model is, what it was trained on, how good it is, in words for the person who will use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rich.markup import escape

from ..features.compute import coverage_words
from ..files.wording import shown_threshold
from ..matcher.match_function import MatchFunction
from ..models.manifest import Manifest
from ..pages.encodings import with_interval
from ..pages.terminal import print_table
from .engines.autogluon_engine import search_words
from .labelled import agreement_words, conflict_words
from .statistics.correlation import dropped_words
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
    plain = manifest.metrics.get("plain_words")
    return template.render(
        m=manifest, data=manifest.data, about=about.strip(), parts=parts, measures=MEASURES, number=_number, between=_between,
        data_words=data_words, coverage_words=coverage_words, plain=plain,
        plain_rows=plain and [*plain["kinds"].items(), ("all", plain["all"])],
    )  # fmt: skip


def _number(value: Any) -> str:
    return "undefined" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _between(measured: dict[str, Any]) -> str:
    return "none" if measured["low"] is None else f"{_number(measured['low'])} to {_number(measured['high'])}"


def print_training(matcher: MatchFunction, folder: Path) -> None:
    """What the terminal shows after a training."""
    parts = {key: matcher.metrics[key] for key in _PARTS if key in matcher.metrics}
    rows = [(name.replace("_", " "), *(with_interval(part[name]) for part in parts.values())) for name in MEASURES]
    counts = {"pairs": "pairs", "references": "groups"}
    rows += [(words, *(f"{part[key]:,}" for part in parts.values())) for words, key in counts.items()]
    header = "Measure", *(key.replace("_", " ") for key in parts)
    print_table(header, rows, title=f"{escape(matcher.name)}: on references it has not seen")
    values = [part[name] for part in parts.values() for name in MEASURES]
    if any(one["low"] is None and one["value"] is not None for one in values):
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
        lines.append(search_words(data["search"], data["leaderboard"]))
    if "prevalence" in data:
        lines.append(
            f"Probabilities, threshold and measures are for pairs of which {100 * data['prevalence']:g} % match."
        )
    return lines
