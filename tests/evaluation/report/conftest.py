from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.findings import Finding

from ..made import By
from .pages import Page, answers


@pytest.fixture(scope="session")
def grouped_report(everything: Any, same_text: Any) -> Any:
    """Every family, and a column of groups."""
    frame = everything()
    ward = frame["case_id"].map(lambda case: ["heart", "lungs", None][int(case[1:]) % 3])
    return evaluate(
        frame.assign(ward=ward), matcher=same_text, k=3, resampling=dxmatch.Resampling(resamples=60), by="ward"
    )


@pytest.fixture(scope="session")
def page_file(grouped_report: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return grouped_report.save(tmp_path_factory.mktemp("page") / "r.html")


@pytest.fixture(scope="session")
def page(page_file: Path) -> Page:
    return Page(page_file.read_text("utf-8"))


@pytest.fixture
def models(to_frame: Any) -> Any:
    """worst 10, best 30, middle 28 of 40 right at once; middle is not shown to be less than best."""
    frame = answers(to_frame, {"worst": 10, "best": 30, "middle": 28})
    return evaluate(
        frame, matcher=By(), k=5, resampling=dxmatch.Resampling(resamples=50), metrics=["recall", "top_k_accuracy"]
    )


@pytest.fixture
def doubtful(models: Any) -> Any:
    """The same with a finding that comes before all others."""
    return replace(models, findings=[Finding("reading", example="All is <b>doubtful</b>."), *models.findings])
