"""The papers' printed figures come out, from the printed inputs and from small files in the forms that the authors publish."""

from __future__ import annotations

import shutil

import pytest

from .reproduce import from_data
from .reproduce.__main__ import PAPERS, main
from .reproduce.figure import DIFFERENT, EXPLAINED, SAME, Figure

COUNTS = {"h-ddx": 42, "how-to-evaluate": 6, "kernel29": 15, "clinbench-hpb": 156, "direct": 0}


@pytest.mark.parametrize("paper", PAPERS)
def test_printed_inputs_give_the_printed_figures(paper):
    found = [*PAPERS[paper].figures(None)]
    assert len(found) == COUNTS[paper] and [one for one in found if one.verdict == DIFFERENT] == []
    explained = [one for one in found if one.verdict == EXPLAINED]
    assert all(len(one.why) > 20 for one in explained) and len(explained) <= len(found) / 2


@pytest.mark.parametrize("paper", PAPERS)
def test_figures_by_hand_come_out_of_made_data_through_the_commands(paper):
    found = [*from_data.figures(PAPERS[paper].PAPER)]
    assert len(found) >= 2 and {one.verdict for one in found} == {SAME}


def test_the_authors_files():
    """Here the made ones, in their forms; of fewer cases than the papers', which each row says."""
    found = {name: [*PAPERS[name].figures(from_data.MADE)][COUNTS[name] :] for name in COUNTS}
    assert {name: len(of) for name, of in found.items() if of} == {"kernel29": 6, "clinbench-hpb": 8, "direct": 17}
    assert {one.verdict for one in found["kernel29"]} == {SAME}
    # what is explained is what a plain count of the files gives
    assert not [one for of in found.values() for one in of if one.verdict == DIFFERENT]


def test_another_score_is_a_difference_and_the_exit_code_says_so(tmp_path, capsys):
    kernel29 = shutil.copytree(from_data.MADE / "kernel29", tmp_path / "authors")
    (kernel29 / "scores.csv").write_text(
        "patient_id,model_name,prompt_name,semantic_score,severity_score\np1,m,b,1,0\n"
    )
    assert main([str(kernel29)]) == 1
    assert f", 1 {DIFFERENT}." in capsys.readouterr().out
    assert main([str(tmp_path / "none")]) == 2 and "is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("printed", "ours", "instead", "verdict"),
    [
        (0.25, 0.2549, None, SAME),
        (0.25, 0.2551, None, DIFFERENT),
        (0.25, 0.30, 0.30, EXPLAINED),
        (0.25, 0.31, 0.30, DIFFERENT),
        (0.25, 0.25, 0.30, DIFFERENT),
        (0.25, float("nan"), 0.30, DIFFERENT),
        (0.25, 0.252, 0.252, SAME),
    ],
)
def test_an_explanation_passes_only_with_the_value_that_it_states(printed, ours, instead, verdict):
    assert Figure("P", "1", "x", printed, ours, 0.005, instead, "a slip").verdict == verdict
