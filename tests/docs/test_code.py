"""Every code block of the README and of docs/ is run: page by page, in order, in a folder of its own, all of them at night.

With a push runs the README, and a page whose text is another than when it last ran without an error: `ran.json` says which text that was, and is written by the run.
Of all others it is looked up that what they name is there.

Python in one namespace a page; lines of a shell as commands; a block with a title is the file of that name; TOML and JSON are
read. What is not run says why in a comment above it, `<!-- not run: REASON -->`.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
import tomllib
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from filelock import FileLock

import dxmatch
from dxmatch.cli.main import app, as_typed
from dxmatch.endpoints.endpoint import read_services
from dxmatch.errors import DxmatchError
from dxmatch.features.feature_set import FeatureSet

from .blocks import PAGES, Block, blocks_of, name_of
from .figures import cells_of, not_given
from .folder import ANSWERS, lay_out, write_titled
from .shell import lines_of, run_line, write_shim

SHOWN = {"text", "csv", "jsonl", "html", "bibtex", "yaml", "dockerfile"}
"""What is looked at, and a file where it has a title."""
_COMMANDS = re.compile(r"(?:^|[|;&] *)dxmatch (.*?)(?= *(?:[|;>&]|$))")
_NAMES = re.compile(r"\bdxmatch\.([a-z]\w*)\b(?!/)")
RAN = Path(__file__).with_name("ran.json")
CODE = [page for page in PAGES if blocks_of(page)]


def text_of(page: Path) -> str:
    return hashlib.sha256(page.read_bytes()).hexdigest()[:16]


def when(page: Path) -> tuple[pytest.MarkDecorator, ...]:
    """At night alone, or with each push."""
    ran = json.loads(RAN.read_text("utf-8")).get(name_of(page)) == text_of(page)
    return (pytest.mark.nightly,) if ran and page.stem != "README" else ()


def note(page: Path) -> None:
    """That it ran as it is."""
    with FileLock(Path(tempfile.gettempdir()) / "dxmatch-pages.lock"):
        known = json.loads(RAN.read_text("utf-8")) | {name_of(page): text_of(page)}
        known = {name: known[name] for name in map(name_of, CODE) if name in known}
        if (text := json.dumps(known, indent=1) + "\n") != RAN.read_text("utf-8"):
            RAN.write_text(text, "utf-8")


@pytest.mark.parametrize("page", [pytest.param(page, id=name_of(page)) for page in CODE])
@patch.dict(os.environ)
def test_what_a_page_names_is_there(page: Path) -> None:
    """Also in what is not run: commands with their options, public names of Python."""
    for block in blocks_of(page):
        for line in lines_of(block.text) if block.language == "sh" else ():
            for words in _COMMANDS.findall(line):
                app.parse_args(as_typed(shlex.split(words)), exit_on_error=False, print_error=False)
        if block.language == "python":
            compile(block.text, str(block), "exec")
            assert [name for name in _NAMES.findall(block.text) if not hasattr(dxmatch, name)] == [], block


@pytest.mark.parametrize("page", [pytest.param(page, id=name_of(page), marks=when(page)) for page in CODE])
def test_a_page(
    page: Path, tmp_path: Path, command: Callable[..., Any], loopback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shims := tmp_path / "shims").mkdir()
    (here := tmp_path / "here").mkdir()
    text = page.read_text("utf-8")
    lay_out(here, loopback.url)
    for made in ("my-model", "mine.toml"):
        if f"-o {made}" in text:
            forget(here / made)
    loopback.rules(*ANSWERS)
    monkeypatch.chdir(here)
    for key in ("MY_KEY", "OPENAI_API_KEY", "LAB_KEY"):
        monkeypatch.setenv(key, "of-the-tests")
    write_shim(shims)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    wrong: list[str] = []
    came: list[str] = []
    above = None
    for block in blocks_of(page):
        below, above = above, block
        if block.not_run:
            continue
        is_output = block.language == "text" and block.follows and not block.title
        if is_output and not (below and below.not_run) and (lacking := not_given(block.text, [*came, *cells_of(here)])):
            wrong.append(f"{block}: figures that did not come: {', '.join(lacking)}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong += run(block, namespace, command, shims, loopback.url, came)
    assert not wrong, "\n" + "\n\n".join(wrong)
    note(page)


def forget(made: Path) -> None:
    """What a page makes itself is not there before."""
    if made.is_dir():
        shutil.rmtree(made)
    else:
        made.unlink()


def run(
    block: Block, namespace: dict[str, Any], command: Callable[..., Any], shims: Path, url: str, came: list[str]
) -> Iterator[str]:
    """What went wrong, if anything. came : what it prints is added to it."""
    where = f"{block}, {block.language or 'no language'}"
    if block.title:
        write_titled(Path(block.title), block.text, url)
    if block.language == "python" and not block.title:
        try:
            with redirect_stdout(io.StringIO()) as printed:
                exec(compile("\n" * block.line + block.text, block.page, "exec"), namespace)
            came.append(printed.getvalue())
        except Exception:
            yield f"{where}: {traceback.format_exc(limit=-3)}"
    elif block.language == "sh":
        for line in lines_of(block.text):
            try:
                came.append(run_line(line, command, shims))
            except AssertionError as error:
                yield f"{where}: {error}"
    elif block.language == "toml":
        try:
            read_table(block, Path(block.title or "of-the-page.toml"), url)
        except (ValueError, DxmatchError) as error:
            yield f"{where}: {error}"
    elif block.language == "json":
        json.loads(block.text)
    elif block.language not in {*SHOWN, "python"}:
        yield f"{where}: a block of code that no test knows how to run"


def read_table(block: Block, file: Path, url: str) -> None:
    """By what reads such a file: a feature set, or endpoints and prices."""
    parsed = tomllib.loads(block.text)
    if not block.title:
        write_titled(file, block.text, url)
    if "feature" in parsed:
        FeatureSet.read(file)
    elif "endpoint" in parsed:
        read_services(file)


def test_what_is_not_run_is_little(record_property: Callable[[str, object], None]) -> None:
    every = [block for page in PAGES for block in blocks_of(page)]
    left = [block for block in every if block.not_run]
    told = "\n".join(f"{block}: {block.not_run}" for block in left)
    print(f"{len(every)} blocks, {len(left)} of them not run:\n{told}")
    record_property("not_run", told)
    assert len(left) <= 0.2 * len(every), told
