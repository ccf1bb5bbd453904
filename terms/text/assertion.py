"""Assertions: what a diagnosis is said to be. "No evidence of pneumonia" names pneumonia and says that it is not there.

The methods are NegEx (Chapman et al. 2001, triggers before and after what they speak of) and ConText (Harkema et al. 2009, which
adds history and other people). There they look for a trigger in a sentence; here a string is one diagnosis, so that only triggers
at its ends speak of the whole of it: "epilepsy with history of stroke" is a present epilepsy.
The triggers are a table, `assertion_triggers_<language>.csv`, with what makes one none: "fear of" is one, but not of heights, and
no lung is missing where "no pneumonia" is. Groups of words that it names by "@" are in `assertion_words_<language>.csv`; "#" is a year, and
"*", at a trigger's outer end, any words that name no disease: "MRI of the brain" of "MRI of the brain was negative for stroke".
Beside English, the commonest triggers of other languages are heard, too. A language without a table asserts nothing: all is present.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import product

from .vocabulary import rows_in, words_in


class Status(StrEnum):
    """What is said of a diagnosis."""

    PRESENT = "present"
    POSSIBLE = "possible"
    PAST = "past"
    NO_DISEASE = "no disease of the patient"
    FAMILY = "family"
    NEGATED = "negated"


_HEARD_BESIDE = {"en": ("de", "es", "fr", "it")}
"""Names of diseases are much alike in these languages, so that a denial in another is understood as the disease where it is not heard."""
_STRENGTH = {status: strength for strength, status in enumerate(Status)}
"""Of several triggers the strongest counts: "history of exposure to tuberculosis" is an exposure."""
_ANY, _YEAR = "*", "#"
_IS_YEAR = re.compile(r"(?:19|20)\d\d")
_JOINS = words_in("a and by for from in of on or to with")
"""No diagnosis consists of these alone."""
_TYPES = words_in("virus type infection disease test")
"""What may follow the name of a disease that is "negative"."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A diagnosis and what is said of it.

    Attributes
    ----------
    core : the diagnosis without the words that say so; all of the name where it is present. Never empty.
    status : what is said of it.
    trigger : the words that say so; "" where it is present.
    about : what there is instead of a disease ("screening", "exposure", "fear", …), and what a negation denies beyond the
        disease itself ("no family history of": "family"); else "".
    """

    core: str
    status: Status = Status.PRESENT
    trigger: str = ""
    about: str = ""

    @property
    def claim(self) -> tuple[Status, str]:
        """What excludes: two names can match only where their claims are equal. A possible disease claims to be present."""
        return (Status.PRESENT if self.status is Status.POSSIBLE else self.status), self.about


def excludes(a: Assertion, b: Assertion) -> bool:
    """Whether what is said of two diagnoses rules out that they match, whatever the diagnoses are.

    "Pneumonia" and "possible pneumonia" go together, and so do two negations, whose cores are then compared.
    """
    return a.claim != b.claim


@dataclass(frozen=True, slots=True)
class _Trigger:
    """The words of a trigger, what they say, and of which cores they do not say it.

    loose : words that name no disease may stand at its outer end.
    unless : words of which the core may hold none. only : words that the core may not wholly consist of.
    needs : words of which the core must hold one, "@disease" for whatever sounds like a disease; "@bare" for a core in which
        nothing follows a word that sounds like one.
    """

    words: tuple[str, ...]
    loose: bool
    status: Status
    about: str
    unless: frozenset[str]
    only: frozenset[str]
    needs: frozenset[str]


@dataclass(frozen=True)
class _Table:
    """The triggers, the longest first, by the first word of those before a core and by the last of those behind one; `within`, by their first, the loose ones of either side."""

    before: Mapping[str, Sequence[_Trigger]]
    after: Mapping[str, Sequence[_Trigger]]
    within: Mapping[str, Sequence[tuple[bool, _Trigger]]]
    diseases: frozenset[str]
    endings: tuple[str, ...]
    breaks: frozenset[str]
    breaks_past: frozenset[str]


@lru_cache
def _table(language: str) -> _Table:
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows_in("assertion_words", language):
        groups[f"@{row['group']}"] += row["words"].split()
    sides: dict[str, dict[str, list[_Trigger]]] = {"before": {}, "after": {}}
    for row in (
        row for one in (language, *_HEARD_BESIDE.get(language, ())) for row in rows_in("assertion_triggers", one)
    ):
        unless, only, needs = (_members(row[column], groups) for column in ("unless", "unless_only", "needs"))
        for words in product(*(groups.get(word, (word,)) for word in row["words"].split())):
            said = tuple(word for word in words if word != _ANY)
            trigger = _Trigger(said, said != words, Status(row["status"]), row["about"], unless, only, needs)
            sides[row["position"]].setdefault(said[0] if row["position"] == "before" else said[-1], []).append(trigger)
    for side in sides.values():
        for triggers in side.values():
            triggers.sort(key=lambda trigger: -len(trigger.words))
    within: dict[str, list[tuple[bool, _Trigger]]] = defaultdict(list)
    for position, side in sides.items():
        for trigger in (each for triggers in side.values() for each in triggers if each.loose):
            within[trigger.words[0]].append((position == "before", trigger))
    diseases, breaks, past = (frozenset(groups[group]) for group in ("@disease", "@break", "@break_of_past"))
    return _Table(
        **sides,
        within=within,
        diseases=diseases,
        endings=tuple(groups["@disease_ending"]),
        breaks=breaks,
        breaks_past=past,
    )


def _members(cell: str, groups: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """The words of a cell; "@disease" and "@bare" stand for themselves, too, for they mean more than a list."""
    return frozenset(word for entry in cell.split() for word in (entry, *groups.get(entry, ())))


def assertion_of(name: str, language: str = "en") -> Assertion:
    """What a normalised name says, and of which diagnosis.

    >>> assertion_of("no evidence of pneumonia")
    Assertion(core='pneumonia', status=<Status.NEGATED: 'negated'>, trigger='no evidence of', about='')
    >>> assertion_of("migraine without aura").status
    <Status.PRESENT: 'present'>
    """
    table, written = _table(language), name.split()
    words = [_YEAR if _IS_YEAR.fullmatch(word) else word for word in written]
    if not words or (
        words[0] not in table.before and words[-1] not in table.after and table.within.keys().isdisjoint(words)
    ):
        return Assertion(name)
    start, end = 0, len(words)
    before: list[tuple[_Trigger, Sequence[str]]] = []
    after: list[tuple[_Trigger, Sequence[str]]] = []
    while end - start > 1:
        if (found := _first(table, table.before.get(words[start], ()), words, start, end, True)) is not None:
            here, is_before = start, True
        elif (found := _first(table, table.after.get(words[end - 1], ()), words, start, end, False)) is not None:
            here, is_before = end - len(found.words), False
        elif (inside := _within(table, words, start, end)) is not None:
            found, here, is_before = inside
        else:
            break
        stop = here + len(found.words)
        if is_before:
            before.append((found, written[here:stop]))
            start = stop
        else:
            after.insert(0, (found, written[here:stop]))
            end = here
    said = [(trigger, by) for trigger, by in (*before, *after) if trigger.status is not Status.PRESENT]
    core = written[start:end]
    if not said or not table.breaks.isdisjoint(core):
        return Assertion(name)
    triggers = [trigger for trigger, _ in said]
    status = max((trigger.status for trigger in triggers), key=_STRENGTH.__getitem__)
    if status is Status.PAST and not table.breaks_past.isdisjoint(core):
        return Assertion(name)
    about = max(
        (trigger for trigger in triggers if trigger.about), key=lambda t: _STRENGTH[t.status], default=triggers[0]
    ).about
    return Assertion(" ".join(core), status, " ".join(word for _, by in said for word in by), about)


def _first(
    table: _Table, triggers: Sequence[_Trigger], words: Sequence[str], start: int, end: int, before: bool
) -> _Trigger | None:
    """The longest trigger at the start or at the end of `words[start:end]` that speaks of what it leaves."""
    for trigger in triggers:
        length = len(trigger.words)
        here = start if before else end - length
        if length > end - start or tuple(words[here : here + length]) != trigger.words:
            continue
        core = words[start + length : end] if before else words[start : end - length]
        # Where it does not hold, no shorter trigger inside it does: "no" of "no evidence of".
        return trigger if _speaks_of(table, trigger, core) else None
    return None


def _within(table: _Table, words: Sequence[str], start: int, end: int) -> tuple[_Trigger, int, bool] | None:
    """A loose trigger inside `words[start:end]` that speaks of what it leaves, its place, and whether it stands before that."""
    for here in range(start, end):
        for before, trigger in table.within.get(words[here], ()):
            after = here + len(trigger.words)
            outer, core = (words[start:here], words[after:end]) if before else (words[after:end], words[start:here])
            if (
                tuple(words[here:after]) == trigger.words and outer and core and table.breaks.isdisjoint(outer)
                and not any(_sounds_like_disease(table, word) for word in outer) and _speaks_of(table, trigger, core)
            ):  # fmt: skip
                return trigger, here, before
    return None


def _speaks_of(table: _Table, trigger: _Trigger, core: Sequence[str]) -> bool:
    joined = core and core[-1] in _JOINS and core[-1] != "a"  # "SARS of 2003", but "hepatitis a negative"
    if joined or not trigger.unless.isdisjoint(core) or trigger.only.issuperset(core) or _JOINS.issuperset(core):
        return False
    if "@bare" in trigger.needs:
        *first, last = _without_type(core)
        # "p16", "cdkn2a": a marker, not a disease
        is_gene = last.isalnum() and not last.isalpha() and not last.isdigit()
        return not is_gene and not any(_sounds_like_disease(table, word) for word in first)
    if "@disease" in trigger.needs and any(_sounds_like_disease(table, word) for word in core):
        return True
    return not trigger.needs or not trigger.needs.isdisjoint(core)


def _without_type(core: Sequence[str]) -> Sequence[str]:
    """The words less what tells types apart: "hepatitis" of "hepatitis b virus", "covid" of "covid 19"."""
    end = len(core)
    while end > 1 and (len(core[end - 1]) == 1 or core[end - 1].isdigit() or core[end - 1] in _TYPES):
        end -= 1
    return core[:end]


def _sounds_like_disease(table: _Table, word: str) -> bool:
    return word in table.diseases or word.endswith(table.endings)
