"""The choices of a training: what is said of the labels, how they are split, what the features are computed with, what M is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from ..options import Between, File, Options, Output, Table
from ..terms.diseases.graph import DiseaseGraph


@dataclass(frozen=True, kw_only=True)
class Extra(Options):
    """Pairs to learn from besides those of the experts, such as silver pairs.

    Parameters
    ----------
    pairs : path or data frame
        With the columns `a`, `b` and `label`; an own column `weight` is not read.
    weight : float
        How much one of these pairs counts beside one of the experts', above 0.
    encoder : path, optional
        The folder of a static encoder to compute these pairs' features with, in place of the model's own. An encoder that was trained on
        the synonyms that these pairs are made of finds them too easy, and the trees would trust it more than they may.
    graph : DiseaseGraph, optional
        The graph of diseases for these pairs, in place of the model's own, for the same reason.
    """

    pairs: Table
    weight: Annotated[float, Between(0, apart=True)] = 1.0
    encoder: File | None = None
    graph: DiseaseGraph | None = None


@dataclass(frozen=True, kw_only=True)
class LabelRules(Options):
    """What is learned of the labelled pairs, and what besides them.

    Parameters
    ----------
    contained : str
        What becomes of pairs labelled 0 although the words of one side contain the other's ("leukemia", "acute leukemia"): "keep" them,
        "set-aside", or "match": label them 1.
    on_conflict : str
        What becomes of a pair with two labels: "refuse" makes an error of it, "majority" learns from the rows that say what more than half
        of its rows do (from none of a tie), "drop" from none.
    extra : path or Extra, or several, optional
        More labelled pairs (a, b, label) to learn from, never to measure on, such as silver pairs. One of which a name is a held-out
        reference is not learned from.
    extra_weight : float
        How much one pair of these tables counts beside one of the experts', above 0; an `Extra` has a weight of its own.
    abbreviations : mapping or path, optional
        Your own, and corrections: a word or several, in any case, and what they are read as, `{"NASH": "nonalcoholic steatohepatitis", "hrt
        attk": "heart attack"}`, or a table with the columns abbreviation, expansion; stored with the model.
    """

    contained: Literal["keep", "set-aside", "match"] = "keep"
    on_conflict: Literal["refuse", "majority", "drop"] = "refuse"
    extra: File | Extra | Sequence[File | Extra] | None = None
    extra_weight: Annotated[float, Between(0, apart=True)] = 0.5
    abbreviations: Mapping[str, str] | File | None = None

    @property
    def extras(self) -> list[Extra]:
        """`extra` as a list."""
        several = isinstance(self.extra, list | tuple)
        given: Any = self.extra if several else [] if self.extra is None else [self.extra]
        return [one if isinstance(one, Extra) else Extra(pairs=one, weight=self.extra_weight) for one in given]


@dataclass(frozen=True, kw_only=True)
class Split(Options):
    """Which references M is measured on, and which it learns from.

    Parameters
    ----------
    test_share : float
        The share of references held out, below 1; with 0 nothing is held out and the measurements are out-of-fold.
    folds : int
        The folds over the remaining references; the members of one fold have not seen its references.
    seed : int
        Of splits, trees and resampling.
    refit : bool
        After the measurement, train once more with the held-out references too.
    held_out : path, optional
        A file for the rows of the held-out references.
    """

    test_share: Annotated[float, Between(0, 0.99)] = 0.2
    folds: Annotated[int, Between(2)] = 5
    seed: Annotated[int, Between(0)] = 0
    refit: bool = False
    held_out: Output | None = None


@dataclass(frozen=True, kw_only=True)
class Encoders(Options):
    """What the features of a training are computed with, beside the feature set.

    Parameters
    ----------
    folder : path, optional
        A static encoder that `dxmatch.recipe.encoder` made, in place of the shipped one.
    graph : DiseaseGraph, optional
        The graph of diseases, in place of the shipped one.
    allow_download : bool
        The hub may be asked for an encoder that the set declares by its name. Without it what the hub's cache holds is taken, offline: also
        in your own file a name alone may be a mistyped folder, and a download be a surprise.
    """

    folder: File | None = None
    graph: DiseaseGraph | None = None
    allow_download: bool = False


@dataclass(frozen=True, kw_only=True)
class About(Options):
    """What a model is called, and what its card says beside the measurements.

    Parameters
    ----------
    name : str
        Of the model.
    text : str
        On purpose, sources, licences and limits.
    """

    name: str = "match-function"
    text: str = ""
