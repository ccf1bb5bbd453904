"""What a model's answer says: one chain of steps for every kind of answer. What none of them reads is unread, with the reason.

Thoughts are cut off; then JSON with a known key is looked for; then a label ("Answer: …") and the word behind it. A verdict, a class or a
number leads its line, and is never taken from the middle of a sentence; letters may stand behind a label anywhere. Two that differ
contradict each other.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import dropwhile, islice
from string import ascii_uppercase
from typing import Any, NamedTuple

MAX_ANSWER, MAX_LETTERED = 10_000, 100_000
"""A longer answer, in characters after its thoughts, is not read; one that ends in letters may argue at length."""
Alternatives = Sequence[tuple[str, float]]
"""The likeliest tokens at one place of an answer, each with its natural log-probability."""

_BEGIN = r"(?:[<◁\[](?:think(?:ing)?|thought)[>▷\]]|<unused94>|<\|begin_of_thought\|>|<\|channel\|>analysis)"
_END = r"(?:[<◁\[]/(?:think(?:ing)?|thought)[>▷\]]|<unused95>|<\|end_of_thought\|>|(?:<\|channel\|>|assistant)final)"
_THOUGHTS = re.compile(rf"(?is){_BEGIN}.*?(?:{_END}|\Z)|\A(?:(?!{_BEGIN}).)*?{_END}")
_REFUSAL = re.compile(
    r"\W*(?:i['’]m (?:sorry|unable)|i am (?:sorry|unable)|sorry\b|i apologi[sz]e|i can(?:no|['’])t\b|as an ai\b"
    r"|извините|к сожалению|я не могу)",
    re.IGNORECASE,
)
_KEYS = (
    "answer", "answers", "final_answer", "correct_answer", "verdict", "judgement", "judgment", "result", "included", "includes", "correct",
    "choice", "choices", "option", "options", "letter", "letters", "class", "relation", "severity", "number", "icd_name", "вердикт", "ответ",
    "结论", "答案", "选项",
)  # fmt: skip
_BASES = ("basis", "reason", "reasons", "explanation", "rationale", "основание", "обоснование", "依据", "理由")
_PLACES = ("place", "number", "rank", "место", "位置")
_ASKED = ("reference", "first", "golden")
"""Keys of our own data block: an answer with one of them is the question, given back."""
_MOST_OBJECTS = 20
_BASIS = re.compile(rf'[\W_]*(?:{"|".join(_BASES)})"?\s*[:：]\s*"?', re.IGNORECASE)
_DECORATION = r"[\W_]{0,20}"
_LABEL = r"(?:final[\W_]+)?(?:answer|verdict|judge?ment|ответ|вердикт)"
_LABELLED = rf'(?:(?:{_LABEL}{_DECORATION}[:=]|"(?:{"|".join(_KEYS)})"\s*:){_DECORATION})?'
_NO_VERDICT_YET = re.compile(rf"[\W_]*(?:{_LABEL}|json)?[\W_]*", re.IGNORECASE)
_WORDS = re.compile(r"[^\W_]+")
# Names hold no punctuation, so an answer that begins with a name, "no acute disease is …", stops at none of these.
_STOP = re.compile(r"[.,;:!()*_\"”»—–。，：；]| - ")


class Reply(NamedTuple):
    """value : what is answered; None with a `reason` (a key of `questions.REASONS`). basis : why, "" where none is given.

    place : of the entry that is meant, from 1; None where none is said.
    """

    value: int | None
    reason: str | None = None
    basis: str = ""
    place: int | None = None


@dataclass(frozen=True)
class Kind:
    """A kind of answer.

    word : a regular expression of what is answered. value : of such a word; None where it is out of range.
    names : of the candidates, which JSON may give in place of their numbers, or of the options. keyed : JSON may be {the word: its basis}.
    lettered : the word is letters, one or several.
    """

    word: str
    value: Callable[[str], int | None]
    names: Sequence[str] = ()
    keyed: bool = False
    lettered: bool = False


def verdict_of(yes: str, no: str, *, keyed: bool = False) -> Kind:
    """A verdict. yes, no : regular expressions of the words for 1 and for 0."""
    not_a_key = r'(?!"\s*:)' if keyed else ""
    word = f"(?:{no}|{yes}){not_a_key}"
    return Kind(word, lambda said: int(re.fullmatch(no, said, re.IGNORECASE) is None), keyed=keyed)


def class_of(names: Sequence[str]) -> Kind:
    """The number of a class, from 1, its name, or both: "2", "Broad synonym", "2: broad synonym", "Relation: 2"."""
    return Kind(_number("class|relation(?:ship)?|severity", *names), partial(_place_of, names))


def number_of(names: Sequence[str]) -> Kind:
    """The number of a candidate, from 1; in JSON also its name."""
    return Kind(_number("candidate|entry|кандидат|вариант"), partial(_place_of, names), names)


def _place_of(names: Sequence[str], word: str) -> int | None:
    """Of a number, or else a name, from 1."""
    number = re.search("[0-9]+", word)
    place = int(number[0]) if number else 1 + [_folded(word).endswith(name) for name in names].index(True)
    return place if 1 <= place <= len(names) else None


def _number(called: str, *names: str) -> str:
    """A number from 1, or one of the names, after what it is called: "3", "Class 3", "The answer is 3"."""
    said = "|".join([r"(?<![-−])[0-9]{1,9}(?!\.?[0-9])", *(r"[\W_]".join(name.split()) for name in names)])
    return rf"(?:(?:(?:the )?(?:{called}|answer)(?: is)?|number|option|номер)[\W_]{{1,5}})?(?:{said})"


INCLUDED = verdict_of(
    r"includ(?:ed|es|ing|e)|contain(?:ed|s)?|yes|true|1(?![\W_]*\w)|включает|включ[её]но?|содержит|да|包含|是",
    r"(?:is |does |do )?not? (?:includ(?:ed|es|e)|contain(?:ed|s)?)|doesn['’]t (?:include|contain)|no|false|0(?![\W_]*\w)"
    r"|не (?:включает|включ[её]но?|содержит)|нет|不包含|未包含|否",
    keyed=True,
)
"""1: the answer includes the disease."""
RIGHT = verdict_of(
    r"correct|right|yes|true|1(?![\W_]*\w)|верно|правильно|да|正确|是",
    r"incorrect|not (?:correct|right)|wrong|no|false|0(?![\W_]*\w)|неверно|неправильно|не верно|нет|不正确|错误|否",
    keyed=True,
)
"""1: the judgement is correct."""


def letter_of(options: Sequence[str]) -> Kind:
    """The letters of the chosen options, as the sum of 2 to the power of each place, from 0. options : their texts, in order."""

    def value(word: str) -> int | None:
        places = {*map(ascii_uppercase.index, re.findall("[A-Z]", re.sub(r"(?i)\band\b", "", word).upper()))}
        return sum(1 << place for place in places) if max(places) < len(options) else None

    return Kind(_GROUP, value, options, lettered=True)


def letters_of(answer: str, options: Sequence[str]) -> tuple[int, ...] | None:
    """The places, from 0 and in order, of the options that an answer chooses; None where it names none, or cannot be read.

    >>> letters_of("It is sudden, so … **Answer: A and C**", ["gout", "flu", "stroke", "asthma"])
    (0, 2)
    """
    value = read(answer, letter_of(options)).value
    return None if value is None else tuple(place for place in range(len(options)) if value >> place & 1)


def read(text: str, kind: Kind, *asked: str) -> Reply:
    """Reads an answer of a kind.

    asked : the texts that were asked about. An answer that begins with all of one repeats it, and is no verdict.
    """
    whole, text = text, without_thoughts(text)
    if not text.strip() or len(text) > (MAX_LETTERED if kind.lettered else MAX_ANSWER):
        return Reply(None, "too long" if text.strip() else "empty")
    found, rest = list[Reply](), text
    for held, written in () if kind.lettered else _objects(text):
        if any(key in held for key in _ASKED):
            return Reply(None, "unclear")
        if one := _of_object(held, kind):
            found.append(one)
            rest = rest.replace(written, "\n")
    lines = [] if kind.lettered else [*dropwhile(_NO_VERDICT_YET.fullmatch, rest.splitlines())]
    said = _of_letters(text, kind) if kind.lettered else [*found, *(_of_line(line, kind) for line in lines)]
    first = said[0] if said else Reply(None, "unclear")
    if first.reason in ("unclear", "contradictory"):
        return Reply(None, "refusal" if is_refusal(text) else first.reason, first.basis)
    if any(_begins_with(one, name) for one in (whole, text) for name in asked):
        return Reply(None, "unclear")
    if len({one.value for one in said if one.reason in (None, "out of range")}) > 1:
        return Reply(None, "contradictory", first.basis)
    if not found:
        basis = "\n".join([first.basis, *lines[1:]]).strip()
        first = first._replace(basis=_BASIS.sub("", basis, count=1).strip(' \n\t"}`') if kind.keyed else "")
    return first


def without_thoughts(text: str) -> str:
    """What comes after a model's thoughts, of which the first may begin in its chat template. A thought without an end is all that there is."""
    return _THOUGHTS.sub("", text)


def is_refusal(text: str) -> bool:
    """Whether an answer begins with the words in which models decline, after their thoughts."""
    return _REFUSAL.match(without_thoughts(text)) is not None


@lru_cache(maxsize=64)
def _leads(word: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The word at the head of a line, after markdown, quotes and a label; and another one beside it."""
    word = rf"({word})(?![^\W_])"
    lead = re.compile(rf"{_DECORATION}{_LABELLED}{word}([\W_]*)", re.IGNORECASE)
    return lead, re.compile(rf"[\W_]+(?:(?:and|or|и|или)[\W_]+)?{word}(?!\s+\w)([\W_]*)", re.IGNORECASE)


def _of_line(line: str, kind: Kind) -> Reply:
    """What leads a line; its basis is what follows. A question is no verdict."""
    lead, beside = _leads(kind.word)
    if not (found := lead.match(line)):
        return Reply(None, "unclear")
    value = kind.value(found[1])
    if other := beside.match(line, found.end(1)):
        if kind.value(other[1]) != value:
            return Reply(None, "contradictory")
        found = other
    if "?" in found[2] or not (found.end() == len(line) or _STOP.search(found[2])):
        return Reply(None, "unclear")
    return Reply(value, "out of range" if value is None else None, line[found.end() :])


def _objects(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The JSON objects of an answer, and how they are written."""
    decoder, end = json.JSONDecoder(strict=False), 0
    for start in islice((one.start() for one in re.finditer("{", text) if one.start() >= end), _MOST_OBJECTS):
        with suppress(ValueError, RecursionError):
            held, end = decoder.raw_decode(text, start)
            yield {str(key).strip().casefold().replace(" ", "_"): value for key, value in held.items()}, text[start:end]


def _of_object(held: Mapping[str, Any], kind: Kind) -> Reply | None:
    """None where the object holds no answer."""
    basis = next((str(held[key]).strip() for key in _BASES if held.get(key)), "")
    found = [_of_value(str(held[key]), kind) for key in _KEYS if key in held and held[key] is not None]
    if kind.keyed and not any(found):
        words = {key: _of_value(key.replace("_", " "), kind) for key, value in held.items() if value}
        found = [*words.values()]
        basis = basis or next((str(held[key]).strip() for key, one in words.items() if one), "")
    if not (found := [one for one in found if one]):
        return None
    if len({one.value for one in found}) > 1:
        return Reply(None, "contradictory", basis)
    places = (re.fullmatch(r"\s*([1-9]\d{0,4})\s*", str(held.get(key))) for key in _PLACES)
    return found[0]._replace(basis=basis, place=next((int(one[1]) for one in places if one), None))


def _of_value(said: str, kind: Kind) -> Reply | None:
    """Of a text in JSON: the name of a candidate, with its number or without, or what could lead a line; else None."""
    words = _folded(re.sub(r"^\s*[0-9]{1,3}\s*[.):]", "", said))
    if words and words in (names := [_folded(name) for name in kind.names]):
        return Reply(names.index(words) + 1)
    found = _of_line(said, kind)
    if found.reason == "unclear":
        return Reply(None, "out of range") if kind.names else None
    return found._replace(basis="")


def _begins_with(text: str, name: str) -> bool:
    """Word by word, whatever stands between the words."""
    words = _WORDS.findall(name.casefold())
    return bool(words) and _WORDS.findall(text[: 10 * len(name) + 1_000].casefold())[: len(words)] == words


_PIECE = re.compile(r"[\W_ĠĊ]*([^\W_]*)[\W_]*")


def share(logprobs: Sequence[Alternatives], one: Sequence[str], other: Sequence[str]) -> float | None:
    """P(one) / (P(one) + P(other)) at the token where the verdict stands, in [0, 1].

    A token counts for the words that it begins, whatever its case and the blanks and punctuation about it: "Yes", "▁yes",
    '"Yes', and "Y" of a tokenizer that cuts the word. The verdict stands at the first token that is neither punctuation nor a
    part of a label. None where the two together hold less than half of the probability there, or nothing is given.
    """
    for alternatives in logprobs:
        if not alternatives or not all(logprob <= 1e-6 for _, logprob in alternatives):
            return None
        pieces = [((_PIECE.fullmatch(token) or [""] * 2)[1].lower(), math.exp(p)) for token, p in alternatives]
        for_one, for_other = (
            sum(mass for piece, mass in pieces if piece and any(word.startswith(piece) for word in words))
            for words in (one, other)
        )
        if for_one + for_other >= 0.5:
            return for_one / (for_one + for_other)
        likeliest = max(zip(pieces, alternatives, strict=True), key=lambda entry: entry[0][1])
        if likeliest[0][0] not in ("", "final", "answer", "verdict", "ответ") or "<" in likeliest[1][0]:
            return None
    return None


# Letters of a multiple-choice question, which stand behind labels in the midst of an answer, too

_FINAL_PART = re.compile(r"^#+\s*final (?:response|answer)\s*:?\s*$", re.IGNORECASE | re.MULTILINE)
_BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_TEXT = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")
_AND = r"(?:\s*(?:\.\s*)?(?:,|、|;|&|\band\b|和|及)\s*(?:(?:and|和)\s+)?|\s+)"
_GROUP = rf"(?:(?:options?|choices?)\s+)?(?P<letters>[A-Z]{{1,26}}(?:{_AND}[A-Z](?![A-Za-z]))*)"
_ENDS = (
    r"(?![A-Za-z0-9'’])(?!\s*\.?\s*(?:/|\bor\b|或|или\b)\s*[A-Z](?![A-Za-z]))"
    r"(?=\s*(?:[.,;:!\-–—。、,)]|$|because\b|since\b|as\b|因为|选?项))"
)
_IS = r"\s+(?:is|are|would\s+be|should\s+be|must\s+be)"
_CHOOSE = r"(?<![不未没别勿可备筛])(?<!不[应该能要会可])(?<!不(?:应该|可以|应当))选(?:择)?"
"""选, but not 不选 (not chosen), 可选 (may be chosen) or 不应选 (should not be)."""
_LABELS = re.compile(
    rf"(?:\b(?:answers?)(?:\s+(?:is|are))?\s*[:=]\s*(?:is\s+)?|\b(?:answers?|(?:correct|right|best)\s+(?:options?|choices?)){_IS}\s*:?\s*"
    rf"|\b(?:correct|right|best)\s+(?:options?|choices?)\s*[:=]\s*"
    rf"|(?:答案|正确选项|正确的选项|选项)\s*(?:应该是|应为|应选|是|为|选)?\s*:?\s*|{_CHOOSE}\s*:?\s*|\bответы?\s*[:=—-]\s*)"
    rf"(?-i:{_GROUP}){_ENDS}",
    re.IGNORECASE | re.MULTILINE,
)
_SMALL = re.compile(
    r"\banswers?(?:\s+is)?\s*[:=]\s*(?-i:(?P<letters>[a-z]))(?![A-Za-z0-9'’])(?=\s*(?:[.,;:\-–—]|$))",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(rf"\W*{_GROUP}\W*", re.IGNORECASE)
_OF_SENTENCE = re.compile(
    r"(?<![^.\n])(?:(?!\b(?i:not|never|unlike\w*|less|wrong|incorrect|exclude\w*|reject\w*|rather|instead|rul\w+ out|(?:is|are|was|do|does|can|wo|would)nt|options? [A-Z])\b)[^.\n])*?"
    rf"(?:\(|\b(?:is|choose|pick|select)\s+|(?=[Oo]ption [A-Z] (?:because|since)\b))[Oo]ptions?\s+{_GROUP}{_ENDS}(?![^.\n]*\b[Oo]ption\b)"
)
"""Of a sentence that denies nothing and names no second one: "it is option B", "Option B because …", "… (Option B).", as ClinBench-HPB's models answer."""
_LEADS = re.compile(r"^[^\S\n]*[(\[]?([A-Z])(?:[)\]:、]|\.(?=\s+[^a-z\s]|\s*$)|(?<!A)\s+\((?!or\b)|\s+\((?=[A-Z][a-z]+ ))", re.MULTILINE)  # fmt: skip


def _of_letters(text: str, kind: Kind) -> list[Reply]:
    """What stands in the first of these forms: JSON (`{"answer": ["A", "C"]}`) or LaTeX's box; behind a label ("Answer: ABC", "The correct
    option is B.", "答案：B"); all of the answer ("A, C"); before the text of an option that it begins with ("B) …"); the text of an option.

    "A or B" chooses none. Full-width letters and signs, and bold type, are read through.
    """
    text = _FINAL_PART.split(unicodedata.normalize("NFKC", text))[-1]
    held = [one[key] for one, _ in _objects(text) for key in _KEYS if one.get(key)]
    boxed = [_TEXT.sub(r"\1", found[1]) for found in _BOXED.finditer(text)]
    plain = re.sub(r"[*_`\"“”'‘’$]|\\\(|\\\)", "", _TEXT.sub(r"\1", _BOXED.sub(r"\1", text)))
    open_ = re.sub(r"[(\[{<]", "", re.sub(r"[)\]}>]", ".", plain))
    folded = _folded(plain)
    for form in (
        [_group(", ".join(map(str, one)) if isinstance(one, list) else str(one)) for one in (*held, *boxed)],
        [found["letters"] for pattern in (_LABELS, _SMALL) for found in pattern.finditer(open_)],
        [_group(plain)],
        [found[1] for found in _LEADS.finditer(plain)],
        [found["letters"] for found in _OF_SENTENCE.finditer(plain)],
        [letter for letter, one in zip(ascii_uppercase, kind.names, strict=False) if folded in (_folded(one), _folded(f"{letter} {one}"))],
    ):  # fmt: skip
        if values := [kind.value(one) for one in form if one]:
            return [Reply(value, "out of range" if value is None else None) for value in values]
    return []


def _group(text: str) -> str:
    """The letters that are all of a text; "" for another text."""
    letters = found["letters"] if (found := _ALONE.fullmatch(text.strip())) else ""
    return letters if letters.isupper() or len(letters) == 1 else ""


def _folded(text: str) -> str:
    return " ".join(_WORDS.findall(unicodedata.normalize("NFKC", text).casefold()))
