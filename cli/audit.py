"""`dxmatch audit` and `dxmatch explain`: what a match function relies on, and why it decided as it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import (
    ColumnA,
    ColumnB,
    Encoding,
    Endpoints,
    JudgeAll,
    MinCoverage,
    Model,
    Origin,
    Policy,
    Rejects,
    Store,
    Threshold,
    diagnosis,
    loaded,
    say_rejected,
)


def audit(
    pairs: Annotated[
        Path, typer.Argument(help="Pairs: a, b, and label (0/1) or label_<expert> columns, if there are.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for audit.html, audit.json and CSV files.")
    ],
    model: Model = None,
    a: ColumnA = "a",
    b: ColumnB = "b",
    label: Annotated[
        str | None, typer.Option(help="The column of 0/1 labels, or the prefix of one column per expert.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="The column of the reference diagnosis; column a if not given.")
    ] = None,
    sample: Annotated[int, typer.Option(help="At most so many pairs get contributions (SHAP values).")] = 2000,
    repeats: Annotated[int, typer.Option(help="Shuffles of each feature.")] = 5,
    bootstrap: Annotated[int, typer.Option(help="Resamples behind the intervals.")] = 200,
    retrain: Annotated[
        bool, typer.Option("--retrain", help="Also train without each family of features, cross-validated.")
    ] = False,
    folds: Annotated[
        int,
        typer.Option(help="Folds over references, for --retrain, --voters and the threshold of each feature alone."),
    ] = 5,
    voters: Annotated[
        int | None,
        typer.Option(help="Also find which so many votes of the feature set decide best: --voters 5 of twenty."),
    ] = None,
    charts: Annotated[Path | None, typer.Option("--charts", help="A folder for each chart as PNG and SVG.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed for the sample, the shuffles and the resampling.")] = 0,
    store: Store = None,
    endpoints: Endpoints = None,
    min_coverage: MinCoverage = 0.9,
    rejects: Rejects = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> None:
    """Say what a match function relies on: SHAP values, importance, correlation, each feature alone, errors by kind; one page and its tables."""
    from ..auditing.audit import audit as run
    from ..auditing.result import check_folder
    from ..files.invisible import read_visible
    from ..matcher.match_function import load
    from ..progress import shown

    check_folder(output)
    m = load(model, store=store, endpoints=endpoints, min_coverage=min_coverage, **(origin or {}))
    with shown("Auditing") as progress:
        found = run(
            m, read_visible(pairs, encoding, set_aside=rejects is not None), a=a, b=b, label=label, group=group, sample=sample, repeats=repeats, bootstrap=bootstrap,
            retrain=retrain, folds=folds, voters=voters, seed=seed, rejects=rejects, progress=progress,
        )  # fmt: skip
    found.save(output)
    found.print()
    say_rejected(found.made_with["rows_set_aside"], rejects)
    typer.echo(f"Open the page: {(output / 'audit.html').resolve()}")
    if charts is not None:
        typer.echo(f"Written: {len(found.save_charts(charts))} files in {charts}")


def explain(
    a: Annotated[str, typer.Argument(help="A diagnosis.")],
    b: Annotated[str, typer.Argument(help="Another.")],
    model: Model = None,
    policy: Policy = None,
    threshold: Threshold = None,
    judge_all: JudgeAll = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A picture (.svg, .png), or a page (.html).")
    ] = None,
    store: Store = None,
    endpoints: Endpoints = None,
    min_coverage: MinCoverage = 0.9,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Say why two diagnoses match, or do not: in words, feature by feature, and as a picture."""
    from ..auditing.explain import explain as run
    from ..auditing.explanation import SUFFIXES
    from ..evaluation.report.report import check_report_path

    for text in (a, b):
        diagnosis(text, "score")
    if output is not None:
        check_report_path(output, SUFFIXES)
    m = loaded(
        model, policy=policy, threshold=threshold, origin=origin, store=store, endpoints=endpoints, min_coverage=min_coverage,
        judge_all=judge_all,
    )  # fmt: skip
    found = run(m, a, b)
    if output is not None:
        found.save(output)
    found.print()
    if output is not None:
        typer.echo(f"Written: {output}")
    return found.to_dict()
