"""The text of a file in UTF-8: it is UTF-8, UTF-16 with its mark, or in the encoding that the user names. `.gz` is unpacked."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from pathlib import Path

from ..errors import InputError, OptionError, Remedy, quoted

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_WESTERN = "cp1252"


def check_encoding(name: str | None) -> None:
    """Raises `OptionError` for a name that no encoding of text has."""
    try:
        "".encode("utf-8" if name is None else name)
    except (LookupError, ValueError, TypeError):
        raise OptionError("encoding", "the name of a text encoding, as cp1252, latin-1 or utf-16", name) from None


def suffix_of(path: Path) -> str:
    """What tells the kind of a file: of `answers.csv.gz` the suffix before .gz."""
    suffix = path.suffix.lower()
    return Path(path.stem).suffix.lower() if suffix == ".gz" else suffix


def utf8_of(path: Path, encoding: str | None = None) -> bytes:
    """The text of a file in UTF-8, without a byte order mark.

    Such a mark goes before `encoding`, and so does UTF-8 where the bytes are UTF-8 beyond ASCII: no other encoding
    of words gives such bytes.

    Errors: `InputError` for a file that cannot be read, that is in another encoding or holds a NUL character, with its line.
    """
    check_encoding(encoding)
    source = str(path)
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix.lower() == ".gz" else raw
    except FileNotFoundError:
        raise InputError("no such file", source=source) from None
    except (OSError, EOFError, zlib.error) as error:
        problem = f"the file could not be read ({getattr(error, 'strerror', None) or error})"
        raise InputError(problem, source=source) from error
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    in_utf8 = not raw.isascii() and b"\0" not in raw and _decodes(raw, "utf-8")
    name = marked or (not in_utf8 and encoding) or "utf-8"
    try:
        text = raw.decode(name)
    except UnicodeError as error:
        raise _undecodable(source, raw, name, error.start if isinstance(error, UnicodeDecodeError) else 0) from None
    raw = (raw if name == "utf-8" else text.lstrip("\ufeff").encode()).removeprefix(codecs.BOM_UTF8)
    if b"\0" in raw:
        allowed = "text; the file may be of another kind, or damaged"
        raise InputError("a NUL character", source=source, row=line_at(raw, raw.index(b"\0")), allowed=allowed)
    return raw


def line_at(raw: bytes, place: int) -> int:
    """The line that a byte stands in, from 1."""
    return len(raw[: place + 1].splitlines())


def _undecodable(source: str, raw: bytes, name: str, at: int) -> InputError:
    """Of the encodings that a file may be in without saying so, Windows' Western one is the commonest: how it reads is shown."""
    called = name.upper() if name.startswith("utf") else name
    before, after = (re.split(rb"[,;\t\r\n\"]", part) for part in (raw[max(0, at - 20) : at], raw[at : at + 24]))
    word, problem, remedy = before[-1] + after[0], f"text that is not {called}", None
    if name != _WESTERN and _decodes(raw, _WESTERN):
        problem += f"; in {_WESTERN} it reads {quoted(word.decode(_WESTERN))}"
        remedy = Remedy("reads the file", encoding=_WESTERN)
    allowed = f"{called}, or the name of its encoding"
    return InputError(problem, source=source, row=line_at(raw, at), allowed=allowed, got=word, remedy=remedy)


def _decodes(raw: bytes, name: str) -> bool:
    try:
        raw.decode(name)
    except UnicodeError:
        return False
    return True
