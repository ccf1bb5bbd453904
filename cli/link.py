"""`dxmatch link`: for each term of one list the best of another; `dxmatch dedupe`: the terms of one list in clusters."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..files.counted import counted, shown_threshold
from ..files.tables import check_output, write_table
from ..matcher.linking.dedupe import dedupe as dedupe_terms
from ..matcher.linking.kept_blocks import kept_beside
from ..matcher.linking.link import link as link_terms
from ..matcher.list_function import under
from ..matcher.match_function import MatchFunction, load
from .command import Call, Output, command

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 20
_SHOWN_COLUMNS = ("a", "b", "probability", "relation", "note")


@command(MatchFunction.link, given=("a_terms", "b_terms"), leave_out=("threshold",))
def link(call: Call, *, output: Output | None = None, matcher: Any = None) -> dict[str, Any]:
    """Link two lists of terms: for each term of A the one of B that names the same disease, or none. Other columns are kept.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch link problem_list.csv catalogue.csv -o links.csv
    dxmatch link a.xlsx b.csv --a term --b name --k 3
    """
    if output is not None:
        check_output(output)
    m = matcher or load()
    with kept_beside(output) as kept:
        made = call.of(link_terms, m=m, kept=kept)
        _say_notes(made.read.table.note, made.read_b.table.note)
        if kept is not None and kept.resumed:
            print(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        if made.doubtful:
            _warn(f"{counted(made.doubtful, 'link')} below a probability of 0.5: look at them before you use them.")
        if made.limited:
            _warn(f"{made.limited[:-1]} (--candidates).")
        if output is not None:
            check_output(output, rows=made.table.num_rows)
            write_table(made.table, output)
    if output is None:
        _print(made.table.select([name for name in _SHOWN_COLUMNS if name in made.table.column_names]))
    told = [f"{made.unlinked:,} without a match"]
    told += [f"{made.not_understood:,} not understood"] if made.not_understood else []
    told += [f"{made.blank:,} blank or no diagnosis"] if made.blank else []
    print(
        f"{output or call.typed['a_terms']}: {made.linked:,} of {counted(made.a, 'term')} linked to {counted(made.b, 'term')}, {', '.join(told)}, "
        f"at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    if made.unknown_b:
        print(
            f"{call.typed['b_terms']}: {counted(made.unknown_b, 'term')} blank or not understood, and linked to none but its equals."
        )
    return {
        "output": None if output is None else str(output), "a": made.a, "b": made.b, "linked": made.linked, "unlinked": made.unlinked,
        "not_understood": made.not_understood, "blank": made.blank, "doubtful": made.doubtful, "threshold": m.threshold, "policy": m.policy, "model": m.name,
        **({"rows": made.table} if output is None else {}),
    }  # fmt: skip


@command(MatchFunction.dedupe, given=("terms",), leave_out=("threshold",))
def dedupe(call: Call, *, output: Output | None = None, matcher: Any = None) -> dict[str, Any]:
    """Find the terms of a list that name one disease; the policy is strict if none is given. In a cluster every two names match.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch dedupe terms.csv -o clusters.csv
    """
    if output is not None:
        check_output(output)
    m = under(matcher or load(), call.typed.get("policy"))
    m.threshold = m.threshold_or(call.typed.get("threshold"))
    made = call.of(dedupe_terms, m=m)
    _say_notes(made.read.table.note)
    if made.doubtful:
        _warn(f"{counted(made.doubtful, 'term')} joined at a probability below 0.5: look at them before you use them.")
    if output is not None:
        check_output(output, rows=made.table.num_rows)
        write_table(made.table, output)
    else:
        _print(made.table.select(["term", "cluster", "representative", "probability", "why", "note"]))
    told = [f"{made.not_understood:,} not understood"] if made.not_understood else []
    told += [f"{made.blank:,} blank or no diagnosis"] if made.blank else []
    print(
        f"{output or call.typed['terms']}: {counted(made.terms, 'term')} in {counted(made.clusters, 'cluster')}, {made.joined:,} of them with others"
        f"{''.join(f', {one}' for one in told)}, at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    return {
        "output": None if output is None else str(output), "terms": made.terms, "clusters": made.clusters, "joined": made.joined,
        "not_understood": made.not_understood, "blank": made.blank, "doubtful": made.doubtful, "threshold": m.threshold, "policy": m.policy, "model": m.name,
        **({"rows": made.table} if output is None else {}),
    }  # fmt: skip


def _say_notes(*notes: str) -> None:
    """What was read of a file, where there was a choice."""
    for note in filter(None, notes):
        print(note)


def _warn(text: str) -> None:
    print(f"dxmatch: warning: {text}", file=sys.stderr)


def _print(table: pa.Table) -> None:
    from ..terminal import print_table

    rows = (
        ["" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row.values()]
        for row in table.slice(0, _SHOWN).to_pylist()
    )
    print_table(table.column_names, rows)
    if table.num_rows > _SHOWN:
        print(f"The first {_SHOWN} of {table.num_rows:,} rows; -o FILE writes all, with all columns.")
