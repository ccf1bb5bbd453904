"""`dxmatch votes`: ask language models for votes and picks, live or as batch files, and keep every answer."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from itertools import chain
from typing import Annotated, Any

from .. import Asking, EndpointCheck, check_endpoints, check_votes
from ..files.wording import counted
from ..matcher.asked_models import jobs_of, pairs_to_ask, providers_of
from ..options import File
from ..progress import shown
from ..votes import asking as verbs
from ..votes.answer_tables import import_table
from ..votes.batch_files import import_batch, write_batches
from ..votes.prompts.files import KINDS, allowed_in, names_of, prompt_of
from ..votes.store.store import VoteStore
from .command import Call, Output, Place, command, group

_Store = Annotated[Asking, "store"]
_Served = Annotated[Asking, "endpoints", "store"]


@group
def votes() -> None:
    """Votes and picks of language models: ask, batch files, what is known."""


@contextmanager
def _planned(call: Call, only: Sequence[str], asking: Asking) -> Iterator[tuple[list[verbs.Planned], Any]]:
    """What the votes and picks of the pairs still ask, which is said, and the store that is to hold the answers."""
    of = call(endpoints=asking.endpoints)
    equal = int(of.equal.sum())
    told = f", {equal:,} of these equal on both sides: they match, and are not asked." if equal else "."
    print(f"{counted(len(of), 'pair')}, {len(of.first):,} of them different after normalisation{told}")
    with verbs.planned(jobs_of(of, only), asking) as (planned, kept):
        print("\n".join(verbs.plan_lines(planned)))
        yield planned, kept


@command(pairs_to_ask, given="pairs", of=votes)
def ask(call: Call, *, only: Sequence[str] = (), results: Sequence[File] = (), asking: Asking = Asking()) -> None:
    """Ask for every vote and pick that the pairs need and the store does not hold. Each answer is kept as it comes.

    Parameters
    ----------
    only : str
        One vote or pick of the set, by its name; may be given again.
    results : path
        Results of the batch files that were exported of these pairs, in any order, which are taken in; nothing is asked then.

    Examples
    --------
    dxmatch votes ask pairs.csv --features mine.toml --dry-run
    """
    with _planned(call, only, asking) as (planned, kept):
        if results and not asking.dry_run:
            summary = import_batch(results, kept, planned)
            print("\n".join(summary.lines()))
            call.lacking = bool(summary.skipped.keys() - {"answered already"})
        elif not asking.dry_run:
            with shown("Asking") as progress:
                verbs.ask(planned, kept, asking.budget, progress)
            # an answer without a verdict is asked for anew only where one says so
            answers = chain.from_iterable(kept.stored(one.job.questions()) for one in planned)
            if unscored := sum(answer is not None and answer.verdict is None for answer in answers):
                hold = counted(unscored, "answer holds", "answers hold")
                print(f"{hold} no verdict: --again asks anew; dxmatch votes status says why.")


@command(pairs_to_ask, given="pairs", of=votes)
def export(call: Call, *, output: Output, only: Sequence[str] = (), asking: _Served = Asking()) -> None:
    """Write what the store does not hold as OpenAI batch files, for a batch service or vLLM's batch runner.

    Parameters
    ----------
    output : path
        The folder for the batch files, one or more a model.
    only : str
        One vote or pick of the set, by its name; may be given again.

    Examples
    --------
    dxmatch votes export pairs.csv --features mine.toml -o batches
    """
    with _planned(call, only, asking) as (planned, kept):
        for file, requests in write_batches(planned, output, kept).items():
            print(f"Written: {file} ({counted(requests, 'request')})")


@command(import_table, given="*source", of=votes)
def import_(
    call: Call,
    source: Sequence[File],
    *,
    features: str = "offline",
    abbreviations: File | None = None,
    asking: _Store = Asking(),
) -> None:
    """Take votes that were made elsewhere into the store: tables a, b, model, verdict or probability.

    Parameters
    ----------
    source : path
        Tables of votes.
    features : str
        The feature set whose names are meant.
    abbreviations : path
        Your own abbreviations, as given to train: columns abbreviation, expansion.

    Examples
    --------
    dxmatch votes import votes.csv --store votes.sqlite
    """
    naming = providers_of(features, abbreviations=abbreviations)[1].naming
    with VoteStore(asking.filled) as kept:
        for file in source:
            print("\n".join(call(source=file, store=kept, naming=naming).lines()))


@command(of=votes)
def status(call: Call, *, asking: _Store = Asking()) -> list[dict[str, Any]]:
    """Say what the store holds: for each model and prompt, its votes, what is unscored and why, tokens, time. Leaves with 1 where it is damaged.

    Examples
    --------
    dxmatch votes status --store votes.sqlite
    """
    with VoteStore(asking.filled, must_exist=True) as kept:
        rows, found = kept.status(), check_votes(asking.filled)
    print("\n".join([*(line for row in rows for line in row.lines()), *found.lines()]))
    call.lacking = not found.whole
    return [asdict(row) for row in rows]


@command(check_endpoints, of=votes)
def check(
    call: Call, *, matcher: str | None = None, repair: Place = None, asking: _Store = Asking()
) -> list[EndpointCheck]:
    """Say whether models can be asked, with one question to each, or whether a vote store is whole. Leaves with 1 where anything is wrong.

    Parameters
    ----------
    matcher : path
        Ask one question of each model that this trained model needs.
    repair : path
        Of a store: write a copy with every answer that proves right.

    Examples
    --------
    dxmatch votes check --features mine.toml
    dxmatch votes check --endpoints my.toml -m lab:llama3.1:8b
    dxmatch votes check --store votes.sqlite --repair repaired.sqlite
    """
    asked = call() if call.given.keys() - {"repair", "asking"} else []
    if asked:
        print(*(line for one in asked for line in one.lines()), sep="\n")
        print(f"{sum(one.usable for one in asked)} of {len(asked)} work.")
    call.lacking = not all(one.usable for one in asked)
    if asking.store is not None or repair is not None or not asked:
        found = check_votes(asking.filled, repair=repair)
        print("\n".join(found.lines()))
        call.lacking |= not found.whole
    return asked


@command(given="name", of=votes)
def prompt(call: Call, name: str | None = None) -> None:
    """Print a prompt as a file, which asks the same where it is given back; or say which there are, and what a file must hold.

    Parameters
    ----------
    name : str
        A kind of prompt, or the name or version of a built-in one; all of them if not given.

    Examples
    --------
    dxmatch votes prompt vote-ru > mine.txt
    """
    kinds = (f"{kind}: {', '.join(names_of(kind))}\n    a file: {allowed_in(kind)}\n" for kind in KINDS)
    print("".join(kinds) if name is None else prompt_of(None, name).whole, end="")
