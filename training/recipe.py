"""How a match function is trained: every choice, checked, in one place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..features.coverage import MIN_COVERAGE
from ..files.pairs import REFUSE
from ..terms.diseases.graph import DiseaseGraph
from .conflicts import check_on_conflict
from .contained import check_contained
from .correlated import check_drop_correlated
from .engines.engine import EXPORTED, check_engine
from .engines.fitted import TIME_LIMIT
from .examples import Extra
from .statistics.threshold import Rule, check_prevalence


@dataclass(frozen=True)
class Recipe:
    """How to train.

    Parameters
    ----------
    features : str or path
        A built-in feature set, or a TOML file.
    engine : str
        "lightgbm"; or "autogluon", which searches for `time_limit` seconds.
    a, b, label : str
        The columns of the two diagnoses and of the label, 0 or 1; without that column, one `label_<name>` per expert, of
        which the majority decides (a tie or blank needs `adjudicated`).
    soft : str, optional
        A column with the share of votes for "match", in [0, 1]; the name of `label` stands for the experts' own votes. A
        pair that voters are divided on is learned as both, in that proportion. Measured on the labels all the same.
    weight : str, optional
        The column of the pairs' weights, above 0.
    group : str, optional
        The column of the reference diagnosis, `a` if not given. All rows of one reference (after normalisation) lie on one
        side of every split.
    contained : str
        What becomes of pairs labelled 0 although the words of one side contain the other's ("leukemia", "acute leukemia"):
        "keep" them, "set-aside", or "match": label them 1.
    on_conflict : str
        What becomes of a pair with two labels: "refuse" makes an error of it, "majority" learns from the rows that say what more than half of
        its rows do (from none of a tie), "drop" from none.
    test_share : float
        The share of references held out, in [0, 1); with 0 nothing is held out and the measurements are out-of-fold.
    folds : int
        The folds over the remaining references; the members of one fold have not seen its references.
    threshold_rule : str, optional
        How the threshold is chosen from out-of-fold probabilities: "minimax_f1" (the F1 that holds best where another share
        of pairs matches), "max_f1", "half", "precision=0.95", "recall=0.9". "minimax_f1" if not given, or "max_f1" where
        the prevalence is.
    prevalence : float, optional
        The share of matches, in (0, 1), among the pairs that M will see, equal ones apart. Probabilities, threshold and
        measurements are for such data; for data like the labelled pairs if not given.
    time_limit : float
        Seconds.
    models : str
        What "autogluon" tries: families by AutoGluon's names, "GBM,CAT,XGB,RF,XT,NN_TORCH", or "default" for all of its own. M is
        always made of LightGBM's trees ("GBM"); where another family wins, the card says by how much.
    drop_correlated : float, optional
        Train without the features whose Spearman correlation with a better one is that strong, in (0, 1]; see `training.correlated`.
    refit : bool
        After the measurement, train once more with the held-out references too.
    store : path, optional
        The vote store, for a feature set with votes or picks. It is read; `dxmatch votes ask` fills it.
    endpoints : path, optional
        A TOML file whose `[endpoint.NAME]` tables go before those of the feature set.
    allow_download : bool
        The hub may be asked for an encoder that the set declares by its name. Without it what the hub's cache holds is taken,
        offline: also in your own file a name alone may be a mistyped folder, and a download be a surprise.
    min_coverage : float
        The smallest share of pairs that each vote and pick must be known for; fewer are refused.
    abbreviations : mapping, optional
        Your own, `{"NASH": "nonalcoholic steatohepatitis"}`; stored with the model.
    extra : Extra or sequence of Extra, optional
        Training-only pairs, such as silver pairs. One of which a name is a held-out reference is not learned from.
    encoder : path, optional
        A folder that `dxmatch.training.encoder` made, to use in place of the shipped static encoder.
    graph : DiseaseGraph, optional
        The graph of diseases, in place of the shipped one.
    keep_encoders : bool
        The model folder also holds the sentence-transformers encoders that lie in folders, so that it can be moved; else it knows them by the
        names of their folders, and `load` is told where they are.
    about : str
        What the model's card shall say on purpose, sources, licences and limits.
    name : str
        Of the model.
    seed : int
        Random seed for splits, trees and resampling.
    rejects : path, optional
        A file for rows that cannot be right; without it the first of them is an `InputError`.

    Raises
    ------
    OptionError
        For a value that is not allowed.
    MissingExtra
        Where the engine's library is absent.
    """

    features: str | os.PathLike[str] = "offline"
    engine: str = "lightgbm"
    a: str = "a"
    b: str = "b"
    label: str = "label"
    soft: str | None = None
    weight: str | None = None
    group: str | None = None
    contained: str = "keep"
    on_conflict: str = REFUSE
    test_share: float = 0.2
    folds: int = 5
    threshold_rule: str | None = None
    prevalence: float | None = None
    time_limit: float = TIME_LIMIT
    models: str = EXPORTED
    drop_correlated: float | None = None
    refit: bool = False
    store: str | os.PathLike[str] | None = None
    endpoints: str | os.PathLike[str] | None = None
    allow_download: bool = False
    min_coverage: float = MIN_COVERAGE
    abbreviations: Mapping[str, str] | None = None
    extra: Extra | Sequence[Extra] | None = None
    encoder: str | os.PathLike[str] | None = None
    graph: DiseaseGraph | None = None
    keep_encoders: bool = False
    about: str = ""
    name: str = "match-function"
    seed: int = 0
    rejects: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        check_engine(self.engine, self.time_limit, self.models)
        check_drop_correlated(self.drop_correlated)
        check_prevalence(self.prevalence)
        check_contained(self.contained)
        check_on_conflict(self.on_conflict)
        _ = self.rule

    @property
    def rule(self) -> Rule:
        return Rule.parse(self.threshold_rule or ("minimax_f1" if self.prevalence is None else "max_f1"))
