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
from dxmatch.matcher import candidates
from dxmatch.matcher.batch import PairModel

A = ["heart attack", "no pneumonia", "MI", "T1DM", None, "Сердце", "type II diabetes", "GOUT", "severe gout", "angina"]
B = ["Myocardial infarction", "pneumonia", "type 1 diabetes", "type 2 diabetes", "gout", "MI", "Сердце"]
BLOCKS = 4


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
        monkeypatch.setattr(candidates, "NAMES_AT_ONCE", 2)

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


def stopped(m: dxmatch.MatchFunction, judge: Judge, a: Any, b: Any, out: Path, **options: Any) -> None:
    """Leaves two blocks of a job beside `out`."""
    judge.since(SystemExit)
    with pytest.raises(SystemExit):
        m.link(a, b, output=out, **options)
    assert len(judge.since()) == 2


def test_a_damaged_block_is_made_again(m: dxmatch.MatchFunction, judge: Judge, tmp_path: Path) -> None:
    stopped(m, judge, A, B, tmp_path / "out.csv")
    one, other = sorted((tmp_path / "out.csv.parts").iterdir())
    one.write_bytes(one.read_bytes()[:-40])
    content = bytearray(other.read_bytes())
    content[content.index(b"NUMPY") + 130] ^= 1  # in the numbers
    other.write_bytes(content)
    made = m.link(A, B, output=tmp_path / "out.csv")
    assert len(judge.since()) == BLOCKS and made.equals(m.link(A, B))


def test_another_job_takes_no_blocks_of_this_one_and_leaves_them(
    m: dxmatch.MatchFunction, judge: Judge, tmp_path: Path
) -> None:
    out, parts = tmp_path / "out.csv", tmp_path / "out.csv.parts"
    stopped(m, judge, A, B, out)
    others: list[tuple[Any, list[Any], list[Any], dict[str, Any]]] = [
        (m, A, B, {"threshold": 0.9}), (m, A, B, {"k": 2}), (m, A, B, {"candidates": 5}), (m.under("strict"), A, B, {}),
        (m, A, [*B[:-1], "Angina"], {}), (m, [*A[:-1], "Angina"], B, {}),
    ]  # fmt: skip
    for i, (judging, a, b, options) in enumerate(others, 2):
        stopped(judging, judge, a, b, out, **options)
        assert len(list(parts.iterdir())) == 2 * i
    m.link(A, B, output=out)
    assert len(judge.since()) == BLOCKS - 2 and len(list(parts.iterdir())) == 2 * len(others)


def test_answers_that_came_in_between_make_it_another_job(
    m: dxmatch.MatchFunction, judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Store:
        answers = 7

        def status(self) -> list[int]:
            return [self.answers]

    monkeypatch.setattr(m.providers, "store", Store())
    stopped(m, judge, A, B, tmp_path / "out.csv")
    monkeypatch.setattr(Store, "answers", 8)
    m.link(A, B, output=tmp_path / "out.csv")
    assert len(judge.since()) == BLOCKS
