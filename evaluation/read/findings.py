"""What a reader should know of the figures: one sentence a kind, the one that changes the conclusion first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Kind(NamedTuple):
    """weight : the heavier goes first; below `NOTE` it stands under how the report was made. sentence : with the fields of `Finding`."""

    weight: int
    sentence: str


NOTE = 10
SHOWN = 3  # findings above the figures, and examples in one


@dataclass(frozen=True)
class Finding:
    """One thing to know: what, how often, where, and what to do about it.

    kind : one of `KINDS`. count, of : in how many of how many. place : the rater, column, file or family.
    example : what it looks like; names and figures that the sentence lists.
    """

    kind: str
    count: int = 0
    of: int = 0
    place: str = ""
    example: str = ""

    @property
    def sentence(self) -> str:
        """Says it in words."""
        made = KINDS[self.kind].sentence.format(count=self.count, of=self.of, place=self.place, example=self.example)
        return made[:1].upper() + made[1:]

    @property
    def is_note(self) -> bool:
        """Tells whether it stands under how the report was made, not above the figures, as what touches under 2 % does."""
        return KINDS[self.kind].weight < NOTE or 0 < 50 * self.count < self.of


def first_few(several: Iterable[str], most: int = SHOWN) -> str:
    """Lists the first few of several texts, each once."""
    words = list(dict.fromkeys(several))
    return ", ".join(words[:most]) + (", …" if len(words) > most else "")


def by_weight(findings: Iterable[Finding]) -> list[Finding]:
    """Orders findings, each once: the one that changes the conclusion first."""
    return sorted(dict.fromkeys(findings), key=lambda one: -KINDS[one.kind].weight)


KINDS: dict[str, Kind] = {  # at most twenty
    # what the reader of files says, in its own words
    "reading": Kind(72, "{example}"),
    "rejected": Kind(9, "{count:,} rows were refused, and {of:,} cases left out with them; see {place}."),
    "no_verdict": Kind(90, "{count:,} of {of:,} cases were left out of recall by the judge, for every rater: there is no verdict on one of the answers ({example})."),
    "not_understood": Kind(80, "{place} could not be understood, in {count:,} of {of:,} cases, and match nothing but the same words: {example}."),
    "missing_lists": Kind(75, "without a list, of {of:,} cases: {example}. They are out of that rater's figures; two raters are compared in the cases that both have."),
    "no_reference": Kind(40, "{count:,} of {of:,} cases have no right answer {example}and are left out of {place}."),
    "final_diagnosis": Kind(45, "top-k accuracy, MRR and nDCG mean the final diagnosis of a case; recall and HDF1 its set of right answers. {count:,} of {of:,} cases have no final diagnosis and are out of the former."),
    "unlike_lengths": Kind(70, "{place}: lists differ in length ({example}), which moves HDF1 by itself; the option 'k' cuts them alike."),
    "codes": Kind(55, "{count:,} of {of:,} different diagnoses are not in the table of codes ({place}) and {example}."),
    "degrees": Kind(65, "{place}: {example}"),
    "headline": Kind(78, "{place}: {example}"),
    "prompts": Kind(35, "{count:,} raters answer for fewer models ({of:,}), under several prompts or in repeats: a model's figure is its mean over prompts, each the mean over its repeats. {example}"),
    "groups": Kind(30, "in {place}, {example}."),
    "lengths": Kind(8, "{count:,} of {of:,} lists are {place}{example}."),
    "spelling": Kind(7, "{count:,} different diagnoses were compared with slips of the pen mended: {example}."),
    "origin": Kind(5, "{example}"),
    "doubtful": Kind(36, "of {of:,} different pairs {count:,} were doubtful and went to a language model: {example}."),
    "family": Kind(33, "{example}"),  # what one family of metrics says, in its own words
}  # fmt: skip
