"""docs/criteria.md shows what M says today of the pairs in its table: `python tests/test_criteria_page.py` writes the verdicts anew."""

from __future__ import annotations

from pathlib import Path

import dxmatch

PAGE = Path(__file__).resolve().parents[1] / "docs" / "criteria.md"
POLICIES = ("specification", "strict", "narrower-counts", "broader-counts")
BEGIN, END = "<!-- pairs -->\n", "<!-- /pairs -->"
ONE_WAY = ("anemia", "iron deficiency anemia")


def rewritten(page: str) -> tuple[str, int]:
    """The page with today's verdicts on its pairs, and how many these are."""
    before, table, after = (part for half in page.split(BEGIN) for part in half.partition(END)[::2] if part)
    head, rule, *rows = table.splitlines()
    kinds, right, answers = zip(*([cell.strip() for cell in row.split("|")[1:4]] for row in rows), strict=True)
    models = [dxmatch.load(policy=policy) for policy in POLICIES]
    said = [m.probabilities(right, answers) >= m.threshold for m in models]
    is_a = models[0].relations(answers, right).kinds
    lines = [head, rule]
    for row, pair in enumerate(zip(kinds, right, answers, strict=True)):
        lines.append(f"| {' | '.join((*pair, is_a[row], *('match' if of[row] else '–' for of in said)))} |")
    return before + BEGIN + "\n".join(lines) + "\n" + END + after, len(rows)


def test_the_table_of_policies_shows_what_m_says() -> None:
    shown = PAGE.read_text("utf-8")
    assert f'reference "{ONE_WAY[0]}", answer "{ONE_WAY[1]}"; the other way round' in shown
    for policy in POLICIES:
        m = dxmatch.load(policy=policy)
        said = ["match" if m.match(*pair) else "no" for pair in (ONE_WAY, ONE_WAY[::-1])]
        row = next(line for line in shown.splitlines() if line.startswith(f"| `{policy}`"))
        assert row.split(" | ")[2] == "; ".join(said)


def test_the_page_shows_what_m_says() -> None:
    shown = PAGE.read_text("utf-8")
    assert rewritten(shown) == (shown, 30)


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text("utf-8"))[0], "utf-8")
