"""Lines of a shell: dxmatch is run, what installs or makes something is looked up, anything else a page may not show."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .blocks import ROOT

_EXTRA = re.compile(r"(?:\.|dxmatch)\[([\w,-]+)\]")
_OF_A_SHELL = re.compile(r"[|<>;&$]|(^| )-( |$)")
_HARMLESS = {"cat", "head", "echo", "printf", "cp", "ls", "wc", "sort", "sha256sum", "tail", "mkdir"}


def lines_of(text: str) -> Iterator[str]:
    """Without comments, those that a backslash goes on with as one."""
    for line in text.replace("\\\n", " ").splitlines():
        if command := re.sub(r"(^|\s+)#(\s.*)?$", "", line).strip():
            yield command


def run_line(line: str, command: Callable[..., Any], shims: Path) -> str:
    """What it printed. Asserts that `line` does what a page says; `shims` holds a `dxmatch` for lines that need a shell."""
    first = line.split()[0]
    if first in ("make", "python", "python3") or "pip" in line.split()[:4]:
        check_names(line)
    elif first == "dxmatch" and not _OF_A_SHELL.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", line)):
        words = [
            found
            for word in shlex.split(line)[1:]
            for found in sorted(map(str, Path().glob(word))) * ("*" in word) or [word]
        ]
        done = command(*words)
        assert done.code == 0, f"{line}\nleft with {done.code}: {done.err[-1500:]}"
        return done.out + done.err
    else:
        return run_in_shell(line, shims)
    return ""


def run_in_shell(line: str, shims: Path) -> str:
    for part in re.split(r"\|\||&&|[|;]", line):
        words = [word for word in part.split() if not re.fullmatch(r"\w+=\S*", word)]
        assert words and words[0] in {*_HARMLESS, "dxmatch"}, f"a page's tests do not run {part.strip()!r}"
    path = f"{shims}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, f"{line}\nleft with {done.returncode}: {done.stderr[-1500:]}"
    return done.stdout + done.stderr


def write_shim(folder: Path) -> Path:
    """A `dxmatch` that is this checkout's."""
    shim = folder / "dxmatch"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dxmatch.cli "$@"\n')
    shim.chmod(0o755)
    return folder


def check_names(line: str) -> None:
    """What is installed or made is not, but it is there: a target of the Makefile, an extra, `python -m MODULE` of the checkout."""
    first, *words = line.split()
    if first == "make":
        wanted = {word for word in words if "=" not in word}
        there = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    elif "pip" in line.split()[:4]:
        wanted = {extra for found in _EXTRA.findall(line) for extra in found.split(",")}
        there = {*tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]}
    else:
        module = re.match(r"python3? -m ([\w.]+)", line)
        assert module, f"a page's tests do not run {line!r}"
        wanted, there = {module[1]}, {"venv", "pytest"}
        if importlib.util.find_spec(f"dxmatch.{module[1].removeprefix('dxmatch.')}"):
            there.add(module[1])
    assert wanted <= there, f"{line}: there is no {wanted - there}"
