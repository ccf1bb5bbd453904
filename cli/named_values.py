"""Options that are written NAME=VALUE."""

from __future__ import annotations

import typer


def named_columns(given: list[str]) -> dict[str, str | list[str]]:
    """`["diagnosis=dx", "predictions=a,b"]` as `{"diagnosis": "dx", "predictions": ["a", "b"]}`; anything else is wrong usage."""
    named: dict[str, str | list[str]] = {}
    for text in given:
        name, sign, others = text.partition("=")
        several = [other.strip() for other in others.split(",")]
        if not (name and sign and all(several)):
            raise typer.BadParameter(f"{text}: expected NAME=COLUMN, such as diagnosis=dx")
        named[name] = several[0] if len(several) == 1 else several
    return named


def depths(given: list[str]) -> int | dict[str, int | str] | None:
    """`["5"]` as 5, `["recall=all", "hierarchical=5"]` as a dict, [] as None; anything else is wrong usage."""
    of: dict[str, int | str] = {}
    for text in given:
        family, sign, number = text.rpartition("=")
        if not (number.isdecimal() or number == "all") or (len(given) > 1 and not sign):
            raise typer.BadParameter(
                f"{text}: expected a number, or FAMILY=NUMBER, such as hierarchical=5 or recall=all"
            )
        of[family] = int(number) if number.isdecimal() else number
    return of.get("", of) if of else None  # type: ignore[return-value]


def named_lists(option: str, given: list[str]) -> dict[str, list[str]] | None:
    """`["open=a,b"]` as `{"open": ["a", "b"]}`; anything else is wrong usage."""
    found: dict[str, list[str]] = {}
    for text in given:
        name, sign, others = text.partition("=")
        several = [other.strip() for other in others.split(",")]
        if not (name and sign and all(several)):
            raise typer.BadParameter(f"--{option} {text}: expected NAME=RATER,RATER")
        found.setdefault(name, []).extend(several)
    return found or None


def named_pairs(given: list[str]) -> list[tuple[str, str]] | None:
    """`["base=tuned"]` as `[("base", "tuned")]`; anything else is wrong usage."""
    pairs = []
    for text in given:
        one, sign, other = text.partition("=")
        if not (one and sign and other):
            raise typer.BadParameter(f"--compare {text}: expected BASE=TUNED, the names of two raters")
        pairs.append((one, other))
    return pairs or None
