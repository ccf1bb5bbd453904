"""The result of an audit, as tables."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ...pages.rows import json_rows

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
MISSED, FALSE = "missed", "false"
"""The two errors: a match that M does not find, a non-match that it takes for one."""

DECIDED = {"precision": "precision", "recall": "recall", "f1": "F1", "accuracy": "accuracy"}
"""What is measured of whoever says yes or no, and its heading."""


@dataclass(frozen=True)
class AuditTables:
    """What an audit found. A table is None where it could not be made; `left_out` says why. What is undefined is null.

    Log-odds are M's raw ones, before calibration. What rests on the trees looks only at pairs that differ after
    normalisation: the others match without them.

    features : feature, family, label (what it says), known (share of the pairs), strength (mean |contribution|), share (of all strengths),
        same_as (a group of features that say nearly the same, each two of |rho| >= 0.9).
    contributions : a row for each pair of the sample: a, b, label, match, probability, raw, base, and for each feature its
        value and its contribution (`shap_<feature>`).
    permutation : name, flipped (share of decisions that change), and with labels ap_lost, f1_lost, each with _low, _high:
        what shuffling one feature costs.
    families : the same, and `way`, for whole families of features: shuffled, unknown, and where asked for trained without.
    alone : M and each feature as a match function by itself, on the labelled pairs that differ: feature, family, label, rule (as it is,
        from, up to), threshold, known, pairs, matches, and precision, recall, f1, accuracy, each with _low, _high.
    voters : where asked for, which n of m voters to ask: way, n, of, voters, yes (how many of them must say yes), folds (in how many the
        same were chosen), pairs, matches, the measures of `alone`, f1_same_pairs (on the pairs that chose them).
    dropped : where asked for, the features that correlate: feature, with, rho, importance (average precision alone).
    correlations : first, second, spearman, pearson, pairs (that know both).
    histogram : from, to, pairs, matches, others: how many pairs have which probability.
    measures : pairs ("all", "not identical"), measure, value, low, high.
    reliability : from, to, pairs, mean_probability, matches (share), low, high.
    kinds : error ("missed", "false"), kind, says, pairs, wrong, share.
    worst : error, kind, a, b, reference, probability: the surest errors of each kind.
    references : reference, pairs, matches, missed, false, wrong, share: those with most errors.
    words : the findings. notes : what the reader should know. made_with : settings and counts.
    """

    features: pa.Table
    contributions: pa.Table
    permutation: pa.Table
    families: pa.Table
    alone: pa.Table | None
    voters: pa.Table | None
    dropped: pa.Table | None
    correlations: pa.Table
    histogram: pa.Table
    measures: pa.Table | None
    reliability: pa.Table | None
    kinds: pa.Table | None
    worst: pa.Table | None
    references: pa.Table | None
    words: list[list[str]]
    notes: list[str]
    left_out: dict[str, str]
    made_with: dict[str, Any]

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those that were made, by name."""
        return {name: table for name in TABLES if (table := getattr(self, name)) is not None}

    def __str__(self) -> str:
        return "\n".join(line for lines in self.words for line in lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "words": self.words,
            "notes": self.notes,
            "left_out": self.left_out,
            "made_with": self.made_with,
            "tables": {name: json_rows(table.to_pylist()) for name, table in self.tables.items()},
        }


TABLES = tuple(field.name for field in fields(AuditTables) if "Table" in str(field.type))
