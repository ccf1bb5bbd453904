"""The votes and picks that the pairs of a table need."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from ..errors import OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, Providers
from ..features.vote_plan import jobs_of
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.wording import counted
from ..models.folder import shipped_parts
from ..options import File, Serves, Table
from ..terms.diseases.graph import shipped_graph, vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer
from ..votes.asking import Job
from .batch import Batch, PairModel
from .loading import OF_MODELS, Loading
from .protocol import loaded

Path = str | os.PathLike[str]


@dataclass(frozen=True)
class PairVotes:
    """The pairs of a table, and the feature set whose votes and picks they need.

    pairs : the different ones after normalisation. n_rows : rows read, but for those set aside.
    """

    pairs: Batch
    n_rows: int

    @classmethod
    def read(
        cls,
        pairs: Table,
        features: str = "paper17",
        *,
        matcher: str | None = None,
        a: str = "a",
        b: str = "b",
        abbreviations: File | None = None,
        endpoints: File | None = None,
        reading: Annotated[Reading, Serves(*OF_TABLES)] = Reading(),
        loading: Annotated[Loading, Serves(*OF_MODELS)] = Loading(),
    ) -> PairVotes:
        """Reads the table and the feature set.

        Parameters
        ----------
        pairs : path or data frame
            Pairs: a .csv, .tsv, .jsonl or .parquet file.
        features : str
            A built-in feature set, or a TOML file.
        matcher : path, optional
            What this trained model needs, in place of `features`: its folder, or OWNER/NAME@COMMIT of the hub.
        a, b : str
            The columns of the two diagnoses.
        abbreviations : path, optional
            Your own abbreviations, as given to train: columns abbreviation, expansion.
        endpoints : path, optional
            A TOML file with `[endpoint.NAME]` tables, which go before the set's own.
        reading : Reading
            Its encoding, and a file for rejects.
        loading : Loading
            As in `providers_of`.
        """
        loading = replace(loading, endpoints=endpoints)
        chosen, providers = providers_of(features, matcher=matcher, abbreviations=abbreviations, loading=loading)
        read = read_pairs(pairs, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
        return cls(PairModel(chosen, providers).batch(read.a, read.b), len(read))

    def line(self) -> str:
        """How many pairs there are, for the user to read."""
        said = f"{counted(self.n_rows, 'pair')}, {len(self.pairs.first):,} of them different after normalisation"
        equal = int(self.pairs.equal.sum())
        return said + (f", {equal:,} of these equal on both sides: they match, and are not asked." if equal else ".")

    def jobs(self, only: Sequence[str] = ()) -> list[Job]:
        """What their votes and picks ask; only : these alone."""
        of = self.pairs
        return jobs_of(of.names, of.first.tolist(), of.second.tolist(), of.model.features, only)


def providers_of(
    features: Path,
    *,
    matcher: Any = None,
    abbreviations: Path | None = None,
    loading: Loading = Loading(),
) -> tuple[FeatureSet, Providers]:
    """A feature set with its endpoints, and what stands behind it.

    Parameters
    ----------
    features : a built-in set by name, or a TOML file.
    matcher : a trained match function, or its folder, whose features are taken instead.
    abbreviations : the user's own, as given to `train`; a model keeps its own.
    loading : how that folder is loaded; without one, where the set's encoders are. The `[endpoint.NAME]` tables of its endpoints go before
        the set's own.

    Raises
    ------
    OptionError
        Abbreviations beside a match function, an identity without one.
    InputError
        Of `FeatureSet.read`.
    """
    if matcher is not None:
        if abbreviations is not None:
            raise OptionError("abbreviations", "left out with a model, which keeps its own", os.fspath(abbreviations))
        trained: Any = loaded(matcher, loading=loading)
        chosen = trained.features if loading.endpoints is None else trained.features.served_by(loading.endpoints)
        chosen.check_providers(trained.name)
        return chosen, trained.providers
    if loading.identity is not None:
        raise OptionError("identity", "left out without a model", loading.identity)
    chosen = FeatureSet.read(features, loading.endpoints)
    shipped = StaticEncoder.from_arrays(shipped_parts().encoder or {}) if SHIPPED in chosen.encoders else None
    normalizer = Normalizer(chosen.language, abbreviations)
    # As `train` opens it: names are mended by the graph's words, and its names are candidates of a pick.
    graph = shipped_graph() if chosen.needs_graph else None
    return chosen, chosen.open(
        normalizer, shipped, endpoints=chosen.endpoints, folders=loading.encoders, allow_download=loading.allow_download, graph=graph,
        vocabulary=None if graph is None else vocabulary_of(graph, chosen.language),
    )  # fmt: skip
