"""Is a file on a network drive? There several machines share it, and SQLite's write-ahead log is not safe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path, PurePosixPath

MOUNTINFO = Path("/proc/self/mountinfo")

NETWORK_KINDS = {
    "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fakeowner", "gfs2", "glusterfs",
    "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "prl_fs", "pvfs2", "smb3", "smbfs",
    "vboxsf", "virtiofs", "vmhgfs", "webdav", "wekafs",
}  # fmt: skip
"""File systems that are, or may be, shared with another machine. Besides these, all of FUSE but "fuseblk", which is a local disk."""


def network_drive(file: Path) -> str | None:
    """The kind of the network file system that holds `file` ("nfs4"); None where it is local or cannot be told."""
    file = file.resolve()
    if sys.platform == "win32":
        import ctypes

        remote = ctypes.windll.kernel32.GetDriveTypeW(file.anchor) == 4  # DRIVE_REMOTE
        return "network drive" if remote or file.drive.startswith("\\\\") else None
    if MOUNTINFO.exists():
        kind = _kind_at(file, mounts_of_linux(MOUNTINFO.read_text("utf-8", "surrogateescape")))
    else:
        kind = _kind_at(file, mounts_of_bsd(_listed_mounts()))
    return kind if kind in NETWORK_KINDS or kind == "fuse" or kind.startswith("fuse.") else None


def mounts_of_linux(mountinfo: str) -> list[tuple[str, str]]:
    """(mount point, kind) in the order of mounting; a blank in a mount point is written \\040."""
    mounts = []
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split(" ")
        if separator and len(fields) > 4:
            point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
            mounts.append((point, after.split(" ")[0]))
    return mounts


def mounts_of_bsd(listed: str) -> list[tuple[str, str]]:
    """(mount point, kind) from what `mount` prints on macOS: `//me@host/share on /Volumes/share (smbfs, nodev)`."""
    return re.findall(r"^.* on (/.*) \((\w+)[,)]", listed, re.MULTILINE)


def _kind_at(file: Path, mounts: list[tuple[str, str]]) -> str:
    """The kind of the deepest mount above `file`; of two at one point, the later hides the earlier."""
    path, deepest, found = PurePosixPath(file), -1, ""
    for point, kind in mounts:
        depth = len(PurePosixPath(point).parts)
        if depth >= deepest and path.is_relative_to(point):
            deepest, found = depth, kind
    return found


def _listed_mounts() -> str:
    try:
        return subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
