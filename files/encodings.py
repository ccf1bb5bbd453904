"""The encodings of text files: UTF-8, UTF-16 with its mark, another that is named, and the likely one of a file that is none of these."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from pathlib import Path

from ..errors import InputError, OptionError, Remedy, quoted

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_CYRILLIC = re.compile(r"[А-Яа-яЁё]{3}")


def check_encoding(name: str | None) -> None:
    """Raises `OptionError` for a name that no encoding of text has."""
    try:
        "".encode("utf-8" if name is None else name)
    except (LookupError, ValueError, TypeError):
        raise OptionError("encoding", "the name of a text encoding, as cp1252, latin-1 or utf-16", name) from None


def marked_encoding(head: bytes) -> str | None:
    """The encoding that the first bytes of a file name themselves (a byte order mark)."""
    return next((name for mark, name in _MARKS if head.startswith(mark)), None)


def utf8_of(path: Path, encoding: str | None, row_of: Callable[[str], int]) -> bytes | None:
    """The text of a file in UTF-8, where it must be decoded first; None where it is UTF-8 as it stands, or shall be.

    A byte order mark goes before `encoding`, and so does UTF-8 where the bytes are UTF-8 beyond ASCII: no other encoding
    of words gives such bytes.

    row_of : the row that a text ends in, for the error of a byte that is not of the encoding.
    """
    with path.open("rb") as handle:
        head = handle.read(6)
    marked = marked_encoding(head)
    if head != codecs.BOM_UTF8 * 2 and (marked == "utf-8-sig" or (marked is None and encoding is None)):
        return None
    raw = path.read_bytes()
    if marked is None and not raw.isascii() and b"\0" not in raw and _decodes(raw, "utf-8"):
        return None
    name = marked or encoding or "utf-8"
    try:
        return raw.decode(name).lstrip("\ufeff").encode("utf-8")
    except UnicodeError as error:
        raise _undecodable(path, raw, name, error, row_of) from None


def not_utf8(path: Path, row_of: Callable[[str], int]) -> InputError:
    """The error of a file that is not UTF-8, with the row, the likely encoding and how it reads then."""
    raw = path.read_bytes()
    try:
        raw.decode("utf-8")
    except UnicodeError as error:
        return _undecodable(path, raw, "utf-8", error, row_of)
    return InputError("text that is not UTF-8", source=str(path), allowed="UTF-8")


def _undecodable(path: Path, raw: bytes, name: str, error: UnicodeError, row_of: Callable[[str], int]) -> InputError:
    start = error.start if isinstance(error, UnicodeDecodeError) else 0
    called = name.upper() if name.startswith("utf") else name
    row = row_of(raw[:start].decode(name, "ignore"))
    word = _word_at(raw, start)
    likely = likely_encoding(raw)
    if likely is None or likely == name:
        return InputError(f"text that is not {called}", source=str(path), row=row, allowed=called, got=word)
    reads = word.decode(likely, "replace").strip("\ufeff\0")
    return InputError(
        f"text that is not {called}; in {likely} it reads {quoted(reads)}",
        source=str(path),
        row=row,
        allowed=called,
        got=word,
        remedy=Remedy("reads the file", encoding=likely),
    )


def _word_at(raw: bytes, at: int) -> bytes:
    """The bytes around one, from delimiter to delimiter, at most some 40."""
    before = re.split(rb"[,;\t\r\n\"]", raw[max(0, at - 20) : at])[-1]
    return before + re.split(rb"[,;\t\r\n\"]", raw[at : at + 24])[0]


def likely_encoding(raw: bytes) -> str | None:
    """What bytes that are not UTF-8 are likely to be in: UTF-16 without its mark, Chinese, Cyrillic, or Western as Windows or an old Mac wrote it."""
    sample = raw[: 1 << 20]
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    if zeros := sample.count(b"\0"):
        return (
            ("utf-16-be" if sample[0::2].count(b"\0") * 2 > zeros else "utf-16-le") if zeros * 4 > len(sample) else None
        )
    runs = re.findall(rb"[\x80-\xff]{3,}", sample)
    if len(b"".join(runs)) * 2 > sum(byte >= 0x80 for byte in sample):  # not an accent here and there: another script
        if _decodes(sample, "gb2312"):
            return "gb18030"
        if _decodes(sample, "cp1251") and _CYRILLIC.search(sample.decode("cp1251")):
            return "cp1251"
    return next((name for name in ("cp1252", "mac_roman") if _decodes(raw, name)), None)


def _decodes(raw: bytes, name: str) -> bool:
    try:
        raw.decode(name)
    except UnicodeError:
        return False
    return True
