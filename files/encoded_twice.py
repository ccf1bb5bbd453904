"""Text that was encoded twice: UTF-8 that a program read as a Western encoding and saved again, "MÃ©niÃ¨re" for "Ménière"."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import quoted

# What cp1252 and Latin-1 make of the bytes that follow the first of a character in UTF-8.
_WESTERN = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)}
_WESTERN |= {chr(byte): byte for byte in range(0x80, 0x100)}
_FOLLOWING = "".join(char for char, byte in _WESTERN.items() if byte < 0xC0)
# After a letter, an accented one and two quotation marks are more likely "café”…" than a sign of another script.
_RUN = re.compile(
    f"[\u00c2-\u00df][{_FOLLOWING}]|\u00e2[{_FOLLOWING}]{{2}}|(?<![a-z])[\u00e0\u00e1\u00e3-\u00ef][{_FOLLOWING}]{{2}}"
)
_SUSPECT = f"[\u00c2-\u00df][{_FOLLOWING}]|[\u00e0-\u00ef][{_FOLLOWING}]{{2}}"


def read_as_meant(text: str) -> str:
    """The text with what was encoded twice as it was meant; the text itself where nothing was.

    >>> read_as_meant("MÃ©niÃ¨re")
    'Ménière'
    """
    return text if text.isascii() else _RUN.sub(_once, text)


def warnings_of(data: pa.Table, source: str) -> tuple[str, ...]:
    """A sentence for each column with cells that were encoded twice, which stay as they are."""
    found = []
    for name, column in zip(data.column_names, data.columns, strict=True):
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            continue
        texts = column.cast(kind)
        if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
            continue
        suspect = pc.unique(texts.filter(pc.match_substring_regex(texts, _SUSPECT))).to_pylist()
        twice = [text for text in suspect if text is not None and read_as_meant(text) != text]
        if twice:
            found.append(
                f"{source}: {len(twice):,} {'text' if len(twice) == 1 else 'texts'} in {quoted(name)} "
                f"{'looks' if len(twice) == 1 else 'look'} as if encoded twice: {quoted(twice[0])} for {quoted(read_as_meant(twice[0]))}. "
                "They are read as they stand; save the file anew from where its letters are right."
            )
    return tuple(found)


def _once(run: re.Match[str]) -> str:
    try:
        return bytes(_WESTERN[char] for char in run[0]).decode("utf-8")
    except UnicodeError:
        return run[0]
