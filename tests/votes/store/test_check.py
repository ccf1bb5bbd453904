"""Damage to a store is noticed, and what proves right is saved."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import DxmatchError
from dxmatch.tests.command_line import invoke
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.store import DamagedStore, StoreError, VoteStore

from ...fuzz.store import ASKED as ASKED_IN_ALL
from ...fuzz.store import EDITS, KINDS, came_of, made, outcomes

OLD = """
    CREATE TABLE respondent (id INTEGER PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, parameters TEXT NOT NULL,
        UNIQUE (model, prompt, parameters)) STRICT;
    CREATE TABLE answer (respondent INTEGER NOT NULL REFERENCES respondent, first TEXT NOT NULL, second TEXT NOT NULL,
        repeat INTEGER NOT NULL, verdict INTEGER, reason TEXT, probability REAL, prompt_tokens INTEGER, completion_tokens INTEGER,
        seconds REAL, answered_at INTEGER NOT NULL, raw TEXT NOT NULL, PRIMARY KEY (respondent, first, second, repeat)) STRICT, WITHOUT ROWID;
    CREATE TABLE exported (custom_id TEXT PRIMARY KEY, respondent INTEGER NOT NULL REFERENCES respondent, first TEXT NOT NULL,
        second TEXT NOT NULL, repeat INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO respondent VALUES (1, 'm', 'vote-1', '{}');
    INSERT INTO answer VALUES (1, 'a', 'b', 0, 1, NULL, 1.0, 210, 2, 0.5, 1700000000, 'Yes.');
    INSERT INTO answer VALUES (1, 'a', 'c', 0, NULL, 'empty', NULL, NULL, NULL, NULL, 1700000000, '');
    INSERT INTO exported VALUES ('0123', 1, 'a', 'd', 0);
    PRAGMA application_id = 1685605750;
    PRAGMA user_version = 1;
"""
M = ModelConfig("m", "vote-1")
ASKED = [Question(M, "a", "b"), Question(M, "a", "c"), Question(M, "a", "d")]
TOLD = [Answer(1, None, "Yes.", 1.0, 210, 2, 0.5), Answer(None, "empty"), None]


def command(*words: object) -> tuple[int, str]:
    came = invoke(["votes", "check", *map(str, words)])
    return came.code, came.output


def edited(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)
    return path


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(OLD)
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_no_damage_is_unnoticed_and_no_other_answer_is_saved(kind: str) -> None:
    found = outcomes(8, 1, (kind,))[kind]
    assert found["UNNOTICED"] == 0 and found["refused"] >= 3
    assert found["saved wrongly"] == 0 and found["saved"] > 0
    assert kind not in ("bit", "swap") or found["saved"] > 0.95 * found["of"]


def test_a_schema_that_is_no_text_is_damage_and_the_rest_is_saved(tmp_path: Path) -> None:
    """SQLite's own words then hold the bytes, and Python's module cannot read them."""
    path, copy = tmp_path / "votes.sqlite", tmp_path / "copy.sqlite"
    path.write_bytes(made(path).replace(b"CREATE TABLE tally", b"CREATE TABL\xc0 tally"))
    with pytest.raises(StoreError, match="damaged"):
        VoteStore(path)
    assert not dxmatch.check_votes(path, repair=copy).whole
    with VoteStore(copy) as store:
        assert sum(status.answers for status in store.status()) == len(ASKED_IN_ALL)


@pytest.mark.parametrize("edit", EDITS)
def test_rows_edited_with_another_program_are_noticed(tmp_path: Path, edit: str) -> None:
    path = tmp_path / "votes.sqlite"
    made(path)
    with closing(sqlite3.connect(path)) as db, db:
        changed = db.execute(edit).rowcount
    if changed:
        assert came_of(path) == "refused"
        assert not dxmatch.check_votes(path).whole


def test_what_is_wrong_is_said_and_repaired_and_asked_again(tmp_path: Path) -> None:
    path, copy = tmp_path / "votes.sqlite", tmp_path / "copy.sqlite"
    made(path)
    assert command("--store", path) == (0, f"{path} is whole.\n")
    edited(path, EDITS[1])
    before = path.read_bytes()
    with pytest.raises(DamagedStore, match=r"table answer, row \d+ \(question [0-9a-f]{32}\).*checksum.*check_votes"):
        VoteStore(path)
    code, said = command("--store", path, "--repair", copy)
    assert code == 1 and "its checksum does not fit" in said and "180 answers; 20 lost" in said
    assert path.read_bytes() == before
    again = Path(f"{copy}.ask-again.csv")
    assert again.read_text().startswith('"a","b",') and again.read_text().count("disease 2") == 10
    found = dxmatch.check_votes(copy)
    assert found.whole and found.format == 2
    with VoteStore(copy) as store:
        assert sum(status.answers for status in store.status()) == 180
    with pytest.raises(DxmatchError, match="is there already"):
        dxmatch.check_votes(path, repair=copy)


@pytest.mark.parametrize(
    ("column", "value"),
    [("probability", "-2.7e154"), ("probability", "1.5"), ("reason", "x'00'"), ("verdict", "'yes'"), ("raw", "7"), ("reason", "'tired'")],
)  # fmt: skip
def test_a_cell_of_no_answer_is_noticed_without_checksums_too(old: Path, column: str, value: str) -> None:
    loose = OLD.replace(" STRICT, ", " ").replace(" STRICT;", ";").replace(" TEXT NOT NULL, PRIMARY", " BLOB, PRIMARY")
    old.unlink()
    with closing(sqlite3.connect(old)) as db:
        db.executescript(loose.replace("reason TEXT", "reason BLOB"))
    edited(old, f"UPDATE answer SET {column} = {value} WHERE second = 'b'")
    with pytest.raises(DamagedStore, match="damaged"):
        VoteStore(old, must_exist=True)
    found = dxmatch.check_votes(old)
    assert [(damage.table, damage.row) for damage in found.damages][:1] == [("answer", 1)]


def test_format_1_is_read_not_written_and_brought_to_2(old: Path, tmp_path: Path) -> None:
    before, copy = old.read_bytes(), tmp_path / "new.sqlite"
    with pytest.raises(StoreError, match=r"format 1.*check_votes\("):
        VoteStore(old)
    with pytest.warns(UserWarning, match="format 1, without checksums"), VoteStore(old, must_exist=True) as store:
        assert list(store.stored(ASKED)) == TOLD
        assert store.exported("0123") == ASKED[2]
        with pytest.raises(StoreError, match="format 1"):
            store.add(ASKED[2], TOLD[0])
    code, said = command("--store", old, "--repair", copy)
    assert code == 0 and "2 answers; 0 lost" in said
    assert old.read_bytes()[100:] == before[100:]  # the journal's kind is in the head
    with VoteStore(copy) as store:
        assert list(store.stored(ASKED)) == TOLD
        assert store.exported("0123") == ASKED[2]
        assert store.add(ASKED[2], TOLD[0])


def test_the_command_line_names_the_command(tmp_path: Path) -> None:
    made(tmp_path / "votes.sqlite")
    edited(tmp_path / "votes.sqlite", EDITS[0])
    with pytest.raises(DamagedStore) as caught:
        VoteStore(tmp_path / "votes.sqlite")
    assert "dxmatch votes check --store" in caught.value.worded({}) and "check_votes" not in caught.value.worded({})


def test_a_log_that_a_killed_process_left_is_read_with_the_store_and_stays(tmp_path: Path) -> None:
    path, taken = tmp_path / "votes.sqlite", tmp_path / "taken.sqlite"
    with VoteStore(path) as store:
        assert store.add(ASKED[0], TOLD[0])
        for end in ("", "-wal"):
            Path(f"{taken}{end}").write_bytes(Path(f"{path}{end}").read_bytes())
    before = taken.read_bytes()
    found = dxmatch.check_votes(taken, repair=tmp_path / "copy.sqlite")
    assert found.whole and found.answers == 1 and taken.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_store_log_and_copy_are_their_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite"
    previous = os.umask(0o022)
    try:
        with VoteStore(path) as store:
            store.add(ASKED[0], TOLD[0])
            modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
            assert len(list(tmp_path.iterdir())) == 3 and modes == {0o600}
        dxmatch.check_votes(path, repair=tmp_path / "copy.sqlite")
        assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    finally:
        os.umask(previous)


@pytest.mark.parametrize("content", [b"", b"a,b\nflu,cold\n", b"SQLite format 3\x00", b"\x00" * 5000])
def test_a_file_of_another_kind_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "votes.sqlite").write_bytes(content)
    try:
        assert not dxmatch.check_votes(tmp_path / "votes.sqlite").whole
    except StoreError as error:
        assert "not a vote store" in str(error)
    with pytest.raises(StoreError, match="no such vote store"):
        dxmatch.check_votes(tmp_path / "absent.sqlite")


IMPORTED = ModelConfig("m", "imported")


@pytest.mark.parametrize("mode", [0o444, 0o644], ids=["file", "folder"])
def test_a_whole_store_that_may_only_be_read_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    path = tmp_path / "votes.sqlite"
    with VoteStore(path) as store:
        store.add(ASKED[0], TOLD[0])
    if os.name == "posix" and os.getuid() == 0:  # whom no mode of a file keeps away
        may = os.access
        monkeypatch.setattr(
            os, "access", lambda file, how: may(file, how) and not (Path(file) == path and how == os.W_OK)
        )
    path.chmod(mode if os.getuid() else 0o444)
    if os.getuid():
        tmp_path.chmod(0o555 if mode == 0o644 else 0o755)
    try:
        found = dxmatch.check_votes(path)
        assert found.whole and found.answers == 1
        with VoteStore(path, must_exist=True) as store:
            assert store.status()[0].answers == 1
            with pytest.raises(StoreError, match="read-only is .*votes"):
                store.add(ASKED[1], TOLD[0])
        assert [file.name for file in tmp_path.iterdir()] == ["votes.sqlite"]
    finally:
        tmp_path.chmod(0o755)


CHECK = """
import os, sys
from dxmatch.votes.store.check import check_votes
from dxmatch.tests.command_line import invoke
os.setresuid(65534, 65534, 65534)
found = check_votes(sys.argv[1])
print(found.whole, found.answers)
"""


@pytest.mark.skipif(not hasattr(os, "setresuid") or os.getuid() != 0, reason="to become another user needs root")
@pytest.mark.parametrize(("file_mode", "folder_mode"), [(0o444, 0o777), (0o666, 0o555)])
def test_another_user_who_may_only_read_finds_it_whole(file_mode: int, folder_mode: int) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        path = Path(name) / "votes.sqlite"
        with VoteStore(path) as store:
            store.add(ASKED[0], TOLD[0])
        path.chmod(file_mode)
        Path(name).chmod(folder_mode)
        run = subprocess.run([sys.executable, "-c", CHECK, path], capture_output=True, text=True)
        assert run.stdout == "True 1\n", run.stderr
        assert [file.name for file in Path(name).iterdir()] == ["votes.sqlite"]


@pytest.mark.parametrize("lost", ["named", "unnamed"])
@pytest.mark.parametrize("who", [M, IMPORTED], ids=["asked", "imported"])
def test_what_to_do_about_lost_answers_fits_who_gave_them(tmp_path: Path, who: ModelConfig, lost: str) -> None:
    path = tmp_path / "votes.sqlite"
    with VoteStore(path) as store:
        store.add_many((Question(who, "a", f"b{n}"), Answer(1, None)) for n in range(9))
    edited(
        path,
        "UPDATE answer SET verdict = 0 WHERE second = 'b3'"
        if lost == "named"
        else "DELETE FROM answer WHERE second = 'b3'",
    )
    said = " ".join(dxmatch.check_votes(path, repair=tmp_path / "copy.sqlite").lines())
    assert ("import their tables again" in said) == (who is IMPORTED)
    assert ("asks again" in said) == (who is M or lost == "unnamed")
    assert ("Which they are cannot be told of 1." in said) == (lost == "unnamed")
    assert ("ask-again.csv" in said) == (who is M and lost == "named")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("UPDATE answer SET verdict = 0 WHERE second = 'b3'", None),
        ("DELETE FROM answer WHERE second = 'b3'", "it holds 1,199 rows, but 1,200 were kept"),
        ("UPDATE tally SET checksums = checksums + 1 WHERE name = 'answer'", "the checksums of its rows do not add up: a row was exchanged for another"),
    ],
)  # fmt: skip
def test_what_the_tally_says(tmp_path: Path, edit: str, why: str | None) -> None:
    path = tmp_path / "votes.sqlite"
    with VoteStore(path) as store:
        store.add_many((Question(M, "a", f"b{n}"), Answer(1, None)) for n in range(1_200))
    assert dxmatch.check_votes(path).answers == 1_200
    damages = dxmatch.check_votes(edited(path, edit)).damages
    assert [damage.why for damage in damages if damage.row is None] == [why][: why is not None]


def test_the_warning_of_a_command_line_names_the_command(old: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "dxmatch.cli", "votes", "status", "--store", old], capture_output=True, text=True
    )
    assert (
        f"`dxmatch votes check --store {old} --repair COPY` makes one" in run.stderr and "check_votes" not in run.stderr
    )
