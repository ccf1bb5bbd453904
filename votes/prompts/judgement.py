"""What a judge or a check says in words: its verdict, the basis that it gives for it, and a place if it names one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .verdicts import REFUSAL, THOUGHTS, begins_with

MAX_ANSWER = 100_000
"""A longer answer, in characters, is not read."""

_LABELS = (
    "verdict",
    "judgement",
    "judgment",
    "answer",
    "result",
    "included",
    "includes",
    "correct",
    "вердикт",
    "ответ",
    "结论",
)
_BASES = ("basis", "reason", "reasons", "explanation", "rationale", "основание", "обоснование", "依据", "理由")
_BASIS_LABEL = re.compile(rf'\A(?:{"|".join(_BASES)})"?\s*[:：]\s*"?', re.IGNORECASE)
"""Of an object that was cut off, or a line of its own."""
_MOST_OBJECTS = 20
"""That are read after the first."""
_BLOCK = "reference"
"""Of an object that is the question's own data block, given back."""
_PLACES = ("place", "number", "rank", "место", "位置")


class Judgement(NamedTuple):
    """verdict : 1 or 0, as its reader says; None with a `reason` (a key of `REASONS`). basis : "" where none is given.

    place : of the entry that names the disease, from 1; None where none is said.
    """

    verdict: int | None
    basis: str = ""
    place: int | None = None
    reason: str | None = None


class JudgementReader:
    """Reads a verdict of two, with its basis.

    Parameters
    ----------
    yes, no : regular expressions of the words for 1 and 0; what both could be is read as the longer one, "not included".

    The answer is a JSON object, {"verdict": yes or no, "basis": …, "place": …} or {yes or no: basis}, in a code fence or not; or a
    text that begins with the word and goes on with the basis. Thoughts in `<think>` tags go before neither.
    """

    def __init__(self, yes: str, no: str) -> None:
        self._yes, self._no = (re.compile(words, re.IGNORECASE) for words in (yes, no))
        self._lead = re.compile(
            rf'[\W_]*(?:json[\W_]+)?(?:"(?:{"|".join(_LABELS)})"\s*:[\s"]*|(?:verdict|judge?ment|answer|ответ|вердикт)\W*[:：]\W*)?'
            rf"(?:(?P<no>{no})|(?P<yes>{yes}))(?![^\W_])[\W_]*",
            re.IGNORECASE,
        )

    def read(self, text: str, *names: str) -> Judgement:
        """names : the texts that were asked about. An answer that begins with all of one repeats it, and is no verdict."""
        whole = text
        if len(text) > MAX_ANSWER:
            return Judgement(None, reason="too long")
        if thoughts := THOUGHTS.match(text):
            text = text[thoughts.end() :]
        if not text.strip():
            return Judgement(None, reason="empty")
        if any(begins_with(said, name) for said in (whole, text) for name in names):
            return Judgement(None, reason="unclear")
        held, rest = _object_in(text)
        if held is not None and (found := self._of_object(held)) is not None:
            return Judgement(None, found.basis, reason="contradictory") if self._unsays(rest, found.verdict) else found
        if not (lead := self._lead.match(text)):
            return Judgement(None, reason="refusal" if REFUSAL.match(text) else "unclear")
        verdict = int(lead["yes"] is not None)
        later = [one for line in text[lead.end() :].splitlines()[1:] if (one := self._lead.match(line))]
        if any(int(one["yes"] is not None) != verdict for one in later):
            return Judgement(None, reason="contradictory")
        return Judgement(verdict, _BASIS_LABEL.sub("", text[lead.end() :]).strip(' \n\t"}`'))

    def _unsays(self, rest: str, verdict: int | None) -> bool:
        """Whether what follows an object says the other verdict: in another object, or in a line of nothing else."""
        lines = (self._lead.fullmatch(line) for line in rest.splitlines())
        if any(int(one["yes"] is not None) != verdict for one in lines if one):
            return True
        for _ in range(_MOST_OBJECTS):
            start = rest.find("{")
            if start < 0:
                return False
            held, after = _object_in(rest)
            other = None if held is None else self._of_object(held)
            if other is not None and other.verdict != verdict:
                return True
            rest = after if held is not None else rest[start + 1 :]
        return False

    def _of_object(self, held: Mapping[str, Any]) -> Judgement | None:
        """None where the object holds no verdict."""
        words = {str(key).strip().casefold(): value for key, value in held.items()}
        if _BLOCK in words:
            return None
        basis = next((str(words[key]).strip() for key in _BASES if words.get(key)), "")
        said = {v for key in _LABELS if key in words and (v := self._verdict(words[key])) is not None}
        if not said:
            # {"Not included": "the basis"}
            keyed = {key: v for key in words if (v := self._verdict(key)) is not None and _says(words[key])}
            said = {*keyed.values()}
            basis = basis or next((str(words[key]).strip() for key in keyed if isinstance(words[key], str)), "")
        if not said:
            return None
        if len(said) > 1:
            return Judgement(None, basis, reason="contradictory")
        places = [words[key] for key in _PLACES if key in words]
        place = next((int(p) for p in places if re.fullmatch(r"[1-9]\d{0,4}", str(p).strip())), None)
        return Judgement(said.pop(), basis, place)

    def _verdict(self, value: Any) -> int | None:
        if isinstance(value, bool):
            return int(value)
        word = str(value).strip(" .!\"'*_")
        return 0 if self._no.fullmatch(word) else 1 if self._yes.fullmatch(word) else None


def _says(value: Any) -> bool:
    return value is not None and value is not False and value != ""


def _object_in(text: str) -> tuple[Mapping[str, Any] | None, str]:
    """The first JSON object of an answer, which nothing but a fence, a label or a sentence may go before, and what follows it."""
    start = text.find("{")
    if start < 0:
        return None, ""
    try:
        held, end = json.JSONDecoder(strict=False).raw_decode(text[start:])
    except (ValueError, RecursionError):
        return None, ""
    return (held, text[start + end :]) if isinstance(held, dict) else (None, "")


INCLUDED = JudgementReader(
    r"includ(?:ed|es|ing|e)|contain(?:ed|s)?|yes|true|1|включает|включ[её]но?|содержит|да|包含|是",
    r"(?:is |does |do )?not? (?:includ(?:ed|es|e)|contain(?:ed|s)?)|doesn['’]t (?:include|contain)|no|false|0"
    r"|не (?:включает|включ[её]но?|содержит)|нет|不包含|未包含|否",
)
"""1: the answer includes the disease."""
RIGHT = JudgementReader(
    r"correct|right|yes|true|1|верно|правильно|да|正确|是",
    r"incorrect|not (?:correct|right)|wrong|no|false|0|неверно|неправильно|не верно|нет|不正确|错误|否",
)
"""1: the judgement is correct."""
