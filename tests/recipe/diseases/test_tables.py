"""The tables of the graph, cleaned: which disease a name belongs to, classes that say nothing, loops."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.recipe.diseases.tables import Disease, all_above, read_diseases, says_nothing, without_loops
from dxmatch.terms.text.normalizer import Normalizer

Tables = Callable[[str, str], dict[str, Disease]]


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    def read(names: str, parents: str = "X,Y\n") -> dict[str, Disease]:
        (tmp_path / "disease_names.csv").write_text(f"disease,name,kind\n{names}", "utf-8")
        (tmp_path / "disease_parents.csv").write_text(f"disease,parent\n{parents}", "utf-8")
        return {each.id: each for each in read_diseases(tmp_path, Normalizer())}

    return read


def test_a_name_at_two_diseases(tables: Tables) -> None:
    names = "A,asthma,label\nA,wheeze,exact\nB,asthma foo,label\nB,asthma,exact\nB,wheeze,exact\nC,gout,label\nC,wheeze,exact\n"
    found = tables(names)
    assert "asthma" in found["A"].names and "asthma" not in found["B"].names, (
        "it belongs to the one whose main name it is"
    )
    assert not any("wheeze" in each.names for each in found.values()), "it cannot be told whose it is"
    in_line = tables(names, "B,A\nC,B\n")
    assert "wheeze" in in_line["A"].names and "wheeze" not in in_line["C"].names, (
        "it belongs to the one above all others"
    )


def test_an_empty_class_is_bridged(tables: Tables) -> None:
    assert says_nothing("syndromic disease") and says_nothing("disease by site") and not says_nothing("heart disease")
    found = tables(
        "A,lung bar,label\nB,Syndromic disease,label\nC,Rare genetic disorder,label\nD,foo gout,label\nE,disease,label\n",
        "B,A\nC,B\nD,C\nA,E\nD,X\n",
    )
    assert set(found) == {"A", "D"}
    assert found["D"].parents == ("A",), "up over two classes that say nothing"
    assert found["A"].parents == (), "and nothing above one that has none"


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from("abcdefg"), st.sets(st.sampled_from("abcdefg"), max_size=4)))
def test_without_loops(drawn: dict[str, set[str]]) -> None:
    """No disease is above itself; what was above stays so where there was no loop; the same again."""
    parents = {each: drawn.get(each, set()) for each in "abcdefg"}
    cut = without_loops(parents)
    assert set(cut) == set(parents) and all(set(cut[each]) <= parents[each] for each in cut)
    assert not any(each in all_above(each, cut) for each in cut)
    assert cut == without_loops(parents) == without_loops(cut)
    for each, kept in cut.items():
        for lost in parents[each] - set(kept):
            assert lost == each or each in all_above(lost, parents), "only what closes a loop is cut"
