"""`dxmatch link`: for each term of one list the best of another; `dxmatch dedupe`: the terms of one list in clusters."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..files.counted import counted, shown_threshold
from ..files.tables import check_output, write_table
from ..matcher.linking.dedupe import Duplicates
from ..matcher.linking.dedupe import dedupe as dedupe_terms
from ..matcher.linking.kept_blocks import kept_beside
from ..matcher.linking.link import Links
from ..matcher.linking.link import link as link_terms
from ..matcher.list_function import under
from ..matcher.match_function import MatchFunction, load
from .command import Call, Output, command
from .results import check_outputs, print_first


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
    check_outputs((), output)
    m = matcher or load()
    with kept_beside(output) as kept:
        made: Links = call.of(link_terms, m=m, kept=kept)
        if kept is not None and kept.resumed:
            print(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        if made.limited:
            warnings.warn(f"{made.limited[:-1]} (--candidates).", stacklevel=2)
        _deliver(made, output, ("a", "b", "probability", "relation", "note"), "link")
    told = f"{made.linked:,} of {counted(made.a, 'term')} linked to {counted(made.b, 'term')}, {made.unlinked:,} without a match"
    _say(made, m, output or call.typed["a_terms"], told)
    if made.unknown_b:
        unknown = f"{counted(made.unknown_b, 'term')} blank or not understood, and linked to none but its equals."
        print(f"{call.typed['b_terms']}: {unknown}")
    return _document(made, m, output)


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
    check_outputs((), output)
    m = under(matcher or load(), call.typed.get("policy"))
    m.threshold = m.threshold_or(call.typed.get("threshold"))
    made: Duplicates = call.of(dedupe_terms, m=m)
    _deliver(made, output, ("term", "cluster", "representative", "probability", "why", "note"), "joined term")
    told = f"{counted(made.terms, 'term')} in {counted(made.clusters, 'cluster')}, {made.joined:,} of them with others"
    _say(made, m, output or call.typed["terms"], told)
    return _document(made, m, output)


def _deliver(made: Links | Duplicates, output: Path | None, columns: Sequence[str], doubtful: str) -> None:
    """Writes the table, or shows its first rows, after what was read of the files where there was a choice."""
    for read in (made.read, getattr(made, "read_b", None)):
        if read is not None and read.table.note:
            print(read.table.note)
    if made.doubtful:
        told = f"{counted(made.doubtful, doubtful)} below a probability of 0.5: look at them before you use them."
        warnings.warn(told, stacklevel=3)
    if output is None:
        print_first(made.table.select([name for name in columns if name in made.table.column_names]))
    else:
        check_output(output, rows=made.table.num_rows)
        write_table(made.table, output)


def _say(made: Links | Duplicates, m: MatchFunction, of: Any, told: str) -> None:
    others = {"not understood": made.not_understood, "blank or no diagnosis": made.blank}
    told += "".join(f", {count:,} {what}" for what, count in others.items() if count)
    print(f"{of}: {told}, at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy}).")


def _document(made: Links | Duplicates, m: MatchFunction, output: Path | None) -> dict[str, Any]:
    counts = {each.name: getattr(made, each.name) for each in fields(made) if each.type == "int"}
    about = {"threshold": m.threshold, "policy": m.policy, "model": m.name}
    return {"output": output and str(output), **counts, **about, **({} if output else {"rows": made.table})}
