"""Which column of a table of labelled pairs is what."""

from __future__ import annotations

from dataclasses import dataclass

from ..options import Options


@dataclass(frozen=True, kw_only=True)
class PairColumns(Options):
    """The columns of labelled pairs.

    Parameters
    ----------
    a, b : str
        The two diagnoses of each pair.
    label : str
        The label, 0 or 1; without that column, one `label_<name>` for each expert, of which the majority decides (a tie or a blank needs
        `adjudicated`).
    soft : str, optional
        The share of votes for "match", in [0, 1]; the name of `label` stands for the experts' own votes. A pair that voters are divided on
        is learned as both, in that proportion. Measured on the labels all the same.
    weight : str, optional
        The weights of the pairs, above 0.
    group : str, optional
        The reference diagnosis, `a` if not given. All rows of one reference (after normalisation) lie on one side of every split.
    """

    a: str = "a"
    b: str = "b"
    label: str = "label"
    soft: str | None = None
    weight: str | None = None
    group: str | None = None
