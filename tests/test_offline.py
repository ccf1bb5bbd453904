"""With the offline features nothing leaves the machine: every command runs with the network taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .blocked_network import no_network  # noqa: F401


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [
    "demo --output out",
    # the picks of the default set find their candidates by an encoder of the hub
    "votes ask {pairs} --dry-run --only vote_phi4 --only vote_qwen25_7b", "votes export {pairs} -o batches --only vote_phi4",
    "votes import {pairs} --verdict label_expert_1 --model expert",
])  # fmt: skip
def test_no_command_that_asks_nobody_needs_the_network(
    arguments: str, tmp_path: Path, example: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command(*(word.format(pairs=example / "pairs.csv") for word in arguments.split()))
    assert done.code == 0, done.err
