"""Signatures of model folders, in minisign's format: `model.json.minisig`, over model.json, which holds the hash of every other file.

The tool `minisign` verifies them as well: `minisign -V -p KEY.pub -m model.json`. Needs the extra `signing`.
https://jedisct1.github.io/minisign/#signature-format
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtra, ModelError, OptionError, quoted

if TYPE_CHECKING:
    import minisign

SUFFIX = ".minisig"
MAX_BYTES = 16_384
_BASE64_KEY = 56
"""Characters of a public key: "RW…"."""


def verify(content: bytes, signature: bytes | None, signed_by: str | os.PathLike[str], place: str) -> str:
    """Holds a signature against what was signed, and returns the comment that was signed with it.

    Parameters
    ----------
    content : what was signed. signature : the file beside it; None where there is none.
    signed_by : a public key as text ("RW…"), or the file of one.
    place : what is signed, for errors.

    Raises
    ------
    ModelError
        Where there is none, it cannot be read, is of another key, or is not of these bytes.
    """
    library, key = _library(), public_key(signed_by)
    if signature is None:
        raise ModelError(f"{place}: no signature ({place}{SUFFIX} is absent), where one by {_id(key)} is asked for.")
    try:
        read = library.Signature.from_bytes(signature)
        if not read.is_prehashed():
            raise ModelError(f"{place}{SUFFIX}: of minisign's older kind, without a hash first. Sign it anew.")
        key.verify(content, read)
    except library.VerifyError as error:
        raise ModelError(f"{place}: not signed by {_id(key)} ({error}).") from None
    except library.Error as error:
        raise ModelError(f"{place}{SUFFIX}: no signature of minisign's ({error}).") from None
    return read.trusted_comment


def public_key(signed_by: str | os.PathLike[str]) -> minisign.PublicKey:
    """A public key from its text, or from a file of minisign's. Raises `OptionError` for what is neither."""
    library, text = _library(), os.fspath(signed_by)
    try:
        if len(text) == _BASE64_KEY and text.startswith("RW") and not Path(text).exists():
            return library.PublicKey.from_base64(text)
        return library.PublicKey.from_bytes(_small(Path(text)))
    except (library.Error, OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise OptionError("signed_by", f"a public key of minisign's (RW…), or its file ({why})", text) from None


def sign(file: Path, key: Path, password: str | None = None, comment: str = "") -> Path:
    """Signs a file, and returns the path of the signature beside it, which has its permissions.

    Parameters
    ----------
    key : the file of a secret key, minisign's own or of `new_keys`. password : of an encrypted one.
    comment : signed too: printable ASCII on one line.

    Raises
    ------
    ModelError
        For a key that cannot be read, or a wrong password.
    """
    library = _library()
    try:
        with library.SecretKey.from_bytes(_small(key)) as secret:
            if password is not None:
                secret.decrypt(password)
            made = secret.sign(file.read_bytes(), trusted_comment=comment or None)
    except (library.Error, OSError) as error:
        raise ModelError(f"{key}: {getattr(error, 'strerror', None) or error}.") from None
    beside = file.with_name(file.name + SUFFIX)
    beside.write_bytes(bytes(made) + b"\n")
    shutil.copymode(file, beside)
    return beside


def is_encrypted(key: Path) -> bool:
    """Whether a secret key needs a password. Raises `ModelError` for a file that holds none."""
    library = _library()
    try:
        return library.SecretKey.from_bytes(_small(key)).is_encrypted()
    except (library.Error, OSError) as error:
        raise ModelError(f"{key}: no secret key of minisign's ({getattr(error, 'strerror', None) or error}).") from None


def new_keys(secret: Path, public: Path, password: str | None = None) -> str:
    """Writes a new pair of keys, the secret one for its owner alone to read, and returns the public one as text.

    password : encrypts the secret key, as minisign does (scrypt; a second, and a gigabyte of memory); None leaves it open.

    Raises
    ------
    ModelError
        Where a file is there already.
    """
    for path in (secret, public):
        if path.exists():
            raise ModelError(f"{path} is there already. A key is never replaced: choose another name.")
    pair = _library().KeyPair.generate()
    if password is not None:
        pair.secret_key.encrypt(password)
    with os.fdopen(os.open(secret, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as handle:
        handle.write(bytes(pair.secret_key) + b"\n")
    public.write_bytes(bytes(pair.public_key) + b"\n")
    return pair.public_key.to_base64().decode()


def _small(path: Path) -> bytes:
    with path.open("rb") as handle:
        content = handle.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError("too large for a key")
    return content


def _id(key: Any) -> str:
    return f"the key {quoted(key.to_base64().decode())}"


def _library() -> Any:
    try:
        import minisign
    except ImportError:
        raise MissingExtra("A signature", "signing") from None
    return minisign
