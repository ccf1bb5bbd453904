"""The votes and picks that the pairs of a table need: planned, asked live, or written as batch files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack

from ..errors import OptionError
from ..features.feature_set import FeatureSet
from ..features.interning import InternedPairs, intern_pairs
from ..features.providers import SHIPPED, Providers
from ..features.vote_plan import Planned, jobs_of, plan
from ..files.pairs import read_pairs
from ..models.shipped import shipped_encoder_files
from ..terms.diseases.shipped import shipped_graph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.static import StaticEncoder
from ..terms.text.abbreviations import read_abbreviations
from ..terms.text.normalizer import Normalizer
from .match_function import load
from .origin import Origin, check_names

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary
    from ..votes.batch_files import BatchFile
    from ..votes.store.store import VoteStore

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

    def plan(self, store: VoteStore | None, only: Sequence[str] = ()) -> list[Planned]:
        """What would be asked. store : None where nothing is known yet. only : these votes and picks alone."""
        return plan(self.pairs, self.features, self.providers, store, only)

    def forget_unscored(self, store: VoteStore, only: Sequence[str] = ()) -> int:
        """Removes the answers without a verdict, so that they are asked anew; returns how many these were."""
        return sum(store.forget_unscored(one.questions()) for one in self.plan(store, only))

    def unscored(self, store: VoteStore, only: Sequence[str] = ()) -> int:
        """How many of the questions have an answer without a verdict, which is asked for anew only where one says so."""
        answers = (store.stored(one.questions()) for one in self.plan(store, only))
        return sum(answer is not None and answer.verdict is None for answer in chain.from_iterable(answers))

    def ask(
        self,
        store: VoteStore,
        only: Sequence[str] = (),
        *,
        max_calls: int | None = None,
        max_cost: float | None = None,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> AskSummary:
        """Asks what the store does not hold; as `votes.asker.ask`."""
        from ..votes.asker import ask

        jobs = jobs_of(self.plan(store, only), self.features, store)
        return ask(jobs, store, max_calls=max_calls, max_cost=max_cost, progress=progress)

    def export(self, folder: Path, store: VoteStore, only: Sequence[str] = ()) -> list[BatchFile]:
        """Writes what the store does not hold as batch files; as `votes.batch_files.export`."""
        from ..votes.batch_files import export

        planned = self.plan(store, only)
        unknown = (store.unknown(one.questions()) for one in planned)
        prompts = {one.prompt.version: one.prompt for one in planned}
        return export(chain.from_iterable(unknown), folder, store, prompts=prompts)


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
