"""`dxmatch audit`: what a match function relies on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ..auditing.audit import audit as verb
from ..auditing.result import check_folder
from ..options import WRITTEN
from .command import Call, Output, command
from .results import say_rejected


@command(verb, given=("pairs",), stdout=None)
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
