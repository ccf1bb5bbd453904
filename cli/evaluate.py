"""`dxmatch evaluate`, `dxmatch reasoning` and `dxmatch metrics`: lists and reasoning against experts and references."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import MinCoverage, Model, Policy, Rejects
from .votes import Endpoints, quiet_retries, say_asked

Bootstrap = Annotated[int, typer.Option(help="Resamples behind the intervals; 0 for none.")]
Seed = Annotated[int, typer.Option(help="Random seed of the resampling.")]


def evaluate(
    lists: Annotated[Path, typer.Argument(help="Lists: case_id, rater, rank, diagnosis; role or --algorithm.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The report: .html, .json or .csv.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Everything that was computed, as JSON.")] = None,
    csv: Annotated[Path | None, typer.Option("--csv", help="The table of metrics, as CSV.")] = None,
    charts: Annotated[Path | None, typer.Option("--charts", help="A folder for each chart as PNG and SVG.")] = None,
    spreadsheet: Annotated[
        bool, typer.Option("--spreadsheet", help="In a CSV, keep a spreadsheet from running a text as a formula.")
    ] = False,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="A metric, or a family (relative, ranking, recall, hierarchical, weighted, agreement); all that the lists allow, if none.",
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Diagnoses per list, the likeliest first; curves run over 1…k.")] = 3,
    hardness: Annotated[float, typer.Option(help="H in [0, 1]: 1 compares means, 0 the best with the worst.")] = 1.0,
    algorithm: Annotated[
        list[str] | None, typer.Option(help="A rater that is an algorithm; the others are the panel.")
    ] = None,
    in_turn: Annotated[
        bool, typer.Option("--in-turn", help="Each rater in turn is the algorithm, the others the panel.")
    ] = False,
    no_diagnosis: Annotated[
        list[str] | None, typer.Option(help="A word that means no diagnosis; it matches nothing.")
    ] = None,
    column: Annotated[
        list[str] | None, typer.Option("--column", help="Another name of a column: --column diagnosis=dx.")
    ] = None,
    icd_source: Annotated[
        str, typer.Option(help="The tree of the codes: icd10cm, icd10 (WHO), or a CSV with code, name, parent.")
    ] = "icd10cm",
    labelled: Annotated[
        Path | None,
        typer.Option(help="Pairs of these lists that experts labelled: P and RPAD corrected for M's own errors."),
    ] = None,
    denominator: Annotated[
        str, typer.Option(help="nk2: n k squared, as in the source; observed: the lists' own lengths.")
    ] = "nk2",
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
    policy: Policy = None,
    store: Annotated[
        Path | None,
        typer.Option("--store", help="The vote store: read for M, and filled by --judge, --relation, --severity."),
    ] = None,
    endpoints: Endpoints = None,
    judge: Annotated[
        str | None,
        typer.Option(help="Recall by a language model's two stages in the place of M: ENDPOINT:MODEL."),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(help="Fill the column relation by a language model: ENDPOINT:MODEL; or by M itself: model."),
    ] = None,
    severity: Annotated[
        str | None, typer.Option(help="Fill the column severity by a language model: ENDPOINT:MODEL.")
    ] = None,
    max_calls: Annotated[int | None, typer.Option(help="Of the language models: stop after so many calls.")] = None,
    max_cost: Annotated[float | None, typer.Option(help="Of the language models: stop before this cost.")] = None,
    min_coverage: MinCoverage = 0.9,
    pairs: Annotated[
        Path | None, typer.Option("--pairs", help="Write the pairs that M would be asked to this file, and stop.")
    ] = None,
    rejects: Rejects = None,
) -> None:
    """Compare diagnoses with a panel of experts and with the reference: every metric that the lists allow."""
    from ..evaluation.evaluate import evaluate as run
    from ..evaluation.judges.asking import NotServed
    from ..evaluation.judges.by_matcher import MODEL
    from ..evaluation.judges.language_model import Budget
    from ..evaluation.pairs_asked import pairs_asked
    from ..evaluation.report.report import check_report_path
    from ..files.tables import check_keeps_input, check_output, write_table
    from ..progress import shown

    files = [path for path in (output, json, csv) if path is not None]
    for path in files:
        check_report_path(path)
    check_keeps_input(lists, *files, pairs)
    options: dict[str, Any] = {
        "algorithms": algorithm or None, "no_diagnosis": tuple(no_diagnosis or ()), "columns": _columns(column or []),
        "rejects": rejects, "k": k, "in_turn": in_turn, "metrics": metric or None, "icd_source": icd_source,
    }  # fmt: skip
    if pairs is not None:
        check_output(pairs)
        asked = pairs_asked(lists, **options)
        write_table(asked, pairs)
        typer.echo(f"{pairs}: {asked.num_rows:,} pairs.")
        return
    if judge or severity or (relation and relation != MODEL):
        quiet_retries()
    budget = Budget(max_calls, max_cost)
    try:
        with shown("Evaluating") as progress:
            report = run(
                lists, model, hardness=hardness, denominator=denominator, labelled=labelled, judge=judge,
                relation=relation, severity=severity, endpoints=endpoints, store=store, budget=budget,
                min_coverage=min_coverage, policy=policy, bootstrap=bootstrap, seed=seed, progress=progress, **options,
            )  # fmt: skip
    except NotServed as error:
        raise typer.BadParameter(str(error)) from None
    for path in files:
        report.save(path, spreadsheet=spreadsheet)
    report.print()
    for path in files:
        typer.echo(f"Written: {path}")
    if charts is not None:
        typer.echo(f"Written: {len(report.save_charts(charts))} files in {charts}")
    say_asked(*budget.summaries)


def reasoning(
    graphs: Annotated[Path, typer.Argument(help="The folder of knowledge graphs, one JSON a disease category.")],
    annotations: Annotated[Path, typer.Argument(help="The folder of annotated notes, one JSON a note.")],
    predictions: Annotated[Path, typer.Argument(help="The folder of predictions, of the same places and names.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The table of metrics: .csv, .tsv, .jsonl or .parquet.")
    ] = None,
    per_note: Annotated[Path | None, typer.Option("--per-note", help="A table with a row for each note.")] = None,
    bootstrap: Bootstrap = 1000,
    seed: Seed = 0,
    model: Model = None,
) -> None:
    """Compare predicted diagnostic reasoning with annotated reasoning, in the formats of DiReCT."""
    from rich.console import Console
    from rich.table import Table

    from ..evaluation.reasoning.evaluate import reasoning as run
    from ..files.tables import check_output, write_table

    for path in (output, per_note):
        if path is not None:
            check_output(path)
    result = run(graphs, annotations, predictions, model, bootstrap=bootstrap, seed=seed)
    table = Table("Metric", "Value", "95 % interval", "Notes")
    for row in result.rows:
        if row["category"] == "all":
            value = "undefined" if row["value"] is None else f"{row['value']:.3f}"
            between = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
            table.add_row(row["metric"], value, between, f"{row['n_notes']:,}")
    Console().print(table)
    for note in result.notes:
        typer.echo(note)
    for path, made in ((output, result.table), (per_note, result.per_note)):
        if path is not None:
            write_table(made, path)
            typer.echo(f"Written: {path}")


def metrics() -> None:
    """List every metric with its formula, source and range."""
    from rich.console import Console
    from rich.table import Table

    from ..evaluation.metrics import all_metrics

    table = Table("Metric", "Says", "Formula", "Range", "Source", title="Metrics", show_lines=True)
    for metric in all_metrics():
        table.add_row(metric.symbol, metric.description, metric.formula, metric.range, metric.source)
    Console().print(table)


def _columns(given: list[str]) -> dict[str, str]:
    """`["diagnosis=dx"]` as `{"diagnosis": "dx"}`; anything else is wrong usage."""
    pairs = [text.partition("=") for text in given]
    for name, sign, other in pairs:
        if not (name and sign and other):
            raise typer.BadParameter(f"{name}{sign}{other}: expected NAME=COLUMN, such as diagnosis=dx")
    return {name: other for name, _, other in pairs}
