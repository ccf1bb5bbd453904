"""Pairs as M sees them: each unordered pair of different names once, its features, and all that M makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, ModelError, NotUnderstood, NotUnderstoodWarning, ReadingWarning, quoted, warn
from ..features.compute import MIN_COVERAGE, check_coverage, coverage, feature_table, shares
from ..features.feature_set import FeatureSet
from ..features.names import SIDES, Names, Progress, different_texts, unordered_pairs
from ..features.providers import SHIPPED, Lazy, Providers, once
from ..features.registry import EXCLUSION, Pairs
from ..files.wording import counted, is_file_name
from ..models.folder import ModelFolder
from ..models.relation import LEARNT_POLICIES, RelationModel
from ..terms.icd.naming import NOTHING
from .doubtful import MODEL, SAID, M, Verdicts, is_doubtful
from .policy import EXCLUDED, POLICIES, RELATIONS, SAME, SPECIFICATION, Policy, PolicyName
from .relation import SURE, Relation, Relations, reason

if TYPE_CHECKING:
    import pyarrow as pa

    from ..features.names import Strings

READINGS = ("not_understood", "read_as")
"""Columns of a scored table: "a: another script", "b: infraction → infarction"."""
Added = Literal["features", "shap", "relation", "reasons"]
"""What a score can add beside probability and match."""
WHY = "why"
PAIRS_AT_ONCE = 1 << 20
"""Their features and what is made on the way take some 200 MB."""


@dataclass(frozen=True)
class PairModel:
    """What pairs are seen with: the columns, what stands behind them, and, of a trained M, its parts and how they decide.

    policy : which relations count as a match. judge_all : scores what is not understood, too. min_coverage : the least share of pairs, in
    [0, 1], that each vote and pick must be known for. threshold : a pair matches from this probability up. verdicts : of a language model
    on doubtful pairs; without it M decides all.
    """

    features: FeatureSet
    providers: Providers
    parts: ModelFolder | None = None
    policy: Policy = POLICIES[SPECIFICATION]
    judge_all: bool = False
    min_coverage: float = MIN_COVERAGE
    threshold: float = 0.5
    verdicts: Verdicts | None = None

    def batch(self, a: Strings, b: Strings, *, progress: Progress | None = None) -> Batch:
        """n pairs of texts; see `different_texts` for what is taken, and refused."""
        texts, at_a, at_b = different_texts(a, b)
        names = Names.read(texts, self.providers)
        return Batch(self, names, names.name_of[at_a], names.name_of[at_b], texts=(at_a, at_b), progress=progress)

    def probabilities(
        self, names: Names, a: NDArray[np.int32], b: NDArray[np.int32], *, progress: Progress | None = None
    ) -> NDArray[np.float64]:
        """float64[n] for n pairs of names, int32[n] each, in blocks, so that little more memory is taken than the result's."""
        out = np.empty(len(a))
        for start in range(0, len(a), PAIRS_AT_ONCE):
            some = slice(start, min(start + PAIRS_AT_ONCE, len(a)))
            out[some] = Batch(self, names, a[some], b[some]).probability()
            if progress is not None:
                progress(some.stop, len(a))
        return out

    def with_votes(self, names: Names, blocks: Iterable[tuple[NDArray[np.int32], NDArray[np.int32]]]) -> PairModel:
        """The same, with the votes and picks of a list's pairs counted here, over all blocks, and of none alone.

        blocks : pairs of names, int32[n] each. Errors: `InputError` as of `Batch.features`.
        """
        if not self.features.asked:
            return self
        asked = replace(self.features, features=self.features.asked)
        counts = [(len(a), *np.isfinite(feature_table(names, a, b, asked)).sum(axis=0)) for a, b in blocks]
        check_coverage(shares(asked, counts), asked, self.min_coverage)
        return replace(self, min_coverage=0)

    @property
    def trained(self) -> ModelFolder:
        """The parts of a trained M."""
        assert self.parts is not None, "features alone decide nothing"
        return self.parts

    @property
    def relation(self) -> RelationModel:
        """Raises `ModelError` for a model without one."""
        if self.trained.relation is None:
            raise ModelError(
                f"Model {self.trained.manifest.name} has no relation model, so it knows no relation and no policy but {SPECIFICATION}. "
                "Train it with the features 'offline' and the shipped encoder, or take the shipped model."
            )
        return self.trained.relation

    def threshold_of(self, policy: str) -> float:
        """M's threshold under a policy. Raises `ModelError` for a model that knows none."""
        manifest = self.trained.manifest
        if policy == SPECIFICATION:
            return manifest.decision.threshold
        thresholds = self.relation.facts.thresholds
        if policy not in thresholds:
            known = ", ".join((SPECIFICATION, *thresholds))
            raise ModelError(f"Model {manifest.name} has no threshold for the policy {policy}, only for {known}.")
        return thresholds[policy]

    def added_columns(
        self, add: Sequence[str] = (), *, beside: Sequence[str] = (), source: str | None = None
    ) -> dict[str, pa.DataType]:
        """What a score adds to a table of the columns `beside`, the type of each by name: probability, match and doubtful, and what `add` asks for.

        `READINGS` are among them where the model has a vocabulary. A score of a table has them only where they say something of a row.

        Raises
        ------
        InputError
            Where one of the columns of the table `source` has such a name and is not of a score before, which has both probability and
            match and gives way to the new one.
        ModelError
            Where relations are asked for of a model without a relation model.
        """
        none = np.zeros(0, np.int32)
        # of no row every share is 0, and none is too small
        batch = Batch(replace(self, min_coverage=0), Names((), self.providers), none, none)
        added = {name: column.type for name, column in batch.columns(add, all_readings=True).items()}
        taken = [name for name in added if name in beside]
        if taken and not {"probability", "match"} <= {*beside}:
            problem = f"a column that the score would add is there already: {', '.join(taken)}"
            raise InputError(problem, source=source, allowed="other names for your columns")
        return added


class Batch(Lazy):
    """n rows of two names. What is asked for is computed once, for the m unordered pairs of different names, and gathered to the rows.

    Parameters
    ----------
    names : of both sides. a, b : int32[n], places among them.
    texts : int32[n] twice, the places among `names.texts` of what the rows were read from; None where they are names themselves.
    threads : None takes as many as there are cores. progress : called with the pairs done and the pairs in all.

    Attributes
    ----------
    first, second : int32[m], places among the names, `first <= second`; sorted by (first, second).
    a, b, texts : as given.
    pair_of_row : int64[n], the pair of each row. turned : bool[n], rows whose `a` is the second of their pair.
    """

    def __init__(
        self,
        model: PairModel,
        names: Names,
        a: NDArray[np.int32],
        b: NDArray[np.int32],
        *,
        texts: tuple[NDArray[np.int32], NDArray[np.int32]] | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.model, self.names, self.texts, self.a, self.b = model, names, texts, a, b
        self.first, self.second, self.pair_of_row = unordered_pairs(a, b, len(names))
        self.turned = a > b
        self._threads, self._progress = threads, progress

    def __len__(self) -> int:
        return len(self.pair_of_row)

    def take(self, rows: NDArray[np.bool_]) -> Batch:
        """The rows where bool[n] is true, over the same names."""
        texts = None if self.texts is None else (self.texts[0][rows], self.texts[1][rows])
        return Batch(self.model, self.names, self.a[rows], self.b[rows], texts=texts, threads=self._threads)

    @property
    def equal(self) -> NDArray[np.bool_]:
        """bool[m]: both sides are the same name."""
        return self.first == self.second

    @property
    @once
    def features(self) -> NDArray[np.float32]:
        """float32[m, f]: the columns of the model's set, NaN where one could not be computed.

        Other columns than votes and picks lack a value only where the strings give none, so they have no limit.

        Raises
        ------
        InputError
            With the vote or pick that is known least, where that is for a smaller share of the rows than `min_coverage`.
        """
        model = self.model
        table = feature_table(
            self.names, self.first, self.second, model.features, threads=self._threads, progress=self._progress
        )
        check_coverage(coverage(table, self.pair_of_row, model.features), model.features, model.min_coverage)
        return table

    @property
    def coverage(self) -> dict[str, float]:
        """The share of rows that each feature is known for."""
        return coverage(self.features, self.pair_of_row, self.model.features)

    @property
    def only_in_a_class(self) -> NDArray[np.bool_]:
        """bool[m]: both surely stand in the graph, one as a kind of the other, which is too broad to name a disease ("infection")."""
        out, graph = np.zeros(len(self.first), bool), self.model.providers.graph
        if graph is not None:
            links, both = self.names.diseases(SHIPPED), np.stack([self.first, self.second])
            nodes, sure = links.nodes[both, 0], (links.certainty[both, 0] >= SURE).all(axis=0)
            for row in np.flatnonzero(links.too_broad[nodes].any(axis=0) & sure).tolist():
                p, q = nodes[:, row].tolist()
                out[row] = max(graph.steps_up(p, q), graph.steps_up(q, p)) > 0 and not graph.in_line(p, q)
        return out

    @property
    @once
    def by_m(self) -> NDArray[np.float64]:
        """float64[m]: the probability under the default policy, 1 for equal names, 0 where what is said of them excludes a match, or `only_in_a_class`."""
        parts, table = self.model.trained, self.features
        probability = parts.manifest.decision.calibration(parts.trees.raw(table, threads=self._threads))
        probability[self.model.features.excludes(table) | self.only_in_a_class] = 0.0
        probability[self.equal] = 1.0
        return probability

    @property
    @once
    def by_model(self) -> NDArray[np.float64]:
        """float64[m]: the verdict of the language model that decides doubtful pairs, 1 or 0; NaN where M decides."""
        out, verdicts, names = np.full(len(self.first), np.nan), self.model.verdicts, self.names.names
        if verdicts is not None:
            scored = np.bincount(self.pair_of_row[~self.unscored], minlength=len(out)) > 0
            doubtful = np.flatnonzero(is_doubtful(self.by_m, verdicts.how.between) & scored)
            pairs = zip(self.first[doubtful].tolist(), self.second[doubtful].tolist(), strict=True)
            out[doubtful] = verdicts.on([(names[i], names[j]) for i, j in pairs])
        return out

    @property
    def decided(self) -> NDArray[np.float64]:
        """float64[m]: `by_m`, but 1 or 0 where `by_model` says so."""
        return np.where(np.isnan(self.by_model), self.by_m, self.by_model)

    def probability(self, policy: PolicyName | None = None) -> NDArray[np.float64]:
        """float64[n] under a policy, the model's own if not given; NaN where a row is unscored."""
        chosen, found = self.model.policy if policy is None else POLICIES[policy], self.decided[self.pair_of_row]
        if chosen.name in LEARNT_POLICIES and chosen.name in self.model.relation.trees:
            # as the labelled pairs have taught the policy itself, and never more than by default
            seen = np.hstack([self.features[self.pair_of_row], self.directions])
            learnt = self.model.relation.of_head(chosen.name, seen, threads=self._threads)
            found = np.where(self.equal[self.pair_of_row], found, np.minimum(learnt, found))
        elif chosen.name != SPECIFICATION:
            found = chosen.probability(self._related[0])
        found[self.unscored] = np.nan
        return found

    @property
    @once
    def match(self) -> NDArray[np.bool_]:
        """bool[n]: the probability reaches the model's threshold."""
        return self.probability() >= self.model.threshold

    @property
    @once
    def directions(self) -> NDArray[np.float32]:
        """float32[n, 5]: what speaks for `a` being a kind of `b`."""
        pairs, source = Pairs(self.names, self.first, self.second), self.model.features.icd_source or "icd10cm"
        found = pairs.directions(source, SHIPPED)[self.pair_of_row]
        return np.where(self.turned[:, None], -found, found)

    def relations(self) -> Relations:
        """What each `a` is to its `b`. Raises `ModelError` for a model without a relation model."""
        probabilities, near, far = self._related
        counts = np.isin(RELATIONS, self.model.policy.counts)
        likeliest = np.where(self.match[:, None] == counts, np.nan_to_num(probabilities), -1).argmax(axis=1)
        rows = zip(likeliest.tolist(), self.unscored.tolist(), strict=True)
        return Relations(probabilities, [None if unscored else RELATIONS[at] for at, unscored in rows], near, far)

    @property
    @once
    def _related(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """`probabilities`, `near` and `far` of `Relations`."""
        features, table, threads = self.model.features, self.features, self._threads
        model, match = self.model.relation, self.decided
        same, kin, close = (model.of_head(head, table, threads=threads) for head in ("same", "kin", "close"))
        differ, rows, narrower = 1 - match, self.pair_of_row, model.first_is_narrower(self.directions)
        one, kind, related, unrelated = (
            each[rows] for each in (match * same, match * (1 - same), differ * kin, differ * (1 - kin))
        )
        out = np.stack([one, kind * narrower, kind * (1 - narrower), related, unrelated, np.zeros(len(rows))], axis=1)
        out[(features.excludes(table) & ~self.equal)[rows]] = [float(name == EXCLUDED) for name in RELATIONS]
        out[self.equal[rows]] = [float(name == SAME) for name in RELATIONS]
        out[self.unscored] = np.nan
        groups = np.where(self.equal | features.excludes(table, EXCLUSION), 0, differ * kin)
        return out, (groups * close)[rows], (groups * (1 - close))[rows]

    def reasons(self) -> tuple[str, ...]:
        """Why each row is what it is, in a sentence; "" where neither the words nor the graph say anything, and for a row that is unscored."""
        by_row = self.a, self.b, self.unscored, self.by_model[self.pair_of_row]
        rows, providers = zip(*(each.tolist() for each in by_row), strict=True), self.model.providers
        return tuple(
            SAID.get(verdict) or ("" if unscored else reason(providers, self.names, a, b))
            for a, b, unscored, verdict in rows
        )

    def relation(self) -> Relation:
        """What the one row is."""
        found, assertion = self.relations(), self.model.providers.normalizer.assertion
        a, b = (assertion(self.names.names[int(side[0])]) for side in (self.a, self.b))
        probabilities: dict[str, float] = dict(zip(RELATIONS, found.probabilities[0].tolist(), strict=True))
        return Relation(found.kinds[0] or EXCLUDED, probabilities, (a, b), self.reasons()[0])

    def contributions(self) -> NDArray[np.float64]:
        """float64[m, f + 1]: SHAP values in log-odds before calibration, the base in the last column."""
        return self.model.trained.trees.contributions(self.features, threads=self._threads)

    # What was made of the texts

    @property
    def not_understood(self) -> NDArray[np.bool_]:
        """bool[n]: a side of the row is not understood, and the two are not the same name."""
        a, b = self._said(self.names.not_understood)
        return (a | b) & ~self.equal[self.pair_of_row]

    @property
    def unscored(self) -> NDArray[np.bool_]:
        """bool[n]: the rows that are left unscored, since a diagnosis is not understood."""
        return np.zeros(len(self), bool) if self.model.judge_all else self.not_understood

    def unknown(self, rows: NDArray[np.bool_], most: int) -> dict[str, str]:
        """The first different texts of `rows`, bool[n], that are not understood, at most so many, with the reasons."""
        texts = [] if self.texts is None else np.stack(self.texts, axis=1)[rows].ravel().tolist()
        first = islice((at for at in dict.fromkeys(texts) if at in self.names.not_understood), most)
        return {self.names.texts[at]: self.names.not_understood[at] for at in first}

    def refuse_unscored(self) -> None:
        """Errors: `NotUnderstood` for the first row that is unscored."""
        for text, why in self.unknown(self.unscored, 1).items():
            raise NotUnderstood(text, why)

    def warn_of_unscored(self) -> None:
        """Warns, once for all rows that are unscored, with the first text and its reason."""
        unscored = self.unscored
        for text, why in self.unknown(unscored, 1).items():
            of = f"{len(unscored):,} pairs are" if len(unscored) > 1 else "1 pair is"
            warn(
                f"{int(unscored.sum()):,} of {of} not scored, since a diagnosis is not understood; the first is {quoted(text)}"
                f" ({why}). The option 'judge_all' scores all.",
                NotUnderstoodWarning,
            )

    def warn_of_texts(self) -> None:
        """Warns of words that mix scripts, and of rows that hold the same word for no diagnosis on both sides: equal texts are a match."""
        if words := self.names.mixed_scripts:
            alike = "Words that mix Latin and Cyrillic letters, which look alike and are not the same"
            warn(f"{alike}: {len(words):,}; the first is {quoted(words[0])}.", ReadingWarning)
        nothing = [text for text, why in self.names.not_understood.items() if why == NOTHING]
        rows = np.logical_and(*self._said(nothing)) & self.equal[self.pair_of_row]
        for text in self.unknown(rows, 1):
            warn(
                f"{counted(int(rows.sum()), 'pair')} of {len(rows):,} {'names' if rows.sum() == 1 else 'name'} no diagnosis on either side ({quoted(text)}): "
                "equal texts count as a match. Leave such rows out before you count matches.",
                NotUnderstoodWarning,
            )

    def _said(self, marked: Mapping[int, Any] | Sequence[int]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """bool[n] twice: the text of each side is one of these."""
        if self.texts is None or not marked:
            return np.zeros(len(self), bool), np.zeros(len(self), bool)
        of_text = np.zeros(len(self.names.texts), bool)
        of_text[list(marked)] = True
        return of_text[self.texts[0]], of_text[self.texts[1]]

    def _told(self, said: Mapping[int, str], only: NDArray[np.bool_]) -> pa.Array:
        """string[n]: what is said of the sides of the rows where bool[n] is true; null where nothing is."""
        import pyarrow as pa

        rows = np.flatnonzero(np.logical_or(*self._said(said)) & only)
        out = np.full(len(self), None, object)
        out[rows] = [
            "; ".join(f"{side}: {said[int(of[row])]}" for side, of in zip(SIDES, self.texts or (), strict=True) if int(of[row]) in said)
            for row in rows.tolist()
        ]  # fmt: skip
        return pa.array(out, pa.string())

    def columns(self, add: Sequence[str] = (), *, all_readings: bool = False) -> dict[str, pa.Array]:
        """What a score adds to the n rows, by name (`PairModel.added_columns`); probability, match and doubtful are null where a row is unscored.

        all_readings : adds `READINGS` whether they say something or not, where the model has a
            vocabulary.
        """
        import pyarrow as pa

        rows, unscored = self.pair_of_row, self.unscored
        probability, blank = self.probability(), unscored if unscored.any() else None
        columns = {
            "probability": pa.array(probability, mask=blank),
            "match": pa.array(self.match, mask=blank),
            "doubtful": pa.array(is_doubtful(probability), mask=blank),
        }
        if self.model.verdicts is not None:
            columns["decided_by"] = pa.array(np.where(np.isnan(self.by_model[rows]), M, MODEL), mask=blank)
        if self.model.providers.naming.vocabulary is not None:
            read_as = {
                text: ", ".join(f"{written} → {read}" for written, read in words)
                for text, words in self.names.read_as.items()
            }
            told = self._told(self.names.not_understood, unscored), self._told(read_as, np.ones(len(self), bool))
            found = dict(zip(READINGS, told, strict=True))
            columns |= {name: one for name, one in found.items() if all_readings or one.null_count < len(one)}
        if "relation" in add:
            columns |= self.relations().columns()
        if "reasons" in add:
            columns[WHY] = pa.array([why or None for why in self.reasons()], pa.string())
        features, tables = self.model.features.names, dict[str, NDArray[Any]]()
        if "features" in add:
            tables |= zip(features, self.features.T, strict=True)
        if "shap" in add:
            tables |= zip((f"shap_{name}" for name in (*features, "base")), self.contributions().T, strict=True)
        return columns | {name: pa.array(column[rows], from_pandas=True) for name, column in tables.items()}


def check_texts(*texts: Any) -> None:
    """Errors: `InputError` for what is no text, and for the name of a file, of `a` or `b`; of many texts it says which method takes them."""
    for side, text in zip(SIDES, texts, strict=True):
        if not isinstance(text, str):
            single = isinstance(text, bytes) or not hasattr(text, "__len__")
            many = "" if single else "; `probabilities` takes lists and columns"
            raise InputError("not a text", column=side, allowed=f"a diagnosis in words{many}", got=text)
        if is_file_name(text):
            allowed = "a diagnosis in words; a table of pairs goes to `score`"
            raise InputError("the name of a file, not a diagnosis", column=side, allowed=allowed, got=text)
