"""The lists in the lines of an answer, numbered or with bullets, and the line that each begins in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from .headings import stands_alone
from .names import BOLD, bullet, unmarked, without_bullet, without_heading

_NUMBERED = re.compile(
    r"^(?:(?:(?:differential|possible|alternative)\s+)?(?:diagnosis|dx|ddx|rank|no\.|#|option|possibility|candidate)\s*#?\s*(?P<ranked>\d{1,2})\b[.):：]?"
    r"|[(#]?(?P<plain>\d{1,2})[.):、．]\)?)(?!\d)\s*(?P<entry>.*)$",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"^\(?(?P<letter>[a-h])[.):]\s+(?P<entry>\S.*)$", re.IGNORECASE)
_ROMAN = re.compile(r"^\(?(?P<roman>i{1,3}|iv|v|vi{0,3}|ix|x)[.)]\s+(?P<entry>\S.*)$", re.IGNORECASE)
_ORDINAL = re.compile(
    r"^(?:the\s+)?(?P<ordinal>first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th)(?:[\s-]+(?:most\s+)?(?:likely|likeliest|probable))?(?:\s+(?:diagnosis|possibility))?\s*[:：-]\s*(?P<entry>\S.*)$",
    re.IGNORECASE,
)
_MOST_LIKELY = re.compile(r"^most\s+(?:likely|probable)(?:\s+diagnosis)?\s*[:：]\s*(?P<entry>\S.*)$", re.IGNORECASE)
_ORDINALS = {
    word: i % 5 + 1
    for i, word in enumerate(["first", "second", "third", "fourth", "fifth", "1st", "2nd", "3rd", "4th", "5th"])
}
_ROMANS = {word: i for i, word in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"], 1)}
_PLAN = re.compile(
    r"\W*(?:(?:recommended|next|suggested|further)\s+)*(?:tests?|work-?up|plan|management|treatments?|therapy|steps?|investigations?)\b[^:]{0,40}:",
    re.IGNORECASE,
)
_LATEST_START = 2
"""Of a list with one entry; a later number alone is none of a list."""


@dataclass
class Entries:
    """The entries of one list, and the lines that they stand in, the first first."""

    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def numbered(lines: list[str]) -> list[Entries]:
    """The numbered lists, each by its numbers: 1, 2, 3 …; else with letters, Roman numbers, or "second most likely: …".

    Numbers are an order: one may be left out or come twice, and a countdown is turned round. Deeper lists are left out.
    """
    marked = [_number(line) for line in lines]
    if not any(marked):
        marked = _in_words(lines) or _in_letters(lines, _ROMAN) or _in_letters(lines, _LETTERED)
    found: list[Entries] = []
    numbers: list[list[int]] = []
    indent, inner = 0, None
    follows = iter([one[0] for one in marked if one is not None][1:])
    for at, one in enumerate(marked):
        if one is None:
            continue
        number, entry = one
        after = next(follows, None)
        deep = len(lines[at]) - len(lines[at].lstrip())
        if found and deep > indent + 1 and (number == 1 or (inner is not None and deep >= inner)):
            inner = deep if inner is None else min(inner, deep)
            continue
        begins = _is_announced(lines, at) or (number == 1 and _PLAN.match(_above(lines, at)) is not None)
        if found and not begins and _goes_on(numbers[-1], number, after):
            found[-1].texts.append(entry)
            found[-1].lines.append(at)
            numbers[-1].append(number)
        else:
            found.append(Entries([entry], [at]))
            numbers.append([number])
            indent, inner = deep, None
    return [
        Entries([text for _, text in sorted(zip(order, one.texts, strict=True), key=lambda pair: pair[0])], one.lines)
        for one, order in zip(found, numbers, strict=True)
        if len(order) > 1 or order[0] <= _LATEST_START
    ]


def _goes_on(before: list[int], number: int, after: int | None) -> bool:
    """Whether a number belongs to the list before it: all but one that begins anew."""
    if number > 1 or number >= before[-1]:
        return True
    counts_down = all(a > b for a, b in pairwise(before)) and (len(before) > 1 or before[0] == number + 1)
    return counts_down and (after is None or after <= number)


def _above(lines: list[str], at: int) -> str:
    return next((lines[i] for i in range(at - 1, -1, -1) if lines[i].strip()), "")


def _is_announced(lines: list[str], at: int) -> bool:
    """Whether a heading stands above a line, so that what it announces begins there."""
    above = _above(lines, at)
    if _number(above) is not None or bullet(above) is not None:
        return False
    return above.strip().startswith("#") or unmarked(above).endswith((":", "：")) or stands_alone(unmarked(above))


def _number(line: str) -> tuple[int, str] | None:
    """Its number and what stands behind it; only the bold part, where that holds the number and a name."""
    line = without_bullet(without_heading(line)).strip()
    bold = BOLD.match(line)
    found = _NUMBERED.match(bold[1] if bold else line)
    if found is None:
        return None
    behind = found["entry"]
    if bold:
        rest = line[bold.end() :].strip()
        behind = f"**{behind}**{rest}" if behind else rest
    return int(found["ranked"] or found["plain"]), behind


def is_numbered(line: str) -> bool:
    return _number(line) is not None


def _in_words(lines: list[str]) -> list[tuple[int, str] | None]:
    """ "Most likely: …", "Second most likely: …", or "First: …", "Second: …"."""
    out: list[tuple[int, str] | None] = []
    for line in lines:
        text = _unbold(line)
        ordinal, most = _ORDINAL.match(text), _MOST_LIKELY.match(text)
        found = ordinal or most
        out.append(
            None if found is None else (_ORDINALS[ordinal["ordinal"].casefold()] if ordinal else 1, found["entry"])
        )
    return out if any(one is not None and one[0] == 2 for one in out) else []


def _in_letters(lines: list[str], form: re.Pattern[str]) -> list[tuple[int, str] | None]:
    """None is left out: "E. coli" is no entry of a list."""
    out: list[tuple[int, str] | None] = []
    last = 0
    for line in lines:
        found = form.match(_unbold(line))
        mark = "" if found is None else found[1].casefold()
        number = _ROMANS.get(mark, 0) if form is _ROMAN else (ord(mark) - ord("a") + 1 if mark else 0)
        is_next = found is not None and number in (1, last + 1)
        last = number if is_next else last
        out.append((number, found["entry"]) if found is not None and is_next else None)
    return out if any(one is not None and one[0] == 2 for one in out) else []


def _unbold(line: str) -> str:
    return without_bullet(without_heading(line)).replace("**", "").strip()


def bulleted(lines: list[str]) -> list[Entries]:
    """Those of the outermost indentation; a line that is none ends a list."""
    found: list[Entries] = []
    open_at = -1
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        one = bullet(line)
        if one is None:
            if len(line) - len(line.lstrip()) < 2:
                open_at = -1
        elif open_at < 0 or one[0] < open_at:
            found.append(Entries([one[1]], [at]))
            open_at = one[0]
        elif one[0] == open_at:
            found[-1].texts.append(one[1])
            found[-1].lines.append(at)
    return found
