"""What an answer wraps its diagnoses in: thoughts before it, tags, boxes, tables in Markdown, numbers within one line."""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise

_THOUGHTS = re.compile(r"<(think|thinking|thought|thoughts|reasoning|scratchpad|analysis|reflection)>", re.IGNORECASE)
_END_OF_TAG = re.compile(r"</(\w+)>")
_END_OF_THOUGHTS = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL | re.IGNORECASE)
_UNENDED_THOUGHTS = re.compile(r"<(?:think|thinking)>.*\Z", re.DOTALL | re.IGNORECASE)
_FINAL_PART = re.compile(r"\A.*^#{1,6}\s*final (?:response|answer)\s*:?\s*$", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_ITEM = r"diagnosis|disease|condition|dx|item|li|candidate|name"
_WHOLE = r"answer|final_answer|final_diagnosis|final|output|response|result|diagnoses|differential|differentials|differential_diagnosis|differential_diagnoses|ddx|ol|ul|most_likely|list"
_ITEMS = re.compile(rf"<({_ITEM})(?:_?\d+)?(?:\s[^<>]{{0,80}})?>([^<>]*)</\1(?:_?\d+)?>", re.IGNORECASE)
_TAGGED = re.compile(rf"<({_WHOLE}|{_ITEM})(?:\s[^<>]{{0,80}})?>", re.IGNORECASE)
_BOXED = re.compile(r"\\boxed\{\s*(?:\\text(?:bf)?\{)?([^{}]+)\}?\s*\}")
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3")
_CIRCLED = re.compile("[①②③④⑤⑥⑦⑧⑨⑩]")
_INLINE = re.compile(r"(?:(?<=[\s,;:：；，。])|^)[(#]?(\d{1,2})([.):、])\)?\s*(?=[^\W\d_*]|\*\*|\()")
_LABEL_AFTER_A_SENTENCE = re.compile(r"(?<=[a-z)][.;])[ \t]+(?=[A-Z][A-Za-z /-]{1,40}:\s)")
_BEFORE_A_NUMBER = re.compile(
    r"\b(?:type|types|stage|grade|class|group|group|factor|vitamin|level|phase|trisomy|chromosome|no|number|men|covid|hiv|hsv|virus|category|degree|part)[\s-]*\Z",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s*:?-{2,}:?\s*")
_DIAGNOSIS_COLUMN = re.compile(
    r"(?:.*\b)?(?:diagnos[ei]s|differentials?|conditions?|diseases?|ddx|dx)(?:\s*\(.*\))?|(?:疾病|诊断)(?:名称|结果)?",
    re.IGNORECASE,
)
_RANK_COLUMN = re.compile(r"(?:rank(?:ing)?|#|no\.?|number|nr\.?|n°|order|position|序号|排名|编号|)", re.IGNORECASE)
_WIDEST_STEP = 3
"""Between the numbers of a list in one line; a wider one is rather a temperature than a rank."""
_LONGEST, _LONGEST_LINE = 100_000, 2_000


def without_thoughts(text: str) -> str:
    """What comes after the model's thoughts. A thought without an end is all that there is."""
    text, kept, here = text[:_LONGEST], [], 0
    for opened, _, end in _with_ends(_THOUGHTS, text):
        kept.append(text[here : opened.start()])
        here = end
    text = "\n".join([*kept, text[here:]])
    text = _END_OF_THOUGHTS.sub("", text)
    text = _UNENDED_THOUGHTS.sub("", text)
    if "inal " in text and (final := _FINAL_PART.match(text)) and text[final.end() :].strip():
        text = text[final.end() :]
    return text


def _with_ends(tag: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """Each tag, and from where to where the nearest end of its name behind it stands; none within another, nor without an end.

    One expression for both would look for the end through all of the text from every tag that has none.
    """
    ends: dict[str, list[tuple[int, int]]] = {}
    for end in _END_OF_TAG.finditer(text):
        ends.setdefault(end[1].casefold(), []).append(end.span())
    here = 0
    while opened := tag.search(text, here):
        here, of_name = opened.end(), ends.get(opened[1].casefold(), [])
        if (at := bisect_left(of_name, (here, here))) < len(of_name):
            yield opened, *of_name[at]
            here = of_name[at][1]


def tagged(text: str) -> list[str] | str | None:
    """The names in tags of items; or what the last tag of an answer or box holds; None without such tags."""
    if boxed := _BOXED.findall(text):
        return str(boxed[-1])
    if "</" not in text:
        return None
    found = _with_ends(_TAGGED, text)
    whole = [(tag.end(), end) for tag, end, _ in found if not re.fullmatch(_ITEM, tag[1], re.IGNORECASE)]
    inside = text[slice(*whole[-1])] if whole else text
    items = [html.unescape(match[2]).strip() for match in _ITEMS.finditer(inside)]
    if len(items) > 1:
        return items
    if items:
        return items[0]
    return html.unescape(inside) if whole else None


def with_lines_for_numbers(text: str) -> str:
    """Numbers written as signs as plain ones, and each number of a list, and each label, within one line on a line of its own."""
    text = _KEYCAP.sub(r"\1. ", text)
    text = _CIRCLED.sub(lambda sign: f" {ord(sign[0]) - ord('①') + 1}. ", text)
    lines = "\n".join(_numbers_apart(line) for line in text.splitlines()).splitlines()
    return "\n".join(_LABEL_AFTER_A_SENTENCE.sub("\n", line) if len(line) <= _LONGEST_LINE else line for line in lines)


def _numbers_apart(line: str) -> str:
    """`line` with a new line before each number of a list, where at least two of them stand in it."""
    if len(line) > _LONGEST_LINE:
        return line
    found = [one for one in _INLINE.finditer(line) if not _BEFORE_A_NUMBER.search(line[: one.start()])]
    alike = [one for one in found if one[2] == found[0][2]]
    if _is_order([int(one[1]) for one in alike]):
        starts = [one.start() for one in alike]
    else:
        wanted, starts = 1, []
        for one in found:
            if int(one[1]) == wanted:
                starts.append(one.start())
                wanted += 1
    if len(starts) < 2:
        return line
    cuts = [0, *starts, len(line)]
    parts = [line[a:b].strip(" ,;；，") for a, b in pairwise(cuts)]
    return "\n".join(part for part in parts if part.strip("*_ "))


def _is_order(numbers: list[int]) -> bool:
    """Whether numbers rise from 0, 1 or 2, with few left out, or count down to 1."""
    steps = [b - a for a, b in pairwise(numbers)]
    rises = numbers[:1] <= [2] and all(0 <= step <= _WIDEST_STEP for step in steps)
    return rises or (numbers[-1:] == [1] and all(step == -1 for step in steps))


def is_table_row(line: str) -> bool:
    return line.strip().startswith("|") and line.count("|") > 2


def from_tables(lines: list[str]) -> list[str] | None:
    """The names in the column of diagnoses of a table, by its column of ranks; None where no one table has such a column."""
    tables: list[list[list[str]]] = []
    before = False
    for line in lines:
        if is_table_row(line):
            if not before:
                tables.append([])
            tables[-1].append([cell.strip() for cell in line.strip().strip("|").split("|")])
        before = is_table_row(line)
    found = [names for table in tables if (names := _column(table)) is not None]
    return found[0] if len(found) == 1 else None


def _column(table: list[list[str]]) -> list[str] | None:
    rows = [row for row in table if not all(_RULE.fullmatch(cell) or not cell for cell in row)]
    head = [cell.strip("*_ ") for cell in rows[0]] if rows else []
    at = [i for i, cell in enumerate(head) if cell and _DIAGNOSIS_COLUMN.fullmatch(cell)]
    rank = next((i for i, cell in enumerate(head) if _RANK_COLUMN.fullmatch(cell)), None)
    body = rows[1:]
    if not at and len(head) == 2 and head[0].rstrip(".").isdecimal():
        at, rank, body = [1], 0, rows
    if len(at) != 1 or not body or any(len(row) != len(head) for row in body):
        return None
    numbers = [row[rank].strip("*#. ") if rank is not None else "" for row in body]
    if all(number.isdecimal() for number in numbers) and len({*numbers}) == len(numbers):
        body = [row for _, row in sorted(zip(map(int, numbers), body, strict=True), key=lambda one: one[0])]
    return [row[at[0]] for row in body if row[at[0]]]
