"""Whatever a user can call is named in the README or the docs: a public name or command that no page names helps nobody."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import dxmatch

from .test_cli import ALL

ROOT = Path(__file__).resolve().parents[1]
PAGES = "\n".join(page.read_text("utf-8") for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))))


def test_a_page_names_every_command() -> None:
    named = [f"dxmatch {' '.join(path)}" for path in ALL]
    assert [one for one in named if not re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", PAGES)] == []


def test_metrics_are_a_module() -> None:
    code = "import dxmatch; assert dxmatch.metrics.rpad; import dxmatch.metrics as m; assert m is dxmatch.metrics"
    subprocess.run([sys.executable, "-c", f"{code}; from dxmatch.metrics import hdf1"], check=True)


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
