"""Numbers written in Chinese before the parts of an answer, as plain ones: "一、胆囊结石", "（二）高血压", "第一诊断：痛风"."""

from __future__ import annotations

import re

from .headings import Kind, kind_of
from .names import unmarked
from .reasons import begins_with_its_label

_DIGITS = "一二三四五六七八九十"
_NUMBERED = re.compile(
    rf"^(?P<marks>[\s#>*_-]*)(?:[（(](?P<a>[{_DIGITS}]{{1,2}})[）)][、.．:：]?|第(?P<b>[{_DIGITS}]{{1,2}})诊断[:：]|(?P<c>[{_DIGITS}]{{1,2}})[、.．:：])\s*(?P<rest>\S.*)$"
)
_PLAIN = re.compile(r"^[\s#>*_-]*[(（]?\d{1,2}[.)、．）]")


def with_plain_numbers(text: str) -> str:
    """Names with such numbers get plain ones, and lists below them are put deeper; headings with such numbers lose them.

    Where plain numbers stand right below them, without a word that they are reasons, nothing is changed: each may be the name.
    """
    lines = text.splitlines()
    found = [_NUMBERED.match(line) for line in lines]
    parts = [one for one in found if one is not None]
    if not parts:
        return text
    if any(kind_of(unmarked(one["rest"])) not in (Kind.UNKNOWN, Kind.NEUTRAL) for one in parts if not one["b"]):
        return "\n".join(
            line if one is None else f"## {unmarked(one['rest'])}" for line, one in zip(lines, found, strict=True)
        )
    out, reasons = [], False
    for line, one in zip(lines, found, strict=True):
        if one is not None:
            number = _value(one["a"] or one["b"] or one["c"])
            out.append(f"{one['marks']}{number}. {one['rest']}")
            reasons = False
            continue
        reasons = reasons or begins_with_its_label(unmarked(line)) or _opens_something_else(unmarked(line))
        if _PLAIN.match(line):
            if not reasons:
                return text
            line = f"    {line}"
        out.append(line)
    return "\n".join(out)


def _opens_something_else(line: str) -> bool:
    return line.endswith((":", "：")) and kind_of(line) == Kind.ELSEWHERE


def _value(digits: str) -> int:
    """From 1 to 20: 一, 十, 十二, 二十."""
    tens, ten, ones = digits.rpartition("十")
    if not ten:
        return _DIGITS.index(digits[0]) + 1
    return 10 * (_DIGITS.index(tens) + 1 if tens else 1) + (_DIGITS.index(ones) + 1 if ones else 0)
