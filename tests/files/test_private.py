"""What is written is its owner's alone, from the first byte; shared only where the user says so."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from dxmatch.files.atomic import make_folder, make_private_file, owner_only, whole_file, whole_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_SHARED_FILES", "1")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """The widest that a machine may have: what is private then is so by intent."""
    before = os.umask(0o002)
    yield
    os.umask(before)


def written(folder: Path) -> dict[str, int]:
    """The permissions of all that the functions make in an empty folder, before and after it has its name."""
    made = {}
    with whole_file(folder / "a.csv") as temporary:
        made["temporary"] = mode(temporary)
        temporary.write_text("x")
        made["temporary, written"] = mode(temporary)
    made["file"] = mode(folder / "a.csv")
    with whole_folder(folder / "above" / "whole") as new:
        made["temporary folder"] = mode(new)
        (new / "plain.txt").write_text("x")
        (new / "sub").mkdir()
        (new / "sub" / "b.txt").write_text("x")
    make_folder(folder / "one" / "two")
    make_private_file(folder / "empty")
    return made | {str(each.relative_to(folder)): mode(each) for each in folder.rglob("*")}


def test_all_is_its_owners_alone(tmp_path: Path) -> None:
    made = written(tmp_path)
    folders = {"temporary folder", "above", "above/whole", "above/whole/sub", "one", "one/two"}
    assert {name for name, each in made.items() if each == 0o700} == folders
    assert {each for name, each in made.items() if name not in folders} == {0o600}


@pytest.mark.usefixtures("shared")
def test_shared_files_follow_the_umask(tmp_path: Path) -> None:
    made = written(tmp_path)
    assert set(made.values()) == {0o664, 0o775}


@pytest.mark.parametrize("word", ["0", "true"])
def test_no_other_word_shares(word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_SHARED_FILES", word)
    with whole_file(tmp_path / "a") as temporary:
        assert mode(temporary) == 0o600


@pytest.mark.parametrize("given", [0o600, 0o644])
def test_a_file_that_is_replaced_keeps_its_permissions(given: int, tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(given)
    with whole_file(tmp_path / "a") as temporary:
        temporary.write_text("new")
        assert mode(temporary) == 0o600
    assert mode(tmp_path / "a") == given


def test_owner_only_changes_nothing_outside_the_tree(tmp_path: Path) -> None:
    (tmp_path / "outside").touch()
    (tmp_path / "outside").chmod(0o644)
    (tmp_path / "tree").mkdir(0o755)
    (tmp_path / "tree" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "tree" / "script").touch()
    (tmp_path / "tree" / "script").chmod(0o755)
    owner_only(tmp_path / "tree")
    assert mode(tmp_path / "outside") == 0o644
    assert mode(tmp_path / "tree") == mode(tmp_path / "tree" / "script") == 0o700
    owner_only(tmp_path / "absent")
