"""How many diagnoses of each list count, family by family."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from ...errors import OptionError
from ..metrics.relative import check_k

MAX_K = 100
WHOLE = "all"
"""The word for whole lists, beside None."""

K = int | str | None | Mapping[str, int | str | None]
DEFAULT: Mapping[str, int | None] = {"relative": 3, "ranking": None, "recall": None, "hierarchical": None}
"""Family -> its k; None is the whole list, and for ranking its own ranks 1, 3, 5 and 10 alone."""
ACCURACY = 5
"""Of the top-k accuracy that HDF1 of whole lists is ranked against, as in H-DDx."""


def ks_of(k: K) -> dict[str, int | None]:
    """Family -> how many diagnoses of each list count; None is all of them.

    k : None for the default of each family; one number for all of them; or the k of single families, the others keeping
        their default: {"recall": None, "hierarchical": 5}.

    Raises
    ------
    OptionError
        For a number outside 1 to 100, or a family that takes no k.
    """
    if k is None:
        return dict(DEFAULT)
    if not isinstance(k, Mapping):
        number = _checked(k)
        return dict(DEFAULT) if number is None else dict.fromkeys(DEFAULT, number)
    for family in k:
        if family not in DEFAULT:
            raise OptionError(
                "k", f"for one of {', '.join(DEFAULT)}; the other families have a depth of their own", family
            )
    found = dict(DEFAULT) | {family: _checked(value) for family, value in k.items()}
    if found["relative"] is None:
        raise OptionError("k", "a number for relative: RPAD and RRAD compare lists of one length", None)
    return found


def _checked(k: Any) -> int | None:
    """Errors: `OptionError`."""
    if k is None or k == WHOLE:
        return None
    if check_k(k) > MAX_K:
        raise OptionError("k", f"{MAX_K} or less; all is the whole list", k)
    return int(k)


def told_ks(ks: Mapping[str, int | None], families: Any) -> str:
    """Of those of the families that take a k, in words: "recall: all; hierarchical: the first 5"."""
    words = {
        family: f"the first {k}" if k is not None else "ranks 1, 3, 5 and 10" if family == "ranking" else WHOLE
        for family, k in ks.items()
        if family in families
    }
    if len(set(words.values())) == 1 and len(words) > 1:
        return next(iter(words.values()))
    return "; ".join(f"{family}: {said}" for family, said in words.items())


def deepest(ks: Mapping[str, int | None], families: Container[str]) -> int | None:
    """The deepest rank that one of these families looks at; None where one takes whole lists."""
    found = [k for family, k in ks.items() if family in families and family != "ranking"]
    return None if None in found else max([k for k in (*found, ks["ranking"]) if k is not None], default=1)
