"""ICD-10 as a judge: the nodes of answers and right answers, by the codes given, else by their texts: a table, then a mapping."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...features.providers import SHIPPED
from ...files.invisible import read_visible
from ...files.limits import MAX_CHARACTERS
from ...matcher.icd_mapping import IcdMapper, map_icd
from ...matcher.icd_strings import Diagnoses
from ...matcher.match_function import MatchFunction
from ...matcher.protocol import Matcher
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.sources import open_tree
from ...terms.icd.tree import IcdTree
from ...votes.asking_options import Asking
from ..read.findings import Finding
from ..read.lists import Cell, Lists, looked_up
from .options import Codes

How = NDArray[np.integer]
Coded = tuple[tuple[int, ...], str]
"""The nodes of a diagnosis, and the way to them."""
DIAGNOSIS, CODE = "diagnosis", "icd10"
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
    by : where codes of texts came from before M's own mapping, in words.
    tree : "icd10cm", "icd10", or a path.
    """

    raters: list[str]
    predicted: Nodes
    reference: Nodes
    how: How
    reference_how: How
    reference_nodes: Sequence[tuple[tuple[int, ...], ...]]
    by: str = ""
    tree: str = "icd10cm"

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
        sides = {"diagnoses of the lists": sum(raters, Counter[str]()), "reference diagnoses": right}
        told = (", ".join(f"{how[way]:,} {words}" for way, words in WAYS.items() if how[way]) for how in sides.values())
        return [
            f"ICD-10 codes of {of.total():,} {what}: {how or 'none'}."
            for (what, of), how in zip(sides.items(), told, strict=True)
        ]

    @property
    def coded(self) -> list[Row]:
        """Counts, for each rater and then for the reference, diagnoses and those without a code."""
        counts = [(who, how.total(), sum(how[way] for way in _WITHOUT)) for who, how in self.tally.items()]
        names = ("algorithm", "diagnoses", "without_code", "share_without_code")
        return [dict(zip(names, (who, of, none, none / of if of else None), strict=True)) for who, of, none in counts]


def read_codes(codes: Any, encoding: str | None = None) -> tuple[str, dict[str, tuple[str, Place]]]:
    """The table that `dxmatch icd --unique` writes, or any with its columns diagnosis and icd10; or {diagnosis: code}.

    Source: H-DDx's canonical reference table (3.2), the same for all models.

    Returns
    -------
    str, for errors and sentences; and each diagnosis, as `same_text` writes it, with its codes as written, apart by ; or | ("" where the
    table says that it has none), and their place.

    Raises
    ------
    InputError
        For a missing column, a blank diagnosis, or a diagnosis that stands there twice with different codes; capitals and blanks make no
        difference.
    """
    if isinstance(codes, Mapping) and DIAGNOSIS not in codes:
        codes = [{DIAGNOSIS: text, CODE: code} for text, code in codes.items()]
    table = read_visible(codes, encoding)
    table.require(DIAGNOSIS, "as the models write it")
    table.require(CODE, "its code")
    cells: dict[str, tuple[str, Place]] = {}
    both = zip(table.required_text(DIAGNOSIS).to_pylist(), table.text(CODE).to_pylist(), strict=True)
    for row, (text, cell) in enumerate(both):
        first = cells.setdefault(same_text(text), (cell or "", Place(table.row_number(row), CODE)))
        if first[0] != (cell or ""):
            problem = f"{quoted(text)} has other codes here than in row {first[1].row}"
            allowed = "one row for each diagnosis, or the same codes in all of its rows"
            raise table.error(problem, row, CODE, allowed=allowed)
    return table.source, cells


def same_text(text: str) -> str:
    """A text in small letters, with single blanks."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True)
class TextCodes:
    """The ways from text to code.

    table : looked in first, as `read_codes` gives it. mapper : what maps the others; None where nothing does. tree : of the codes. by : the ways that were asked
    for, in words; "" for M's own mapping alone.
    """

    table: tuple[str, Mapping[str, tuple[str, Place]]] | None = None
    mapper: IcdMapper | None = None
    tree: str = "icd10cm"
    by: str = ""

    def of(
        self, texts: Sequence[str], tree: IcdTree, progress: Progress | None
    ) -> tuple[dict[str, Coded], list[Finding]]:
        """Finds the nodes of each text and the way to them."""
        out: dict[str, Coded] = dict.fromkeys(texts, ((), "none"))
        source, table = self.table or ("", {})
        nodes_of = nodes_of_cells(
            {cell: at for cell, at in reversed([*table.values()]) if cell}, tree, self.tree, source
        )
        cells = {text: table[key][0] for text in texts if (key := same_text(text)) in table}
        out |= {text: (nodes_of[cell], "table") if cell else ((), "not in table") for text, cell in cells.items()}
        others = [text for text in texts if text not in cells]
        if others and self.mapper is not None:
            out |= _mapped(others, self.mapper, tree, progress)
        if self.table is None or not others:
            return out, []
        by = "have no code" if self.mapper is None else "have their codes by the mapping"
        shown = ", ".join(map(quoted, others[:_SHOWN])) + (" …" if len(others) > _SHOWN else "")
        return out, [Finding("codes", len(others), len(texts), source, f"{by}: {shown}")]


def _mapped(texts: Sequence[str], mapper: IcdMapper, tree: IcdTree, progress: Progress | None) -> dict[str, Coded]:
    """What is denied or not understood has no code, and no model is paid for it."""
    m, out = mapper.m, dict[str, Coded]()
    readable = [text for text in texts if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
    coded = zip(readable, m.providers.naming.to_code(readable), strict=True)
    if asked := [text for text, one in coded if one.no_code is None or m.judge_all]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is said beside a diagnosis changes no verdict here
            found = map_icd(Diagnoses.of(asked), mapper, progress=progress).table
        codes, ways = (found[name].to_pylist() for name in (CODE, "how"))
        nodes: list[tuple[int, ...]] = [() if code is None else (tree.node(code),) for code in codes]
        out = dict(zip(asked, zip(nodes, ways, strict=True), strict=True))
    return {text: out.get(text, ((), "unmapped")) for text in texts}


def text_codes(codes: Codes, matcher: Matcher, asking: Asking, encoding: str | None = None) -> TextCodes:
    """Makes of the options of an evaluation what codes its texts.

    Raises
    ------
    InputError
        For a table that cannot be right.
    OptionError
        For a preset that asks a language model about every diagnosis, without one.
    """
    maps = isinstance(matcher, MatchFunction) and SHIPPED in matcher.providers.encoders
    # without a pick the nearest name is all that is needed
    mapper = IcdMapper(
        k=1 if codes.pick is None else None, tree=codes.tree, preset=codes.preset, pick=codes.pick,
        matcher=matcher if isinstance(matcher, MatchFunction) and maps else None, asking=asking,
    )  # fmt: skip
    table = None if codes.table is None else read_codes(codes.table, encoding)
    ways = ", ".join(filter(None, (mapper.how.encoder, mapper.how.distance, mapper.how.entries)))
    by = [] if table is None else [f"the table {table[0]}"]
    if codes.pick is not None or ways:
        who = f"the picks of {codes.pick}" if codes.pick else "the nearest names"
        by.append(who + ("" if mapper.how.direct else ", asked about every text") + (f" ({ways})" if ways else ""))
        maps = True
    return TextCodes(table, mapper if maps else None, os.fspath(codes.tree), ", then ".join(by))


def _why_no_codes(answers: Lists, codes: TextCodes) -> str:
    """Says what is missing to know codes of answers and right answers; "" where nothing is."""
    coded_right = any(cell.value for cells in answers.references.more.get(CODE, []) for cell in cells)
    if not coded_right and not any(answers.reference):
        return "a reference: rows with the role reference, or a column reference or reference_icd10"
    if codes.mapper is None and codes.table is None and not (answers.cells(CODE)[1] and coded_right):
        missing = "reference_icd10" if answers.cells(CODE)[1] else CODE
        return f"the column {missing} (or a match function that maps text to ICD-10, or a table of codes)"
    return ""


def coded_answers(
    alike: Sequence[Lists], k: int | None, codes: TextCodes, progress: Progress | None = None
) -> tuple[list[CodedAnswers | None], list[str], list[Finding]]:
    """Codes the first k of each list, and right answers; None where something is missing, and what that is.

    A diagnosis has the codes of its cell; where that is blank, those of its text, by the ways of `codes`. A word for no diagnosis has none, nor has a text that lies too far from any name of ICD-10.

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
    lacking = [_why_no_codes(one, codes) for one in alike]
    if k is None or all(lacking):
        return [None for _ in alike], lacking, []
    answers, tree = alike[0], open_tree(codes.tree)
    cells, texts = answers.cells("icd10", k)
    of_right = [one.references.more.get("icd10", [()] * len(one.cases)) for one in alike]
    first = np.full(len(texts) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, cells, answers.rows)
    places = {text: Place(int(row), "icd10") for text, row in zip(texts, first[:-1].tolist(), strict=True)}
    for cell in chain.from_iterable(chain.from_iterable(of_right)):
        if cell.value:
            places.setdefault(cell.value, Place(cell.row, "icd10 of the reference", cell.source))
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
    of_text, findings = codes.of(wanted, tree, progress)
    found = [of_text[text] if open_ else (of_cell[text], "column") for text, open_ in zip(said, by_text, strict=True)]
    nodes, number = padded([*(one for one, _ in found), ()]), {way: i for i, way in enumerate(WAYS)}
    predicted, how = np.full((*top.shape, nodes.shape[1]), -1, np.int32), np.full(top.shape, -1)
    predicted[top >= 0] = nodes[at]
    how[top >= 0] = np.array([number[way] for _, way in found], np.int64)[at]

    out: list[CodedAnswers | None] = []
    for cases, why in zip(right, lacking, strict=True):
        coded = [[of_text[one] if isinstance(one, str) else (one, "column") for one in case] for case in cases]
        of_case = [tuple(nodes for nodes, _ in case) for case in coded]
        reference_how = np.array([number[way] for case in coded for _, way in case], np.int64)
        flat = padded(tuple(chain.from_iterable(case)) for case in of_case)
        made = CodedAnswers(answers.raters, predicted, flat, how, reference_how, of_case, codes.by, codes.tree)
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
