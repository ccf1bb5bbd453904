"""What a user says of a model folder that it cannot say of itself: who made it, and what may be opened for it beside it."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from ..errors import ModelError, OptionError

if TYPE_CHECKING:
    from .trained import TrainedFunction

F = TypeVar("F", bound=Callable[..., Any])
_IDENTITY = re.compile(r".+@[0-9a-f]{12}|(?:.+@)?[0-9a-f]{64}", re.DOTALL)


class Origin(TypedDict, total=False):
    """The options of `load` of this kind.

    encoders : by the name of an encoder, the folder of its model.
    allow_download : the hub may be asked for an encoder by its name.
    identity : what the model must be. signed_by : who must have signed it.
    """

    encoders: Mapping[str, str | os.PathLike[str]] | None
    allow_download: bool
    identity: str | None
    signed_by: str | os.PathLike[str] | None


def with_origin(function: F) -> F:
    """Shows the options of `Origin` in the signature of a function that takes them as **origin."""
    own = inspect.signature(function)
    kept = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
    loads = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False if name == "allow_download" else None,
            annotation=getattr(kind, "__forward_arg__", kind),
        )
        for name, kind in Origin.__annotations__.items()
    ]
    setattr(function, "__signature__", own.replace(parameters=[*kept, *loads]))  # noqa: B010
    return function


def check_names(origin: Mapping[str, object], function: str) -> None:
    """Raises `TypeError`, as Python does, for an option of `function` that is none of `Origin`."""
    for name in origin.keys() - Origin.__annotations__.keys():
        raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")


def check_identity(m: TrainedFunction, identity: str) -> None:
    """Holds a model against the identity that was expected.

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
    known = m.identities
    if not {identity, f"{m.name}@{identity}"} & set(known):
        here = known[-1] if len(identity.rpartition("@")[2]) == 64 else known[0]
        raise ModelError(f"The model is {here}, not {identity}.")
