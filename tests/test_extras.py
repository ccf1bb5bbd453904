"""The command that adds an extra, for every way in which dxmatch can have been installed; `real_installs.py` runs it in each."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from dxmatch import extras
from dxmatch.errors import MissingExtra
from dxmatch.extras import install_command

ROOT = Path(__file__).resolve().parents[1]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
BY_NAME = "pip install 'dxmatch[explain]'"


class Installed:
    def __init__(self, record: str | None) -> None:
        self.record = record

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.record


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Says what the installer wrote down; dxmatch then is no clone."""

    def as_if(record):
        monkeypatch.setattr(extras, "_HERE", tmp_path)
        text = record if record is None or isinstance(record, str) else json.dumps(record)
        monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed(text))

    return as_if


def test_a_clone_is_named_whatever_is_installed_beside_it():
    assert install_command("explain") == f"pip install -e '{ROOT}[explain]'"


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        (None, "dxmatch[explain]"),
        ("", "dxmatch[explain]"),
        ("{damaged", "dxmatch[explain]"),
        ([], "dxmatch[explain]"),
        ({"url": "https://example.org/dxmatch-0.1.0-py3-none-any.whl", "archive_info": {}},
         "dxmatch[explain] @ https://example.org/dxmatch-0.1.0-py3-none-any.whl"),
        ({"url": "https://example.org/lab/dxmatch.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
         f"dxmatch[explain] @ git+https://example.org/lab/dxmatch.git@{COMMIT}"),
        ({"url": "https://example.org/lab", "vcs_info": {"vcs": "git", "commit_id": COMMIT}, "subdirectory": "py"},
         f"dxmatch[explain] @ git+https://example.org/lab@{COMMIT}#subdirectory=py"),
        ({"url": "file:///srv/git/dxmatch.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, "dxmatch[explain]"),
        ({"url": "file:///gone/dxmatch-0.1.0-py3-none-any.whl", "archive_info": {}}, "dxmatch[explain]"),
    ],
)  # fmt: skip
def test_what_the_installer_wrote_down(installed, record, wanted):
    installed(record)
    assert shlex.split(install_command("explain")) == ["pip", "install", wanted]
    Requirement(wanted)


@pytest.mark.parametrize("name", ["dxmatch", "a folder, it's new", "häuser", "dxmatch-0.1.0-py3-none-any.whl"])
def test_a_folder_or_file_by_its_path(installed, tmp_path, name):
    place = tmp_path / name
    place.mkdir()
    installed({"url": place.as_uri(), "dir_info": {}})
    assert shlex.split(install_command("llm")) == ["pip", "install", f"{place}[llm]"]


def test_without_a_distribution_the_name(installed, monkeypatch):
    installed(None)

    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    assert install_command("explain") == BY_NAME


def test_quotes_that_windows_knows(installed, monkeypatch):
    installed(None)
    monkeypatch.setattr(extras.os, "name", "nt")
    assert install_command("explain") == 'pip install "dxmatch[explain]"'


def test_every_extra_that_an_error_names_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    files = (f for f in ROOT.rglob("*.py") if not f.relative_to(ROOT).parts[0].startswith((".", "tests", "out")))
    used = {name for f in files for name in re.findall(r'MissingExtra\(\s*"[^"]*",\s*"(\w+)"', f.read_text("utf-8"))}
    assert {"explain", "llm", "encoders", "ray"} <= used <= project["optional-dependencies"].keys()


@pytest.mark.parametrize(
    ("extra", "there", "other"),
    [("automl", {"ray": "2.59.0"}, "ray"), ("ray", {"autogluon.tabular": "1.6.3"}, "automl"), ("ray", {}, None),
     ("automl", {"autogluon.tabular": "1.6.3"}, None), ("explain", {"ray": "2.59.0"}, None)],
)  # fmt: skip
def test_extras_that_do_not_stand_together_are_named(monkeypatch, extra, there, other):
    monkeypatch.setattr(extras, "_version", there.get)
    said = str(MissingExtra("This", extra))
    assert said.startswith(f"This needs an extra that is not installed. Run: {install_command(extra)}")
    assert ("in another environment" in said) == (other is not None)
    assert other is None or f"here is the extra {other}, and the two do not stand together" in said
