"""Why M decided as it did on one pair: facts, words, a picture, a page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files.wording import shown_threshold
from ..matcher.doubtful import is_doubtful
from ..pages.encodings import number, signed
from ..pages.figure import Figure
from ..pages.words import listed
from ..terms.text.assertion import Assertion, Status
from ..terms.text.vocabulary import Corrections

if TYPE_CHECKING:
    from rich.console import Console

    from ..evaluation.report.document import Document

SUFFIXES = (".svg", ".png", ".html")
_IDLE = 0.05
_RELATIONS = {
    "same": "The two are the same disease", "narrower": "The first is a kind of the second", "broader": "The second is a kind of the first",
    "related": "The two are near kin, and not the same", "unrelated": "The two are different diseases", "excluded": "The two exclude each other",
}  # fmt: skip


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

    names : after normalisation. read_as : of each side the words that were read as others. said : of each side, whether it is denied,
    suspected, … mixed : words that mix scripts.
    shared, only_a, only_b : their words, by stem. opposed : words of the two that exclude each other.
    """

    names: tuple[str, str]
    read_as: tuple[Corrections, Corrections]
    said: tuple[Assertion, Assertion]
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


@dataclass(frozen=True)
class Explanation:
    """What `explain` returns.

    model : its identity. policy : which relations count as a match. raw_threshold : in log-odds before calibration.
    trees : None where the two are equal after normalisation, so that no tree was asked.
    """

    a: str
    b: str
    model: str
    policy: str
    probability: float
    threshold: float
    raw_threshold: float
    wording: Wording
    trees: Trees | None
    known: Known

    @property
    def match(self) -> bool:
        """Tells whether the two match."""
        return self.probability >= self.threshold

    @property
    def doubtful(self) -> bool:
        """Tells whether the probability is neither near 0 nor near 1."""
        return bool(is_doubtful(self.probability))

    @property
    def identical(self) -> bool:
        """Tells whether the two are equal after normalisation."""
        return self.trees is None

    @property
    def parts(self) -> tuple[Part, ...]:
        """Gives the features, those that moved the score most first; none where the two are identical."""
        return () if self.trees is None else self.trees.parts

    @property
    def verdict(self) -> str:
        """Says the decision in one sentence."""
        begins = f"a match from {shown_threshold(self.threshold)}, policy {self.policy}"
        told = f"{'Match' if self.match else 'No match'}{', doubtful' if self.doubtful else ''}"
        return f"{told}: probability {self.probability:.3f} ({begins})."

    @property
    def main_reason(self) -> str:
        """Says in one sentence what decides, else what is known of the two, else the words they share and what moved the score most."""
        if self.identical:
            return "They are the same after normalisation."
        if self.known.reason:
            return _sentence(self.known.reason)
        sign, side = (1, "for") if self.match else (-1, "against")
        moved = (part for part in self.parts if sign * part.contribution >= _IDLE and part.value is not None)
        most = "".join(f" Most {side} it: {part.label} ({part.shown})." for part in list(moved)[:1])
        return self._words()[0] + most

    @property
    def brief(self) -> list[str]:
        """Says the decision and what decides, and how the two were read where that is not as they are written."""
        first = " ".join([self.verdict, *self._relation()])
        return [first, f"Why: {self.main_reason}", *self._compared(every=False)]

    @property
    def words(self) -> list[str]:
        """Says what was compared, the decision, and why, in sentences."""
        return [line for lines in self.answers for line in lines]

    @property
    def answers(self) -> list[list[str]]:
        """Groups the words: what was compared and decided; how the wording differs; what is known; what speaks for and against."""
        compared = [*self._compared(every=True)]
        if self.trees is None:
            same = "After normalisation they are the same, and so a match: no tree was asked. Probability 1."
            return [[*compared, same]]
        compared.append(self.verdict)
        by_trees, decisive = f"{self.trees.by_trees:.3f}.", f"This is decisive: {self.known.reason}."
        if self.known.excluded:
            compared.append(f"{decisive} The trees alone would say {by_trees}")
        elif self.policy != "specification":
            compared.append(f"What counts is the policy {self.policy}; under the default it would be {by_trees}")
        groups = [compared, self._words(), list(self._knowledge()), list(self._why(self.trees))]
        return [lines for lines in groups if lines]

    def _compared(self, *, every: bool) -> Iterator[str]:
        """How the two were read. every : also one that is compared as it is written."""
        wording = self.wording
        for text, name, read_as, said in zip(
            (self.a, self.b), wording.names, wording.read_as, wording.said, strict=True
        ):
            status = "" if said.status is Status.PRESENT else f", {said.status}"
            if every or status or text.casefold() != name:
                words = f"{text!r} is compared as {'it is' if text == name else repr(name)}{status}"
                if read_as:
                    words += f": read {listed([f'{written!r} as {read!r}' for written, read in read_as])}"
                yield f"{words}."
        alike = "mixes Latin and Cyrillic letters, which look alike and are not the same."
        yield from (f"{word!r} {alike}" for word in wording.mixed)

    def _words(self) -> list[str]:
        wording = self.wording
        lines = [f"They share {_quoted(wording.shared)}." if wording.shared else "They share no word."]
        sides = ((self.a, wording.only_a), (self.b, wording.only_b))
        if only := [f"only {side!r} has {_quoted(words)}" for side, words in sides if words]:
            lines.append(_sentence("; ".join(only)))
        return lines

    def _knowledge(self) -> Iterator[str]:
        """What the graph of diseases knows, what the words oppose, and what the one is to the other."""
        if self.known.reason and not self.known.excluded:
            yield _sentence(self.known.reason)
        for link in self.known.links:
            nearest = f"the nearest is one of {link.disease} ({link.source}), with a cosine of {link.certainty:.2f}"
            yield f"{link.name!r} is no name in the graph of diseases; {nearest}."
        yield from self._relation()

    def _relation(self) -> Iterator[str]:
        if relation := self.known.relation:
            said, p = _RELATIONS[relation], self.known.relations[relation]
            # of those that go with the verdict the likeliest, which may be unlikely itself
            yield f"{said} ({p:.2f})." if p >= 0.5 else f"Perhaps {said[0].lower()}{said[1:]} ({p:.2f})."

    def _why(self, trees: Trees) -> Iterator[str]:
        """The start, what speaks for, what speaks against, what is unknown."""
        reaches = f"a match needs {signed(self.raw_threshold)}; this pair reaches {signed(trees.raw)}"
        yield f"Every pair starts at {signed(trees.base)} log-odds; {reaches}."
        for sign, side in ((1, "For"), (-1, "Against")):
            if own := [part for part in trees.parts if sign * part.contribution >= _IDLE][:3]:
                told = [f"{part.feature} ({part.shown}, {signed(part.contribution)})" for part in own]
                yield f"{side} a match {'speaks' if len(own) == 1 else 'speak'} {listed(told)}."
        if unknown := [part.feature for part in trees.parts if part.value is None]:
            yield f"Unknown for this pair: {listed(unknown)}."

    def __str__(self) -> str:
        return "\n".join(self.words)

    def to_dict(self) -> dict[str, Any]:
        """Gives everything as plain values, for JSON."""
        facts = asdict(self)
        trees = facts.pop("trees") or {"base": None, "raw": None, "by_trees": None, "parts": ()}
        facts |= facts.pop("wording") | facts.pop("known") | trees
        return facts | {name: getattr(self, name) for name in ("identical", "match", "doubtful", "words")}

    @property
    def figure(self) -> Figure:
        """Draws what each feature contributed. Errors: `InputError` for identical names."""
        if self.trees is None:
            raise InputError(
                "the two are equal after normalisation, so no tree was asked and there is nothing to draw",
                allowed="two names that differ; a page (.html) says it in words", got=self.wording.names[0],
            )  # fmt: skip
        from .charts import contributed

        return contributed(self)

    def document(self, *, drawn: bool) -> Document:
        """Gives what a terminal, and with the picture a page, shows of it."""
        from ..evaluation.report import document

        lines = [[part.feature, part.shown, signed(part.contribution), part.label] for part in self.parts]
        features = document.Table(["feature", "value", "log-odds", "says"], [("", lines)], "Features", sentences=True)
        blocks = [] if self.identical else [self.figure if drawn else features]
        why = document.Part("why", "Feature by feature", blocks, brief=True)
        title = f"{self.a} and {self.b}: {'a match' if self.match else 'no match'}"
        return document.Document(title, self.model, self.answers, [why], footer="Made by dxmatch.")

    def print(self, console: Console | None = None) -> None:
        """Prints the words, then a line for each feature."""
        from ..evaluation.report.terminal import print_document

        print_document(self.document(drawn=False), console)

    def _repr_html_(self) -> str:
        """For a notebook: the verdict and the words, with the waterfall; nothing but the verdict where cells are hidden."""
        from ..pages.facts import facts
        from ..pages.files import image
        from ..settings import cells_hidden

        if cells_hidden():
            return facts(self.verdict, [])
        drawn = "" if self.identical else image(self.figure, "svg").decode()
        return f"{facts(self.verdict, [], [line for line in self.words if line != self.verdict])}{drawn}"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the picture (.svg, .png) or a page to read (.html), whole or not at all. Errors: `InputError` for another suffix."""
        from ..evaluation.report.page import page
        from ..evaluation.report.report import check_report_path
        from ..files.atomic import whole_file
        from ..pages.files import image

        kind = check_report_path(path, SUFFIXES)
        content = page(self.document(drawn=True)).encode() if kind == ".html" else image(self.figure, kind[1:])
        with whole_file(Path(path)) as temporary:
            temporary.write_bytes(content)
        return Path(path)


def _quoted(words: tuple[str, ...]) -> str:
    return listed([repr(word) for word in words])


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
