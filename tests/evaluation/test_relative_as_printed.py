"""The table of relative metrics as "How to Evaluate Medical AI" prints it (its Table 3), by hand, on every way out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.report.tables import as_printed


def shown(report):
    table = as_printed(report)
    lines = {
        line[0]: [(cell.row["value"], cell.mark) for cell in line[1:]] for _, rows in table.groups for line in rows
    }
    return list(table.header), lines


def test_by_hand(panel, to_frame, hand_matcher):
    """P is over k = 1 and R over k = 2 of the panel that is written out in conftest: R of A is 1, 1, 1/2 of X, Y, Z."""
    report = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0, metrics="relative")
    header, lines = shown(report)
    assert header == ["", "P_avg@1", "P_opt@1", "R_avg@2", "R_opt@2"]
    (p_avg, _), (p_opt, p_mark), (r_avg, none), (r_opt, r_mark) = lines["A"]
    assert p_avg == pytest.approx((1 + 0.5 + 0) / 0.5)
    assert p_opt is None and p_mark == "", "two experts agree in no case, so there is no number to give a sign to"
    assert r_avg == pytest.approx((1 + 1 + 0.5) / (0.5 + 0.5 + 1)) and none == ""
    assert r_opt == pytest.approx(1 / 0.5) and r_mark == "+"


def test_signs_follow_the_value(full_report):
    _, lines = shown(full_report)
    assert set(lines) == {"A", "B"}
    for row in lines.values():
        for value, mark in (row[1], row[3]):
            assert mark == ("+" if value > 1 else "-")
    assert {mark for row in lines.values() for _, mark in row} > {"+"}


def test_everywhere(full_report):
    to = io.StringIO()
    full_report.print(Console(file=to, width=160), full=True)
    latex, markdown = full_report.to_latex(), full_report.to_markdown()
    for text in (to.getvalue(), full_report._as(".html"), markdown, latex.replace(r"\_", "_")):
        assert "P_avg@1" in text.replace("\\_", "_") and "R_opt@3" in text.replace("\\_", "_")
    assert latex.count(r"\begin{table}") == latex.count(r"\end{table}") == 2
    assert " $+$" in latex or " $-$" in latex
    assert "above 1, so the algorithm differs" in latex


def test_none_without_a_panel(everything, same_text):
    report = evaluate(everything(), same_text, bootstrap=0, metrics="recall")
    assert as_printed(report) is None and report.to_latex().count(r"\begin{table}") == 1
