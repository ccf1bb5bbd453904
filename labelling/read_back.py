"""From filled sheets and exports to labelled pairs, and how far the experts agree."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError, OptionError
from ..files.counted import counted
from ..files.pair_labels import BLANK, majority_of
from ..training.expert_agreement import agreement_words, expert_agreement
from . import label_studio, sheet
from .answer_file import key_of
from .console_files import ConsoleLabels, read_console
from .sheet import Answered
from .suggestion import RANDOM, Suggestion, check_experts


@dataclass(frozen=True)
class Labels:
    """What came back.

    answered : by expert. adjudicated : the answers to what the experts left open, None where no such sheet was read.
    reviewed : those of one more expert who went over every pair, as the source has its test set reviewed; they go before the panel's.
    """

    suggestion: Suggestion
    answered: Mapping[str, Answered]
    adjudicated: Answered | None = None
    reviewed: Answered | None = None

    @cached_property
    def ballots(self) -> NDArray[np.int8]:
        """int8[n, k] of 0, 1 and -1 for a blank, in the key's order."""
        return np.stack([self._in_order(one.answers) for one in self.answered.values()], axis=1)

    @cached_property
    def final(self) -> NDArray[np.int8]:
        """int8[n]: the answers of the adjudicator, -1 where there is none."""
        return self._in_order({} if self.adjudicated is None else self.adjudicated.answers)

    def _in_order(self, answers: Mapping[str, int]) -> NDArray[np.int8]:
        return np.array([answers.get(i, BLANK) for i in self.suggestion.key["id"].to_pylist()], np.int8)

    @cached_property
    def review(self) -> NDArray[np.int8]:
        """int8[n]: the answers of the reviewer, -1 where there is none."""
        return self._in_order({} if self.reviewed is None else self.reviewed.answers)

    @property
    def label(self) -> NDArray[np.int8]:
        """int8[n]: what the reviewer says, else `before_review`; -1 where it is open."""
        return np.where(self.review == BLANK, self.before_review, self.review)

    @cached_property
    def before_review(self) -> NDArray[np.int8]:
        """int8[n]: what more than half of the panel say, else the adjudicator; -1 where both leave it open."""
        return majority_of(self.ballots, self.final)

    @property
    def table(self) -> pa.Table:
        """id, a, b, chosen, `label_<expert>` (0, 1 or null), `adjudicated`, after a review `reviewed` and `label`: what `dxmatch train` reads."""
        columns: dict[str, Any] = {
            name: self.suggestion.key.column(name)
            for name in ("id", "a", "b", "chosen")
            if name in self.suggestion.key.column_names
        }
        for expert, votes in zip(self.answered, self.ballots.T, strict=True):
            columns[f"label_{expert}"] = _votes(votes)
        columns["adjudicated"] = _votes(self.final)
        if self.reviewed is not None:
            columns |= {"reviewed": _votes(self.review), "label": _votes(self.label)}
        return pa.table(columns)

    @property
    def open(self) -> pa.Table:
        """The pairs of the key without a majority, and not adjudicated."""
        return self.suggestion.key.filter(pa.array(self.label == BLANK))

    def write_open(self, path: str | os.PathLike[str]) -> None:
        """A sheet of the open pairs, blind like the experts' own."""
        sheet.write(sheet.questions(self.open, "adjudicator", self.suggestion.made_with["seed"]), Path(path))

    def write_review(self, path: str | os.PathLike[str]) -> None:
        """A sheet of every pair, blind like the experts' own, for one who reviews them."""
        sheet.write(sheet.questions(self.suggestion.key, "reviewer", self.suggestion.made_with["seed"]), Path(path))

    def _review_words(self) -> list[str]:
        if self.reviewed is None:
            return []
        both = (self.review != BLANK) & (self.before_review != BLANK)
        to_match, to_other = (int((both & (self.review == v) & (self.before_review != v)).sum()) for v in (1, 0))
        return [
            f"The review answers {int((self.review != BLANK).sum()):,} of {len(self.review):,} pairs and goes before the panel: {to_match:,} labels "
            f"become a match, {to_other:,} no match, {int(both.sum()) - to_match - to_other:,} stay."
        ]

    def words(self) -> list[str]:
        """A line for each expert, then agreement, what is open, and what the pairs drawn at random tell."""
        total = len(self.suggestion)
        width = max(map(len, self.answered))
        lines = [
            f"{expert:<{width}}  {total - one.unsure - one.blank:,} of {total:,} answered, {one.unsure:,} unsure, {one.blank:,} blank."
            for expert, one in self.answered.items()
        ]
        lines += [agreement_words(expert_agreement(self.ballots)), *self._review_words()]
        decided, count = int((self.label != BLANK).sum()), len(self.open)
        lines.append(f"{counted(decided, 'pair')} decided, {int((self.label == 1).sum()):,} of them matches.")
        if count:
            lines.append(
                f"{count:,} without a majority: {'it needs' if count == 1 else 'they need'} adjudication before 'dxmatch train' takes them."
            )
        return lines + self._chance_words()

    def _chance_words(self) -> list[str]:
        if "chosen" not in self.suggestion.key.column_names:
            return []
        from scipy.stats import binomtest

        drawn = np.array(self.suggestion.key.column("chosen").to_pylist()) == RANDOM
        known = drawn & (self.label != BLANK)
        if not known.any():
            return []
        found, pairs = int((self.label[known] == 1).sum()), int(known.sum())
        low, high = binomtest(found, pairs).proportion_ci(method="wilson")
        said = float(self.suggestion.key.column("probability").to_numpy()[known].mean())
        undecided = int(drawn.sum()) - pairs
        return [
            f"Of {pairs:,} pairs drawn at random {found:,} match: {_percent(found / pairs)} of the pool [{_percent(low)}, "
            f"{_percent(high)}]; the model expected {_percent(said)}."
            + (f" {undecided:,} more are undecided." if undecided else "")
        ]


def read_labels(
    folder: str | os.PathLike[str] | None,
    *,
    console: Sequence[str | os.PathLike[str]] = (),
    experts: Sequence[str] | None = None,
    exports: Mapping[str, str | os.PathLike[str]] | None = None,
    shared_exports: Sequence[str | os.PathLike[str]] = (),
    annotators: Mapping[str, str] | None = None,
    adjudicated: str | os.PathLike[str] | None = None,
    reviewed: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
) -> Labels:
    """Reads what the experts returned for the suggestion in `folder`, joined by id.

    Parameters
    ----------
    folder : None for what was labelled in the console alone, without a suggestion.
    console : files that `label` wrote, joined by the pair in either order; the sheet of their experts is not read.
    experts : the panel; all whom the suggestion was made for, if not given.
    exports : expert -> an export of Label Studio that is theirs alone; their sheet is not read then.
    shared_exports : exports with answers of several; `annotators` says who is who, by user id or e-mail address.
    adjudicated : the filled sheet that `Labels.write_open` made.
    reviewed : the filled sheet that `Labels.write_review` made; lines may be left out.
    encoding : of sheets that are not UTF-8.

    Errors: `InputError` for a sheet that is missing or cannot be right, with the row; `OptionError` for an unknown expert.
    """
    said = read_console(console, encoding)
    suggestion = said.suggestion if folder is None else Suggestion.read(folder)
    panel = tuple(suggestion.experts if experts is None else experts)
    check_experts(panel)
    exports, annotators = exports or {}, annotators or {}
    for name, given, allowed in (
        ("experts", panel, suggestion.experts), ("console", said.labels, suggestion.experts), ("exports", exports, panel), ("annotators", annotators.values(), panel),
    ):  # fmt: skip
        for expert in given:
            if expert not in allowed:
                raise OptionError(name, f"of the experts {', '.join(allowed)}", expert)
    found = {expert: said.of_key(suggestion.key, expert) for expert in said.labels if expert in panel}
    _tell_others(said, suggestion)
    parts = [label_studio.read_export(Path(path), suggestion.key, {}, expert) for expert, path in exports.items()]
    parts += [label_studio.read_export(Path(path), suggestion.key, annotators) for path in shared_exports]
    for part in parts:
        for expert, answered in part.items():
            if expert in found:
                raise InputError(f"answers of {expert} in two files", allowed="one file for each expert")
            found[expert] = answered
    for expert in panel:
        if expert not in found and folder is not None:
            found[expert] = _sheet(Path(folder), expert, suggestion, encoding)
    final, review = (
        None if path is None else sheet.read(Path(path), suggestion.key, whole=False, encoding=encoding)
        for path in (adjudicated, reviewed)
    )
    return Labels(suggestion, {expert: found[expert] for expert in panel}, final, review)


def _tell_others(said: ConsoleLabels, suggestion: Suggestion) -> None:
    asked = {key_of(row["a"], row["b"]) for row in suggestion.key.select(["a", "b"]).to_pylist()}
    if others := len(said.pairs.keys() - asked):
        verb = "is" if others == 1 else "are"
        warnings.warn(
            f"{counted(others, 'pair')} labelled in the console {verb} not of the suggestion, and {verb} left out.",
            stacklevel=3,
        )


def _sheet(folder: Path, expert: str, suggestion: Suggestion, encoding: str | None) -> Answered:
    path = folder / sheet.FOLDER / f"{expert}.csv"
    if not path.is_file():
        raise InputError(
            f"the sheet of {expert} is missing", source=str(path),
            allowed="the filled sheet, an export of Label Studio, or a panel without this expert (--experts)",
        )  # fmt: skip
    return sheet.read(path, suggestion.key, encoding=encoding)


def _votes(votes: NDArray[np.int8]) -> pa.Array:
    return pa.array(votes, mask=votes == BLANK)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
