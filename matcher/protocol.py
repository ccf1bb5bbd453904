"""What the metrics need of a match function: any object of this shape stands in for the shipped one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import ArrayLike

from ..errors import OptionError


class Matcher(Protocol):
    """M: symmetric, and 1 for strings that are equal after normalisation. A pair matches from `threshold` up."""

    @property
    def threshold(self) -> float: ...

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> ArrayLike: ...


@dataclass(frozen=True)
class Profile:
    """What a matcher says of itself beyond `Matcher`; a `MatchFunction` says all of it, others may say nothing.

    identity : its name in reports; by default its class.
    rests_on_votes : a pair costs a call to a language model before it can be scored.
    min_coverage : the share of pairs that each vote must be known for; None where it rests on no votes.
    threshold : from this probability up a pair matches. policy : by its name; "" where it tells none.
    tells_relations : whether it has `relations`.
    """

    identity: str
    rests_on_votes: bool
    min_coverage: float | None
    threshold: float
    policy: str
    tells_relations: bool

    @classmethod
    def of(cls, matcher: Matcher) -> Profile:
        rests_on_votes = bool(getattr(matcher, "rests_on_votes", False))
        return cls(
            str(getattr(matcher, "identity", type(matcher).__name__)),
            rests_on_votes,
            getattr(matcher, "min_coverage", None) if rests_on_votes else None,
            float(matcher.threshold),
            str(getattr(matcher, "policy", None) or ""),
            tells_relations(matcher),
        )


def told(matcher: Matcher, of: str, texts: Sequence[str]) -> dict[str, Any]:
    """What `matcher` says of some of different texts; nothing where it has no such method.

    of : "not_understood", why it scores no pair of a text; "of_another_language", another script or language than its own, scored or not;
    "read_as", the words that are read as others.
    """
    said: Any = getattr(matcher, of, None)
    return {} if said is None or not texts else said(texts)


def tells_relations(matcher: Any) -> bool:
    """Whether M has `relations`, and, where it says so itself, a model behind them."""
    return callable(getattr(matcher, "relations", None)) and bool(getattr(matcher, "has_relation_model", True))


def loaded(matcher: Matcher | str | os.PathLike[str] | None, **options: Any) -> Matcher:
    """`matcher`, or the match function of a folder (the shipped one for None), loaded with the options of `load`."""
    if matcher is None or isinstance(matcher, str | os.PathLike):
        from .match_function import load

        return load(matcher, **options)
    if not (callable(getattr(matcher, "probabilities", None)) and hasattr(matcher, "threshold")):
        allowed = "a match function with .probabilities(a, b) and .threshold, or the folder of one"
        if isinstance(matcher, Mapping | Sequence):
            allowed += " (right answers are given by name: references=…)"
        raise OptionError("matcher", allowed, matcher)
    return matcher
