"""What an answer says: the verdict that it leads with, or why it holds none. A verdict is never taken from its middle."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

MAX_ANSWER = 10_000
"""A longer answer, in characters, is not read."""

Alternatives = Sequence[tuple[str, float]]
"""The likeliest tokens at one place of an answer, each with its natural log-probability."""

THOUGHTS = re.compile(r"(?:\s*<think>.*?</think>)+", re.DOTALL)
_LABEL = r"(?:final[\W_]+)?(?:answer|verdict|ответ)"
_DECORATION = r"[\W_]{0,20}"
_NO_VERDICT_YET = re.compile(rf"[\W_]*(?:{_LABEL}|json)?[\W_]*", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+")
# Names hold no punctuation, so an answer that begins with a name, "no acute disease is …", stops at none of these.
_STOP = re.compile(r"[.,;:!()*_\"”»—–]| - ")
REFUSAL = re.compile(
    r"\W*(?:i['’]m (?:sorry|unable)|i am (?:sorry|unable)|sorry\b|i apologi[sz]e|i can(?:no|['’])t\b|as an ai\b"
    r"|извините|к сожалению|я не могу)",
    re.IGNORECASE,
)


class Verdicts:
    """Reads the verdict that an answer leads with.

    Parameters
    ----------
    word : a regular expression of the verdict, with one group.

    The verdict stands first: alone, or before punctuation and an explanation ("Yes, because …", "3) I21 …"). Before it may
    stand thoughts in `<think>` tags, markdown, quotes, brackets of JSON, and a label with a colon or on a line of its own
    ("**Answer:** Yes", '{"answer": "Yes"}'). A question mark behind it makes it no verdict. Another verdict beside it, or at the
    head of a later line, contradicts it.
    """

    def __init__(self, word: str) -> None:
        label = rf"(?:{_LABEL}{_DECORATION}[:=]{_DECORATION})?"
        word = rf"{word}(?![^\W_])"
        self._lead = re.compile(rf"{_DECORATION}{label}{word}([\W_]*)", re.IGNORECASE)
        self._beside = re.compile(rf"[\W_]+(?:(?:and|or|и|или)[\W_]+)?{word}(?!\s+\w)", re.IGNORECASE)

    def read(self, text: str, *names: str) -> tuple[str | None, str | None]:
        """The verdict in lower case and None, or None and the reason (a key of `REASONS`).

        names : the texts that were asked about. An answer that begins with all of one repeats it, and is no verdict.
        """
        if len(text) > MAX_ANSWER:
            return None, "too long"
        whole = text
        if thoughts := THOUGHTS.match(text):
            text = text[thoughts.end() :]
        if not text.strip():
            return None, "empty"
        lines = text.splitlines()
        while lines and _NO_VERDICT_YET.fullmatch(lines[0]):
            del lines[0]
        verdict, reason = self._of_line(lines[0]) if lines else (None, "unclear")
        if verdict is None:
            return None, "refusal" if is_refusal(text) else reason
        if any(begins_with(said, name) for said in (whole, text) for name in names):
            return None, "unclear"
        if any(other not in (verdict, None) for other, _ in map(self._of_line, lines[1:])):
            return None, "contradictory"
        return verdict, None

    def _of_line(self, line: str) -> tuple[str | None, str | None]:
        if not (lead := self._lead.match(line)):
            return None, "unclear"
        verdict, gap = lead[1].lower(), lead[2]
        beside = self._beside.match(line, lead.end(1))
        if beside and beside[1].lower() != verdict:
            return None, "contradictory"
        alone = lead.end() == len(line)
        if "?" in gap or not (alone or _STOP.search(gap)):
            return None, "unclear"
        return verdict, None


def is_refusal(text: str) -> bool:
    """Whether an answer begins with the words in which models decline, after their thoughts."""
    thoughts = THOUGHTS.match(text)
    return REFUSAL.match(text, thoughts.end() if thoughts else 0) is not None


def begins_with(text: str, name: str) -> bool:
    """Word by word, whatever stands between the words."""
    words = _WORDS.findall(name.casefold())
    return bool(words) and _WORDS.findall(text.casefold())[: len(words)] == words


_PIECE = re.compile(r"[\W_ĠĊ]*([^\W_]*)[\W_]*")
_LABEL_PIECES = {"", "final", "answer", "verdict", "ответ"}


def share(logprobs: Sequence[Alternatives], one: Sequence[str], other: Sequence[str]) -> float | None:
    """P(one) / (P(one) + P(other)) at the token where the verdict stands, in [0, 1].

    A token counts for the words that it begins, whatever its case and the blanks and punctuation about it: "Yes", "▁yes",
    '"Yes', and "Y" of a tokenizer that cuts the word. The verdict stands at the first token that is neither punctuation nor a
    part of a label. None where the two together hold less than half of the probability there, or nothing is given.
    """
    for alternatives in logprobs:
        if not alternatives or not all(logprob <= 1e-6 for _, logprob in alternatives):
            return None
        pieces = [(_piece(token), math.exp(logprob)) for token, logprob in alternatives]
        for_one, for_other = (
            sum(mass for piece, mass in pieces if piece and any(word.startswith(piece) for word in words))
            for words in (one, other)
        )
        if for_one + for_other >= 0.5:
            return for_one / (for_one + for_other)
        if max(pieces, key=lambda entry: entry[1])[0] not in _LABEL_PIECES:
            return None
    return None


def _piece(token: str) -> str:
    found = _PIECE.fullmatch(token)
    return found[1].lower() if found else token
