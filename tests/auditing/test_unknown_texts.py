"""What is not understood is no part of an explanation or an audit; what was read as another word is said."""

from __future__ import annotations

from itertools import pairwise

import pytest

from dxmatch.auditing.audit import audit
from dxmatch.auditing.explain import explain
from dxmatch.errors import InputError, NotUnderstood, NotUnderstoodWarning
from dxmatch.labelling.suggest import suggest
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.folder import load as read_model_folder
from dxmatch.models.shipped import SHIPPED_MODEL

from ..small_vocabulary import NAMES, small_vocabulary

UNKNOWN = ("gout", "Herzinfarkt", 0)


@pytest.fixture(scope="module")
def m() -> MatchFunction:
    return MatchFunction(read_model_folder(SHIPPED_MODEL), vocabulary=small_vocabulary())


@pytest.fixture(scope="module")
def labelled():
    import pandas as pd

    names = [called[0] for called in NAMES.values()]
    rows = [(a, b, 0) for a, b in pairwise(names)]
    rows += [(called[0], called[1], 1) for called in NAMES.values() if len(called) > 1]
    return pd.DataFrame([*rows, UNKNOWN, UNKNOWN], columns=["a", "b", "label"])


def test_explain_says_how_words_were_read(m: MatchFunction) -> None:
    found = explain(m, "Myocardial infraction", "heart attack")
    assert (
        "'Myocardial infraction' is compared as 'myocardial infarction': read 'infraction' as 'infarction'."
        in found.words
    )
    assert found.to_dict()["read_as"] == ((("infraction", "infarction"),), ())
    assert "'asthma' is compared as it is." in explain(m, "asthma", "gout").words


def test_explain_says_which_words_mix_scripts(m: MatchFunction) -> None:
    assert any("mixes Latin and Cyrillic" in line for line in explain(m, "\u0430sthma", "asthma attack").words)


def test_explain_refuses_what_is_not_understood(m: MatchFunction) -> None:
    with pytest.raises(NotUnderstood, match="several diagnoses.*'gout, asthma'"):
        explain(m, "gout, asthma", "gout")
    with pytest.raises(InputError, match="column 'b': not a text"):
        explain(m, "gout", None)  # type: ignore[arg-type]


def test_an_audit_sets_them_aside(m: MatchFunction, labelled) -> None:
    with pytest.warns(NotUnderstoodWarning, match="2 of .*'Herzinfarkt': another language"):
        audit(m, labelled, bootstrap=20, repeats=1)


def test_no_expert_is_asked_about_them(m: MatchFunction, labelled) -> None:
    found = suggest(m, labelled, 60)
    assert found.made_with["counts"]["not_understood"] == 1
    assert "Herzinfarkt" not in found.key["b"].to_pylist()
    assert any("set aside, since a diagnosis" in line for line in found.warnings)
