"""ICD-10 as a judge: the nodes of answers and right answers, by the codes given, else by their texts."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...features.providers import SHIPPED, Providers
from ...files.limits import MAX_CHARACTERS
from ...matcher.icd_mapping import IcdMapper, map_icd
from ...matcher.icd_strings import Diagnoses
from ...matcher.match_function import MatchFunction
from ...matcher.protocol import Matcher
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.index import HOW
from ...terms.icd.sources import open_tree
from ...terms.icd.tree import IcdTree
from ...votes.asking_options import Asking
from ..read.findings import Finding
from ..read.lists import Cell, Lists, looked_up
from .options import Codes
from .text_codes import Mapped, TextCodes, read_codes

How = NDArray[np.integer]
Coded = tuple[tuple[int, ...], str]
"""The nodes of a diagnosis, and the way to them."""
WAYS = {
    "column": "by the codes given", "table": "by the table of codes", "direct": "by name", "code": "as a code",
    "picked": "by a language model's pick", "nearest": "by the nearest name",
    "unmapped": "unmapped (denied, not understood, or no name is near enough)",
    "not in table": "without a code in the table of codes", "unscored": "without a usable pick", "none": "not at all",
}  # fmt: skip
"""Way to a code -> its words, in the order in which they are told; the ways of `map_icd` are among them."""
_WITHOUT = ("none", "unmapped", "not in table", "unscored")
REFERENCE = "reference"
"""Stands for the rater in rows on the right answers."""
_SHOWN = 3


@dataclass(frozen=True)
class CodedAnswers:
    """Answers and right answers as nodes of ICD-10.

    predicted : int32 [n, r, k, c], the nodes of each diagnosis, at most c; -1 fills. reference : int32 [n, D], likewise.
    how : int [n, r, k], by which of `WAYS` a diagnosis came to its codes; -1 where none is said. reference_how : of each
        right answer.
    reference_nodes : for each case the nodes of each right answer; where codes are of the case as a whole, of these cells.
    n_strings : how many different texts the diagnoses are. by : where codes of texts came from before M's own mapping, in words.
    """

    raters: list[str]
    predicted: Nodes
    reference: Nodes
    how: How
    reference_how: How
    reference_nodes: Sequence[tuple[tuple[int, ...], ...]]
    n_strings: int
    by: str = ""

    def top(self, k: int | None) -> CodedAnswers:
        """Cuts lists to k; None leaves them whole."""
        return replace(self, predicted=self.predicted[:, :, :k], how=self.how[:, :, :k])

    @cached_property
    def tally(self) -> dict[str, Counter[str]]:
        """Counts the ways of each rater's diagnoses, and last of those of the right answers."""
        of = [*((rater, self.how[:, i]) for i, rater in enumerate(self.raters)), (REFERENCE, self.reference_how)]
        return {who: Counter(map(list(WAYS).__getitem__, how[how >= 0].tolist())) for who, how in of}

    @property
    def ways(self) -> list[str]:
        """Says by which way how many came to their codes."""
        *raters, right = self.tally.values()
        parts = {"diagnoses of the lists": sum(raters, Counter[str]()), "reference diagnoses": right}
        told = (", ".join(f"{how[way]:,} {words}" for way, words in WAYS.items() if how[way]) for how in parts.values())
        return [
            f"ICD-10 codes of {how.total():,} {what}: {ways or 'none'}."
            for (what, how), ways in zip(parts.items(), told, strict=True)
        ]

    @property
    def counts(self) -> Row:
        """Counts diagnoses, different strings and different codes of the lists (H-DDx, 4.3), and different codes of the references."""
        of_lists, of_references = (len(np.unique(nodes[nodes >= 0])) for nodes in (self.predicted, self.reference))
        diagnoses = int((self.how >= 0).sum())
        return {"diagnoses": diagnoses, "strings": self.n_strings, "codes": of_lists, "reference_codes": of_references}

    @property
    def coded(self) -> list[Row]:
        """Counts, for each rater and then for the reference, diagnoses and those without a code."""
        counts = [(who, how.total(), sum(how[way] for way in _WITHOUT)) for who, how in self.tally.items()]
        names = ("algorithm", "diagnoses", "without_code", "share_without_code")
        return [dict(zip(names, (who, of, none, none / of if of else None), strict=True)) for who, of, none in counts]

    @property
    def without(self) -> str:
        """Says how many diagnoses have no code; "" where each has one."""
        *raters, right = self.tally.values()
        parts = []
        for what, how in (("the lists' diagnoses", sum(raters, Counter[str]())), ("the references", right)):
            if none := sum(how[way] for way in _WITHOUT):
                parts.append(f"{none / how.total():.1%} of {what} ({none:,} of {how.total():,})")
        return " and ".join(parts)


def _providers_of(matcher: object) -> Providers | None:
    """What maps text to ICD-10 behind M; None where M has no such thing."""
    providers = getattr(matcher, "providers", None)
    return providers if isinstance(providers, Providers) and SHIPPED in providers.encoders else None


def why_no_codes(answers: Lists, matcher: object, codes: TextCodes) -> str:
    """Says what is missing to know codes of answers and right answers; "" where nothing is."""
    coded_reference = any(cell.value for cells in answers.references.more.get("icd10", []) for cell in cells)
    if not coded_reference and not any(answers.reference):
        return "a reference: rows with the role reference, or a column reference or reference_icd10"
    if _providers_of(matcher) is None and codes.table is None and codes.mapping is None:
        instead = "or a match function that maps text to ICD-10, or a table of codes"
        if not answers.cells("icd10")[1]:
            return f"the column icd10 ({instead})"
        if not coded_reference:
            return f"codes of the reference: icd10 in its rows, or the column reference_icd10 ({instead})"
    return ""


def coded_answers(
    alike: Sequence[Lists], k: int | None, matcher: object, codes: TextCodes
) -> tuple[list[CodedAnswers | None], list[str], list[Finding]]:
    """Codes the first k of each list, and right answers; None where something is missing, and what that is.

    A diagnosis has the codes of its cell; where that is blank, those of its text: by the table of `codes`, by its mapping, or by M's
    own, if M brings one. A word for no diagnosis has none, nor has a text that lies too far from any name of ICD-10.

    Parameters
    ----------
    alike : sequence of Lists
        The same answers, each with right answers of its own: the set of a case, the final diagnosis.
    k : int, optional
        None where nobody needs codes.

    Raises
    ------
    InputError
        For codes of the first k, or of the table, that the tree lacks, or that are of two revisions.
    """
    lacking = [why_no_codes(one, matcher, codes) for one in alike]
    if k is None or all(lacking):
        return [None for _ in alike], lacking, []
    answers, tree = alike[0], open_tree(codes.tree)
    cells, texts = answers.cells("icd10", k)
    of_right = [one.references.more.get("icd10", [()] * len(one.cases)) for one in alike]
    first = np.full(len(texts) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, cells, answers.rows)
    places = {text: Place(int(row), "icd10") for text, row in zip(texts, first[:-1].tolist(), strict=True)}
    for text, row in chain.from_iterable(chain.from_iterable(of_right)):
        if text:
            places.setdefault(text, Place(row, "icd10 of the reference"))
    of_cell = nodes_of_cells(places, tree, codes.tree, answers.source)

    # each diagnosis by its cell, or past these by its text; a cell that holds no code is blank
    blank = np.array([not of_cell[text] for text in texts] + [True])
    source = np.where(blank[cells], len(texts) + answers.entries, cells)
    top = answers.top(k)
    source = np.where(top >= 0, looked_up(source, answers.places(k)), -1)
    used, at = np.unique(source[top >= 0], return_inverse=True)
    said = [texts[i] if i < len(texts) else answers.strings[i - len(texts)] for i in used.tolist()]
    by_text = (used >= len(texts)).tolist()
    right = [_right_answers(one.reference, given, of_cell) for one, given in zip(alike, of_right, strict=True)]

    # all texts at once: what a language model is asked, it is asked in one go
    in_right = (one for cases in right for case in cases for one in case if isinstance(one, str))
    wanted = list(dict.fromkeys([*(text for text, open_ in zip(said, by_text, strict=True) if open_), *in_right]))
    of_text, findings = _of_texts(wanted, codes, matcher, tree)
    found = [of_text[text] if open_ else (of_cell[text], "column") for text, open_ in zip(said, by_text, strict=True)]
    nodes, number = padded([*(one for one, _ in found), ()]), {way: i for i, way in enumerate(WAYS)}
    predicted, how = np.full((*top.shape, nodes.shape[1]), -1, np.int32), np.full(top.shape, -1)
    predicted[top >= 0] = nodes[at]
    how[top >= 0] = np.array([number[way] for _, way in found], np.int64)[at]

    n_strings = len(np.unique(top[top >= 0]))
    out: list[CodedAnswers | None] = []
    for cases, why in zip(right, lacking, strict=True):
        coded = [[of_text[one] if isinstance(one, str) else (one, "column") for one in case] for case in cases]
        of_case = [tuple(nodes for nodes, _ in case) for case in coded]
        reference_how = np.array([number[way] for case in coded for _, way in case], np.int64)
        flat = padded(tuple(chain.from_iterable(case)) for case in of_case)
        made = CodedAnswers(answers.raters, predicted, flat, how, reference_how, of_case, n_strings, codes.told)
        out.append(None if why else made)
    return out, lacking, findings


def _right_answers(
    references: Sequence[tuple[str, ...]], cells: Sequence[tuple[Cell, ...]], nodes_of: Mapping[str, tuple[int, ...]]
) -> list[list[tuple[int, ...] | str]]:
    """Of each case, for each right answer the nodes of its cell, or where that is blank its text."""
    found: list[list[tuple[int, ...] | str]] = []
    for texts, said in zip(references, cells, strict=True):
        values = [nodes_of[cell.value] if cell.value else () for cell in said]
        if len(values) == len(texts):
            found.append([nodes or text for text, nodes in zip(texts, values, strict=True)])
        else:  # the codes are of the case as a whole
            found.append([nodes for nodes in values if nodes] or list(texts))
    return found


def _of_texts(
    texts: Sequence[str], codes: TextCodes, matcher: object, tree: IcdTree
) -> tuple[dict[str, Coded], list[Finding]]:
    """The nodes of each text and the way to them: by the table; what is not in it by the mapping, else by M's own."""
    table, providers = codes.table, _providers_of(matcher)
    out: dict[str, Coded] = dict.fromkeys(texts, ((), "none"))
    others, by = list(texts), "have no code"
    if table is not None:
        written = {cell: table.places[text] for text, cell in reversed(list(table.cells.items())) if cell}
        nodes_of = nodes_of_cells(written, tree, codes.tree, table.source)
        cells = {text: cell for text in texts if (cell := table.cell(text)) is not None}
        out |= {text: (nodes_of[cell], "table") if cell else ((), "not in table") for text, cell in cells.items()}
        others = [text for text in texts if text not in cells]
    if others and codes.mapping is not None:
        by = f"have their codes by {codes.by}"
        for text, one in zip(others, codes.mapping(others), strict=True):
            out[text] = () if one.icd10 is None else (tree.node(one.icd10),), one.how
    elif others and providers is not None:
        by = "have their codes by the mapping of the match function"
        named = providers.naming.to_code(others)
        names = list(dict.fromkeys(one.name for one in named))
        found = providers.icd_index(codes.tree, SHIPPED, sections=True).assign(names)
        of_name = dict(zip(names, zip(found.nodes.tolist(), found.how.tolist(), strict=True), strict=True))
        for text, one in zip(others, named, strict=True):
            # what is denied or not understood has no code
            node, way = of_name[one.name] if one.no_code is None else (-1, HOW.index("unmapped"))
            out[text] = (node,) if node >= 0 else (), HOW[way]
    if table is None or not others:
        return out, []
    shown = ", ".join(map(quoted, others[:_SHOWN])) + (" …" if len(others) > _SHOWN else "")
    return out, [Finding("codes", len(others), len(texts), table.source, f"{by}: {shown}")]


def text_codes(
    codes: Codes, matcher: Matcher, asking: Asking, encoding: str | None, progress: Progress | None = None
) -> TextCodes:
    """Makes of the options of an evaluation what codes its texts.

    Raises
    ------
    InputError
        For a table that cannot be right.
    OptionError
        For a preset that asks a language model about every diagnosis, without one.
    """
    known = matcher if isinstance(matcher, MatchFunction) else None
    mapper = IcdMapper(tree=codes.tree, preset=codes.preset, pick=codes.pick, matcher=known, asking=asking)
    table, how, tree = (
        None if codes.table is None else read_codes(codes.table, encoding),
        mapper.how,
        os.fspath(codes.tree),
    )
    ways = ", ".join(filter(None, (how.encoder, how.distance, how.entries)))
    if codes.pick is None and not ways:
        return TextCodes(table, tree=tree)

    def mapping(texts: Sequence[str]) -> list[Mapped]:
        m = mapper.m
        readable = [text for text in texts if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
        coded = zip(readable, m.providers.naming.to_code(readable), strict=True)
        # what is denied or not understood has no code, and no model is paid for it
        asked = [text for text, one in coded if one.no_code is None or m.judge_all]
        of_text: dict[str, Mapped] = {}
        if asked:
            found = map_icd(Diagnoses.of(asked), mapper, progress=progress).table.select(["icd10", "how"])
            of_text = {text: Mapped(**row) for text, row in zip(asked, found.to_pylist(), strict=True)}
        return [of_text.get(text, Mapped(None, "unmapped")) for text in texts]

    by = f"the picks of {codes.pick}" if codes.pick else "the nearest names"
    by = by if how.direct else f"{by}, asked about every text"
    return TextCodes(table, mapping, f"{by} ({ways})" if ways else by, tree)
