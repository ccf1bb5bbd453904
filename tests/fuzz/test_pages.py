"""One page of attacks in the browser, and commands of LaTeX in names; all 51 are `python -m tests.fuzz pages --number 51`."""

from __future__ import annotations

import pytest

from ..chromium import CHROMIUM
from . import pages


@pytest.mark.slow
def test_names_bring_no_command_into_a_latex_table() -> None:
    text = pages.report_of([*pages.IN_LATEX], "ranking").to_latex()
    assert pages.latex_findings(text) == []
    assert "etc/passwd" in text and "write18" in text
    assert len(pages.latex_findings(r"a & \input{/etc/passwd} \\ ^^5cinput")) == 2


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open pages in")
def test_attacks_in_every_name_stay_text() -> None:
    assert pages.run(3, 0) == []
    assert len({*pages.payloads("http://127.0.0.1:1")}) == 51
