"""`dxmatch train`: pairs that experts labelled to a model folder; `dxmatch audit`: what a match function relies on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from ..auditing.audit import audit as verb_of_audit
from ..auditing.result import check_folder
from ..features.coverage import coverage_words
from ..models.folder import check_target
from ..options import WRITTEN, Between, File
from ..terms.text.abbreviations import read_abbreviations
from ..training.card import print_training
from ..training.examples import Extra
from ..training.train import train as verb
from .command import Call, Output, command
from .results import say_rejected


@command(verb, given=("pairs",), leave_out=("labels.extra", "labels.abbreviations"), stdout=None)
def train(
    call: Call,
    *,
    output: Output,
    overwrite: bool = False,
    extra: Sequence[File] = (),
    extra_weight: Annotated[float, Between(0)] = 0.5,
    abbreviations: File | None = None,
) -> dict[str, Any]:
    """Train a match function on pairs that experts labelled; no reference diagnosis is on both sides of a split.

    Parameters
    ----------
    output : path
        The model folder to make.
    overwrite : bool
        Replace the model that stands there.
    extra : path
        More labelled pairs (a, b, label) to learn from, never to measure on; may be given again.
    extra_weight : float
        How much one extra pair counts beside one of the experts'.
    abbreviations : path
        Your own abbreviations: a table with the columns abbreviation, expansion.

    Examples
    --------
    dxmatch train labelled.csv -o my-model --held-out held_out.csv
    """
    check_target(output, overwrite=overwrite)
    more: dict[str, Any] = {"extra": [Extra(pairs=path, weight=extra_weight) for path in extra] or None}
    more["abbreviations"] = abbreviations and read_abbreviations(abbreviations)
    about = {"name": output.resolve().name, **call.given.get("about", {})}
    m = call(labels={**call.given.get("labels", {}), **more}, about=about)
    m.save(output, overwrite=overwrite)
    print_training(m, output)
    print(coverage_words(m.data["coverage"]))
    say_rejected(m.data.get("set_aside", 0), call.typed.get("rejects"))
    return {
        "model": str(output),
        "identity": m.identity,
        "threshold": m.threshold,
        "metrics": m.metrics,
        "data": m.data,
    }


@command(verb_of_audit, given=("pairs",), stdout=None)
def audit(call: Call, *, output: Annotated[Path, WRITTEN, check_folder], charts: Output | None = None) -> None:
    """Say what a match function relies on: SHAP values, importance, correlation, each feature alone, errors by kind; one page and its tables.

    Parameters
    ----------
    output : path
        The folder for audit.html, audit.json and CSV files.
    charts : path
        A folder for each chart as PNG and SVG.

    Examples
    --------
    dxmatch audit held_out.csv --matcher my-model -o audit
    """
    found = call()
    found.save(output)
    found.print()
    say_rejected(found.made_with["rows_set_aside"], call.typed.get("rejects"))
    print(f"Open the page: {(output / 'audit.html').resolve()}")
    if charts is not None:
        print(f"Written: {len(found.save_charts(charts))} files in {charts}")
