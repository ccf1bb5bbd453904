"""M, the match function: two diagnoses in, a probability and a decision out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, final

import numpy as np
from numpy.typing import NDArray

from .. import progress
from ..endpoints.endpoint import read_services
from ..errors import ModelError, OptionError
from ..features.compute import MIN_COVERAGE
from ..features.feature_set import FeatureSet
from ..features.names import Names
from ..features.providers import Providers
from ..files.reading import OF_TABLES, Reading
from ..files.wording import shown_threshold
from ..models import folder as model_folder
from ..models.folder import ModelFolder, shipped_parts
from ..models.manifest import warn_of_other_releases
from ..options import Between, File, Output, Rule, Table, checked
from ..terms.icd.naming import LANGUAGE, SCRIPT
from ..terms.text.vocabulary import Corrections
from .batch import Added, Batch, PairModel, check_texts
from .candidates import CANDIDATES
from .doubtful import Doubtful, Verdicts
from .hub import hub_model, hub_name, push
from .loading import Loading, check_identity, open_parts, open_store
from .policy import POLICIES, SPECIFICATION, PolicyName
from .ranking import Ranked, matrix, rank
from .relation import Relation, Relations

if TYPE_CHECKING:
    import pyarrow as pa

    from ..features.names import Strings
    from ..files.pairs import Pairs

_PROBABILITY = Rule.of(Annotated[float, Between(0, 1)])


@checked
def load(
    matcher: File | None = None,
    *,
    policy: PolicyName = SPECIFICATION,
    threshold: Annotated[float, Between(0, 1)] | None = None,
    judge_all: bool = False,
    min_coverage: Annotated[float, Between(0, 1)] = MIN_COVERAGE,
    doubtful: Doubtful | None = None,
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
        only), "narrower-counts" (learnt from GPT-4's votes) or "broader-counts" (`b`, the answer, may be narrower, or broader, than
        `a`, the reference).
    threshold
        The probability from which a pair is a match; the model's own under the policy if not given.
    judge_all
        Scores pairs with a diagnosis that is not understood, too: one in another script or language, a sentence,
        several diagnoses in one string, a word for none. By default they are left unscored, and counted.
    min_coverage
        The least share of pairs that each vote and pick must be known for; fewer are refused.
    doubtful : Doubtful, optional
        The language model that decides pairs of which M is not sure: the probability of such a pair is then 1 or 0. M decides the others,
        those without an answer that can be read, and all under another policy than "specification", which is what is asked.
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
    fetched_from, identity = None, loading.identity
    if (named := hub_name(matcher, loading.revision)) is not None:
        pinned = identity is not None and len(identity.rpartition("@")[2]) == 64
        parts, fetched_from = hub_model(*named, allow_download=loading.allow_download, pinned=pinned)
    else:
        parts = shipped_parts() if matcher is None else model_folder.load(matcher)
    m = MatchFunction(
        parts, store=open_store(loading.store), endpoints=read_services(loading.endpoints)[0], encoders=loading.encoders, allow_download=loading.allow_download,
        min_coverage=min_coverage, policy=policy, judge_all=judge_all, doubtful=doubtful,
    )  # fmt: skip
    m.threshold = m.threshold_or(threshold)
    m.fetched_from = fetched_from
    if identity is not None:
        check_identity(m.name, m.identities, identity)
    return m


@final
class MatchFunction:
    """Decides whether two free-text diagnoses name the same disease.

    M(a, b) = M(b, a) exactly. Two strings that are equal after normalisation match with probability 1. The probability
    of a pair alone is bit-identical to the one in a batch.
    """

    def __init__(
        self,
        parts: ModelFolder,
        *,
        min_coverage: float = MIN_COVERAGE,
        policy: PolicyName = SPECIFICATION,
        judge_all: bool = False,
        doubtful: Doubtful | None = None,
        **opened: Any,
    ) -> None:
        """opened : store, endpoints, encoders (where they lie) and allow_download, as of `open_parts`."""
        self.parts, self.name = parts, parts.manifest.name
        self.fetched_from: str | None = None
        """Of a model of the hub: "owner/name@commit"."""
        features, providers = open_parts(parts, **opened)
        verdicts = doubtful and Verdicts(doubtful, policy)
        self.model = PairModel(features, providers, parts, POLICIES[policy], judge_all, min_coverage, verdicts=verdicts)
        """What it sees pairs with; `replace` gives another of the same parts."""
        self.threshold = self.model.threshold_of(policy)
        warn_of_other_releases(self.name, parts.manifest.made.libraries)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels as the path and hash of its folder, or its parts where it is in none, and the options of `load`; a store and encoders' folders by their paths."""
        providers, store, parts = self.providers, self.providers.store, self.parts
        options = {
            "store": None if store is None else store.path.absolute(),
            "endpoints": dict(providers.endpoints),
            "encoders": {name: Path(folder).absolute() for name, folder in providers.folders.items()},
            "allow_download": providers.allow_download,
            "min_coverage": self.model.min_coverage,
            "policy": self.policy,
            "judge_all": self.model.judge_all,
            "doubtful": self.model.verdicts and self.model.verdicts.how,
        }
        source = None if parts is shipped_parts() else parts if parts.path is None else parts.path.absolute()
        return _arrived, (source, parts.sha256, options, self.threshold, self.fetched_from)

    def __copy__(self, memo: object = None) -> Self:
        """Shares all but what may be set: nothing else of it ever changes."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    __deepcopy__ = __copy__

    def under(self, policy: PolicyName) -> Self:
        """The same match function under another policy, with that policy's threshold. Errors: `OptionError` where a language model decides."""
        other, least, asks = copy(self), self.model.threshold_of(policy), self.model.verdicts
        verdicts = asks and Verdicts(asks.how, policy)
        other.model = replace(self.model, policy=POLICIES[policy], threshold=least, verdicts=verdicts)
        return other

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

    @property
    def features(self) -> FeatureSet:
        """The columns that it decides by."""
        return self.model.features

    @property
    def providers(self) -> Providers:
        """What stands behind the columns: the reader of texts, encoders, ICD-10, the graph of diseases, votes."""
        return self.model.providers

    @property
    def judge_all(self) -> bool:
        """Whether it scores what it does not understand, too."""
        return self.model.judge_all

    @property
    def min_coverage(self) -> float:
        """The least share of pairs that each vote and pick must be known for."""
        return self.model.min_coverage

    @property
    def metrics(self) -> dict[str, Any]:
        """What was measured when it was trained, as in its card."""
        return self.parts.manifest.metrics

    @property
    def data(self) -> dict[str, Any]:
        """What it was trained on: counts, how far the experts agree, "warnings", …."""
        return self.parts.manifest.data

    @property
    def threshold(self) -> float:
        """A pair matches from this probability up. It may be set, in [0, 1]: `OptionError` for anything else."""
        return self.model.threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        self.model = replace(self.model, threshold=float(_PROBABILITY.hold("threshold", value)))

    def threshold_or(self, other: float | None) -> float:
        """M's threshold where no other is given. Raises `OptionError` as setting it would."""
        return self.threshold if other is None else float(_PROBABILITY.hold("threshold", other))

    @property
    def policy(self) -> str:
        """Which relations count as a match."""
        return self.model.policy.name

    @property
    def rests_on_votes(self) -> bool:
        """Whether a feature is a language model's vote or pick, so that a pair costs a call before it can be scored."""
        return bool(self.features.asked)

    @property
    def has_relation_model(self) -> bool:
        """Whether it tells relations, and knows other policies than the default."""
        return self.parts.relation is not None

    @property
    def identity(self) -> str:
        """Name and the first twelve digits of the hash of its model.json: tells models apart, and is no seal."""
        return f"{self.name}@{self.parts.sha256[:12]}"

    @property
    def identities(self) -> tuple[str, str]:
        """All that it may be called by: `identity`, and name and the whole hash, that of model.json, which holds those of all other files."""
        return self.identity, f"{self.name}@{self.parts.sha256}"

    def not_understood(self, texts: Sequence[str]) -> dict[str, str]:
        """Of different texts those that are not understood, with the reason; none with `judge_all`."""
        return {} if self.judge_all else self._told(texts, "not_understood")

    def of_another_language(self, texts: Sequence[str]) -> dict[str, str]:
        """Of different texts those of another script or language, with the reason; with `judge_all`, too, which scores them."""
        return {text: why for text, why in self._told(texts, "not_understood").items() if why in (SCRIPT, LANGUAGE)}

    def read_as(self, texts: Sequence[str]) -> dict[str, Corrections]:
        """Of different texts those with words that are read as others: what was written, and what it is read as."""
        return self._told(texts, "read_as")

    def doubts(self, a: Sequence[str], b: Sequence[str]) -> tuple[int, str] | None:
        """Of different pairs that were scored, how many were doubtful, and in words who decided them; None where M decides all."""
        if (verdicts := self.model.verdicts) is None:
            return None
        pairs = [*zip(self.providers.naming(a), self.providers.naming(b), strict=True)]
        return verdicts.count(pairs).total(), verdicts.told(pairs)

    def _told(self, texts: Sequence[str], of: str) -> dict[str, Any]:
        found: Mapping[int, Any] = getattr(Names.read(texts, self.providers), of)
        return {texts[place]: said for place, said in found.items()}

    def _one(self, a: str, b: str) -> Batch:
        check_texts(a, b)
        batch = self.model.batch([a], [b])
        batch.refuse_unscored()
        batch.warn_of_texts()
        return batch

    def _of(self, a: Strings, b: Strings, report: Callable[[int, int], None] | None = None) -> Batch:
        batch = self.model.batch(a, b, progress=report)
        batch.warn_of_texts()
        batch.warn_of_unscored()
        return batch

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
        return bool(self._one(a, b).probability()[0] >= self.threshold_or(threshold))

    def probability(self, a: str, b: str) -> float:
        """The calibrated probability, in [0, 1], that `a` and `b` name the same disease; NaN where one is not understood."""
        check_texts(a, b)
        return float(self._of([a], [b]).probability()[0])

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
        with progress.shown("Scoring pairs") as report:
            return self._of(a, b, report).probability()

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
        return self._one(a, b).relation()

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
        batch = self._of(a, b)
        found = batch.relations()
        return replace(found, why=batch.reasons()) if why else found

    @checked
    def score(
        self,
        pairs: Table,
        *,
        a: str = "a",
        b: str = "b",
        add: Sequence[Added] = (),
        reading: Annotated[Reading, *OF_TABLES] = Reading(),
    ) -> Any:
        """The table that came, with the columns `probability` (float64), `match` (bool, by `m.threshold`) and `doubtful` (bool) added.

        Doubtful is a probability between 0.1 and 0.9. All three are null where a diagnosis is not understood; a column `not_understood` then says why ("a: another script"). Where
        words were read as others, a column `read_as` says which ("b: infraction → infarction").

        Parameters
        ----------
        pairs
            A path (an Arrow table comes back), a pandas, polars or Arrow frame (the same kind comes back; a lazy one is
            collected), two-tuples in a list, an iterator or an array of two columns, a list of dicts or a dict of columns (an Arrow
            table comes back).
        a, b
            The columns of the two diagnoses.
        add
            Further columns: "features", one float32 column per feature, null where it could not be computed; "shap", one float64 column
            `shap_<feature>` per feature and `shap_base`, log-odds; "relation", `relation` (a word) and the six
            probabilities `relation_same`, `relation_narrower`, …; "reasons", `why`, a sentence, null where nothing says it.
        reading : Reading
            The encoding of a text file, and a file for rejects.
        """
        from ..files.pairs import read_pairs

        read = read_pairs(pairs, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
        with progress.shown("Scoring pairs") as report:
            return read.table.native(self.score_read(read, add, report)[0])

    def score_read(
        self, read: Pairs, add: Sequence[Added] = (), report: Callable[[int, int], None] | None = None
    ) -> tuple[pa.Table, Mapping[str, float]]:
        """`score` for pairs that were read and checked before, and for how many of them each feature is known."""
        from ..files.tables import with_columns

        added = self.model.added_columns(add, beside=read.table.names, source=read.table.source)
        data = read.table.data.select([name for name in read.table.names if name not in added])
        batch = self.model.batch(read.a, read.b, progress=report)
        batch.warn_of_texts()
        return with_columns(data, batch.columns(add)), batch.coverage

    @checked
    def rank(
        self,
        query: str,
        terms: Table,
        k: Annotated[int, Between(1)] | None = 5,
        threshold: Annotated[float, Between(0, 1)] | None = None,
    ) -> list[Ranked]:
        """The terms of a list that match `query` best, best first.

        The list is prepared at each call, some 15 seconds for 50,000 terms: for many queries, `link(queries, terms, k, threshold=0)`
        prepares it once.

        Parameters
        ----------
        query
            A diagnosis.
        terms
            A list or column of texts, or a table with one, as of `link`. What is None, NaN, blank or no diagnosis is skipped, as in
            `rapidfuzz.process.extract`; so is, with a warning, what is no text or not understood. A term that stands twice comes twice.
        k
            At most so many; None for all.
        threshold
            Terms of a lower probability are left out (rapidfuzz' `score_cutoff`), and `match` is by it; by default none
            is left out, and `match` is by M's own threshold.

        Returns
        -------
        A list of (term, probability, match, relation, index); of equal probability the first in the list goes first. The relation is
        that of the query to the term.

        Raises
        ------
        NotUnderstood
            Where the query is not understood and no term is the same.
        InputError
            For a query that is blank or no text, and a list in which nothing is a text.

        >>> dxmatch.load().rank("heart attack", ["gout", "MI", "angina"], k=1)  # doctest: +SKIP
        [Ranked(term='MI', probability=1.0, match=True, relation='same', index=1)]
        """
        return rank(self.model, query, terms, k, self.threshold_or(threshold), threshold is not None)

    @checked
    def matrix(self, a_terms: Table, b_terms: Table) -> NDArray[np.float64]:
        """The probability of every term of one list with every term of another, as `rapidfuzz.process.cdist` gives its scores.

        Computed once for different names, in blocks, so that little more memory is taken than the result's 8 bytes a pair.

        Parameters
        ----------
        a_terms, b_terms
            Lists or columns of texts, or tables with one, as of `link`.

        Returns
        -------
        float64[n_a, n_b], bit-identical to `probabilities`; NaN where a term is missing, blank or, with a `ReadingWarning`, no text, or, with a
        `NotUnderstoodWarning`, not understood.

        Raises
        ------
        InputError
            For a list in which nothing is a text.
        """
        return matrix(self.model, a_terms, b_terms)

    @checked
    def link(
        self,
        a_terms: Table,
        b_terms: Table,
        k: Annotated[int, Between(1)] | None = 1,
        *,
        a: str | None = None,
        b: str | None = None,
        threshold: Annotated[float, Between(0, 1)] | None = None,
        candidates: Annotated[int, Between(1)] = CANDIDATES,
        add: Sequence[Literal["relation", "reasons"]] = (),
        output: Output | None = None,
        reading: Annotated[Reading, "encoding"] = Reading(),
    ) -> Any:
        """For each term of one list the terms of another that match it best.

        M judges, for each term, the candidates of the other list: those that are equal after normalisation, the nearest by the vectors of
        the model's encoder (FAISS), and the nearest among those of its disease, of what that is a kind of, and of its kinds, in the
        graph of diseases. What is no candidate is not judged: docs/linking.md says how much that loses.

        Parameters
        ----------
        a_terms, b_terms
            Lists or columns of texts (any iterable, series or array), of which some may be missing or, with a
            `ReadingWarning`, no text; or tables, as `score` takes them. `a_terms` is the side of the reference, where the policy has sides.
        k
            At most so many links for each term. None gives all that are found, with a warning where more may be there than the candidates.
        a, b
            The columns of the terms, where tables come; by default "diagnosis", "term", "name", … or the only one.
        threshold
            The least probability of a link; M's own threshold if not given.
        candidates
            How many are looked at, by vectors and by the graph (the disease; its kin) each. Who wants all matching pairs of long
            lists, and not the best, takes it much higher.
        add
            Further columns: "relation", what `a` is to `b`; "reasons", `why`, the reason in a sentence, null where nothing says it.
        output
            A file for the table; until it is there the blocks of long work stand beside it, and the same call goes on with them.
        reading : Reading
            The encoding of text files.

        Returns
        -------
        A frame of the kind that `a_terms` is (of lists and files an Arrow table; in pandas, each row with its term's index), in the order of `a_terms`, a row for each link, best first, and a row for each term without any: a, b (null), probability, match, doubtful,
        relation and why (where asked for), index_a, index_b (rows from 0; of a file below its header, rows without a value counted), note (why there is no link: "no match; the nearest is …", "not understood: …", "diagnosis is
        blank"), and the other columns of both tables, `a_…` and `b_…`. Of equal probability, what is written the same goes first, then
        the first in its list.

        Raises
        ------
        InputError
            For a list that is empty or without a text, a table without the column, or a model whose votes are not known for the candidates.
        ModelError
            For a model without an encoder of its own.
        """
        from .link import link
        from .terms import read_terms

        read, read_b = read_terms(a_terms, a, "a", reading), read_terms(b_terms, b, "b", reading)
        least = self.threshold_or(threshold)
        made = link(self.model, read, read_b, k, least=least, candidates=candidates, add=add, output=output)
        return read.native(made, made["index_a"].to_numpy())

    @checked
    def dedupe(
        self,
        terms: Table,
        *,
        column: str | None = None,
        threshold: Annotated[float, Between(0, 1)] | None = None,
        policy: PolicyName | None = None,
        candidates: Annotated[int, Between(1)] = CANDIDATES,
        output: Output | None = None,
        reading: Annotated[Reading, "encoding"] = Reading(),
    ) -> Any:
        """The terms of a list in clusters, each the names of one disease.

        M is not transitive: that a matches b, and b matches c, says nothing of a and c. So terms are joined by complete linkage (Sørensen
        1948), the likeliest pair first: **every two different names in a cluster match by M itself.** Two names of one disease may still
        stand in two clusters, where a third matches one of them alone, or where they were no candidates of each other (see `link`), or, with
        a warning, where chains of names that match are so long that not all of their pairs were looked at.

        Parameters
        ----------
        terms
            A list or column of texts, or a table, as of `link`.
        column
            The column of the terms in a table; by default "diagnosis", "term", "name", … or the only one.
        threshold
            The least probability of a match. If not given, `threshold` of M under M's own policy, that policy's own under another.
        policy
            What counts as a match: "strict" (the same disease) or "specification" (one may specify the other). By default "strict", where
            the model tells relations and was loaded with no other policy; else the model's own.
        candidates, reading
            As of `link`.
        output
            A file for the table.

        Returns
        -------
        A frame of the kind that came, as from `link`, in the order of the terms: term, index (as index_a of `link`), cluster (from 1, in order of first
        appearance; null for what is blank), size (terms in the cluster), representative (its commonest name; of equally common ones, the
        one that matches another best), joined_with (which other it matches best), probability (that it does), doubtful, why, note ("blank", "not
        understood: …": such a term is in a cluster with none but its equals), and the other columns of the table.

        Raises
        ------
        InputError
            As of `link`.
        OptionError
            For a policy that has sides, or one but "specification" where a language model decides doubtful pairs.
        ModelError
            For a model without an encoder of its own, or without the policy.
        """
        from ..files.tables import check_output, write_table
        from .dedupe import dedupe
        from .terms import read_terms

        m, read = self.for_duplicates(policy), read_terms(terms, column, "column", reading)
        if output is not None:
            check_output(output)
        made = dedupe(m.model, read, least=m.threshold_or(threshold), candidates=candidates)
        if output is not None:
            write_table(made, output)
        return read.native(made, np.arange(len(made)))

    def for_duplicates(self, policy: PolicyName | None = None) -> Self:
        """Under the policy, as `dedupe` takes it: for None "strict" where M knows it and is under no other, else M's own.

        Raises
        ------
        OptionError
            For a policy with sides.
        """
        own = self.model.policy.name
        chosen: PolicyName = policy or ("strict" if own == SPECIFICATION and self.has_relation_model else own)
        if not POLICIES[chosen].symmetric:
            allowed = "one without sides, specification or strict: of duplicates none is the reference"
            raise OptionError("policy", allowed, chosen)
        return self if chosen == own else self.under(chosen)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the model folder, whole or not at all."""
        return model_folder.save(Path(path), self.parts, overwrite=overwrite)


_ARRIVED: dict[str, MatchFunction] = {}
"""The one that was unpickled last, by all that makes it: a worker is sent the same one with each of its tasks."""
_ARRIVING = threading.Lock()


def _arrived(
    place: ModelFolder | Path | None, sha256: str, options: dict[str, Any], threshold: float, fetched_from: str | None
) -> MatchFunction:
    """What `MatchFunction.__reduce__` wrote down. Raises `ModelError`, and `StoreError` for a vote store that is not there."""
    key = repr((sha256, options))
    with _ARRIVING:
        if key not in _ARRIVED:
            parts = shipped_parts() if place is None else model_folder.load(place) if isinstance(place, Path) else place
            if parts.sha256 != sha256:
                where = "dxmatch, of another release" if place is None else place
                raise ModelError(f"{where}: holds another model than the one that was sent ({sha256[:12]}…).")
            kept = MatchFunction(parts, **{**options, "store": open_store(options["store"])})
            _ARRIVED.clear()
            _ARRIVED[key] = kept
        m = copy(_ARRIVED[key])
    m.threshold, m.fetched_from = threshold, fetched_from
    return m
