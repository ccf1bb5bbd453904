"""`dxmatch votes`: ask language models for votes and picks, live or as batch files, and keep every answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import ColumnA, ColumnB, Rejects

if TYPE_CHECKING:
    from ..features.feature_set import FeatureSet
    from ..features.interning import InternedPairs
    from ..features.providers import Providers
    from ..features.vote_plan import Planned
    from ..terms.icd.naming import Naming
    from ..votes.ask_summary import AskSummary

app = typer.Typer(
    name="votes",
    help="Votes and ICD-10 picks of language models: ask, export and import batch files, see what is known.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

PairsFile = Annotated[Path, typer.Argument(help="Pairs: a .csv, .tsv, .jsonl or .parquet file.")]
Features = Annotated[str, typer.Option("--features", help="A built-in feature set, or a TOML file.")]
Model = Annotated[
    Path | None, typer.Option("--model", help="Ask what this trained model needs, in place of --features.")
]
Endpoints = Annotated[
    Path | None,
    typer.Option("--endpoints", help="A TOML file with \\[endpoint.NAME] tables; they go before the set's own."),
]
Store = Annotated[Path, typer.Option("--store", help="The vote store, an SQLite file.")]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="One vote or pick of the set, by its name; may be repeated.")
]
Abbreviations = Annotated[
    Path | None, typer.Option(help="Your own abbreviations, as given to train: columns abbreviation, expansion.")
]
STORE = Path("votes.sqlite")


@app.command(epilog="Example: dxmatch votes ask pairs.csv --features mine.toml --dry-run")
def ask(
    pairs: PairsFile,
    features: Features = "paper17",
    model: Model = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    only: Only = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked, and stop.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Ask anew where an answer holds no verdict.")] = False,
    max_calls: Annotated[int | None, typer.Option(help="Stop after so many calls, retries included.")] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="Stop before this cost, by the \\[price.MODEL] tables.")
    ] = None,
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
) -> None:
    """Ask for every vote and pick that the pairs need and the store does not hold. Each answer is kept as it comes."""
    from ..features.vote_plan import jobs_of, plan
    from ..progress import shown
    from ..votes.asker import ask as ask_all
    from ..votes.store.store import VoteStore

    chosen, providers = _chosen(features, model, endpoints, abbreviations)
    unique = _unique(pairs, a, b, providers.naming, rejects)
    if dry_run and not store.exists():
        _print_plan(plan(unique, chosen, providers, None, only or ()), chosen)
        return
    with VoteStore(store) as votes:
        planned = plan(unique, chosen, providers, votes, only or ())
        if again and not dry_run:
            for one in planned:
                votes.forget_unscored(one.questions())
            planned = plan(unique, chosen, providers, votes, only or ())
        _print_plan(planned, chosen)
        if dry_run or not any(one.unknown for one in planned):
            return
        quiet_retries()
        with shown("Asking") as progress:
            summary = ask_all(
                jobs_of(planned, chosen, votes), votes, max_calls=max_calls, max_cost=max_cost, progress=progress
            )
    say_asked(summary)


def quiet_retries() -> None:
    """Retries are counted in the summary; where structlog is installed, stamina would print each of them."""
    try:
        from stamina.instrumentation import set_on_retry_hooks
    except ImportError:
        return  # what needs it says so itself
    set_on_retry_hooks(())


def say_asked(*summaries: AskSummary) -> None:
    """Says what came of asking; leaves with 1 where questions failed, with 130 where Ctrl-C ended it."""
    for summary in summaries:
        typer.echo(summary.words())
    if any("interrupted" in summary.stopped_because for summary in summaries):
        raise typer.Exit(130)
    if any(summary.failed for summary in summaries):
        raise typer.Exit(1)


@app.command(epilog="Example: dxmatch votes export pairs.csv --features mine.toml -o batches")
def export(
    pairs: PairsFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for the batch files, one or more a model.")
    ],
    features: Features = "paper17",
    model: Model = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    only: Only = None,
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
) -> None:
    """Write what the store does not hold as OpenAI batch files, for a batch service or vLLM's batch runner."""
    from itertools import chain

    from ..features.vote_plan import plan
    from ..files.atomic import make_folder
    from ..votes.batch_files import export as write_batches
    from ..votes.store.store import VoteStore

    chosen, providers = _chosen(features, model, endpoints, abbreviations)
    unique = _unique(pairs, a, b, providers.naming, rejects)
    make_folder(output)
    with VoteStore(store) as votes:
        planned = plan(unique, chosen, providers, votes, only or ())
        _print_plan(planned, chosen)
        unknown = chain.from_iterable(votes.unknown(one.questions()) for one in planned)
        for file in write_batches(unknown, output, votes):
            typer.echo(f"Written: {file}")


@app.command("import", epilog="Example: dxmatch votes import batches/results.jsonl --store votes.sqlite")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Results of batch files (.jsonl), or tables of votes.")],
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    verdict: Annotated[str, typer.Option(help="Of a table: the column of 0/1 verdicts.")] = "verdict",
    probability: Annotated[str, typer.Option(help="Of a table: the column of probabilities.")] = "probability",
    model_column: Annotated[str, typer.Option(help="Of a table: the column of the model's name.")] = "model",
    model_name: Annotated[str | None, typer.Option(help="Of a table without that column: the model's name.")] = None,
    features: Annotated[
        str, typer.Option("--features", help="Of a table: the feature set whose names and codes are meant.")
    ] = "offline",
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
) -> None:
    """Take answers into the store: batch results in any order, or a table a, b, model, verdict or probability."""
    from ..votes.answer_tables import import_table
    from ..votes.batch_files import import_batch, is_batch_result
    from ..votes.store.store import VoteStore

    batches = [file for file in files if is_batch_result(file)]
    with VoteStore(store) as votes:
        if batches:
            summary = import_batch(batches, votes)
            for line in summary.lines():
                typer.echo(line)
        for file in files:
            if file not in batches:
                _, providers = _chosen(features, None, None, abbreviations)
                told = import_table(
                    file, votes, a=a, b=b, verdict=verdict, probability=probability, model_column=model_column,
                    model=model_name, naming=providers.naming, rejects=rejects,
                )  # fmt: skip
                for line in told.lines():
                    typer.echo(line)


@app.command(epilog="Example: dxmatch votes status --store votes.sqlite")
def status(store: Store = STORE) -> None:
    """What the store holds: for each model and prompt, its votes, what is unscored and why, tokens, time."""
    from ..votes.store.store import VoteStore
    from .votes_messages import status_lines

    with VoteStore(store, must_exist=True) as votes:
        rows = votes.status()
    for line in status_lines(rows):
        typer.echo(line)
    if not rows:
        typer.echo(f"{store} holds no answer yet.")


def _chosen(
    features: str, model: Path | None, endpoints: Path | None, abbreviations: Path | None
) -> tuple[FeatureSet, Providers]:
    """The feature set of a model or a file, with its endpoints, and what stands behind it."""
    from ..features.feature_set import FeatureSet
    from ..features.providers import SHIPPED, Providers
    from ..matcher.match_function import load
    from ..models.shipped import shipped_encoder_files
    from ..terms.encoders.static import StaticEncoder
    from ..terms.text.abbreviations import read_abbreviations
    from ..terms.text.normalizer import Normalizer

    if model is not None:
        if abbreviations is not None:
            raise typer.BadParameter("--abbreviations goes with --features; a model keeps its own.")
        trained = load(model, endpoints=endpoints)
        chosen = trained.features if endpoints is None else trained.features.served_by(endpoints)
        chosen.check_providers(str(model))
        return chosen, trained.providers
    chosen = FeatureSet.read(features, endpoints)
    shipped = StaticEncoder.from_bytes(shipped_encoder_files()) if SHIPPED in chosen.encoders else None
    normalizer = Normalizer(chosen.language, None if abbreviations is None else read_abbreviations(abbreviations))
    return chosen, chosen.open(normalizer, shipped, endpoints=chosen.endpoints)


def _unique(pairs: Path, a: str, b: str, naming: Naming, rejects: Path | None) -> InternedPairs:
    from ..features.interning import intern_pairs
    from ..files.pairs import read_pairs

    read = read_pairs(pairs, a=a, b=b, rejects=rejects)
    unique = intern_pairs(read.a, read.b, naming)
    equal = int(unique.equal.sum())
    typer.echo(
        f"{len(read):,} pairs, {len(unique.first):,} of them different after normalisation"
        + (f", {equal:,} of these equal on both sides: they match, and are not asked." if equal else ".")
    )
    if read.n_rejected:
        typer.echo(f"{read.n_rejected:,} rows set aside in {rejects}.")
    return unique


def _print_plan(planned: list[Planned], features: FeatureSet) -> None:
    from .votes_messages import plan_lines

    for line in plan_lines(planned, features.endpoints):
        typer.echo(line)
