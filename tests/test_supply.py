"""The lock files, the workflows and the audit: what is installed is pinned and what pyproject.toml asks for."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pins(lock: str) -> dict[str, set[str]]:
    """The versions that a lock file pins of each package; several where they differ between Pythons."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", (ROOT / f"locks/{lock}.txt").read_text("utf-8"), re.M):
        found.setdefault(canonicalize_name(name), set()).add(version)
    return found


def asked(*extras: str) -> list[Requirement]:
    """What the project asks for, with these extras and the extras that they name."""
    found = [Requirement(line) for line in PROJECT["dependencies"]]
    left = list(extras)
    while left:
        for line in PROJECT["optional-dependencies"][left.pop()]:
            requirement = Requirement(line)
            if requirement.name == "dxmatch":
                left += requirement.extras
            else:
                found.append(requirement)
    return found


@pytest.mark.parametrize(("lock", "extras"), [("demo", []), ("test", ["dev"])])
def test_a_lock_pins_all_that_the_project_asks_for_within_its_ranges(lock: str, extras: list[str]) -> None:
    locked = pins(lock)
    constraints = (Requirement(line) for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    locked |= {requirement.name: {str(requirement.specifier)[2:]} for requirement in constraints}
    wrong = [
        str(requirement)
        for requirement in asked(*extras)
        if not (versions := locked.get(canonicalize_name(requirement.name)))
        or not all(requirement.specifier.contains(version) for version in versions)
    ]
    assert not wrong, f"make lock: locks/{lock}.txt does not hold {wrong}"


@pytest.mark.parametrize("workflow", ["ci", "release"])
def test_workflows_pin_their_actions_by_commit_and_may_only_read(workflow: str) -> None:
    text = (ROOT / f".github/workflows/{workflow}.yml").read_text("utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v[\d.]+", action)] == []
    assert set(re.findall(r"(\S+): write\b", text)) <= ({"id-token"} if workflow == "release" else set())


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "1 releases looked up, 0 known"),
        (
            [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}],
            1,
            "a 1: CVE-1, mended in 2",
        ),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "?"}], 2, "NOT AUDITED, 1 of 2"),
        (None, 2, "NOT AUDITED, the vulnerability service gave no answer (no route)"),
    ],
)
def test_an_audit_that_could_not_ask_is_no_clean_bill(monkeypatch, answer, code, said) -> None:
    out = "" if answer is None else json.dumps({"dependencies": answer})
    done = subprocess.CompletedProcess([], 1, out, "Traceback\nno route\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    found, text = runpy.run_path(str(ROOT / ".ci/audit.py"))["audit"](["locks/demo.txt"])
    assert found == code and said in text
