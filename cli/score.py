"""`dxmatch score`: probability and match for each pair; large Parquet input as a job that resumes."""

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
    say_read,
    say_rejected,
    say_unscored,
)

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
        Path,
        typer.Option(
            "--output", "-o", help="Where the scored table goes; the suffix says what kind. Parquet may go to a folder."
        ),
    ],
    model: Model = None,
    policy: Policy = None,
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
) -> None:
    """Add probability and match to each pair. From Parquet to Parquet, a command that was cut short goes on where it was."""
    from ..errors import OptionError
    from ..features.coverage import part_words
    from ..files.counted import counted
    from ..progress import shown

    given: dict[str, Any] = {} if policy is None else {"policy": policy}
    under = "" if policy is None else f", policy {policy}"
    if _is_job(pairs, output):
        from ..jobs.job import score_files
        from ..jobs.plan import CHUNK_ROWS

        done = score_files(
            pairs, output, model=model, store=store, endpoints=endpoints, min_coverage=min_coverage, a=a, b=b,
            features=features, shap=shap, relation=relation, rejects=rejects, engine=engine, workers=workers, chunk_rows=chunk_rows or CHUNK_ROWS,
            restart=restart, judge_all=judge_all, shown=shown, **given, **(origin or {}),
        )  # fmt: skip
        n_pairs, matches, rejected, coverage = done.pairs, done.matches, done.rejected, done.coverage
        threshold, name, unscored, asked, note = done.threshold, done.model, done.unscored, done.asked, ""
        if done.resumed:
            typer.echo(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    else:
        from ..files.pairs import read_pairs
        from ..files.tables import check_output, write_table
        from ..matcher.match_function import load

        if engine != "local":
            raise OptionError("engine", "local, where input or output is not Parquet", engine)
        check_output(output)
        read = read_pairs(pairs, a=a, b=b, rejects=rejects, encoding=encoding)
        check_output(output, rows=len(read))
        m = load(
            model,
            store=store,
            endpoints=endpoints,
            min_coverage=min_coverage,
            judge_all=judge_all,
            **given,
            **(origin or {}),
        )
        with shown("Scoring pairs") as progress:
            scored = m.score_read(read, features=features, shap=shap, relation=relation, progress=progress)
        write_table(scored.table, output)
        n_pairs, rejected, coverage = len(read), read.n_rejected, dict(scored.coverage)
        match = scored.table.column("match")
        matches, unscored, threshold, name = match.to_pylist().count(True), match.null_count, m.threshold, m.name
        asked, note = [feature.name for feature in m.features.asked], read.table.note
    found = f"{counted(n_pairs, 'pair')}, {counted(matches, 'match', 'matches')}"
    say_read(note)
    typer.echo(f"{output}: {found} at threshold {threshold:.3f} (model {name}{under}).")
    say_unscored(unscored, n_pairs)
    if told := part_words(coverage if features else {feature: coverage[feature] for feature in asked}):
        typer.echo(told)
    say_rejected(rejected, rejects)


def _is_job(pairs: Path, output: Path) -> bool:
    """Whether input and output are Parquet: a folder stands for Parquet files."""
    return (pairs.is_dir() or pairs.suffix.lower() == ".parquet") and (
        output.suffix.lower() in (".parquet", "") or output.is_dir() or pairs.is_dir()
    )
