"""docs/criteria.md shows what M says today: `python tests/test_criteria_page.py` writes its table."""

from __future__ import annotations

from pathlib import Path

import dxmatch

PAGE = Path(__file__).resolve().parents[1] / "docs" / "criteria.md"
POLICIES = ("specification", "strict", "narrower-counts", "broader-counts")
BEGIN, END = "<!-- pairs -->\n", "<!-- /pairs -->"
ONE_WAY = ("anemia", "iron deficiency anemia")
PAIRS = {
    "identical": [("gout", "Gout.")],
    "spelling": [("haemorrhoids", "hemorrhoids"), ("asthma", "astma")],
    "synonym": [
        ("nephrolithiasis", "kidney stones"),
        ("chronic obstructive pulmonary disease", "COPD"),
        ("amyotrophic lateral sclerosis", "Lou Gehrig's disease"),
        ("varicella", "chickenpox"),
    ],
    "the answer is narrower": [
        ("inflammatory bowel disease", "Crohn's disease"),
        ("non-Hodgkin lymphoma", "DLBCL"),
        ("pneumonia", "community-acquired pneumonia"),
        ("heart attack", "acute myocardial infarction"),
    ],
    "the answer is broader": [
        ("Crohn's disease", "inflammatory bowel disease"),
        ("iron deficiency anemia", "anemia"),
    ],
    "stage": [
        ("breast cancer", "stage II breast cancer"),
        ("chronic kidney disease stage 4", "chronic kidney disease"),
    ],
    "laboratory sign": [("hyperkalemia", "elevated serum potassium")],
    "hedge": [("gout", "possible gout")],
    "other type, course or side": [
        ("type 1 diabetes", "type 2 diabetes"),
        ("acute pancreatitis", "chronic pancreatitis"),
        ("left femur fracture", "right femur fracture"),
    ],
    "near kin": [("ulcerative colitis", "Crohn's disease"), ("migraine", "tension headache")],
    "too broad": [("asthma", "lung disease")],
    "denied": [("small cell lung cancer", "non-small cell lung cancer"), ("pneumonia", "no pneumonia")],
    "past, or another person": [
        ("stroke", "history of stroke"),
        ("breast cancer", "family history of breast cancer"),
    ],
    "unrelated": [("asthma", "appendicitis")],
    "M errs: a synonym": [("Graves' disease", "autoimmune hyperthyroidism")],
    "M errs: a laboratory sign": [("iron deficiency anemia", "low ferritin")],
}


def table() -> str:
    a, b = zip(*(pair for pairs in PAIRS.values() for pair in pairs), strict=True)
    models = [dxmatch.load(policy=policy) for policy in POLICIES]
    said = [m.probabilities(a, b) >= m.threshold for m in models]
    kinds = models[0].relations(b, a).kinds
    lines = [
        "| kind of pair | right answer | answer | the answer is | " + " | ".join(f"`{p}`" for p in POLICIES) + " |"
    ]
    lines.append("| --- " * (4 + len(POLICIES)) + "|")
    row = 0
    for kind, pairs in PAIRS.items():
        for right, answer in pairs:
            verdicts = " | ".join("match" if of[row] else "–" for of in said)
            lines.append(f"| {kind} | {right} | {answer} | {kinds[row]} | {verdicts} |")
            kind, row = "", row + 1
    return "\n".join(lines) + "\n"


def page() -> str:
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


def test_the_table_of_policies_shows_what_m_says() -> None:
    shown = PAGE.read_text("utf-8")
    assert f'reference "{ONE_WAY[0]}", answer "{ONE_WAY[1]}"; the other way round' in shown
    for policy in POLICIES:
        m = dxmatch.load(policy=policy)
        said = ["match" if m.match(*pair) else "no" for pair in (ONE_WAY, ONE_WAY[::-1])]
        row = next(line for line in shown.splitlines() if line.startswith(f"| `{policy}`"))
        assert row.split(" | ")[2] == "; ".join(said)


def test_the_page_shows_what_m_says() -> None:
    assert sum(map(len, PAIRS.values())) == 30
    assert PAGE.read_text("utf-8") == page()


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
