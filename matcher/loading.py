"""What a user says of a model folder that it cannot say of itself: what it must be, and what may be opened for it beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import ModelError, OptionError
from ..options import File, Options

_IDENTITY = re.compile(r".+@[0-9a-f]{12}|(?:.+@)?[0-9a-f]{64}", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Loading(Options):
    """Where a match function is taken from, what it must be, and what it may open beside its folder.

    Parameters
    ----------
    revision : str, optional
        Of a model of the Hugging Face hub: a commit of 40 digits, which stays what it is; a tag or a branch, with a warning that says the
        commit.
    identity : str, optional
        What the model must be: "name@" and 12 digits as in reports, or the 64 of the whole folder (`identities`). The 64 cannot be imitated,
        the 12 can with some days of computing.
    encoders : mapping, optional
        Where the model's sentence-transformers encoders lie on this machine, {"name": folder}. A model folder names no path that is opened.
    allow_download : bool
        The hub may be asked for the model, and for an encoder that the model has by its name there. Without it no request is made, and only
        what the hub's cache on this machine holds is taken.
    store : path, optional
        The vote store, for a model whose features are votes or picks. It is read; nothing is asked.
    endpoints : path, optional
        A TOML file that says where the model's encoders are served, if they are. A model folder never does.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    revision: str | None = None
    identity: str | None = None
    encoders: Mapping[str, File] | None = None
    allow_download: bool = False
    store: File | None = None
    endpoints: File | None = None


OF_MODELS = ("revision", "identity", "encoders", "allow_download")
"""The fields that say which model; the others come with how language models are asked."""


def check_identity(name: str, known: Sequence[str], identity: str) -> None:
    """Holds a model's name, and all that it may be called by (`MatchFunction.identities`), against the identity that was expected.

    Raises
    ------
    OptionError
        For what is no identity.
    ModelError
        For another model, with both.
    """
    if not isinstance(identity, str) or not _IDENTITY.fullmatch(identity):
        raise OptionError(
            "identity",
            "NAME@HASH, of 12 digits as in reports, or 64 as 'dxmatch model show' gives, or these 64 alone",
            identity,
        )
    if not {identity, f"{name}@{identity}"} & set(known):
        here = known[-1] if len(identity.rpartition("@")[2]) == 64 else known[0]
        raise ModelError(f"The model is {here}, not {identity}.")
