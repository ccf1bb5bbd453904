"""`dxmatch score`: probability and match for each pair; large Parquet input as a job that resumes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..settings import quiet
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
    loaded,
    say_read,
    say_rejected,
    say_unscored,
)

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 10
"""Rows where no output is named."""
Engine = Annotated[
    str, typer.Option(help='Parquet: local, or ray (extra "ray") on a cluster that sees the same files.')
]
Workers = Annotated[int | None, typer.Option(help="Parquet: chunks at once, each on one core; all cores if not given.")]
ChunkRows = Annotated[
    int | None, typer.Option(help="Parquet: at most so many rows in a chunk; about 500,000 if not given.")
]
Restart = Annotated[
    bool, typer.Option("--restart", help="Parquet: begin anew where another job's chunks or result are in the way.")
]


def score(
    pairs: Annotated[
        Path,
        typer.Argument(
            help="Pairs: a .csv, .tsv, .jsonl, .xlsx (file.xlsx#Sheet) or .parquet file, or a folder of .parquet files."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where the scored table goes; the suffix says what kind. Parquet may go to a folder. The first rows are shown here if not given.",
        ),
    ] = None,
    model: Model = None,
    policy: Policy = None,
    threshold: Threshold = None,
    a: ColumnA = "a",
    b: ColumnB = "b",
    features: Annotated[bool, typer.Option("--features", help="Add the feature columns.")] = False,
    shap: Annotated[
        bool, typer.Option("--shap", help="Add what each feature adds to the log-odds of a match (SHAP values).")
    ] = False,
    relation: Annotated[
        bool,
        typer.Option(
            "--relation", help="Add what a is to b (same, narrower, broader, related, …), and how probable each is."
        ),
    ] = False,
    store: Store = None,
    endpoints: Endpoints = None,
    min_coverage: MinCoverage = 0.9,
    rejects: Rejects = None,
    engine: Engine = "local",
    workers: Workers = None,
    chunk_rows: ChunkRows = None,
    restart: Restart = False,
    judge_all: JudgeAll = False,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Add probability and match to each pair. From Parquet to Parquet, a command that was cut short goes on where it was."""
    from ..errors import OptionError
    from ..features.coverage import part_words
    from ..files.counted import counted, shown_threshold
    from ..progress import shown

    given: dict[str, Any] = {} if policy is None else {"policy": policy}
    under = "" if policy is None else f", policy {policy}"
    if _is_job(pairs, output):
        from ..jobs.job import score_files
        from ..jobs.plan import CHUNK_ROWS

        if output is None:
            raise typer.BadParameter("a folder of pairs needs --output: a .parquet file, or a folder")
        done = score_files(
            pairs, output, model=model, store=store, endpoints=endpoints, min_coverage=min_coverage, a=a, b=b,
            features=features, shap=shap, relation=relation, rejects=rejects, engine=engine, workers=workers, chunk_rows=chunk_rows or CHUNK_ROWS,
            restart=restart, threshold=threshold, judge_all=judge_all, shown=shown, **given, **(origin or {}),
        )  # fmt: skip
        n_pairs, matches, rejected, coverage = done.pairs, done.matches, done.rejected, done.coverage
        least, name, unscored, asked, note = done.threshold, done.model, done.unscored, done.asked, ""
        rows: dict[str, Any] = {}
        if done.resumed:
            typer.echo(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    else:
        from ..files.pairs import read_pairs
        from ..files.tables import check_output, write_table

        if engine != "local":
            raise OptionError("engine", "local, where input or output is not Parquet", engine)
        if output is not None:
            check_output(output)
        read = read_pairs(pairs, a=a, b=b, rejects=rejects, encoding=encoding)
        if output is not None:
            check_output(output, rows=len(read))
        m = loaded(
            model, policy=policy, threshold=threshold, origin=origin, store=store, endpoints=endpoints, min_coverage=min_coverage,
            judge_all=judge_all,
        )  # fmt: skip
        with shown("Scoring pairs") as progress:
            scored = m.score_read(read, features=features, shap=shap, relation=relation, progress=progress)
        if output is not None:
            write_table(scored.table, output)
        else:
            added = [name for name in scored.table.column_names if name not in read.table.names]
            _print_first(scored.table.select([a, b, *added]))
        rows = {"rows": scored.table} if output is None else {}
        n_pairs, rejected, coverage = len(read), read.n_rejected, dict(scored.coverage)
        match = scored.table.column("match")
        matches, unscored, least, name = match.to_pylist().count(True), match.null_count, m.threshold, m.name
        asked, note = [feature.name for feature in m.features.asked], read.table.note
    say_read(note)
    typer.echo(
        f"{output or pairs}: {counted(n_pairs, 'pair')}, {counted(matches, 'match', 'matches')} at threshold {shown_threshold(least)} (model {name}{under})."
    )
    if output is None and not quiet():
        typer.echo("Nothing was written; -o FILE writes all rows with all columns, and -o - prints them as CSV.")
    say_unscored(unscored, n_pairs)
    if told := part_words(coverage if features else {feature: coverage[feature] for feature in asked}):
        typer.echo(told)
    say_rejected(rejected, rejects)
    return {
        "output": None if output is None else str(output),
        "pairs": n_pairs,
        "matches": matches,
        "not_scored": unscored,
        "rejected": rejected,
        "threshold": least,
        "policy": policy or "specification",
        "model": name,
        "known": dict(coverage),
        **rows,
    }


def _print_first(scored: pa.Table) -> None:
    """The first rows."""
    from ..terminal import print_table

    print_table(scored.column_names, (map(_cell, row.values()) for row in scored.slice(0, _SHOWN).to_pylist()))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _is_job(pairs: Path, output: Path | None) -> bool:
    """Whether input and output are Parquet: a folder stands for Parquet files."""
    if output is None:
        return pairs.is_dir()
    return (pairs.is_dir() or pairs.suffix.lower() == ".parquet") and (
        output.suffix.lower() in (".parquet", "") or output.is_dir() or pairs.is_dir()
    )
