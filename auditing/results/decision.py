"""Why M decided as it did on one pair: facts and words."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from ...pages.encodings import number
from ...terms.text.correction import Corrections
from .messages import listed, signed

_IDLE = 0.05


@dataclass(frozen=True)
class Part:
    """What one feature did.

    label : what it says. value : None where it is unknown. contribution : in raw log-odds; above 0 it speaks for a match.
    """

    feature: str
    label: str
    value: float | None
    contribution: float


@dataclass(frozen=True)
class Decision:
    """M's decision on one pair, and what led to it.

    names : the two diagnoses after normalisation. shared, only_a, only_b : their words, by stem.
    opposed : words of the two that exclude each other. identical : equal after normalisation, so that no tree was asked.
    base, raw, raw_threshold : in log-odds before calibration; base and the contributions add up to raw. None where
        the two are identical.
    parts : the features, those that moved the score most first; none where the two are identical.
    read_as : of each side the words that were read as others. mixed : words that mix scripts.
    """

    a: str
    b: str
    names: tuple[str, str]
    model: str
    probability: float
    threshold: float
    identical: bool
    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    opposed: tuple[tuple[str, str], ...]
    base: float | None
    raw: float | None
    raw_threshold: float
    parts: tuple[Part, ...]
    read_as: tuple[Corrections, Corrections] = ((), ())
    mixed: tuple[str, ...] = ()

    @property
    def match(self) -> bool:
        return self.probability >= self.threshold

    @property
    def verdict(self) -> str:
        """One sentence: the decision."""
        says = "a match" if self.match else "no match"
        against = "and a match begins at" if self.match else "but a match begins only at"
        return f"M calls them {says}: probability {self.probability:.3f}, {against} {self.threshold:.3f}."

    @property
    def words(self) -> list[str]:
        """What was compared, the decision, and why, in sentences."""
        return [line for lines in self.answers for line in lines]

    @property
    def answers(self) -> list[list[str]]:
        """The words in groups: what was compared and decided; how the wording differs; what speaks for and against."""
        compared = [
            (f"{side!r} is compared as {name!r}" if side != name else f"{side!r} is compared as it is") + _told(read_as)
            for side, name, read_as in zip((self.a, self.b), self.names, self.read_as, strict=True)
        ]
        compared += [
            f"{word!r} mixes Latin and Cyrillic letters, which look alike and are not the same." for word in self.mixed
        ]
        if self.identical:
            same = "After normalisation they are the same, and so a match: no tree was asked. Probability 1."
            return [[*compared, same]]
        return [[*compared, self.verdict], self._wording(), self._why(self.base or 0.0, self.raw or 0.0)]

    def _wording(self) -> list[str]:
        lines = [f"They share {_quoted(self.shared)}." if self.shared else "They share no word."]
        only = [
            f"only {side!r} has {_quoted(words)}" for side, words in ((self.a, self.only_a), (self.b, self.only_b)) if words
        ]  # fmt: skip
        if only:
            lines.append(_sentence("; ".join(only)))
        if self.opposed:
            lines.append(
                _sentence(f"{listed([f'{one!r} and {other!r}' for one, other in self.opposed])} exclude each other")
            )
        return lines

    def _why(self, base: float, raw: float) -> list[str]:
        """The start, what speaks for, what speaks against, what is unknown."""
        lines = [f"Every pair starts at {signed(base)} log-odds; a match needs {signed(self.raw_threshold)}; this pair reaches {signed(raw)}."]  # fmt: skip
        for sign, side in ((1, "For"), (-1, "Against")):
            own = [part for part in self.parts if sign * part.contribution >= _IDLE][:3]
            if own:
                told = [f"{part.feature} ({_valued(part)}, {signed(part.contribution)})" for part in own]
                lines.append(f"{side} a match {'speaks' if len(own) == 1 else 'speak'} {listed(told)}.")
        if unknown := [part.feature for part in self.parts if part.value is None]:
            lines.append(f"Unknown for this pair: {listed(unknown)}.")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.words)

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "match": self.match, "words": self.words}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)


def _told(read_as: Corrections) -> str:
    return f": read {listed([f'{written!r} as {read!r}' for written, read in read_as])}." if read_as else "."


def _quoted(words: tuple[str, ...]) -> str:
    return listed([repr(word) for word in words])


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _valued(part: Part) -> str:
    return "unknown" if part.value is None else number(part.value)
