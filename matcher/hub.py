"""Model folders on the Hugging Face hub: taken from its cache, fetched by the user's word, pushed. Needs the extra `hub`.

Of a repository nothing is read but model.json and the files that it lists, and these are verified as those of any model folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import InputError, MissingExtra, ModelError, OptionError, warn
from ..models.folder import ModelFolder, load
from ..models.manifest import CARD, MANIFEST, read
from ..terms.encoders.folders import first_line, hub_folder, is_hub_name


def hub_name(path: object, revision: str | None = None) -> tuple[str, str | None] | None:
    """Name and revision where `path` is "owner/name" or "owner/name@revision"; None for a folder: a `Path`, or what is there.

    Raises
    ------
    OptionError
        For a revision of a folder, or two of them.
    """
    if isinstance(path, str) and not os.path.lexists(path):
        name, at, own = path.partition("@")
        if "/" in name and is_hub_name(name):
            if at and revision is not None:
                raise OptionError("revision", f"left out where the name says it ({path})", revision)
            return name, own if at else revision
    if revision is not None:
        raise OptionError("revision", "left out for a model that is a folder on this machine", revision)
    return None


def hub_model(name: str, revision: str | None, *, allow_download: bool, pinned: bool) -> tuple[ModelFolder, str]:
    """The model of the hub's cache on this machine, or fetched, and its name with the commit that it is of.

    Parameters
    ----------
    revision : a commit, a tag or a branch; "main" for None. A warning says the commit where it is none.
    allow_download : asks the hub, and fetches what the cache lacks; without it no request is made.
    pinned : no warning, for the caller holds the model against its whole hash.

    Raises
    ------
    InputError
        Where the cache lacks the model and nothing may be fetched.
    ModelError
        Where it could not be fetched, or is no model folder that `load` would take.
    """
    _library(f"{name}: no such folder here; a model of the hub")
    try:
        found = hub_folder(name, revision, allow_download=allow_download)
    except InputError as error:
        allowed = "a model folder, or the name of a model on the Hugging Face hub"
        raise InputError(f"no such folder here; {error.problem}", allowed=allowed, remedy=error.remedy) from None
    fetched_from = f"{name}@{found.name}"
    parts = load(found, fetched_from)
    if revision != found.name and not pinned:
        warn(f'{name} without a commit may be another model tomorrow; this one is revision="{found.name}".')
    return parts, fetched_from


def push(contents: Mapping[str, bytes], name: str, *, private: bool, branch: str | None, message: str | None) -> str:
    """Writes the files of a model folder, and its card as README.md, as one commit; "owner/name@commit", as `load` takes it.

    Parameters
    ----------
    contents : of each file by its name, as `models.folder.contents_of` gives them.
    private : a repository that is made is private; one that is there and public is refused.
    branch : "main" for None; it must be there.

    Raises
    ------
    InputError
        For what is no name of the hub's.
    ModelError
        Where the repository is public and shall be private, and where the hub refuses.
    """
    if "/" not in name or not is_hub_name(name):
        raise InputError("no name of a model of the hub", allowed="owner/model", got=name)
    library = _library(f"{name}: pushing to the hub")
    api = library.HfApi(library_name="dxmatch")
    with _refusals_told(name):
        api.create_repo(name, private=private, exist_ok=True)
        is_private = api.model_info(name).private
    if private and not is_private:
        raise ModelError(
            f"{name}: the repository is there and public, and a model's card and warnings quote what it was trained on. "
            "Make it private, or say that it may be public (private=False)."
        )
    language = json.dumps(read(contents[MANIFEST], MANIFEST).normalizer["language"])
    front = (
        f"---\nlibrary_name: dxmatch\nlanguage: {language}\ntags: [dxmatch, diagnosis, entity-matching, medical]\n---\n"
    )
    files = {**contents, "README.md": front.encode() + contents.get(CARD, b"")}
    operations = [library.CommitOperationAdd(file, content) for file, content in sorted(files.items())]
    message = message or "A match function of dxmatch"
    with _refusals_told(name):
        return f"{name}@{api.create_commit(name, operations, commit_message=message, revision=branch).oid}"


def _library(what: str) -> Any:
    try:
        import huggingface_hub
    except ImportError:
        raise MissingExtra(what, "hub") from None
    return huggingface_hub


@contextmanager
def _refusals_told(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the library raises whatever the layer below did
        raise ModelError(f"{name}: the hub did not do it ({first_line(error).rstrip('.')}).") from error
