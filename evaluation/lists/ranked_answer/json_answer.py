"""The ranked diagnoses in JSON: a list, or an object whose keys say which of its values are diagnoses.

A key counts by its last word ("final_diagnosis", "differential", "dx1"), unless one of its words says that these are not the
answer ("excluded_diagnoses"). The final or most likely diagnosis goes before the others. A list of objects is sorted by rank
where all have one, else it is as given: no likelihood sorts it. An object of names with their probabilities, which has no order,
is sorted by these; one of names with the reason for each is in its own order.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from ....terms.text.vocabulary import words_in
from .headings import Kind, kind_of
from .line import names_of_line
from .names import name_of, remarks_shown, says
from .with_reasons import names_with_reasons

_FENCED = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[\]}])")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NAMED = ("diagnosis", "diagnosis_name", "name", "disease", "disease_name", "condition", "dx", "label",
    "疾病", "疾病名称", "诊断", "诊断名称", "病名", "名称", "diagnose", "krankheit", "диагноз", "заболевание")  # fmt: skip
_IN_OTHER_LANGUAGES = re.compile(
    r"(?P<first>最终|主要|首要|首选|最可能的?|окончательный |основной )?(?P<later>鉴别|其他|次要|дифференциальный )?(?:诊断|疾病|病名|diagnosen?|krankheit(?:en)?|диагнозы?|заболевани[ея])"
    r"(?:结果|结论|列表|名称|清单)?\s*\d{0,2}"
)
_RANKS = ("rank", "ranking", "order", "position", "number")
_LAST = words_in(
    "diagnosis diagnoses differential differentials ddx dx disease diseases condition conditions answer prediction "
    "predictions likely alternatives possibilities"
)
_AFTER = words_in("list name names ranked ranking top")
"""Words that may follow the one that counts: "diagnosis_list", "differential_ranked"."""
_FIRST = words_in("final primary main leading principal working provisional top answer prediction likeliest")
_LATER = words_in(
    "differential differentials ddx alternative alternatives other others secondary possible possibilities "
    "additional less"
)
_NOT_THE_ANSWER = words_in(
    "excluded exclude ruled rule out rejected unlikely not past previous prior history admission known initial "
    "reference gold true correct expected target family"
)
_DISEASES = words_in("disease diseases condition conditions")
_BEFORE_DISEASES = (
    _FIRST
    | _LATER
    | words_in("most likely probable suspected predicted candidate underlying potential suggested the all")
)
"""Of another word before them it is a name: "Crohn's disease"."""
_MEASURED = re.compile(
    r"\b(?:probability|probabilities|likelihood|score|(?:un)?certainty|accuracy|sensitivity|specificity|precision|recall|threshold|temperature|weight|"
    r"age|total|sum|others?|value|version|true|false|yes|no|positive|negative|male|female)\W*$",
    re.IGNORECASE,
)
_MOST = 1.05
"""Sum of probabilities that are rounded."""
_DEEPEST = 6


def from_json(text: str) -> list[str] | None:
    """The names in the last fenced block, else between the first bracket and the last, else in lines of JSON; None where none are."""
    for piece in _pieces(text):
        value = _loaded(piece)
        if value is not None:
            found = _names_in(value)
            if found is not None:
                return found
    return None


def is_json(text: str) -> bool:
    """Whether a text begins as JSON, which no other way of reading should be tried on."""
    inside = text.strip().removeprefix("```json").removeprefix("```").strip()
    return inside[:1] in ("{", "[") and not re.match(r"\[[^\[\]]{1,60}\]\s*\w", inside)


def _pieces(text: str) -> Iterator[str]:
    yield from reversed(_FENCED.findall(text))
    lines = [line.strip().rstrip(",") for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines):
        yield f"[{','.join(lines)}]"
    brackets = [(text.find(left), text.rfind(right) + 1) for left, right in ("{}", "[]")]
    for start, end in sorted(b for b in brackets if 0 <= b[0] < b[1]):
        yield text[start:end]


def _loaded(piece: str) -> Any:
    """JSON, with a comma too many allowed, or the same as Python writes it; None where it is neither."""
    for read in (json.loads, lambda text: json.loads(_TRAILING_COMMA.sub(r"\1", text)), _literal):
        try:
            return read(piece)
        except (ValueError, RecursionError, SyntaxError, MemoryError, TypeError):  # the last: a list in a set
            continue
    return None


def _literal(piece: str) -> Any:
    if len(piece) > 20_000:
        raise ValueError("too long to be tried")
    return ast.literal_eval(piece.strip())


def _is_number(text: str) -> bool:
    """Whether `int` reads it: "①" is a digit and no number, and of thousands of digits it makes none."""
    return text.isdecimal() and len(text) < 10


def _names_in(value: Any, depth: int = 0) -> list[str] | None:
    """None where a part is no name, or nothing says what is one."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    if value and all(_is_number(str(key).strip("#. ")) for key in value):
        ranked = sorted(value.items(), key=lambda item: int(str(item[0]).strip("#. ")))
        return _of_list([one for _, one in ranked])
    if depth == 0 and (reasoned := names_with_reasons(value)) is not None:
        return _of_list(reasoned)
    kinds = [(kind, key) for key in value if (kind := _kind(str(key))) is not None]
    if kinds:
        names: list[str] = []
        for _, key in sorted(kinds, key=lambda one: one[0]):
            found = _of_value(value[key], depth)
            if found is None:
                return None
            names = [*names, *(name for name in found if name not in names)]
        return names
    if depth == 0 and _are_probabilities(value):
        return _of_list(_by_probability(value))
    inner = [
        found for one in value.values() if isinstance(one, dict | list) and (found := _nested(one, depth)) is not None
    ]
    return inner[0] if len(inner) == 1 else None


def _nested(value: Any, depth: int) -> list[str] | None:
    """Of an object inside another; a list there is named by no key, so that only a list of objects with diagnoses is one."""
    if isinstance(value, list) and not (
        value and all(isinstance(one, dict) and _name_key(one, strict=True) for one in value)
    ):
        return None
    return _names_in(value, depth + 1)


def _kind(key: str) -> tuple[int, int] | None:
    """Where the values of a key stand among the diagnoses, (0, …) first; None for a key of something else."""
    if (known := _IN_OTHER_LANGUAGES.fullmatch(key.casefold().strip().replace("_", " "))) is not None:
        return (2 if known["later"] else 0 if known["first"] else 1), 0
    words = [word.casefold() for word in _WORDS.findall(key.replace("'", ""))]
    number = 0
    while words and (words[-1] in _AFTER or _is_number(words[-1])):
        number = int(words[-1]) if _is_number(words[-1]) else number
        words = words[:-1]
    if not words or words[-1] not in _LAST or not _NOT_THE_ANSWER.isdisjoint(words):
        return None
    if words[-1] in _DISEASES and not _BEFORE_DISEASES.issuperset(words[:-1]):
        return None
    if not _LATER.isdisjoint(words):
        return 2, number
    first = not _FIRST.isdisjoint(words) or {"most", "likely"} <= set(words)
    return (0 if first else 1), number


def _of_value(value: Any, depth: int) -> list[str] | None:
    if value is None:
        return []
    if isinstance(value, str):
        return names_of_line(value) if value.strip() else []
    if isinstance(value, list):
        return _of_list(value)
    if isinstance(value, dict):
        if (key := _name_key(value)) is not None and isinstance(value[key], str):
            return _of_list([value])
        if value and all(isinstance(number, int | float) and not isinstance(number, bool) for number in value.values()):
            return _of_list(_by_probability(value))
        reasoned = names_with_reasons(value)
        return _names_in(value, depth + 1) if reasoned is None else _of_list(reasoned)
    return None


def _are_probabilities(value: dict[str, Any]) -> bool:
    """Whether all values are probabilities or per cent, and no key is a word for what has one: {"confidence": 0.8}."""
    numbers = [one for one in value.values() if isinstance(one, int | float) and not isinstance(one, bool)]
    if not numbers or len(numbers) < len(value) or min(numbers) < 0:
        return False
    of_one = max(numbers) <= 1 and (sum(numbers) <= _MOST or any(one != round(one) for one in numbers))
    per_cent = len(numbers) > 1 and 100 / _MOST <= sum(numbers) <= 100 * _MOST
    named = all(
        kind_of(str(key)) not in (Kind.ELSEWHERE, Kind.DENIED) and not _MEASURED.search(str(key)) for key in value
    )
    return (of_one or per_cent) and named


def _by_probability(value: dict[str, Any]) -> list[str]:
    """The names, the likeliest first; by rank, where the numbers are 1, 2, 3 …"""
    are_ranks = sorted(value.values()) == list(range(1, len(value) + 1)) and len(value) > 1
    return sorted(value, key=lambda name: value[name] if are_ranks else -value[name])


def _of_list(values: list[Any]) -> list[str] | None:
    values = [one for one in values if one is not None]
    if values and all(isinstance(one, dict) and _rank(one) is not None for one in values):
        values = sorted(values, key=lambda one: _rank(one) or 0)
    names = [one[key] if isinstance(one, dict) and (key := _name_key(one)) else one for one in values]
    texts = [name for name in names if isinstance(name, str)]
    if len(texts) < len(names):
        return None
    shown = remarks_shown(texts)
    cleaned = [name for raw in texts if (name := name_of(raw, shown))]
    return None if (names and not cleaned) or any(map(says, cleaned)) else cleaned


def _name_key(item: dict[str, Any], strict: bool = False) -> str | None:
    """strict : "name" and "label" alone do not say that it is a disease."""
    allowed = [key for key in _NAMED if not strict or key not in ("name", "label")]
    return next((key for wanted in allowed for key in item if str(key).casefold().replace(" ", "_") == wanted), None)


def _rank(item: dict[str, Any]) -> int | None:
    for key in _RANKS:
        value = next((value for name, value in item.items() if str(name).casefold() == key), None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and _is_number(value.strip("#. ")):
            return int(value.strip("#. "))
    return None
