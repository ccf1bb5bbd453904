from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dxmatch.evaluation.read.findings import Finding

from ..made import scored
from .pages import Page, answers


@pytest.fixture(scope="session")
def page_file(full_report: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return full_report.save(tmp_path_factory.mktemp("page") / "r.html")


@pytest.fixture(scope="session")
def page(page_file: Path) -> Page:
    return Page(page_file.read_text("utf-8"))


@pytest.fixture
def models() -> Any:
    """worst 10, best 30, middle 28 of 40 right at once; middle is not shown to be less than best."""
    frame = answers({"worst": 10, "best": 30, "middle": 28})
    return scored(frame, ["recall", "top_k_accuracy"], k=5, resamples=50)


@pytest.fixture
def doubtful(models: Any) -> Any:
    """The same with a finding that comes before all others."""
    return replace(models, findings=[Finding("reading", example="All is <b>doubtful</b>."), *models.findings])
