from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.auditing.kinds import MATCHES, NON_MATCHES, kind_of

WORDS = st.lists(st.sampled_from(["acute", "chronic", "renal", "kidney", "failure", "of", "stage", "3", "fracture", "left", "right", "mi", "high"]), min_size=1, max_size=5)  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "label", "kind"),
    [
        ("asthma", "asthma", 1, "identical"),
        ("rheumatoid arthritis", "rheumatoid artritis", 1, "spelling"),
        ("central line infection", "central lines infections", 1, "specification"),
        ("medial collateral ligament injury", "mcl injury", 1, "abbreviation"),
        ("syndrome of inappropriate antidiuretic hormone", "siadh", 1, "synonym without a shared word"),
        ("deep vein thrombosis", "dvt of leg", 1, "abbreviation"),
        ("hyperkalemia", "high potassium", 1, "laboratory sign"),
        ("chronic kidney disease stage 3", "chronic kidney disease", 1, "stage"),
        ("aortic stenosis", "severe aortic stenosis", 1, "stage"),
        ("hemophilia", "hemophilia a", 1, "specification"),
        ("pneumothorax", "spontaneous pneumothorax", 1, "specification"),
        ("hashimoto thyroiditis", "autoimmune thyroiditis", 1, "synonym with a shared word"),
        ("atopic dermatitis", "eczema", 1, "synonym without a shared word"),
        ("asthma", "asthma", 0, "identical"),
        ("type 1 diabetes mellitus", "type 2 diabetes mellitus", 0, "other number"),
        ("acute hepatitis b", "acute hepatitis c", 0, "other number"),
        ("chronic kidney disease stage 3", "chronic kidney disease stage 5", 0, "other number"),
        ("hodgkin lymphoma", "non hodgkin lymphoma", 0, "denied word"),
        ("pneumonia", "no evidence of pneumonia", 0, "other assertion"),
        ("stroke", "family history of stroke", 1, "other assertion"),
        ("pneumonia", "possible pneumonia", 1, "specification"),
        ("left ankle sprain", "right ankle sprain", 0, "other side"),
        ("acute pancreatitis", "chronic pancreatitis", 0, "opposed words"),
        ("acute cholecystitis", "chronic fatigue", 0, "no word shared"),
        ("hypertension", "portal hypertension", 0, "one contains the other"),
        ("endometriosis", "endometritis", 0, "spelt alike"),
        ("distal radius fracture", "fracture of ulna", 0, "same mechanism, other site or cause"),
        ("pulmonary embolism", "pulmonary fibrosis", 0, "same site, other mechanism"),
        ("cushing syndrome", "metabolic syndrome", 0, "only a general word shared"),
        ("cyst of ovary", "stone of bladder", 0, "no word shared"),
        ("parkinson disease", "essential tremor", 0, "no word shared"),
    ],
)
def test_kinds(a, b, label, kind):
    assert kind_of(a, b, label) == kind
    assert kind_of(b, a, label) == kind


@settings(deadline=None, max_examples=100)
@given(WORDS, WORDS, st.sampled_from([0, 1]))
def test_every_pair_has_one_kind_in_either_order(a, b, label):
    one, other = " ".join(a), " ".join(b)
    found = kind_of(one, other, label)
    assert found == kind_of(other, one, label)
    assert found in [kind.name for kind in (MATCHES if label else NON_MATCHES)]


def test_each_kind_is_declared_once_and_the_last_takes_what_is_left():
    for kinds in (MATCHES, NON_MATCHES):
        names = [kind.name for kind in kinds]
        assert len(set(names)) == len(names) and all(kind.says for kind in kinds)
