"""What users write may look like the markup of the library that draws tables: it is shown as it stands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("icd", "gout [/b]"), "gout [/b]"),
        (("icd", "gout [red]"), "gout [red]"),
        (("metrics",), "chi_i = [mu_i > 0]"),
        (("score", "t.csv", "--a", "a [/x]", "--b", "b"), "gout [/b]"),
        (("score", "t.csv", "--a", "a [/x]", "--b", "b"), "a [/x]"),
        (("dedupe", "t.csv", "--column", "a [/x]"), "gout [/b]"),
        (("link", "t.csv", "t.csv", "--a", "a [/x]", "--b", "b"), "gout [/b]"),
        (("match", "gout [/b]", "gout"), "gout [/b]"),
        (("explain", "gout [/b]", "gout"), "gout [/b]"),
        (("evaluate", "lists.csv"), "m [/b]"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else value,
)
def test_brackets_are_text(
    arguments: tuple[str, ...],
    shown: str,
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    Path("t.csv").write_text("a [/x],b\ngout [/b],gout\n")
    Path("lists.csv").write_text("case,gold,m [/b]\n1,gout,gout [/b]\n2,sepsis,gout\n")
    done = command(*arguments)
    assert done.code == 0, done.err
    assert shown in done.out
