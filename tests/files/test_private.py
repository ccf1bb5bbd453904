"""What a command writes is its owner's alone, from the first byte; what is written from Python follows the umask; stores are private either way."""

from __future__ import annotations

import os
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from dxmatch.files.atomic import make_folder, make_private_file, only_for_me, whole_file, whole_folder


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize(
    ("word", "command", "modes"),
    [
        ("true", True, {0o600, 0o700}),
        ("1", True, {0o664, 0o775}),
        ("0", False, {0o664, 0o775}),
    ],
)
def test_who_can_read(
    word: str, command: bool, modes: set[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DXMATCH_SHARED_FILES", word)
    before = os.umask(0o002)  # the widest that a machine may have: what is private then is so by intent
    try:
        with only_for_me() if command else nullcontext():
            with whole_file(tmp_path / "a.csv") as temporary:
                made = {stat.S_IMODE(temporary.stat().st_mode)}
            with whole_folder(tmp_path / "above" / "whole") as new:
                (new / "b.txt").write_text("x")
            make_folder(tmp_path / "one" / "two")
        assert made | {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.rglob("*")} == modes
        make_private_file(tmp_path / "store")
        make_folder(tmp_path / "cache", private=True)
        shared = word == "1"
        assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == (0o664 if shared else 0o600)
        assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == (0o775 if shared else 0o700)
    finally:
        os.umask(before)
