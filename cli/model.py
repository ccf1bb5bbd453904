"""`dxmatch model`: what a model folder is, what it would open beside itself, and the Hugging Face hub."""

from __future__ import annotations

from ..matcher.loading import Loading
from ..matcher.match_function import load
from ..options import File
from .command import app_of, command


def _about() -> None:
    """A model folder: its identity, what it would open beside itself, the Hugging Face hub."""


model = app_of("model", _about)


def show(model: str | None = None, *, allow_download: bool = False) -> None:
    """Verify a folder's hashes, and say what it is and what it would open beside itself; nothing of that is opened.

    Parameters
    ----------
    model : str
        A model folder, or OWNER/NAME@COMMIT of the Hugging Face hub; the shipped model if not given.
    allow_download : bool
        The hub may be asked for it.

    Examples
    --------
    dxmatch model show my-model
    """
    m = load(model, loading=Loading(allow_download=allow_download))
    print(f"{m.identity}   as reports name it")
    print(f"{m.identities[-1]}   the whole folder (SHA-256 of model.json)")
    if m.fetched_from is not None:
        print(f"{m.fetched_from}   on the Hugging Face hub")
    for line in m.features.opens(m.kept_encoders):
        print(line)


def push(
    folder: File, name: str, *, public: bool = False, branch: str | None = None, message: str | None = None
) -> None:
    """Write a model folder, once its hashes fit, to the Hugging Face hub; private unless told otherwise.

    You must be logged in there: hf auth login, or the variable HF_TOKEN.

    Parameters
    ----------
    folder : path
        A model folder.
    name : str
        The repository, OWNER/NAME; it is made where it is absent.
    public : bool
        Everybody may read it. A card and its warnings may quote what the model was trained on.
    branch : str
        A branch that is there; main if not given.
    message : str
        Of the commit.

    Examples
    --------
    dxmatch model push my-model my-clinic/my-model
    """
    made = load(folder).push_to_hub(name, private=not public, branch=branch, message=message)
    print(f"{folder} is on the hub. It is loaded as --matcher {made}, or dxmatch.load({made!r}).")


model.command(command(given=("model",))(show))
model.command(command(given=("folder", "name"))(push))
