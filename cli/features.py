"""`dxmatch features`: a feature set of one's own, written as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="features",
    help="The columns of the match function: write a file of your own, with language models that you run or pay for.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.callback()
def features() -> None:
    """The columns of the match function, as a file of your own."""


@app.command(
    epilog="Example: dxmatch features init -o mine.toml --with vote --server ollama --model-name llama3.1:8b    or: dxmatch features init -o mine.toml"
)
def init(
    path: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("mine.toml"),
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            help="What the models are asked for: vote (do they name the same disease?), soft-vote (the probability of yes), pick (the nearest ICD-10 entry), embedding (a vector); may be repeated. If not given: vote where --model-name is, else nothing.",
        ),
    ] = None,
    server: Annotated[
        str, typer.Option(help="Who serves the models: ollama, vllm, llamacpp, openai, or the URL of a server.")
    ] = "ollama",
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model-name",
            "-m",
            help="A chat model, as the server names it; may be repeated. If not given: one to begin with.",
        ),
    ] = None,
    embedding_models: Annotated[
        list[str] | None,
        typer.Option("--embedding-model", help="A model of embeddings, as the server names it; may be repeated."),
    ] = None,
    start: Annotated[
        str, typer.Option("--from", help="The built-in set whose columns come too: offline, paper17 or paper17-ru.")
    ] = "offline",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Write a feature set that works as it is, each line explained, and say what to run next."""
    from ..features.new_set import init_features

    steps = init_features(
        path, add, server=server, models=models, embedding_models=embedding_models, start=start, overwrite=overwrite
    )
    typer.echo(f"Written: {path}. What to run next, in order:")
    for step in steps:
        typer.echo(f"    {step}")
