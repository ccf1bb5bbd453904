"""An interrupted `dxmatch link` goes on where it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.features.names import Names
from dxmatch.files.tables import write_table
from dxmatch.matcher import link
from dxmatch.matcher.batch import PairModel
from dxmatch.matcher.kept_blocks import KeptBlocks
from dxmatch.matcher.terms import read_terms

A = ["heart attack", "no pneumonia", "MI", "T1DM", None, "Сердце", "type II diabetes", "GOUT", "severe gout", "angina"]
B = ["Myocardial infarction", "pneumonia", "type 1 diabetes", "type 2 diabetes", "gout", "MI", "Сердце"]
BLOCKS = 4


def linked(
    m: dxmatch.MatchFunction,
    a: list[Any],
    b: list[Any],
    parts: Path | None = None,
    threshold: float | None = None,
    **options: Any,
) -> Any:
    kept = None if parts is None else KeptBlocks(parts, m.identity, m.policy)
    return link.link(m.model, read_terms(a), read_terms(b), least=m.threshold_or(threshold), **options, kept=kept)


class Judge:
    """Counts what is scored, in blocks of two names, and ends the third block with `end`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scored: list[set[str]] = []
        self.end: type[BaseException] | None = None
        judge, mine = PairModel.probabilities, self

        def probabilities(self: PairModel, names: Names, a: Any, b: Any) -> Any:
            if mine.end is not None and len(mine.scored) == 2:
                raise mine.end(1)
            mine.scored.append({names.names[i] for i in np.unique(a).tolist()})
            return judge(self, names, a, b)

        monkeypatch.setattr(PairModel, "probabilities", probabilities)
        monkeypatch.setattr(link, "NAMES_AT_ONCE", 2)

    def since(self, end: type[BaseException] | None = None) -> list[set[str]]:
        """What was scored since it was last asked; the next job ends with `end`."""
        scored, self.scored, self.end = self.scored, [], end
        return scored


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    return Judge(monkeypatch)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_the_same_command_goes_on_and_gives_the_same_bytes(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any, end: type[BaseException]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(pa.table({"dx": A}), "a.csv")
    write_table(pa.table({"term": B}), "b.csv")
    run = lambda output: command("link", "a.csv", "b.csv", "-o", output, "--k", "3")  # noqa: E731
    assert run("whole.csv").code == 0 and not list(tmp_path.glob("*.parts"))
    whole, parts = judge.since(end), tmp_path / "out.csv.parts"
    assert len(whole) == BLOCKS
    stopped = run("out.csv")
    judge.since()
    assert stopped.code == (130 if end is KeyboardInterrupt else 1) and len(list(parts.iterdir())) == 2
    told = f"2 of {BLOCKS} blocks are kept in out.csv.parts. Run the same command again to go on."
    assert (told in " ".join(stopped.output.split())) is (end is KeyboardInterrupt)
    assert not (tmp_path / "out.csv").exists()
    (parts / f".{next(parts.iterdir()).name}.0123456789ab.part").write_bytes(b"half")  # as a kill leaves it
    assert f"2 of {BLOCKS} blocks were there already" in run("out.csv").output
    assert judge.since() == whole[2:]  # nothing twice
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes() and not parts.exists()


def test_a_damaged_block_is_made_again(m: dxmatch.MatchFunction, judge: Judge, tmp_path: Path) -> None:
    judge.since(SystemExit)
    with pytest.raises(SystemExit):
        linked(m, A, B, tmp_path / "parts")
    judge.since()
    one, other = sorted((tmp_path / "parts").iterdir())
    one.write_bytes(one.read_bytes()[:-40])
    content = bytearray(other.read_bytes())
    content[len(content) // 2] ^= 1
    other.write_bytes(content)
    made = linked(m, A, B, tmp_path / "parts")
    assert len(judge.since()) == BLOCKS and made.equals(linked(m, A, B))


def test_another_job_takes_no_blocks_of_this_one_and_leaves_them(
    m: dxmatch.MatchFunction, judge: Judge, tmp_path: Path
) -> None:
    parts = tmp_path / "parts"
    linked(m, A, B, parts)
    assert len(list(parts.iterdir())) == len(judge.since()) == BLOCKS
    others: list[tuple[Any, list[Any], list[Any], dict[str, Any]]] = [
        (m, A, B, {"threshold": 0.9}), (m, A, B, {"k": 2}), (m, A, B, {"candidates": 5}), (m.under("strict"), A, B, {}),
        (m, A, [*B[:-1], "Angina"], {}), (m, [*A[:-1], "Angina"], B, {}),
    ]  # fmt: skip
    for i, (judging, a, b, options) in enumerate(others, 2):
        linked(judging, a, b, parts, **options)
        assert len(judge.since()) == BLOCKS and len(list(parts.iterdir())) == i * BLOCKS
        assert KeptBlocks(parts).open(BLOCKS) == {}


def test_a_short_job_keeps_nothing(m: dxmatch.MatchFunction, tmp_path: Path) -> None:
    linked(m, A, B, tmp_path / "parts")
    assert not list(tmp_path.iterdir())
