"""The options of every command that loads a model: what may be opened for it beside its folder, and who made it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..matcher import origin

MATCHER = "The match function"
"""The heading of its options in a command's help."""
AllowDownload = Annotated[
    bool,
    typer.Option(
        "--allow-download",
        rich_help_panel=MATCHER,
        help="The Hugging Face hub may be asked for a model or an encoder by its name; else only what its cache holds is taken, with no request.",
    ),
]
Encoders = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder-folder",
        metavar="NAME=FOLDER",
        rich_help_panel=MATCHER,
        help="Where the model of an encoder lies on this machine; a model folder never says it. May be repeated.",
    ),
]
Identity = Annotated[
    str | None,
    typer.Option(
        "--identity",
        metavar="NAME@HASH",
        rich_help_panel=MATCHER,
        help="What the model must be: as reports name it, or with the 64 digits of dxmatch model show.",
    ),
]
SignedBy = Annotated[
    str | None,
    typer.Option(
        "--signed-by",
        metavar="KEY",
        rich_help_panel=MATCHER,
        help="The public key (minisign's, or its file) that must have signed the model.",
    ),
]


def origin_of(
    allow_download: AllowDownload = False,
    encoders: Encoders = None,
    identity: Identity = None,
    signed_by: SignedBy = None,
) -> origin.Origin:
    """Those that were given, as `load` takes them."""
    folders = {}
    for one in encoders or ():
        name, sign, folder = one.rpartition("=")
        if not (name and sign and folder):
            raise typer.BadParameter(f"--encoder-folder {one}: expected NAME=FOLDER")
        folders[name] = Path(folder)
    given = {"allow_download": allow_download, "encoders": folders, "identity": identity, "signed_by": signed_by}
    return {name: value for name, value in given.items() if value}  # type: ignore[return-value]


Origin = Annotated[origin.Origin, origin_of]
