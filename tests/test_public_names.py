"""Whatever a user can call is named in the README or the docs: a public name or command that no page names helps nobody."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cyclopts import App

import dxmatch
from dxmatch.cli.main import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = "\n".join(page.read_text("utf-8") for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))))


def commands(group: App = app, before: str = "") -> Iterator[str]:
    for name in group:
        if name.startswith("-"):
            continue
        if group[name].default_command is None:
            yield from commands(group[name], f"{before}{name} ")
        else:
            yield f"{before}{name}"


def is_named(what: str, pages: str = PAGES) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(what)}(?![\w-])", pages) is not None


@pytest.mark.parametrize("command", list(commands()))
def test_a_page_names_every_command(command: str) -> None:
    assert is_named(f"dxmatch {command}"), f"README.md and docs/ do not name 'dxmatch {command}'"


@pytest.mark.parametrize(
    "code",
    [
        "import dxmatch.metrics; assert dxmatch.metrics.hdf1([['J40']], [['J40']]) == 1",
        "from dxmatch.metrics import hdf1, recall_at_k, top_k_accuracy; assert callable(hdf1)",
        "import dxmatch; assert dxmatch.metrics.rpad; import dxmatch.metrics as m; assert m is dxmatch.metrics",
        "from dxmatch import metrics; assert 'recall_at_k' in dir(metrics) and 'rpad' in metrics.__all__",
    ],
)
def test_metrics_are_a_module(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "call",
    [
        "dxmatch.load().probability('инфаркт миокарда', 'heart attack')",
        "dxmatch.load().rank('gout', ['gout', 'подагра'])",
        "dxmatch.icd(['gout', '?'])",
        "dxmatch.PairFeatures().fit([['gout', 'MI']]).transform([['gout', None]])",
    ],
)
def test_a_warning_names_the_line_of_the_caller(call):
    with pytest.warns(UserWarning) as told:
        exec(compile(f"\n\n{call}", "mine.py", "exec"), {"__name__": "mine", "dxmatch": dxmatch})
    assert ("mine.py", 3) in {(one.filename, one.lineno) for one in told}
