"""What the API takes and gives, as JSON: checked as it comes, described in /openapi.json."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from ..files.limits import MAX_CHARACTERS

MOST_TERMS = 2_000
MOST_PAIRS = 100_000
MOST_TEXTS = 500
MOST_CANDIDATES = 50
MAX_BODY = 2_000_000
"""Bytes of a request."""

Diagnosis = Annotated[str, Meta(max_length=MAX_CHARACTERS, description="A diagnosis in words.")]
Terms = Annotated[list[Diagnosis], Meta(min_length=1, max_length=MOST_TERMS)]


class Pair(Struct, forbid_unknown_fields=True):
    """Two diagnoses; under policies with a direction, a is the reference and b the answer."""

    a: Diagnosis
    b: Diagnosis


class ByPolicy(Struct):
    """What a policy makes of the pair."""

    policy: str
    meaning: str
    probability: float
    threshold: float
    match: bool


class Understood(Struct):
    """What a diagnosis was read as. read_as: pairs of what was written and what it was read as. said_by: the words of the assertion."""

    text: str
    compared_as: str
    read_as: list[tuple[str, str]]
    assertion: str
    said_by: str


class Match(Struct):
    """Whether two diagnoses match, what the first is to the second, and why. label: what was said of the pair before."""

    a: str
    b: str
    match: bool
    probability: float
    threshold: float
    policy: str
    policies: list[ByPolicy]
    relation: str | None
    relations: dict[str, float]
    reason: str
    words: list[list[str]]
    understood: list[Understood]
    label: int | None


class Lists(Struct, forbid_unknown_fields=True):
    """Two lists of diagnoses; the k best of b are wanted for each of a."""

    a: Terms
    b: Terms
    k: Annotated[int, Meta(ge=1, le=MOST_CANDIDATES)] = 1


class Link(Struct):
    """A term of a, and one of the best of b; b and what follows are null where a is blank or not understood, which not_understood says."""

    a: str
    b: str | None
    rank: int | None
    probability: float | None
    match: bool | None
    relation: str | None
    label: int | None
    not_understood: str | None


class Links(Struct):
    """The best of b for each of a, in the order of a. not_understood: terms of b that were left out, blank ones among
    them, with the reason."""

    links: list[Link]
    not_understood: dict[str, str]


class Texts(Struct, forbid_unknown_fields=True):
    """Diagnoses to be mapped to ICD-10, each with its k best candidates."""

    diagnoses: Annotated[list[Diagnosis], Meta(min_length=1, max_length=MOST_TEXTS)]
    k: Annotated[int, Meta(ge=1, le=MOST_CANDIDATES)] = 5


class Candidate(Struct):
    """An entry of ICD-10. found: the name that it was found by."""

    code: str
    name: str
    score: float
    found: str


class Mapped(Struct):
    """The entry of a diagnosis; null where none is near enough. how: direct, code, nearest, unmapped, none or blank."""

    diagnosis: str
    icd10: str | None
    name: str | None
    how: str
    score: float | None
    candidates: list[Candidate]


class Mapping(Struct):
    """edition: the release of ICD-10."""

    edition: str
    mapped: list[Mapped]


class Label(Struct, forbid_unknown_fields=True):
    """What a person says of a pair: 1 a match, 0 none, null takes back what was said before."""

    a: Diagnosis
    b: Diagnosis
    label: Literal[0, 1] | None


class Labelled(Struct):
    """A pair with what was said of it last, and when."""

    a: str
    b: str
    label: int
    when: str


class Labels(Struct):
    """The file that holds the labels, the column that they stand in, how many there are, and those said last, newest first."""

    file: str
    column: str
    count: int
    last: list[Labelled]


class Health(Struct):
    """That the server answers, and with what. labels: whether it takes them."""

    status: Literal["ok"]
    version: str
    model: str
    policy: str
    labels: bool


class Problem(Struct):
    """Why a request was refused, in a line."""

    error: str


Message = type[Struct]
Answer = Any
