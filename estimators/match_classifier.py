"""The training of a match function as a classifier of scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, check_consistent_length, check_random_state, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..errors import OptionError, quoted, warn
from ..features.compute import MIN_COVERAGE
from ..files.reading import PairColumns
from ..training.engines.autogluon_engine import ENGINES, EXPORTED, TIME_LIMIT, AutoGluon
from ..training.engines.lightgbm_engine import LightGBM
from ..training.options import About, Encoders, Extra, LabelRules, Split
from ..training.statistics.threshold import Threshold
from ..training.train import train
from ..votes.asking_options import Asking
from .pairs_of import as_frame, pairs_of

MATCH_WORDS = frozenset({"true", "yes", "y", "match", "same", "positive"})
"""Labels that mean a match where the other one is none of them; 1 does where it is the higher one."""
_LABEL, _WEIGHT, _GROUP = "y", "sample_weight", "groups"


class MatchClassifier(ClassifierMixin, BaseEstimator):
    """`dxmatch.train` as a classifier of scikit-learn: labelled pairs in, a match function out.

    Parameters
    ----------
    features, engine, contained, on_conflict, test_share, folds, threshold_rule, prevalence, time_limit, models, drop_correlated, refit, store, \
endpoints, allow_download, min_coverage, abbreviations, extra, encoder, about, name
        As the objects that `dxmatch.train` takes have them, in flat: `threshold_rule` is `Threshold.rule`, `encoder` is
        `Encoders.folder`, `about` is `About.text`. `test_share` is 0: what holds pairs back is scikit-learn's cross-validation.
    a, b : str
        The columns of the two diagnoses, where X is a frame.
    group : str, optional
        The column of the reference diagnosis, where X is a frame; `a` if not given. All pairs of one reference lie in one fold of
        the training, which calibrates and chooses on pairs that a member has not seen. `groups` of `fit` goes before it.
    match_label : optional
        The label that means a match. If not given: 1, True, or the word that says so ("match", "yes", "same", …); else the last
        in sorted order, with a warning.
    judge_all : bool
        Pairs with a diagnosis that is not understood (another language, a sentence) get a probability, too: scikit-learn wants a
        prediction for each row. With False their probability is NaN, and `predict` refuses them.
    random_state : int
        The seed of folds, trees and resampling.

    Attributes
    ----------
    match_function_ : MatchFunction
        What was trained: `.save(folder)` keeps it, `.metrics` says how good it is out of fold, `.threshold` decides.
    classes_ : array of shape (2,)
        The labels, sorted.
    match_label_
        The one of them that means a match.
    n_features_in_ : int
        2: the two diagnoses.
    feature_names_in_ : object[2]
        `a` and `b`, where X was a frame.
    """

    def __init__(
        self,
        features: str | os.PathLike[str] = "offline",
        engine: str = "lightgbm",
        *,
        a: str = "a",
        b: str = "b",
        group: str | None = None,
        match_label: Any = None,
        judge_all: bool = True,
        contained: Literal["keep", "set-aside", "match"] = "keep",
        on_conflict: Literal["refuse", "majority", "drop"] = "refuse",
        test_share: float = 0.0,
        folds: int = 5,
        threshold_rule: str | None = None,
        prevalence: float | None = None,
        time_limit: float = TIME_LIMIT,
        models: str = EXPORTED,
        drop_correlated: float | None = None,
        refit: bool = False,
        store: str | os.PathLike[str] | None = None,
        endpoints: str | os.PathLike[str] | None = None,
        allow_download: bool = False,
        min_coverage: float = MIN_COVERAGE,
        abbreviations: Mapping[str, str] | None = None,
        extra: Extra | Sequence[Extra] | None = None,
        encoder: str | os.PathLike[str] | None = None,
        about: str = "",
        name: str = "match-function",
        random_state: int = 0,
    ) -> None:
        self.features = features
        self.engine = engine
        self.a = a
        self.b = b
        self.group = group
        self.match_label = match_label
        self.judge_all = judge_all
        self.contained: Literal["keep", "set-aside", "match"] = contained
        self.on_conflict: Literal["refuse", "majority", "drop"] = on_conflict
        self.test_share = test_share
        self.folds = folds
        self.threshold_rule = threshold_rule
        self.prevalence = prevalence
        self.time_limit = time_limit
        self.models = models
        self.drop_correlated = drop_correlated
        self.refit = refit
        self.store = store
        self.endpoints = endpoints
        self.allow_download = allow_download
        self.min_coverage = min_coverage
        self.abbreviations = abbreviations
        self.extra = extra
        self.encoder = encoder
        self.about = about
        self.name = name
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Trains a match function on labelled pairs, as `dxmatch.train` does.

        Parameters
        ----------
        X : frame with the columns `a` and `b`, or array-like of shape (n, 2)
        y : array-like of shape (n,)
            Two different labels.
        sample_weight : array-like of shape (n,), optional
            From 0; a pair of weight 0 is left out.
        groups : array-like of shape (n,), optional
            The reference diagnosis of each pair.

        Raises
        ------
        InputError
            For a value that is no diagnosis, a pair with two labels, too few references; with the row.
        ValueError
            As scikit-learn's, for labels that are not of two classes.
        """
        a, b = pairs_of(self, X, reset=True)
        check_consistent_length(a, y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, a, ensure_non_negative=True)
        kept = np.ones(len(a), bool) if weight is None else weight > 0
        labels = self._labels(y, kept)
        columns = {self.a: a, self.b: b, _LABEL: pa.array((labels == self.match_label_).astype(np.int8))}
        if weight is not None:
            columns[_WEIGHT] = pa.array(weight)
        if (references := self._references(X, groups)) is not None:
            check_consistent_length(a, references)
            columns[_GROUP] = pa.array([None if one is None else str(one) for one in references], pa.string())
        self.match_function_ = train(
            pa.table(columns).filter(pa.array(kept)),
            features=self.features,
            columns=PairColumns(
                a=self.a,
                b=self.b,
                label=_LABEL,
                weight=_WEIGHT if _WEIGHT in columns else None,
                group=_GROUP if _GROUP in columns else None,
            ),
            labels=LabelRules(
                contained=self.contained,
                on_conflict=self.on_conflict,
                extra=self.extra,
                abbreviations=self.abbreviations,
            ),
            split=Split(test_share=self.test_share, folds=self.folds, seed=self._seed(), refit=self.refit),
            threshold=Threshold(rule=self.threshold_rule, prevalence=self.prevalence),
            engine=self._engine(),
            encoder=Encoders(folder=self.encoder, allow_download=self.allow_download),
            about=About(name=self.name, text=self.about),
            min_coverage=self.min_coverage,
            asking=Asking(endpoints=self.endpoints, store=self.store),
        )
        return self

    def _labels(self, y: Any, kept: NDArray[np.bool_]) -> NDArray[Any]:
        labels = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        if type_of_target(labels) == "multiclass":
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")
        if len(seen := np.unique(labels[kept])) < 2:
            what = f"one class only ({seen.tolist()})" if len(seen) else "no class, for every sample_weight is zero"
            raise ValueError(f"y holds {what}; matches and others are needed.")
        self.classes_ = np.unique(labels)
        self.match_label_ = _match_label(self.classes_, self.match_label)
        return labels

    def _references(self, X: Any, groups: Any) -> list[Any] | None:
        if groups is not None:
            return column_or_1d(groups).tolist()
        if self.group is None:
            return None
        frame = as_frame(X)
        if not isinstance(frame, nw.DataFrame) or self.group not in frame.columns:
            raise OptionError("group", "a column of the frame X", self.group)
        return frame.get_column(self.group).to_list()

    def _engine(self) -> LightGBM | AutoGluon:
        if self.engine == "autogluon":
            return AutoGluon(drop_correlated=self.drop_correlated, time_limit=self.time_limit, models=self.models)
        if self.engine != "lightgbm":
            raise OptionError("engine", f"one of {', '.join(ENGINES)}", self.engine)
        if self.models != EXPORTED:
            raise OptionError("models", f"{EXPORTED} with the engine 'lightgbm'", self.models)
        return LightGBM(drop_correlated=self.drop_correlated)

    def _seed(self) -> int:
        seed = self.random_state
        return int(seed if isinstance(seed, int | np.integer) else check_random_state(seed).randint(2**31 - 1))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """float64[n, 2]: the probability of each of `classes_`.

        Parameters
        ----------
        X : frame with the columns `a` and `b`, or array-like of shape (n, 2)
        """
        check_is_fitted(self)
        a, b = pairs_of(self, X, reset=False)
        m = copy(self.match_function_)
        m.model = replace(m.model, judge_all=self.judge_all)
        match = m.probabilities(a, b)
        return np.stack([match if label == self.match_label_ else 1 - match for label in self.classes_], axis=1)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of each of n pairs: a match from the threshold of `match_function_` up, which need not be a half.

        Parameters
        ----------
        X : frame with the columns `a` and `b`, or array-like of shape (n, 2)
        """
        check_is_fitted(self)
        at = self.classes_.tolist().index(self.match_label_)
        match = self.predict_proba(X)[:, at]
        if np.isnan(match).any():
            raise OptionError("judge_all", "True, for `predict` on diagnoses that are not understood", self.judge_all)
        return self.classes_[np.where(match >= self.match_function_.threshold, at, 1 - at)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        assert tags.classifier_tags is not None
        tags.classifier_tags.multi_class = False
        return tags


def _match_label(classes: NDArray[Any], chosen: Any) -> Any:
    """The one of two classes that means a match. Raises `OptionError` where the one chosen is none of them."""
    both = classes.tolist()
    if chosen is not None:
        if chosen not in both:
            raise OptionError("match_label", f"one of the labels ({', '.join(map(quoted, both))})", chosen)
        return chosen
    said = [label for label in both if str(label).casefold() in MATCH_WORDS]
    if len(said) == 1 or str(both[1]) in ("1", "1.0"):
        return [*said, both[1]][0]
    warn(
        f"The label {quoted(both[1])} is taken for a match, the last of {quoted(both)} in sorted order; `match_label` says another."
    )
    return both[1]
