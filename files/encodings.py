"""The text of a file in UTF-8: it is UTF-8, UTF-16 with its mark, or in the encoding that the user names. `.gz` is unpacked."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from pathlib import Path

from ..errors import InputError, OptionError, Remedy, quoted

_WESTERN = "cp1252"
"""Of the encodings that a file may be in without saying so the commonest: Excel's in Western Europe and America."""


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
    try:
        raw = path.read_bytes()
        raw = gzip.decompress(raw) if path.suffix.lower() == ".gz" else raw
    except FileNotFoundError:
        raise InputError("no such file", source=str(path)) from None
    except (OSError, EOFError, zlib.error) as error:
        problem = f"the file could not be read ({getattr(error, 'strerror', None) or error})"
        raise InputError(problem, source=str(path)) from error
    name = encoding or "UTF-8"
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "UTF-16"
    elif not raw.isascii() and b"\0" not in raw and _decodes(raw, "UTF-8"):
        name = "UTF-8"
    try:
        text = raw.decode(name)
        raw = raw if name == "UTF-8" and text[:1] != "\ufeff" else text.lstrip("\ufeff").encode()
    except UnicodeError as error:
        raise _undecodable(path, raw, name, getattr(error, "start", 0)) from None
    if b"\0" in raw:
        allowed = "text; the file may be of another kind, or damaged"
        raise InputError("a NUL character", source=str(path), row=_line_at(raw, raw.index(b"\0")), allowed=allowed)
    return raw


def _line_at(raw: bytes, place: int) -> int:
    """The line that a byte stands in, from 1."""
    return len(raw[: place + 1].splitlines())


def _undecodable(path: Path, raw: bytes, name: str, at: int) -> InputError:
    before, after = (
        re.split(rb"[\r\n\t,;\"]", raw[max(0, at - 20) : at])[-1],
        re.split(rb"[\r\n\t,;\"]", raw[at : at + 20])[0],
    )
    word, problem, remedy = before + after, f"text that is not {name}", None
    if name != _WESTERN and _decodes(raw, _WESTERN):
        problem += f"; in {_WESTERN} it reads {quoted(word.decode(_WESTERN))}"
        remedy = Remedy("reads the file", encoding=_WESTERN)
    allowed = f"{name}, or the name of its encoding"
    return InputError(problem, source=str(path), row=_line_at(raw, at), allowed=allowed, got=word, remedy=remedy)


def _decodes(raw: bytes, name: str) -> bool:
    try:
        raw.decode(name)
    except UnicodeError:
        return False
    return True
