"""`make release`: sdist and wheel of the last commit, the same bytes each time, checked, installed and run.

Writes into the folder that it is given: both distributions, `dxmatch-VERSION.cdx.json` (what a user of the locked
set has beside dxmatch, CycloneDX), `AUDIT.txt` (known vulnerabilities, or that nobody could be asked), `SHA256SUMS`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

from audit import NOT_AUDITED, audit

ROOT = Path(__file__).resolve().parent.parent
LOCKS = ["locks/demo.txt", "locks/test.txt", "locks/tools.txt"]
FORBIDDEN = re.compile(r"(^|/)(tests|docs|notebooks|locks|out|build|\.\w[^/]*)/|\.(pyc|so|pkl|parquet|sqlite|db|env)$")
"""What no distribution holds: tests, outputs, hidden folders, binaries, stores."""
REQUIRED = (
    "LICENSE",
    "NOTICE",
    "models/offline-en/model.json",
    "models/offline-en/CARD.md",
    "py.typed",
    "example/lists.csv",
)


def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> None:
    """The command, in an environment that knows no other copy of dxmatch; its failure ends the release."""
    ours = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    subprocess.run(command, cwd=cwd, env={**ours, **environment}, check=True, stdout=subprocess.DEVNULL)


def tool(name: str) -> Path:
    return Path(sys.executable).parent / name


def normalised(sdist: Path, epoch: int) -> None:
    """`sdist` with sorted members that tell neither who built it nor when."""
    packed = io.BytesIO()
    with tarfile.open(sdist) as old, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.uid = member.gid = 0
            member.uname = member.gname = ""
            member.mtime = epoch
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    sdist.write_bytes(gzip.compress(packed.getvalue(), mtime=epoch))


def build(work: Path, epoch: int) -> list[Path]:
    """The sdist of the last commit, and the wheel that comes of the sdist alone."""
    source, dist = work / "source", work / "dist"
    source.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(source, filter="data")
    here = {"SOURCE_DATE_EPOCH": str(epoch), "PYTHONHASHSEED": "0"}
    how = [sys.executable, "-m", "build", "--no-isolation", "--outdir", dist]
    run(*how, "--sdist", source, **here)
    (sdist,) = dist.glob("*.tar.gz")
    normalised(sdist, epoch)
    with tarfile.open(sdist) as tar:
        tar.extractall(work / "unpacked", filter="data")
    (unpacked,) = (work / "unpacked").iterdir()
    run(*how, "--wheel", unpacked, **here)
    return sorted(dist.iterdir())


def check_names(dist: Path) -> int:
    """How many files `dist` holds; ends the release where one must not be there, or one is missing."""
    if dist.suffix == ".whl":
        names = zipfile.ZipFile(dist).namelist()
    else:
        with tarfile.open(dist) as tar:
            names = [member.name for member in tar.getmembers() if member.isfile()]
    wrong = [name for name in names if FORBIDDEN.search(name)]
    missing = [name for name in REQUIRED if not any(held.endswith("/" + name) for held in names)]
    if wrong or missing:
        sys.exit(f"release: {dist.name} holds {wrong} and lacks {missing}")
    return len(names)


def install_and_run(dist: Path, home: Path) -> Path:
    """`dist` in a new environment of the locked set, where its demo is run; the environment's Python."""
    venv.create(home / "env", with_pip=True)
    python = home / "env" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    run(*pip, "--require-hashes", "--requirement", ROOT / "locks/demo.txt")
    run(*pip, "--no-build-isolation", dist)
    run(
        python.parent / "dxmatch", "demo", "--output", home / "demo", cwd=home, DXMATCH_CACHE=str(home.parent / "cache")
    )
    if not (home / "demo" / "report.html").stat().st_size:
        sys.exit(f"release: the demo of {dist.name} wrote no report")
    return python


def main(out: Path) -> None:
    code, audited = audit(LOCKS)
    print(audited)
    if code not in (0, NOT_AUDITED):
        sys.exit(code)
    stamp = ["git", "log", "-1", "--format=%ct"]
    epoch = int(subprocess.run(stamp, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        dists, again = build(work / "first", epoch), build(work / "second", epoch)
        differ = [one.name for one, other in zip(dists, again, strict=True) if one.read_bytes() != other.read_bytes()]
        if differ:
            sys.exit(f"release: built twice, {differ} are not the same bytes")
        print("release: built twice, the same bytes")
        run(tool("twine"), "check", "--strict", *dists)
        run(tool("check-wheel-contents"), *(dist for dist in dists if dist.suffix == ".whl"))
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        (out / "AUDIT.txt").write_text(audited + "\n", "utf-8")
        for dist in dists:
            print(f"release: {dist.name}, {check_names(dist)} files, {dist.stat().st_size:,} bytes")
            python = install_and_run(dist, work / f"installed-{dist.suffix}")
            print(f"release: {dist.name} installed, its demo run")
            shutil.copy2(dist, out)
        version = dists[0].name.split("-")[1]
        sbom = out / f"dxmatch-{version}.cdx.json"
        told = ["--pyproject", ROOT / "pyproject.toml", "--output-format", "JSON", "--output-file", sbom]
        run(tool("cyclonedx-py"), "environment", python, "--output-reproducible", *told)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(sums), "utf-8")
    print(f"release: {out}")


if __name__ == "__main__":
    if not sys.argv[1:] or {"-h", "--help"} & set(sys.argv):
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve())
