"""The votes and picks that the pairs of a table need."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from ..errors import OptionError
from ..features.feature_set import FeatureSet
from ..features.interning import InternedPairs, intern_pairs
from ..features.providers import SHIPPED, Providers
from ..features.vote_plan import jobs_of
from ..files.pairs import read_pairs
from ..models.shipped import shipped_encoder_files
from ..terms.diseases.shipped import shipped_graph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.abbreviations import read_abbreviations
from ..terms.text.normalizer import Normalizer
from ..votes.asking import Job
from .match_function import load
from .origin import Origin, check_names

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class PairVotes:
    """The pairs of a table, and the feature set whose votes and picks they need.

    pairs : the different ones after normalisation. n_rows, n_rejected : rows read, and of these those set aside.
    """

    features: FeatureSet
    providers: Providers
    pairs: InternedPairs
    n_rows: int
    n_rejected: int

    @classmethod
    def read(
        cls,
        pairs: Any,
        features: Path = "paper17",
        *,
        model: Path | None = None,
        endpoints: Path | None = None,
        a: str = "a",
        b: str = "b",
        abbreviations: Path | None = None,
        rejects: Path | None = None,
        encoding: str | None = None,
        **origin: Unpack[Origin],
    ) -> PairVotes:
        """Reads the table and the feature set.

        Parameters
        ----------
        pairs : a path or a data frame; a, b : its columns of diagnoses.
        features, model, endpoints, abbreviations, origin : as in `providers_of`.
        rejects : a file for the rows that cannot be right; without it the first of them is an `InputError`.
        encoding : of a text file that is not UTF-8.
        """
        chosen, providers = providers_of(
            features, model=model, endpoints=endpoints, abbreviations=abbreviations, **origin
        )
        read = read_pairs(pairs, a=a, b=b, rejects=rejects, encoding=encoding)
        return cls(chosen, providers, intern_pairs(read.a, read.b, providers.naming), len(read), read.n_rejected)

    def jobs(self, only: Sequence[str] = ()) -> list[Job]:
        """What their votes and picks ask; only : these alone."""
        return jobs_of(self.pairs, self.features, self.providers, only)


def providers_of(
    features: Path,
    *,
    model: Path | None = None,
    endpoints: Path | None = None,
    abbreviations: Path | None = None,
    **origin: Unpack[Origin],
) -> tuple[FeatureSet, Providers]:
    """A feature set with its endpoints, and what stands behind it.

    Parameters
    ----------
    features : a built-in set by name, or a TOML file.
    model : a trained model, whose features are taken instead.
    endpoints : a TOML file whose `[endpoint.NAME]` tables go before the set's own.
    abbreviations : the user's own, as given to `train`; a model keeps its own.
    origin : encoders, allow_download, identity and signed_by, as in `load`.

    Raises
    ------
    OptionError
        Abbreviations beside a model, an identity or a signature without one.
    InputError
        Of `FeatureSet.read`.
    """
    if model is not None:
        if abbreviations is not None:
            raise OptionError("abbreviations", "left out with a model, which keeps its own", os.fspath(abbreviations))
        trained = load(model, endpoints=endpoints, **origin)
        chosen = trained.features if endpoints is None else trained.features.served_by(endpoints)
        chosen.check_providers(os.fspath(model))
        return chosen, trained.providers
    check_names(origin, "providers_of")
    for name in ("identity", "signed_by"):
        if origin.get(name) is not None:
            raise OptionError(name, "left out without a model", origin.get(name))
    chosen = FeatureSet.read(features, endpoints)
    shipped = StaticEncoder.from_bytes(shipped_encoder_files()) if SHIPPED in chosen.encoders else None
    normalizer = Normalizer(chosen.language, None if abbreviations is None else read_abbreviations(abbreviations))
    # As `train` opens it: names are mended by the graph's words, and its names are candidates of a pick.
    graph = shipped_graph() if chosen.needs_graph else None
    return chosen, chosen.open(
        normalizer, shipped, endpoints=chosen.endpoints, folders=origin.get("encoders"),
        allow_download=origin.get("allow_download", False), graph=graph,
        vocabulary=None if graph is None else vocabulary_of(graph, chosen.language),
    )  # fmt: skip
