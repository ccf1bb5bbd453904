"""How an extra of dxmatch is installed beside what is here: from where dxmatch itself came."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_HERE = Path(__file__).resolve().parent

_APART = {"automl": ("ray", "ray"), "ray": ("automl", "autogluon.tabular")}
"""Extras that no environment holds both of: extra -> the other, and the distribution by which that one is known. AutoGluon wants an older Ray."""


def install_hint(extra: str) -> str:
    """`Run: pip install …`, and that it takes an environment of its own where an extra is here that it does not stand beside."""
    other, distribution = _APART.get(extra, ("", ""))
    apart = f", in another environment: here is the extra {other}, and the two do not stand together"
    return f"Run: {install_command(extra)}{apart if other and _version(distribution) else ''}"


def _version(distribution: str) -> str | None:
    """The release of a distribution that is installed; None where it is not."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def install_command(extra: str) -> str:
    """`pip install '/home/me/dxmatch[explain]'`: the command that adds an extra, quoted for a shell.

    It names the clone that Python reads dxmatch from, or the folder, wheel or repository that it was installed from (PEP 610). Without such
    a record it came from an index by its name; and where the folder or wheel is gone, pip finds the extra's packages by the name, too.
    """
    before, wanted = _requirement(extra)
    return f"pip install {before}{_quoted(wanted)}"


def _requirement(extra: str) -> tuple[str, str]:
    """What goes before the requirement, and the requirement itself."""
    if (_HERE / "pyproject.toml").is_file():
        return "-e ", f"{_HERE}[{extra}]"
    by_name = f"dxmatch[{extra}]"
    origin = _direct_url()
    if (url := origin.get("url")) is None:
        return "", by_name
    local = urlsplit(url).scheme == "file"
    if "vcs_info" in origin and local:
        return "", by_name  # pip takes no name before an address without a host
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        folder = f"#subdirectory={origin['subdirectory']}" if "subdirectory" in origin else ""
        return "", f"{by_name} @ {vcs['vcs']}+{url}@{vcs['commit_id']}{folder}"
    if not local:
        return "", f"{by_name} @ {url}"
    from urllib.request import url2pathname

    path = Path(url2pathname(urlsplit(url).path))
    return "", f"{path}[{extra}]" if path.exists() else by_name


def _direct_url() -> dict[str, Any]:
    """What the installer wrote down of where dxmatch came from; empty where nothing was or it cannot be read."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = json.loads(distribution("dxmatch").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError, OSError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("url", ""), str) else {}


def _quoted(text: str) -> str:
    # cmd and PowerShell both take double quotes; cmd takes no others
    return f'"{text}"' if os.name == "nt" else shlex.quote(text)
