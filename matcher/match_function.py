"""M, the match function: two diagnoses in, a probability and a decision out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from .. import progress
from ..features.coverage import MIN_COVERAGE, covered_table
from ..features.interning import InternedPairs, intern_pairs
from ..features.representations import Representations
from ..files.counted import shown_threshold
from ..models import folder as model_folder
from ..models.shipped import SHIPPED_MODEL
from ..options import Between, File, checked
from ..votes.asking import services_of
from .doubtful_texts import check_text, refuse_unscored, warn_of_mixed_scripts, warn_of_none_twice, warn_of_unscored
from .hub import hub_model, hub_name, push
from .list_function import ListFunction
from .loading import Loading, check_identity
from .policy import SPECIFICATION, PolicyName
from .relation import (
    Relation,
    Relations,
    one_relation,
    reasons_of,
    relations_of,
)
from .table_scores import TableScores

if TYPE_CHECKING:
    from ..features.interning import Strings
    from ..votes.store.store import VoteStore


@checked
def load(
    matcher: File | None = None,
    *,
    policy: PolicyName = SPECIFICATION,
    threshold: Annotated[float, Between(0, 1)] | None = None,
    judge_all: bool = False,
    min_coverage: Annotated[float, Between(0, 1)] = MIN_COVERAGE,
    loading: Loading = Loading(),
) -> MatchFunction:
    """A match function from its folder, or the one that ships with dxmatch (`offline-en`): no download, no network.

    Parameters
    ----------
    matcher
        A model folder; or "owner/name" of the Hugging Face hub, also "owner/name@revision", where no folder of that name is
        here. The model that ships, if not given.
    policy
        Which relations count as a match: "specification" (one may specify the other, in either direction), "strict" (the same disease
        only), "narrower-counts" or "broader-counts" (`b`, the answer, may be narrower, or broader, than `a`, the reference).
    threshold
        The probability from which a pair is a match; the model's own under the policy if not given.
    judge_all
        Scores pairs with a diagnosis that is not understood, too: one in another script or language, a sentence,
        several diagnoses in one string, a word for none. By default they are left unscored, and counted.
    min_coverage
        The least share of pairs that each vote and pick must be known for; fewer are refused.
    loading : Loading
        Where it is taken from, what it must be, and what it may open beside its folder.

    Raises
    ------
    ModelError
        For a folder that is not a model, was changed, does not fit this release, or is not the model of `loading.identity`; for a
        model of the hub that could not be fetched.
    InputError
        For a model of the hub that is not in its cache and may not be fetched.
    """
    fetched, identity = None, loading.identity
    if (named := hub_name(matcher, loading.revision)) is not None:
        pinned = identity is not None and len(identity.rpartition("@")[2]) == 64
        fetched = hub_model(*named, allow_download=loading.allow_download, pinned=pinned)
        parts = fetched.parts
    else:
        parts = model_folder.load(SHIPPED_MODEL if matcher is None else matcher)
    served, _ = services_of(loading.endpoints)
    m = MatchFunction(
        parts, store=open_store(loading.store), endpoints=served, encoders=loading.encoders, allow_download=loading.allow_download,
        min_coverage=min_coverage, policy=policy, judge_all=judge_all,
    )  # fmt: skip
    m.threshold = m.threshold_or(threshold)
    if fetched is not None:
        m.fetched_from = f"{fetched.name}@{fetched.commit}"
    if identity is not None:
        check_identity(m, identity)
    return m


def open_store(path: str | os.PathLike[str] | None) -> VoteStore | None:
    """The vote store at `path`, which must be there; None for none."""
    if path is None:
        return None
    from ..votes.store.store import VoteStore

    return VoteStore(path, must_exist=True)


class MatchFunction(ListFunction, TableScores):
    """Decides whether two free-text diagnoses name the same disease.

    M(a, b) = M(b, a) exactly. Two strings that are equal after normalisation match with probability 1. The probability
    of a pair alone is bit-identical to the one in a batch.
    """

    @classmethod
    @checked
    def from_pretrained(cls, name: File, *, loading: Loading = Loading()) -> MatchFunction:
        """`load` by the name that users of the Hugging Face hub look for.

        Parameters
        ----------
        name
            "owner/name" of the hub, or a model folder, which goes before.
        loading : Loading
            Its revision, what it must be, and whether the hub may be asked.

        Raises
        ------
        ModelError, InputError
            As of `load`.
        """
        return load(name, loading=loading)

    def push_to_hub(
        self, name: str, *, private: bool = True, branch: str | None = None, message: str | None = None
    ) -> str:
        """Writes the model folder to the Hugging Face hub as one commit, with its card as the README.

        You must be logged in there (`hf auth login`, or the variable HF_TOKEN). A card and its warnings may quote what the model was
        trained on.

        Parameters
        ----------
        name : "owner/name". The repository is made where it is absent.
        private : whether only you and whom you let can read it. One that is public already is refused unless False.
        branch : which must be there; "main" if not given.
        message : of the commit.

        Returns
        -------
        "owner/name@commit", as `load` takes it.

        Raises
        ------
        ModelError
            Where the hub refuses. InputError : for what is no name of the hub's.
        """
        contents = model_folder.contents_of(self.parts, name)
        return push(contents, name, private=private, branch=branch, message=message)

    def __repr__(self) -> str:
        return f"MatchFunction({self.name!r}, {len(self.features.names)} features, threshold {shown_threshold(self.threshold)})"

    def _repr_html_(self) -> str:
        from .shown import model_facts

        return model_facts(self)

    def __call__(self, a: str, b: str) -> bool:
        """`match`."""
        return self.match(a, b)

    def match(self, a: str, b: str, *, threshold: float | None = None) -> bool:
        """Whether the probability reaches the threshold.

        Parameters
        ----------
        threshold : in [0, 1]; M's own, `m.threshold`, if not given.

        Raises
        ------
        NotUnderstood
            Where `a` or `b` is not understood, and the two are not the same.
        InputError
            For what is no text, or a text without a letter or digit.
        OptionError
            For a threshold outside its range.
        """
        least = self.threshold_or(threshold)
        pairs = self._one_pair(a, b)
        refuse_unscored(pairs, self.unscored(pairs))
        warn_of_mixed_scripts(pairs, 3)
        return bool(self._probabilities(pairs)[0] >= least)

    def probability(self, a: str, b: str) -> float:
        """The calibrated probability, in [0, 1], that `a` and `b` name the same disease; NaN where one is not understood."""
        pairs = self._one_pair(a, b)
        self._warn(pairs)
        return float(self._probabilities(pairs)[0])

    def _one_pair(self, a: str, b: str) -> InternedPairs:
        check_text(a, "a")
        check_text(b, "b")
        return intern_pairs([a], [b], self.providers.naming)

    def _warn(self, pairs: InternedPairs) -> None:
        warn_of_mixed_scripts(pairs)
        warn_of_unscored(pairs, self.unscored(pairs))
        warn_of_none_twice(pairs)

    def probabilities(self, a: Strings, b: Strings) -> NDArray[np.float64]:
        """float64[n] for n pairs, row by row; NaN, with a `NotUnderstoodWarning`, where a diagnosis is not understood.

        Parameters
        ----------
        a, b : n texts each: lists, Arrow arrays, or columns of pandas, polars or numpy.

        Raises
        ------
        InputError
            For what is no text, with its row and side; for a text without a letter or digit, or where votes are known for
            too few of the pairs.
        """
        pairs = intern_pairs(a, b, self.providers.naming)
        self._warn(pairs)
        with progress.shown("Scoring pairs") as report:
            return self._probabilities(pairs, report)

    def _probabilities(
        self, pairs: InternedPairs, report: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float64]:
        texts = Representations(pairs.names, self.providers)
        table, _ = covered_table(pairs, self.features, self.providers, self.min_coverage, report, texts=texts)
        probability = self.counted(pairs, table, texts)
        probability[self.unscored(pairs)] = np.nan
        return probability

    def relation(self, a: str, b: str) -> Relation:
        """What `a` is to `b`: the same disease, a kind of it (narrower), a class of it (broader), near kin, nothing, or excluded.

        >>> dxmatch.load().relation("DLBCL", "non-Hodgkin lymphoma").kind  # doctest: +SKIP
        'narrower'

        Raises
        ------
        NotUnderstood
            Where `a` or `b` is not understood.
        ModelError
            For a model without a relation model.
        """
        pairs = self._one_pair(a, b)
        refuse_unscored(pairs, self.unscored(pairs))
        warn_of_mixed_scripts(pairs, 3)
        return one_relation(self, pairs)

    def relations(self, a: Strings, b: Strings, *, why: bool = False) -> Relations:
        """What each `a` is to its `b`, for n pairs; see `relation`. A pair that is not understood has no relation.

        Parameters
        ----------
        why : gives the reasons too.

        Raises
        ------
        InputError
            As of `probabilities`.
        ModelError
            For a model without a relation model.
        """
        pairs = intern_pairs(a, b, self.providers.naming)
        self._warn(pairs)
        texts = Representations(pairs.names, self.providers)
        table, _ = covered_table(pairs, self.features, self.providers, self.min_coverage, texts=texts)
        found = relations_of(self, pairs, table, texts)
        return replace(found, why=reasons_of(self, pairs, texts)) if why else found
