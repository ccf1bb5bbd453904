"""The diagnoses that M does not understand: they match nothing, and a report names them above its figures."""

from __future__ import annotations

from collections.abc import Iterable

from ...matcher.protocol import Matcher

_NAMED = 3


def leaves_unscored(matcher: Matcher) -> bool:
    """Whether M gives NaN, and says why, where it does not understand a text; of any other M, NaN is an error."""
    return callable(getattr(matcher, "not_understood", None))


def not_understood(matcher: Matcher, texts: Iterable[str]) -> dict[str, str]:
    """Those of the texts that M does not understand, with the reason of each, in alphabetical order."""
    if not leaves_unscored(matcher):
        return {}
    found = matcher.not_understood(sorted(set(texts)))  # pyright: ignore[reportAttributeAccessIssue]
    return {text: str(found[text]) for text in sorted(found)}


def not_understood_words(unknown: dict[str, str]) -> list[str]:
    """A sentence for the head of a report, or none."""
    if not unknown:
        return []
    named = ", ".join(f"{text!r} ({reason})" for text, reason in list(unknown.items())[:_NAMED])
    more = "" if len(unknown) <= _NAMED else ", …"
    them = "diagnosis is" if len(unknown) == 1 else "different diagnoses are"
    return [f"{len(unknown):,} {them} not understood, so nothing matches: {named}{more}."]
