"""The ranked diagnoses in what a language model wrote.

In this order: what tags hold; JSON; a table; the parts of the text under headings and labels that speak of a diagnosis; the
first list; lines that are names; sentences of a known form. It is all form: no vocabulary says what is a disease.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....terms.text.sentences import is_nothing
from .chinese_numbers import with_plain_numbers
from .entries import Entries, bulleted, is_numbered, numbered
from .headings import Kind, gives_grounds, kind_of, label_in, stands_alone
from .json_answer import from_json, is_json
from .line import names_behind_label, names_of_line
from .markup import from_tables, is_table_row, tagged, with_lines_for_numbers, without_thoughts
from .names import (
    BOLD,
    MAX_LINE,
    MAX_WORDS,
    bullet,
    first_sentence,
    is_denied,
    name_of,
    plain,
    remarks_shown,
    says,
    unmarked,
)
from .reasons import begins_with_its_label
from .said import leading, names_said, sentences, speaks
from .suspicion import parted

__all__ = ["MAX_WORDS", "ranked_diagnoses"]
_MAX_WORDS_OF_A_BARE_LINE = 12
_DEEPEST = 3
_RULE_OR_FENCE = re.compile(r"\s*(?:```|([-=_*])\1{2,}\s*$)")
_YAML = re.compile(
    r"^[ \t]*-[ \t]+(?:name|diagnosis|disease|condition):[ \t]*(\S.{0,400}?)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"(.+?)\s*\(([A-Z][A-Za-z0-9-]{1,9})\)")


def ranked_diagnoses(text: str) -> list[str] | None:
    """The diagnoses, likeliest first; [] for a text that names none, None where no names can be read from it.

    Prose is read where its sentences are of a known form ("I think it is A, less likely B"), else it is None: never one
    diagnosis, and never one that it denies. What stands in `<think>` tags, likelihoods, codes in brackets, and the remark
    behind a name (from four words, after a dash or colon) are left out. Of one line, commas part three names and more ("SLE,
    RA, gout"), but not "diabetes mellitus, type 2". A final or most likely diagnosis goes before its differential.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    >>> ranked_diagnoses("Most likely: SLE. Also consider RA and gout.")
    ['SLE', 'RA', 'gout']
    """
    return _read(without_thoughts(text), 0)


def _read(text: str, depth: int) -> list[str] | None:
    if not text.strip():
        return []
    if any(map(str.isalpha, text)) and len(text.strip().splitlines()) == 1 and is_nothing(text.strip(" *_#`\"'")):
        return []
    inside = tagged(text) if depth < _DEEPEST else None
    if isinstance(inside, list):
        return _entries(inside)
    if inside is not None:
        return _read(inside, depth + 1)
    found = from_json(text)
    if found is not None or is_json(text):
        return found
    if listed := _YAML.findall(text):
        return _entries([one.strip("'\"") for one in listed])
    lines = [
        part
        for line in with_lines_for_numbers(with_plain_numbers(text)).splitlines()
        for part in _with_its_own_line_for_a_heading(line[:MAX_LINE])
    ]
    if any(map(is_table_row, lines)):
        rows = from_tables(lines)
        return None if rows is None else _entries(rows)
    return _from_lines([line for line in lines if not _RULE_OR_FENCE.match(line)])


@dataclass
class _Part:
    """The lines below a heading, and what stands in its own line behind a label."""

    kind: Kind
    label: bool = False
    own: str = ""
    lines: list[int] = field(default_factory=list)


def _from_lines(lines: list[str]) -> list[str] | None:
    lists = numbered(lines)
    parts = _parts(lines, lists)
    if (reasoned := _with_labelled_reasons(parts, lists, lines)) is not None:
        return reasoned
    answers = [part for part in parts if part.kind.is_answer]
    if answers and all(part.kind == Kind.OTHERS for part in answers):
        return _with_others(parts, answers, lists, lines)
    first_answer = parts.index(answers[0]) if answers else len(parts)
    opening = [at for part in parts[:first_answer] if part.kind == Kind.NEUTRAL for at in part.lines]
    if answers:
        return _from_parts(answers, lists, lines, _led(opening, lines))
    taken = {at for part in parts if part.kind in (Kind.DENIED, Kind.ELSEWHERE, Kind.UNKNOWN) for at in part.lines}
    if not lists and sum(map(_is_name_in_bold, lines)) > 1 and bulleted(lines):
        return None  # names with what speaks for them, or kinds of diseases with names
    for found in (lists, bulleted(lines)):
        free = [entries for entries in found if entries.lines[0] not in taken]
        above = [line for line in lines[: free[0].lines[0]] if line.strip()] if free else []
        if free and (len(free[0].texts) > 1 or all(map(gives_grounds, above))):
            named = _entries(free[0].texts)
            begun = _led([at for at in opening if at < free[0].lines[0]], lines)
            return None if named is None else _with_more(begun, named)
        if found:
            return None
    written = [lines[at].strip() for part in parts for at in part.lines if lines[at].strip()]
    if any(part.kind in (Kind.ELSEWHERE, Kind.UNKNOWN, Kind.DENIED) for part in parts):
        return None
    return _under_bold(written) or _from_bare([unmarked(line) for line in written])


def _led(opening: list[int], lines: list[str]) -> list[str]:
    """The diagnosis that the lines above a list say it is."""
    return leading("\n".join(plain(lines[at]) for at in opening if lines[at].strip() and not is_numbered(lines[at])))


def _with_its_own_line_for_a_heading(line: str) -> list[str]:
    """ "It is gout. Differential diagnosis:" as two lines; another line as it is."""
    if not line.rstrip(" *_").endswith((":", "：")) or bullet(line) is not None or is_numbered(line):
        return [line]
    *before, heading = sentences(plain(line), semicolons=False)
    kind = kind_of(heading)
    return [" ".join(before), heading] if before and (kind.is_answer or kind == Kind.NEUTRAL) else [line]


def _with_labelled_reasons(parts: list[_Part], lists: list[Entries], lines: list[str]) -> list[str] | None:
    """Names in lines of their own, in bold or as headings, each with "Basis: …" right below; or plain names and such lines in turn."""
    written = [line for line in lines if line.strip()]
    labelled = [begins_with_its_label(unmarked(line)) for line in written]
    if lists or not any(labelled) or any(part.kind.is_answer and part.own for part in parts):
        return None
    named = [_is_name_in_bold(line) or _is_name_as_heading(line) for line in written]
    if any(named):
        announced = all(unmarked(line).endswith((":", "：")) for line in written[: named.index(True)])
        below = [labelled[at + 1] if at + 1 < len(written) else False for at, is_name in enumerate(named) if is_name]
        return (
            _entries([line for line, one in zip(written, named, strict=True) if one])
            if announced and all(below)
            else None
        )
    names = written[::2]
    in_turn = len(names) > 1 and labelled == [False, True] * len(names) and not any(map(bullet, written))
    return _entries(names) if in_turn and not any(speaks(one) or _opened(one) for one in names) else None


def _is_name_as_heading(line: str) -> bool:
    return line.lstrip().startswith("#") and kind_of(unmarked(line)) == Kind.UNKNOWN and not speaks(unmarked(line))


def _parts(lines: list[str], lists: list[Entries]) -> list[_Part]:
    """The answer cut at its headings and labels. Within a numbered list nothing is a heading: there the entries are explained."""
    within = {
        at for entries in lists if len(entries.lines) > 1 for at in range(entries.lines[0], entries.lines[-1] + 1)
    }
    parts = [_Part(Kind.NEUTRAL)]
    for at, line in enumerate(lines):
        if at not in within and line.strip() and not is_numbered(line) and (part := _opened(line)) is not None:
            parts.append(part)
        else:
            parts[-1].lines.append(at)
    return parts


def _opened(line: str) -> _Part | None:
    text = unmarked(line)
    found = bullet(line)
    if found is not None and found[0] > 0:
        return None
    if not text:
        return None
    if (label := label_in(text)) is not None and label[0] == Kind.ELSEWHERE and found is None:
        return _Part(label[0], True, label[1])
    if text.endswith((":", "：", "?")) and found is None and (text[-1] != "?" or kind_of(text).is_answer):
        return _Part(kind_of(text))
    if (label := label_in(text)) is not None and (found is None or label[0].is_answer):
        return _Part(label[0], True, label[1])
    stripped = line.strip()
    headed = stripped.startswith("#") or (stripped.startswith("**") and stripped.endswith("**") and found is None)
    if headed and (kind := kind_of(text)) != Kind.UNKNOWN and kind != Kind.NEUTRAL and len(text.split()) <= 12:
        return _Part(kind)
    if stripped.startswith("#"):
        return _Part(Kind.UNKNOWN) if not stands_alone(text) and speaks(text) else None
    return _Part(kind_of(text)) if found is None and stands_alone(text) else None


def _from_parts(
    parts: list[_Part], lists: list[Entries], lines: list[str], led_by: list[str] | None = None
) -> list[str] | None:
    """The final or leading diagnosis, then the last list, then others. led_by : what leads where none of them does."""
    by_kind = {kind: [part for part in parts if part.kind == kind] for kind in Kind}
    chosen = by_kind[Kind.FINAL][-1:] or by_kind[Kind.LEADING] or by_kind[Kind.SINGLE] or by_kind[Kind.EARLIER][-1:]
    if by_kind[Kind.FINAL] or by_kind[Kind.LEADING]:
        chosen = chosen[-1:] if by_kind[Kind.FINAL] else chosen
    names = [] if chosen else list(led_by or [])
    for part in [*chosen, *_last_list(by_kind[Kind.SEVERAL]), *by_kind[Kind.OTHERS]]:
        found = _of_part(part, lists, lines)
        if found is None:
            return None
        names = _with_more(names, found)
    if chosen and chosen[0].kind == Kind.SINGLE and len(chosen) > 1 and len({*names}) > len(chosen):
        return None
    return names


def _with_others(parts: list[_Part], others: list[_Part], lists: list[Entries], lines: list[str]) -> list[str] | None:
    """Other diagnoses come after what the answer begins with; None where that is not read."""
    begun = [unmarked(lines[at]) for at in parts[0].lines if lines[at].strip()]
    if any(part.kind == Kind.UNKNOWN for part in parts) or not begun:
        return None
    first, more = _from_bare(begun), _from_parts(others, lists, lines)
    return None if not first or more is None else [*first, *(name for name in more if name not in first)]


def _with_more(names: list[str], more: list[str]) -> list[str]:
    return [*names, *(name for name in more if not _among(name, names))]


def _among(name: str, names: list[str]) -> bool:
    """Whether a name is there already, in other capitals, or with its short form in brackets: "SLE", "Lupus (SLE)"."""
    forms = _forms(name)
    return any(not forms.isdisjoint(_forms(other)) for other in names)


def _forms(name: str) -> set[str]:
    found = _IN_BRACKETS.fullmatch(name)
    return {name.casefold(), *(part.casefold().strip() for part in (found.groups() if found else ()))}


def _last_list(parts: list[_Part]) -> list[_Part]:
    """The last of several lists that holds something."""
    return [part for part in parts if part.own or part.lines][-1:]


def _of_part(part: _Part, lists: list[Entries], lines: list[str]) -> list[str] | None:
    mine = {*part.lines}
    listed = next((entries for entries in lists if entries.lines[0] in mine), None)
    if listed is None or part.own:
        inside = [lines[at] for at in part.lines]
        listed = None if part.own else next(iter(bulleted(inside)), None)
    if listed is not None:
        return _entries(listed.texts)
    if part.own:
        return names_behind_label(part.own, part.kind.holds_several)
    paragraph = _first_paragraph([lines[at] for at in part.lines])
    if not paragraph:
        return []
    if part.kind.holds_several and len(paragraph) > 1:
        return _from_bare(paragraph)
    return names_of_line(paragraph[0], part.kind.holds_several)


def _first_paragraph(lines: list[str]) -> list[str]:
    texts = [unmarked(line) for line in lines]
    start = next((i for i, text in enumerate(texts) if text), len(texts))
    end = next((i for i, text in enumerate(texts) if not text and i > start), len(texts))
    return texts[start:end]


def _is_name_in_bold(line: str) -> bool:
    return BOLD.fullmatch(line.strip()) is not None and kind_of(unmarked(line)) == Kind.UNKNOWN


def _under_bold(lines: list[str]) -> list[str] | None:
    """Names in bold, with prose below them; None where it is not of this form."""
    bold = [BOLD.fullmatch(line) is not None for line in lines]
    prose = [line.endswith((".", "!")) or speaks(line) for line in lines]
    if bold[:1] != [True] or all(bold) or any(not (b or p) for b, p in zip(bold, prose, strict=True)):
        return None
    return _entries([line for line, is_bold in zip(lines, bold, strict=True) if is_bold])


def _from_bare(lines: list[str]) -> list[str] | None:
    """Lines without marks: names, if all are short and none says anything; else sentences."""
    if len(lines) == 1:
        return names_of_line(lines[0])
    if any(speaks(line) or len(line.split()) > _MAX_WORDS_OF_A_BARE_LINE for line in lines):
        return names_said("\n".join(lines))
    return None if any(map(is_denied, lines)) else _entries(lines)


def _entries(texts: list[str]) -> list[str] | None:
    """The names of the entries of a list; those that are said not to be there are left out. None where one is no name."""
    names: list[str] = []
    entries = [part for text in texts for part in parted(first_sentence(text))]
    shown = remarks_shown(entries)
    for entry in entries:
        name = name_of(entry, shown)
        if name and says(name):
            said = names_said(name)
            if said is None or len(said) != 1:
                return None
            name = said[0]
        if name.startswith(("[", "{", "<", "|")):
            return None
        if name:
            names.append(name)
    return names or None


def says_more(text: str, diagnoses: Sequence[str]) -> bool:
    """Whether an answer holds noticeably more than the names that were read from it, such as reasons.

    >>> says_more("1. gout\\n2. sepsis", ["gout", "sepsis"]), says_more("Gout, since the toe is red and hot.", ["Gout"])
    (False, True)
    """
    return sum(map(len, diagnoses)) + _AROUND_A_NAME * (len(diagnoses) + 1) < len(text.strip())


_AROUND_A_NAME = 5
"""Characters: a number, quotes, a comma."""
