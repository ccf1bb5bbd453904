"""`dxmatch audit` and `dxmatch explain`: what a match function relies on, and why it decided as it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from ..auditing.audit import audit as verb
from ..auditing.explain import explain as verb_of_one
from ..auditing.explanation import SUFFIXES
from ..auditing.result import check_folder
from ..evaluation.report.report import check_report_path
from ..options import WRITTEN
from .command import Call, Output, command
from .results import diagnosis, say_rejected


def _check_picture(path: Path) -> None:
    check_report_path(path, SUFFIXES)


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


@command(verb_of_one, given=("a", "b"), stdout=".svg")
def explain(call: Call, *, output: Annotated[Path, WRITTEN, _check_picture] | None = None) -> dict[str, Any]:
    """Say why two diagnoses match, or do not: in words, feature by feature, and as a picture.

    Parameters
    ----------
    output : path
        A picture (.svg, .png), or a page (.html).

    Examples
    --------
    dxmatch explain "heart attack" "acute MI" -o why.svg
    """
    for text in (call.typed["a"], call.typed["b"]):
        diagnosis(text, "score")
    found = call()
    if output is not None:
        found.save(output)
    found.print()
    if output is not None:
        print(f"Written: {output}")
    return found.to_dict()
