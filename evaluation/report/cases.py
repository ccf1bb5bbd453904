"""Single cases: all of them to look through, and one with its codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...files.wording import hint
from ...matcher.doubtful import DOUBTFUL
from ...matcher.policy import RELATIONS
from ...pages.rows import Row, known
from ...pages.templates import json_in_html, template
from ...terms.icd.codes import hierarchy
from ..match.cases import CaseTable
from ..read.lists import ABSENT, REFERENCE
from ..score.chapters import chapter_label
from .document import Browser
from .results import Results

MAX_CASES = 5_000
MAX_JUDGED = 3_000_000
"""Characters of what a judge said; more would make the page slow to open."""
_HERE = Path(__file__).parent
_SCORES = ("HDP", "HDR", "HDF1")
_MATCHED = ("algorithm", "rank", "diagnosis", "reference", "probability", "match", "relation", "why")


def case_browser(report: Results) -> Browser | None:
    """Makes the cases for the page, with the data that its script reads; None where nothing was matched."""
    table = None if report.evidence is None else report.evidence.case_table
    if table is None:
        return None
    chosen = _chosen(table, report.k)
    data = _data(table, report.k, chosen, [*report.board.algorithms, *report.board.others])
    judged = "" if not table.judged else "shown" if data["judged"] else "too many"
    return browser_of(data, final=any(table.answers.of_final().reference), judged=judged)


def browser_of(data: dict[str, Any], *, about: str = "", final: bool = False, judged: str = "") -> Browser:
    """Makes the browser of what `_data` says; what is left out of it is not there. about : the words above it, in the place of those of lists."""
    data = {"unread": [], "reasons": [""], "relations": [], "panel": False, "of": ["case", "model"]} | data
    html = template("browser.html.j2", _HERE).render(
        data=json_in_html(data), shown=len(data["cases"]), total=data["total"], k=data["k"], about=about, final=final, judged=judged, panel=data["panel"],
        doubtful=DOUBTFUL,
    )  # fmt: skip
    script, style = ((_HERE / f"browser.{kind}").read_text("utf-8") for kind in ("js", "css"))
    return Browser(html, script, style)


def _chosen(table: CaseTable, k: int) -> NDArray[np.intp]:
    """int [m], ascending: all cases, or of too many those that the most lists miss, the first of equal ones."""
    n, answers = len(table.answers.cases), table.answers
    if n <= MAX_CASES:
        return np.arange(n)
    right, probability = table.matches.nearest(np.arange(n))
    found = (probability[:, :, :k] >= table.matches.pairs.threshold).any(2)
    wanted = np.sum((right >= 0).any(2) & ~answers.absent & ~found, axis=1)
    return np.sort(np.argsort(-wanted, kind="stable")[:MAX_CASES])


def _data(table: CaseTable, k: int, chosen: NDArray[np.intp], first: Sequence[str]) -> dict[str, Any]:
    """The chosen cases for the script, with the raters in `first` before the others.

    k, threshold, models : as they are. panel : whether diagnoses stand beside those of experts, not right answers. ranks : the places of each list that M was asked about. total : cases in all. cases : the names of those that follow.
    final : of each case its final diagnosis, where it is told apart; "" else.
    groups : for each column of subgroups its values, and of each case the place of its value, -1 for none.
    strings : every text. right : of each case its right answers, as places in `strings`.
    lengths : of each list, cases first, how many diagnoses it has; -1 where none was given.
    judged : [list, sentences] of what a judge said of it; none where these are more than `MAX_JUDGED` characters in all.
    unread : [list, text] of each answer that no diagnosis could be read from, the list by its place in `lengths`.
    entries : of each list, one after another, the pairs of its first places (as many as M was asked about); -1 for no diagnosis.
    pairs : columns of the pairs: diagnosis and right answer (-1 for none) in `strings`, probability in thousandths (-1 for none),
        match (0 or 1), relation in `relations`, -1 for none, why in `reasons`, doubtful (1 where the match could turn: the probability is
        doubtful, or there is none, since a text is not understood).
    """
    answers, cases = table.answers, chosen.tolist()
    entries, pairs = table.all_pairs if len(cases) == len(answers.cases) else table.pairs(chosen)
    of_pair = {name: pairs[name].to_pylist() for name in pairs.column_names}
    reasons = ["", *pairs["why"].unique().drop_null().to_pylist()]
    order = {rater: place for place, rater in enumerate(first)}
    raters = sorted(range(len(answers.raters)), key=lambda i: order.get(answers.raters[i], len(order)))
    lists = [(case, rater) for case in cases for rater in raters]
    place: dict[str, int] = {}
    numbers = {
        "diagnosis": [place.setdefault(text, len(place)) for text in of_pair["diagnosis"]],
        "right": [-1 if text is None else place.setdefault(text, len(place)) for text in of_pair["reference"]],
        "probability": [-1 if of is None else round(of * 1000) for of in of_pair["probability"]],
        "match": [int(bool(one)) for one in of_pair["match"]],
        "relation": _places(of_pair["relation"], RELATIONS),
        "why": [max(one, 0) for one in _places(of_pair["why"], reasons)],
        "doubtful": [
            int(doubt is not False and match is not None)
            for doubt, match in zip(of_pair["doubtful"], of_pair["match"], strict=True)
        ],
    }
    right = [[place.setdefault(text, len(place)) for text in dict.fromkeys(answers.reference[i])] for i in cases]
    entries = entries[:, raters]
    judged = {at: table.judged.get((answers.cases[i], answers.raters[j])) for at, (i, j) in enumerate(lists)}
    fits = sum(len(text) for said in judged.values() for text in said or ()) <= MAX_JUDGED
    return {
        "k": k,
        "panel": not any(answers.reference),
        "ranks": entries.shape[2],
        "threshold": table.matches.pairs.threshold,
        "total": len(answers.cases),
        "models": [answers.raters[i] for i in raters],
        "cases": [answers.cases[i] for i in cases],
        "groups": [group_of(name, [values[i] for i in cases]) for name, values in answers.references.groups.items()],
        "strings": list(place),
        "right": right,
        "final": ["; ".join(answers.of_final().reference[i]) for i in cases],
        "lengths": [-1 if answers.absent[at] else int(answers.lengths[at]) for at in lists],
        "unread": [[at, text] for at, key in enumerate(lists) if (text := table.unread(*key)) is not None],
        "judged": [[at, said] for at, said in judged.items() if said] if fits else [],
        "entries": entries[entries >= -1].tolist(),
        "pairs": numbers,
        "reasons": reasons,
        "relations": list(RELATIONS),
    }  # fmt: skip


def _places(texts: Iterable[str | None], among: Sequence[str]) -> list[int]:
    place = {text: i for i, text in enumerate(among)}
    return [-1 if text is None else place[text] for text in texts]


def group_of(name: str, values: Sequence[str | None]) -> dict[str, Any]:
    """Makes a column of subgroups as `_data` has it."""
    there = sorted({value for value in values if value is not None})
    return {"name": name, "values": there, "of": _places(values, there)}


def coded_rows(report: Results, case_id: str) -> list[Row]:
    """Makes a row for each diagnosis of a case, those of the reference first (H-DDx, Tables 3 and 8).

    algorithm ("reference" for the right answers), rank, diagnosis, icd10 and name (several apart by "; ", None without a code), shared (the
    deepest nodes that the diagnosis shares with the reference, None where none), then of the whole list common (the nodes of both
    augmented sets), HDP, HDR and HDF1 (None of the reference).

    Where no codes were looked up it is what was matched with what: algorithm to why of `CaseTable.table`.

    Raises
    ------
    OptionError
        For a case that is not there, and where nothing was matched.
    """
    found, family = report.evidence, report.family("hierarchical")
    if case_id not in report.cases:
        raise OptionError("case", f"a case of the lists{hint(case_id, report.cases)}", case_id)
    if found is None or found.codes is None or family is None:
        if found is None or found.case_table is None:
            raise OptionError("case", "asked for where something was matched", case_id)
        matched = found.case_table.table.to_pylist()
        return [{of: row[of] for of in _MATCHED} for row in matched if row["case_id"] == case_id]
    tree, case, answers = hierarchy(found.codes.tree), report.cases.index(case_id), found.answers
    coded = found.codes.top(report.setup.ks["hierarchical"])
    right, texts = [nodes for nodes, _ in coded.right[case]], answers.reference[case]

    def augmented(nodes: Iterable[int]) -> set[int]:
        return {above for node in nodes if node >= 0 for above in (node, *tree.ancestors(node))}

    def codes(nodes: Iterable[int]) -> str:
        """In tree order; a chapter by the range of its codes."""
        return ", ".join(chapter_label(tree, n) if tree.parents[n] < 0 else tree.codes[n] for n in sorted(nodes))

    names = texts if len(texts) == len(right) else ["; ".join(texts)] * len(right)
    lists: list[tuple[str, Sequence[str | None], Sequence[Sequence[int]], Row]] = [
        (REFERENCE, names, right, dict.fromkeys(_SCORES))
    ]
    for at, entries in enumerate(answers.top(coded.predicted.shape[2])[case].tolist()):
        said = [answers.strings[entry] if entry >= 0 else None for entry in entries if entry != ABSENT]
        scores = {name: known(float(family.per_case[name][case, at])) for name in _SCORES}
        lists.append((answers.raters[at], said, coded.predicted[case, at].tolist(), scores))
    reference, rows = augmented(chain.from_iterable(right)), []
    for who, said, given, scores in lists:
        common = codes(augmented(chain.from_iterable(given)) & reference)
        for rank, (text, own) in enumerate(zip(said, given, strict=False), 1):
            nodes = sorted({node for node in own if node >= 0})
            shared = augmented(nodes) & reference
            rows.append({
                "algorithm": who, "rank": rank, "diagnosis": text, "icd10": "; ".join(tree.codes[n] for n in nodes) or None,
                "name": "; ".join(tree.names[n] for n in nodes) or None, "shared": codes(shared - {*tree.parents[[*shared]].tolist()}) or None,
                "common": common, **scores,
            })  # fmt: skip
    return rows
