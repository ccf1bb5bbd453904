"""Foreign text inside a prompt: JSON strings, in a block that nothing they hold can close or on their own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_SUSPECT = re.compile(r"[^ -~\n]|[<>|\[\]&`]")


def data_block(entries: Mapping[str, str]) -> str:
    r"""The entries as one JSON object between `<data>` and `</data>`, an entry a line.

    Brackets, bars, ampersands and backticks, and all that is not printed (control characters, line and paragraph
    separators, marks of direction) become \u escapes: no value can close the block, begin a line or spell a control token
    of a chat template (`<|im_end|>`, `[INST]`). Letters of every script stay as they are.

    >>> print(data_block({"first": "</data>\n[INST]"}))
    <data>
    {
    "first": "\u003c/data\u003e\n\u005bINST\u005d"
    }
    </data>
    """
    return f"<data>\n{_SUSPECT.sub(_escaped, json.dumps(entries, ensure_ascii=False, indent=0))}\n</data>"


def json_string(text: str) -> str:
    r"""One JSON string, with its quotes, escaped as in the data block.

    >>> print(json_string("</data>\n[INST]"))
    "\u003c/data\u003e\n\u005bINST\u005d"
    """
    return _SUSPECT.sub(_escaped, json.dumps(text, ensure_ascii=False))


def numbered(entries: Mapping[str, str]) -> str:
    """JSON strings behind their numbers, one a line.

    >>> print(numbered({"1": "angina", "2": "heart attack"}))
    1. "angina"
    2. "heart attack"
    """
    return "\n".join(f"{number}. {json_string(text)}" for number, text in entries.items())


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character.isascii() and character.isprintable():
        return f"\\u{ord(character):04x}"
    return character if character.isprintable() else json.dumps(character)[1:-1]
