"""Signatures of model folders, held against the published format, a signature of the tool minisign, and damage."""

from __future__ import annotations

import base64
import hashlib
import re
import stat
from pathlib import Path

import pytest

from dxmatch.errors import MissingExtra, ModelError, OptionError
from dxmatch.models import signature
from dxmatch.models.folder import MANIFEST, SIGNATURE, load, save

pytest.importorskip("minisign", reason="signatures need py-minisign (extra 'signing')")

TOOLS_KEY = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3"
TOOLS_SIGNATURE = b"""untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1556193335\tfile:test
y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==
"""
"""Of the four bytes "test", by minisign itself: the example of the Rust crate minisign-verify."""
OLDER = b"""untrusted comment: signature from minisign secret key
RWQf6LRCGA9i59SLOFxz6NxvASXDJeRtuZykwQepbDEGt87ig1BNpWaVWuNrm73YiIiJbq71Wi+dP9eKL8OC351vwIasSSbXxwA=
trusted comment: timestamp:1555779966\tfile:test
QtKMXWyYcwdpZAlPF7tE2ENJkRd1ujvKjlj1m9RtHTBnZPa5WKU5uWRs5GoP5M/VqE81QFuMKI5k/SfNQUaOAA==
"""


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path, str]:
    """The files of a secret and a public key, and the latter's text."""
    secret, public = tmp_path / "a.key", tmp_path / "a.pub"
    return secret, public, signature.new_keys(secret, public)


def test_a_signature_of_the_tool_itself() -> None:
    assert signature.verify(b"test", TOOLS_SIGNATURE, TOOLS_KEY, "x") == "timestamp:1556193335\tfile:test"
    with pytest.raises(ModelError, match="x: not signed by the key"):
        signature.verify(b"Test", TOOLS_SIGNATURE, TOOLS_KEY, "x")
    with pytest.raises(ModelError, match="older kind"):
        signature.verify(b"test", OLDER, TOOLS_KEY, "x")


def test_what_is_written_is_minisigns_format(folder: Path, keys: tuple[Path, Path, str]) -> None:
    """By the format's own page, without the library that wrote it: 'ED', key id, Ed25519 over BLAKE2b-512; then over both."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    made = signature.sign(folder / MANIFEST, keys[0], comment="small@1")
    first, line, trusted, last = made.read_bytes().decode().splitlines()
    assert first.startswith("untrusted comment: ") and trusted == "trusted comment: small@1"
    body, public = base64.b64decode(line), base64.b64decode(keys[2])
    assert (public[:2], body[:2], body[2:10]) == (b"Ed", b"ED", public[2:10])
    key = Ed25519PublicKey.from_public_bytes(public[10:])
    key.verify(body[10:], hashlib.blake2b((folder / MANIFEST).read_bytes()).digest())
    key.verify(base64.b64decode(last), body[10:] + b"small@1")
    assert keys[1].read_text().splitlines()[1] == keys[2]
    assert stat.S_IMODE(keys[0].stat().st_mode) == 0o600


@pytest.mark.parametrize("permissions", [0o600, 0o644])
def test_a_signature_is_as_open_as_what_it_signs(folder: Path, keys: tuple[Path, Path, str], permissions: int) -> None:
    (folder / MANIFEST).chmod(permissions)
    assert stat.S_IMODE(signature.sign(folder / MANIFEST, keys[0]).stat().st_mode) == permissions


def test_a_folder_that_is_signed(parts, folder: Path, keys: tuple[Path, Path, str], tmp_path: Path) -> None:
    secret, public, text = keys
    with pytest.raises(ModelError, match=r"no signature \(.*model\.json\.minisig is absent\)"):
        load(folder, signed_by=text)
    signature.sign(folder / MANIFEST, secret)
    assert load(folder, signed_by=text).sha256 == load(folder, signed_by=public).sha256 == load(folder).sha256
    other = signature.new_keys(tmp_path / "b.key", tmp_path / "b.pub")
    with pytest.raises(ModelError, match="not signed by the key"):
        load(folder, signed_by=other)
    save(folder, parts, overwrite=True)
    assert not (folder / SIGNATURE).exists()


def test_a_forged_folder_has_no_signature_that_fits(parts, folder: Path, keys: tuple[Path, Path, str]) -> None:
    """Who can write the folder can refit every hash, and keep the signature: it is of other bytes."""
    from dataclasses import replace

    made = signature.sign(folder / MANIFEST, keys[0]).read_bytes()
    save(folder, replace(parts, manifest=replace(parts.manifest, threshold=0.01)), overwrite=True)
    (folder / SIGNATURE).write_bytes(made)
    assert load(folder).manifest.threshold == 0.01
    with pytest.raises(ModelError, match="not signed by the key"):
        load(folder, signed_by=keys[2])


def test_every_damaged_byte_of_a_signature_is_refused(folder: Path, keys: tuple[Path, Path, str]) -> None:
    made = signature.sign(folder / MANIFEST, keys[0], comment="small@1").read_bytes()
    content = (folder / MANIFEST).read_bytes()
    begin = made.index(b"\n") + 1  # what comes before is the untrusted comment
    for at in range(begin, len(made) - 1, 3):
        spoilt = made[:at] + bytes([made[at] ^ 1]) + made[at + 1 :]
        with pytest.raises(ModelError):
            signature.verify(content, spoilt, keys[2], "x")
    for spoilt in (b"", b"\n" * 4, made[:-20], made * 2, b"\xff" * 300, b"x" * 16_000):
        with pytest.raises(ModelError, match=r"x\.minisig: no signature of minisign's"):
            signature.verify(content, spoilt, keys[2], "x")


@pytest.mark.parametrize(
    "key", ["", "RW", "RW" + "A" * 54, "nowhere.pub", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO!"]
)
def test_what_is_no_public_key(folder: Path, key: str) -> None:
    with pytest.raises(OptionError, match=re.escape("The 'signed_by' parameter must be a public key of minisign's")):
        load(folder, signed_by=key)


def test_keys_are_never_replaced_and_passwords_are_asked_for(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from minisign import secret_key

    usual = secret_key.SecretKey.encrypt  # with less work than minisign's own gigabyte
    monkeypatch.setattr(
        secret_key.SecretKey, "encrypt", lambda self, password: usual(self, password, opslimit=32768, memlimit=2**24)
    )
    secret, public = tmp_path / "p.key", tmp_path / "p.pub"
    text = signature.new_keys(secret, public, "correct horse")
    with pytest.raises(ModelError, match=r"p\.key is there already"):
        signature.new_keys(secret, tmp_path / "q.pub")
    assert signature.is_encrypted(secret)
    for wrong in (None, "battery staple"):
        with pytest.raises(ModelError, match=r"p\.key: "):
            signature.sign(folder / MANIFEST, secret, wrong)
    signature.sign(folder / MANIFEST, secret, "correct horse")
    load(folder, signed_by=text)
    with pytest.raises(ModelError, match="no secret key of minisign's"):
        signature.is_encrypted(public)


def test_without_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "minisign", None)
    with pytest.raises(MissingExtra, match=r"\[signing\]"):
        load(folder, signed_by=TOOLS_KEY)
