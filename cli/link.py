"""`dxmatch link`: for each term of one list the best of another; `dxmatch dedupe`: the terms of one list in clusters."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any

from ..files.counted import counted, shown_threshold
from ..files.tables import check_output, write_table
from ..matcher.linking.dedupe import dedupe as dedupe_terms
from ..matcher.linking.kept_blocks import kept_beside
from ..matcher.linking.link import link as link_terms
from ..matcher.list_function import under
from ..matcher.match_function import MatchFunction, load
from .command import Call, command
from .results import TableFile, print_first


@command(MatchFunction.link, given=("a_terms", "b_terms"), leave_out=("threshold",))
def link(call: Call, *, output: TableFile | None = None, matcher: Any = None) -> dict[str, Any]:
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
    m = matcher or load()
    with kept_beside(output) as kept:
        made = call.of(link_terms, m=m, kept=kept)
        if kept is not None and kept.resumed:
            print(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        if made.limited:
            warnings.warn(f"{made.limited[:-1]} (--candidates).", stacklevel=2)
        columns = [
            "a",
            "b",
            "probability",
            *[name for name in ("relation",) if name in made.table.column_names],
            "note",
        ]
        return _deliver(
            made, m, output, columns, f"{made.linked:,} of {made.a:,} terms linked to {counted(made.b, 'term')}"
        )


@command(MatchFunction.dedupe, given=("terms",), leave_out=("threshold",))
def dedupe(call: Call, *, output: TableFile | None = None, matcher: Any = None) -> dict[str, Any]:
    """Find the terms of a list that name one disease; the policy is strict if none is given. In a cluster every two names match.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch dedupe terms.csv -o clusters.csv
    """
    m = under(matcher or load(), call.typed.get("policy"))
    m.threshold = m.threshold_or(call.typed.get("threshold"))
    made = call.of(dedupe_terms, m=m)
    columns = ["term", "cluster", "representative", "probability", "why", "note"]
    return _deliver(
        made,
        m,
        output,
        columns,
        f"{made.terms:,} terms in {counted(made.clusters, 'cluster')}, {made.joined:,} with others",
    )


def _deliver(made: Any, m: MatchFunction, output: Any, columns: list[str], told: str) -> dict[str, Any]:
    """Writes the table, or shows its first rows, and says what came of it; gives its JSON."""
    notes = [read.table.note for read in (made.read, getattr(made, "read_b", None)) if read is not None]
    print("".join(f"{note}\n" for note in notes if note), end="")
    if output is None:
        print_first(made.table.select(columns))
    else:
        check_output(output, rows=made.table.num_rows)
        write_table(made.table, output)
    counts = {each.name: getattr(made, each.name) for each in fields(made) if each.type == "int"}
    others = "".join(
        f", {counts[name]:,} {what}" for name, what in (
            ("unlinked", "without a match"), ("not_understood", "not understood"), ("blank", "blank or no diagnosis"), ("unknown_b", "of the second list blank or not understood"),
            ("doubtful", "below a probability of 0.5, to be looked at before they are used"),
        ) if counts.get(name)
    )  # fmt: skip
    print(
        f"{output or 'Found'}: {told}{others}, at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    about = {"threshold": m.threshold, "policy": m.policy, "model": m.name}
    return {"output": output and str(output), **counts, **about, **({} if output else {"rows": made.table})}
