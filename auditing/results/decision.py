"""Why M decided as it did on one pair: facts and words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ...files.counted import shown_threshold
from ...pages.encodings import number
from ...pages.words import listed
from ...terms.text.correction import Corrections
from .messages import signed

_IDLE = 0.05
_SAID = 0.05
"""Relations less probable than this go without saying."""


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
class Link:
    """A diagnosis that is no name of a disease in the graph, and the disease whose name is nearest.

    name : the diagnosis, normalised. source : of the disease's entry. certainty : the cosine, below 1.
    """

    name: str
    disease: str
    source: str
    certainty: float


@dataclass(frozen=True)
class Decision:
    """M's decision on one pair, and what led to it.

    names : the two diagnoses after normalisation. shared, only_a, only_b : their words, by stem.
    opposed : words of the two that exclude each other. identical : equal after normalisation, so that no tree was asked.
    base, raw, raw_threshold : in log-odds before calibration; base and the contributions add up to raw. None where
        the two are identical.
    parts : the features, those that moved the score most first; none where the two are identical.
    read_as : of each side the words that were read as others. mixed : words that mix scripts.
    policy : which relations count as a match. by_trees : the probability of the trees, whatever decides.
    excluded : what is said of the two excludes a match, whatever the trees say. reason : what excludes, or what the graph of diseases knows.
    links : sides that are no name in the graph, and what they count as there.
    relation, relations : what `a` is to `b`, and the probability of each relation; None and empty for a model without a relation model.
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
    policy: str = "specification"
    by_trees: float | None = None
    excluded: bool = False
    reason: str = ""
    links: tuple[Link, ...] = ()
    relation: str | None = None
    relations: Mapping[str, float] = field(default_factory=dict)

    @property
    def match(self) -> bool:
        return self.probability >= self.threshold

    @property
    def verdict(self) -> str:
        """One sentence: the decision."""
        says = "a match" if self.match else "no match"
        against = "and a match begins at" if self.match else "but a match begins only at"
        return f"M calls them {says}: probability {self.probability:.3f}, {against} {shown_threshold(self.threshold)}."

    @property
    def main_reason(self) -> str:
        """One sentence: what decides, else what is known of the two, else the wording and what moved the score most."""
        if self.identical:
            return "They are the same after normalisation."
        if self.reason:
            return _sentence(self.reason)
        shared, *others = self._wording()
        if self.opposed:
            return others[-1]
        sign = 1 if self.match else -1
        moved = [part for part in self.parts if sign * part.contribution >= _IDLE and part.value is not None]
        most = (
            f" Most {'for' if self.match else 'against'} it: {moved[0].label} ({_valued(moved[0])})." if moved else ""
        )
        return f"{shared}{most}"

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
        return [
            lines
            for lines in (
                [*compared, self.verdict, *self._decisive()],
                self._wording(),
                self._known(),
                self._why(self.base or 0.0, self.raw or 0.0),
            )
            if lines
        ]

    def _decisive(self) -> list[str]:
        """What decides over the trees."""
        lines = []
        if self.excluded:
            lines.append(f"This is decisive: {self.reason}. The trees alone would say {self.by_trees or 0.0:.3f}.")
        elif self.policy != "specification":
            lines.append(
                f"What counts is the policy {self.policy}; under the default it would be {self.by_trees or 0.0:.3f}."
            )
        return lines

    def _known(self) -> list[str]:
        """What the graph of diseases knows, and what the one is to the other."""
        lines = [] if self.excluded or not self.reason else [_sentence(self.reason)]
        lines += [
            f"{link.name!r} is no name in the graph of diseases; the nearest is one of {link.disease} ({link.source}), with a cosine of {link.certainty:.2f}."
            for link in self.links
        ]
        if self.relation is not None:
            others = sorted(
                ((name, p) for name, p in self.relations.items() if name != self.relation), key=lambda each: -each[1]
            )
            told = [f"{name} {p:.2f}" for name, p in others if p >= _SAID]
            lines.append(
                f"To {self.b!r}, {self.a!r} is {'the same' if self.relation == 'same' else self.relation}, with a probability of {self.relations[self.relation]:.2f}"
                + (f" ({', '.join(told)})." if told else ".")
            )
        return lines

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
