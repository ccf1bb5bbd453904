"""`dxmatch model`: what a model folder is, what it would open beside itself, and who signed it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .origin import AllowDownload

app = typer.Typer(
    name="model",
    help="A model folder: its identity, what it would open beside itself, signatures.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Folder = Annotated[Path, typer.Argument(help="A model folder.")]


@app.command(epilog="Example: dxmatch model show my-model")
def show(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A model folder, or OWNER/NAME@COMMIT of the Hugging Face hub; the shipped model if not given."
        ),
    ] = None,
    allow_download: AllowDownload = False,
) -> None:
    """Verify a folder's hashes, and say what it is and what it would open beside itself. Nothing of that is opened."""
    from ..matcher.match_function import load
    from ..models.folder import SIGNATURE
    from ..models.shipped import SHIPPED_MODEL

    m = load(model, allow_download=allow_download)
    typer.echo(f"{m.identity}   as reports name it")
    typer.echo(f"{m.identities[-1]}   the whole folder (SHA-256 of model.json)")
    if m.fetched_from is not None:
        typer.echo(f"{m.fetched_from}   on the Hugging Face hub")
    else:
        signed = Path(model or SHIPPED_MODEL) / SIGNATURE
        typer.echo(f"Signature: {'there; dxmatch model verify looks at it' if signed.exists() else 'none'}.")
    for line in m.features.opens(m.kept_encoders):
        typer.echo(line)


@app.command(epilog="Example: dxmatch model key -o anna.key --public anna.pub")
def key(
    output: Annotated[Path, typer.Option("--output", "-o", help="The new file of the secret key.")],
    public: Annotated[Path, typer.Option("--public", help="The new file of the public key, to give away.")],
    no_password: Annotated[
        bool, typer.Option("--no-password", help="Leave the secret key open: who reads the file can sign.")
    ] = False,
) -> None:
    """Make a pair of keys, as minisign -G does."""
    from ..models.signature import new_keys

    password = None if no_password else typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    text = new_keys(output, public, password)
    typer.echo(f"{output}: the secret key, which stays with you. {public}: the public key.")
    typer.echo(text)


@app.command(epilog="Example: dxmatch model sign my-model --key anna.key")
def sign(folder: Folder, key: Annotated[Path, typer.Option("--key", help="The file of your secret key.")]) -> None:
    """Sign a model folder, once its hashes fit: model.json.minisig, which minisign -V verifies, too."""
    from ..matcher.match_function import load
    from ..models.folder import MANIFEST
    from ..models.signature import is_encrypted
    from ..models.signature import sign as make

    m = load(folder)
    password = typer.prompt("Password", hide_input=True) if is_encrypted(key) else None
    made = make(folder / MANIFEST, key, password, comment=m.identities[-1] if m.name.isascii() else "")
    typer.echo(f"{made}: {m.identity} signed.")


@app.command(epilog="Example: dxmatch model verify my-model --public-key anna.pub")
def verify(
    folder: Folder,
    public_key: Annotated[
        str, typer.Option("--public-key", help="The public key that must have signed it: its text (RW…), or its file.")
    ],
) -> None:
    """Hold a model folder against its hashes and a signature; exit code 1 where one does not fit."""
    from ..matcher.match_function import load

    m = load(folder, signed_by=public_key)
    typer.echo(f"{folder}: {m.identities[-1]} is signed by this key.")


@app.command(epilog="Example: dxmatch model push my-model my-clinic/my-model")
def push(
    folder: Folder,
    name: Annotated[str, typer.Argument(metavar="OWNER/NAME", help="The repository; it is made where it is absent.")],
    public: Annotated[
        bool,
        typer.Option(
            "--public", help="Everybody may read it. A card and its warnings may quote what the model was trained on."
        ),
    ] = False,
    branch: Annotated[str | None, typer.Option("--branch", help="A branch that is there; main if not given.")] = None,
    message: Annotated[str | None, typer.Option("--message", help="Of the commit.")] = None,
) -> None:
    """Write a model folder, once its hashes fit, to the Hugging Face hub, with its signature; private unless told otherwise.

    You must be logged in there: hf auth login, or the variable HF_TOKEN.
    """
    from ..matcher.hub import push as write
    from ..models.folder import files_of

    made = write(files_of(folder), name, private=not public, branch=branch, message=message)
    typer.echo(f"{folder} is on the hub. It is loaded as --model {made}, or dxmatch.load({made!r}).")
