"""The features of pairs as a transformer of scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..errors import warn
from ..features.compute import MIN_COVERAGE
from ..features.feature_set import FeatureSet
from ..training.options import Encoders
from ..training.train import Inputs
from ..votes.asking_options import Asking
from .pairs_of import pairs_of


class PairFeatures(TransformerMixin, BaseEstimator):
    """Two diagnoses in, the numbers that tell whether they name the same disease out: for a pipeline of scikit-learn.

    Parameters
    ----------
    features : str or path
        A built-in feature set ("offline" needs no network and no language model), or a TOML file.
    a, b : str
        The columns of the two diagnoses, where X is a frame.
    encoder : path, optional
        A folder that `dxmatch.recipe.encoder` made, in place of the static encoder that ships.
    endpoints : path, optional
        A TOML file whose `[endpoint.NAME]` tables go before those of the feature set.
    store : path, optional
        The vote store, for a feature set with votes or picks. It is read; nothing is asked.
    allow_download : bool
        The hub may be asked for an encoder by its name.
    min_coverage : float
        The least share of pairs, in [0, 1], that each vote and pick must be known for.
    abbreviations : mapping, optional
        Your own, `{"NASH": "nonalcoholic steatohepatitis"}`.

    Attributes
    ----------
    feature_set_ : FeatureSet
        What the features are.
    n_features_in_ : int
        2: the two diagnoses.
    feature_names_in_ : object[2]
        `a` and `b`, where X was a frame.

    Examples
    --------
    >>> import dxmatch
    >>> pairs = [["heart attack", "myocardial infarction"], ["gout", None]]
    >>> dxmatch.PairFeatures().set_output(transform="pandas").fit_transform(pairs)  # doctest: +SKIP
    """

    def __init__(
        self,
        features: str | os.PathLike[str] = "offline",
        *,
        a: str = "a",
        b: str = "b",
        encoder: str | os.PathLike[str] | None = None,
        endpoints: str | os.PathLike[str] | None = None,
        store: str | os.PathLike[str] | None = None,
        allow_download: bool = False,
        min_coverage: float = MIN_COVERAGE,
        abbreviations: Mapping[str, str] | None = None,
    ) -> None:
        self.features = features
        self.a = a
        self.b = b
        self.encoder = encoder
        self.endpoints = endpoints
        self.store = store
        self.allow_download = allow_download
        self.min_coverage = min_coverage
        self.abbreviations = abbreviations

    def fit(self, X: Any, y: Any = None) -> Self:
        """Opens the feature set; nothing is learned.

        Parameters
        ----------
        X : frame with the columns `a` and `b`, or array-like of shape (n, 2)
            Texts; None, NaN and blanks are missing.
        y : ignored

        Raises
        ------
        InputError
            For a feature set that cannot be read, and for a value that is no diagnosis, with its row.
        """
        pairs_of(self, X, reset=True, blanks=True)
        self._inputs = self._opened(self.features)
        self.feature_set_ = self._inputs.features
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """float64[n, f] in the order of `get_feature_names_out`; NaN where a feature could not be computed.

        A pair whose one diagnosis is missing is a row of NaN, and a warning counts them.

        Parameters
        ----------
        X : frame with the columns `a` and `b`, or array-like of shape (n, 2)

        Raises
        ------
        InputError
            For a value that is no diagnosis, with its row; where votes are known for too few of the pairs.
        """
        check_is_fitted(self)
        a, b = pairs_of(self, X, reset=False, blanks=True)
        whole = np.logical_and(*(column.is_valid().to_numpy() for column in (a, b)))
        out = np.full((len(a), len(self.feature_set_.names)), np.nan)
        if missing := int((~whole).sum()):
            warn(f"A diagnosis is missing in {missing:,} of {len(a):,} pairs; their features are NaN.")
        if whole.any():
            if not hasattr(self, "_inputs"):
                self._inputs = self._opened(self.feature_set_)
            kept = pa.array(whole)
            batch = self._inputs.model.batch(a.filter(kept), b.filter(kept))
            out[whole] = batch.features[batch.pair_of_row]
        return out

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """object[f]: the names of the columns, those of the feature set. input_features is ignored."""
        check_is_fitted(self)
        return np.array(self.feature_set_.names, object)

    def _opened(self, features: str | os.PathLike[str] | FeatureSet) -> Inputs:
        encoder = Encoders(folder=self.encoder, allow_download=self.allow_download)
        asking = Asking(endpoints=self.endpoints, store=self.store)
        return Inputs(features, encoder, asking, self.abbreviations, self.min_coverage)

    def __getstate__(self) -> dict[str, Any]:
        # what is open here (encoders, indexes, a vote store) is opened again there
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_inputs"}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.allow_nan = True
        assert tags.transformer_tags is not None
        tags.transformer_tags.preserves_dtype = []
        return tags
