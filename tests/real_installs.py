"""Installs what is committed here in every way, each in an environment of its own, and runs the command that dxmatch then gives for an extra.

    python tests/real_installs.py [FOLDER]

Without what dxmatch needs, so that it takes a minute; pip must find dxmatch and its extra by the command, which is tried dry.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def ways(folder: Path) -> dict[str, list[str]]:
    """By its name, what pip is given."""
    clone = folder / "the clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(clone)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return {
        "editable": ["-e", str(clone)],
        "folder": [str(clone)],
        "wheel": [str(wheel)],
        "repository": [f"git+{clone.as_uri()}"],
        "index": ["--no-index", "--find-links", str(folder), "dxmatch"],
    }


def tried(way: str, given: list[str], folder: Path) -> str:
    """The command that dxmatch says where it was installed so; fails where pip does not take it."""
    place = folder / f"env-{way}"
    venv.create(place)
    pip = [sys.executable, "-m", "pip", "--python", str(place), "--disable-pip-version-check", "install", "--no-deps"]
    subprocess.run([*pip, "--quiet", *given], check=True, cwd=folder)
    ask = "from dxmatch.extras import install_command; print(install_command('hub'))"
    python = [str(place / "bin" / "python"), "-I", "-c", ask]
    said = subprocess.run(python, check=True, capture_output=True, text=True, cwd=place).stdout.strip()
    program, install, *wanted = shlex.split(said)
    assert (program, install) == ("pip", "install"), said
    run = subprocess.run([*pip, "--dry-run", *wanted], capture_output=True, text=True, cwd=place)
    told = run.stdout + run.stderr
    assert run.returncode == 0 and "does not provide the extra" not in told, f"{way}: {said}\n{told}"
    return said


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as made:
        for way, given in ways(Path(made)).items():
            print(f"{way:<11} {tried(way, given, Path(made))}", flush=True)
