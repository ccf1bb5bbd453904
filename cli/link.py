"""`dxmatch link`: for each term of one list the best of another; `dxmatch dedupe`: the terms of one list in clusters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files.counted import counted, shown_threshold
from .options import Encoding, JudgeAll, Model, Origin, Policy, Threshold, loaded, say_read

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 20
_NAMED = 'by default "diagnosis", "term", "name", … or the only one.'
_FILES = "a .csv, .tsv, .jsonl, .xlsx (file.xlsx#Sheet) or .parquet file."
Candidates = Annotated[
    int,
    typer.Option(
        "--candidates",
        help="How many terms are looked at for each: so many of the nearest in meaning, and of those near in the graph of diseases. "
        "More find more, and take longer.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="Where the table goes; the suffix says what kind. The first rows are shown if not given."
    ),
]


def link(
    a_terms: Annotated[Path, typer.Argument(metavar="A", help=f"The terms to be linked: {_FILES}")],
    b_terms: Annotated[Path, typer.Argument(metavar="B", help="The terms that they are linked to, such a file, too.")],
    output: Output = None,
    a: Annotated[str | None, typer.Option("--a", help=f"The column of the terms in A; {_NAMED}")] = None,
    b: Annotated[str | None, typer.Option("--b", help="The same in B.")] = None,
    k: Annotated[
        int,
        typer.Option(
            "--k",
            help="At most so many links for each term of A, the best first; above 3 x --candidates: all that are found.",
        ),
    ] = 1,
    threshold: Threshold = None,
    candidates: Candidates = 50,
    relation: Annotated[
        bool, typer.Option("--relation", help="Add what a is to b: same, narrower, broader, related, …")
    ] = False,
    model: Model = None,
    policy: Policy = None,
    judge_all: JudgeAll = False,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Link two lists of terms: for each term of A the one of B that names the same disease, or none. Other columns are kept."""
    from ..files.tables import check_output, write_table
    from ..matcher.linking.kept_blocks import kept_beside
    from ..matcher.linking.link import link as link_terms
    from ..progress import shown

    if output is not None:
        check_output(output)
    m = loaded(model, policy=policy, threshold=threshold, origin=origin, judge_all=judge_all)
    with kept_beside(output) as kept:
        with shown("Linking terms") as progress:
            made = link_terms(
                m, a_terms, b_terms, k, a=a, b=b, candidates=candidates, relation=relation, encoding=encoding,
                progress=progress, kept=kept,
            )  # fmt: skip
        say_read(made.read.table.note)
        say_read(made.read_b.table.note)
        if kept is not None and kept.resumed:
            typer.echo(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        doubtful = made.doubtful
        if doubtful:
            _warn(f"{counted(doubtful, 'link')} below a probability of 0.5: look at them before you use them.")
        if made.limited:
            _warn(f"{made.limited[:-1]} (--candidates).")
        if output is not None:
            check_output(output, rows=made.table.num_rows)
            write_table(made.table, output)
    if output is None:
        shown_columns = ("a", "b", "probability", "relation", "note")
        _print(made.table.select([name for name in shown_columns if name in made.table.column_names]))
    told = [f"{made.unlinked:,} without a match"]
    told += [f"{made.not_understood:,} not understood"] if made.not_understood else []
    told += [f"{made.blank:,} blank or no diagnosis"] if made.blank else []
    typer.echo(
        f"{output or a_terms}: {made.linked:,} of {counted(made.a, 'term')} linked to {counted(made.b, 'term')}, {', '.join(told)}, "
        f"at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    if made.unknown_b:
        typer.echo(
            f"{b_terms}: {counted(made.unknown_b, 'term')} blank or not understood, and linked to none but its equals."
        )
    return {
        "output": None if output is None else str(output), "a": made.a, "b": made.b, "linked": made.linked, "unlinked": made.unlinked,
        "not_understood": made.not_understood, "blank": made.blank, "doubtful": doubtful, "threshold": m.threshold, "policy": m.policy, "model": m.name,
        **({"rows": made.table} if output is None else {}),
    }  # fmt: skip


def dedupe(
    terms: Annotated[Path, typer.Argument(help=f"The terms: {_FILES}")],
    output: Output = None,
    column: Annotated[str | None, typer.Option(help=f"The column of the terms; {_NAMED}")] = None,
    threshold: Threshold = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help="What counts as a duplicate: strict (the same disease; the default), or specification (either may say more)."
        ),
    ] = None,
    candidates: Candidates = 50,
    model: Model = None,
    judge_all: JudgeAll = False,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Find the terms of a list that name one disease. In a cluster every two names match, so that none hangs by a chain."""
    from ..files.tables import check_output, write_table
    from ..matcher.linking.dedupe import dedupe as dedupe_terms
    from ..matcher.list_function import under
    from ..progress import shown

    if output is not None:
        check_output(output)
    m = under(loaded(model, policy=None, threshold=None, origin=origin, judge_all=judge_all), policy)
    m.threshold = m.threshold_or(threshold)
    with shown("Finding duplicates") as progress:
        made = dedupe_terms(m, terms, column=column, candidates=candidates, encoding=encoding, progress=progress)
    say_read(made.read.table.note)
    if made.doubtful:
        _warn(f"{counted(made.doubtful, 'term')} joined at a probability below 0.5: look at them before you use them.")
    if output is not None:
        check_output(output, rows=made.table.num_rows)
        write_table(made.table, output)
    else:
        _print(made.table.select(["term", "cluster", "representative", "probability", "why", "note"]))
    told = [f"{made.not_understood:,} not understood"] if made.not_understood else []
    told += [f"{made.blank:,} blank or no diagnosis"] if made.blank else []
    typer.echo(
        f"{output or terms}: {counted(made.terms, 'term')} in {counted(made.clusters, 'cluster')}, {made.joined:,} of them with others"
        f"{''.join(f', {one}' for one in told)}, at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    return {
        "output": None if output is None else str(output), "terms": made.terms, "clusters": made.clusters, "joined": made.joined,
        "not_understood": made.not_understood, "blank": made.blank, "doubtful": made.doubtful, "threshold": m.threshold, "policy": m.policy, "model": m.name,
        **({"rows": made.table} if output is None else {}),
    }  # fmt: skip


def _warn(text: str) -> None:
    typer.echo(f"dxmatch: warning: {text}", err=True)


def _print(table: pa.Table) -> None:
    from ..terminal import print_table

    rows = (
        ["" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values()]
        for row in table.slice(0, _SHOWN).to_pylist()
    )
    print_table(table.column_names, rows)
    if table.num_rows > _SHOWN:
        typer.echo(f"The first {_SHOWN} of {table.num_rows:,} rows; -o FILE writes all, with all columns.")
