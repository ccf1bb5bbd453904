"""What led to M's decision on one pair: facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..pages.encodings import number
from ..terms.text.correction import Corrections


@dataclass(frozen=True)
class Part:
    """What one feature did.

    label : what it says. value : None where it is unknown. contribution : in raw log-odds; above 0 it speaks for a match.
    """

    feature: str
    label: str
    value: float | None
    contribution: float

    @property
    def shown(self) -> str:
        """Gives the value in words."""
        return "unknown" if self.value is None else number(self.value)


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
class Wording:
    """How the two were read.

    names : after normalisation. read_as : of each side the words that were read as others. mixed : words that mix scripts.
    shared, only_a, only_b : their words, by stem. opposed : words of the two that exclude each other.
    """

    names: tuple[str, str]
    read_as: tuple[Corrections, Corrections]
    mixed: tuple[str, ...]
    shared: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    opposed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Trees:
    """What the trees say, in log-odds before calibration; base and the contributions add up to raw.

    by_trees : their probability, whatever decides. parts : the features, those that moved the score most first.
    """

    base: float
    raw: float
    by_trees: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Known:
    """What is known of the two beside the trees.

    excluded : what is said of them excludes a match, whatever the trees say. reason : what excludes, or what the graph of diseases knows.
    links : sides that are no name in the graph, and what they count as there.
    relation, relations : what `a` is to `b`, and the probability of each relation; None and empty for a model without a relation model.
    """

    excluded: bool
    reason: str
    links: tuple[Link, ...]
    relation: str | None
    relations: Mapping[str, float]


def signed(value: float) -> str:
    """Shows log-odds as `+2.30`, `−0.45`."""
    return f"{value:+.2f}".replace("-", "−")
