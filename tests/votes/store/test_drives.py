from __future__ import annotations

import shutil
import sqlite3
import sys
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from dxmatch.votes.prompts.questions import Answer, Question, Respondent
from dxmatch.votes.store import network_drives as drives
from dxmatch.votes.store.store import VoteStore

QUESTION = Question(Respondent("m", "vote-1"), "a", "b")
YES = Answer(1, None, "Yes")

LINUX = r"""22 1 0:20 / / rw,relatime - ext4 /dev/vda rw
23 22 0:21 / /proc rw - proc proc rw
24 22 0:22 / /mnt rw shared:1 master:2 - tmpfs tmpfs rw
25 22 0:23 / /mnt/my\040share\134x rw,relatime shared:7 - nfs4 server:/export rw,vers=4.2
26 25 0:24 / /mnt/my\040share\134x/local rw - xfs /dev/vdb rw
27 22 0:25 / /over rw - cifs //server/share rw
28 22 0:26 / /over rw - ext4 /dev/vdc rw
29 22 0:27 / /under rw - ext4 /dev/vdc rw
30 22 0:28 / /under rw - 9p host rw
31 22 0:29 / /home/me/remote rw - fuse.sshfs me@server: rw
32 22 0:30 / /home/me/plain rw - fuse plain rw
33 22 0:31 / /media/stick rw - fuseblk /dev/sdb1 rw
34 22 0:32 / /größe rw - lustre mds@tcp:/x rw
a line that is none
"""


@pytest.fixture
def mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def mount(text: str) -> None:
        fake = tmp_path / "mountinfo"
        fake.write_text(text, "utf-8")
        monkeypatch.setattr(drives, "MOUNTINFO", fake)

    return mount


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/votes.sqlite", None),
        ("/mnt/votes.sqlite", None),
        ("/mnt/my share\\x/a/b/votes.sqlite", "nfs4"),
        ("/mnt/my share\\xy/votes.sqlite", None),
        ("/mnt/my share\\x/local/votes.sqlite", None),
        ("/over/votes.sqlite", None),
        ("/under/votes.sqlite", "9p"),
        ("/under/../over/votes.sqlite", None),
        ("/home/me/remote/votes.sqlite", "fuse.sshfs"),
        ("/home/me/plain/votes.sqlite", "fuse"),
        ("/media/stick/votes.sqlite", None),
        ("/größe/votes.sqlite", "lustre"),
    ],
)
def test_the_deepest_mount_decides(mounted, path: str, kind: str | None) -> None:
    mounted(LINUX)
    assert drives.network_drive(Path(path)) == kind


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_a_link_leads_to_the_drive_that_holds_the_file(tmp_path: Path, mounted) -> None:
    mounted(f"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path}/far rw - smb3 x rw\n")
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to(tmp_path / "far")
    assert drives.network_drive(tmp_path / "near" / "votes.sqlite") == "smb3"
    (tmp_path / "votes.sqlite").symlink_to(tmp_path / "far" / "votes.sqlite")
    assert drives.network_drive(tmp_path / "votes.sqlite") == "smb3"


def test_mounts_of_macos_are_read() -> None:
    listed = (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)\n"
        "//me@server/my%20share on /Volumes/on my share (smbfs, nodev, nosuid, mounted by me)\n"
        "server:/export on /Volumes/nfs (nfs)\n"
    )
    assert drives.mounts_of_bsd(listed) == [
        ("/", "apfs"),
        ("/System/Volumes/Data/home", "autofs"),
        ("/Volumes/on my share", "smbfs"),
        ("/Volumes/nfs", "nfs"),
    ]


def journal_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("PRAGMA journal_mode").fetchone()[0]


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_a_network_drive_gets_a_rollback_journal_and_one_warning(tmp_path: Path, mounted) -> None:
    mounted(f"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path} rw - nfs4 x rw\n")
    path = tmp_path / "votes.sqlite"
    with pytest.warns(RuntimeWarning, match=r"network drive \(nfs4\).*rollback journal.*local disk") as told:
        store = VoteStore(path)
    assert len(told) == 1
    assert Path(told[0].filename) == Path(__file__)
    with store, warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.add(QUESTION, YES)
        assert list(store.stored([QUESTION])) == [YES]
        assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)
        with store._file.connection() as db:
            assert db.execute("PRAGMA synchronous").fetchone() == (2,)
        assert not list(tmp_path.glob("*-wal")) and not list(tmp_path.glob("*-shm"))
    assert journal_of(path) == "delete"


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
@pytest.mark.parametrize("closed", [True, False])
def test_a_store_that_moved_to_a_network_drive_is_switched_back(tmp_path: Path, mounted, closed: bool) -> None:
    """Also where its write-ahead log came along, with answers that stand nowhere else."""
    near, far = tmp_path / "near", tmp_path / "far"
    near.mkdir()
    with VoteStore(near / "votes.sqlite") as store:
        store.add(QUESTION, YES)
        if closed:
            store.close()
        shutil.copytree(near, far)
    assert journal_of(near / "votes.sqlite") == "wal"
    (far / "votes.sqlite-shm").unlink(missing_ok=True)
    mounted(f"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / {far} rw - cifs x rw\n")
    with pytest.warns(RuntimeWarning, match="cifs"), VoteStore(far / "votes.sqlite") as store:
        assert not list(far.glob("*-shm"))
        assert list(store.stored([QUESTION])) == [YES]
        assert store.add(Question(QUESTION.respondent, "b", "c"), YES)
        assert [file.name for file in far.iterdir()] == ["votes.sqlite"]
    assert journal_of(far / "votes.sqlite") == "delete"
    mounted("1 0 0:1 / / rw - ext4 x rw\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with VoteStore(far / "votes.sqlite") as store:
            assert store.known(QUESTION.respondent) == 2
    assert journal_of(far / "votes.sqlite") == "wal"


@pytest.mark.skipif(sys.platform == "win32", reason="paths of Unix")
def test_two_share_a_store_on_a_network_drive(tmp_path: Path, mounted) -> None:
    mounted(f"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / {tmp_path} rw - nfs x rw\n")
    with pytest.warns(RuntimeWarning):
        one, two = VoteStore(tmp_path / "votes.sqlite", wait=2), VoteStore(tmp_path / "votes.sqlite", wait=2)
    with one, two:
        for i in range(20):
            assert (one, two)[i % 2].add(Question(QUESTION.respondent, "a", str(i)), YES)
        assert one.known(QUESTION.respondent) == two.known(QUESTION.respondent) == 20


def test_a_local_drive_gets_a_write_ahead_log(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with VoteStore(tmp_path / "votes.sqlite") as store:
            store.add(QUESTION, YES)
            assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert store._db.execute("PRAGMA synchronous").fetchone() == (1,)
    assert [file.name for file in tmp_path.iterdir()] == ["votes.sqlite"]
