"""Pairs of which one specifies the other, or gives its stage."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from ..word_lists.reading import KINDS, rows, rows_like
from .pool import Candidate, Pool, in_turn, is_name, mixed, round_robin, shuffled
from .titles import is_enumerated

_LIST = re.compile(r"\b(and|or)\b", re.IGNORECASE)
_WIDE = re.compile(
    r"\b(disorders|diseases|effects?|malformations?|abnormalities|symptoms|complications|syndromes|deformit(y|ies)|injur(y|ies)|except|overlapping)\b",
    re.IGNORECASE,
)


def tree(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A title of ICD-10-CM and one below it that shares a word of meaning with it."""
    vocabulary, icd = pool.vocabulary, pool.vocabulary.tree
    of_category: dict[int, list[Candidate]] = defaultdict(list)
    for node, below in vocabulary.titles.items():
        if below.residual or not is_name(below.words) or (is_enumerated(below.words) and random.random() < 0.8):
            continue
        for above in icd.ancestors(node):
            wide = vocabulary.titles.get(above)
            if (
                wide is None
                or wide.other
                or _LIST.search(wide.words)
                or _WIDE.search(wide.words)
                or not is_name(wide.words)
            ):
                continue
            narrow, widely = (vocabulary.meaningful(vocabulary.normalizer(x.words)) for x in (below, wide))
            if narrow & widely:
                of_category[int(icd.categories[node])].append(Candidate(below.words, wide.words))
    return round_robin([shuffled(found, random) for found in of_category.values()], random)


def everyday(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A common disease and a kind of it, from a table of our own, by any of their names."""
    for row in shuffled(rows_like(KINDS) * 4, random):
        wide, narrow = (pool.drawn_name(row[side], random) for side in ("a", "b"))
        yield Candidate(narrow, wide, (row["b"],), (row["a"],))


_SIDE = re.compile(r",? (of|in|involving) (the )?(left|right|both|bilateral) .+$", re.IGNORECASE)
_PARTS = (
    re.compile(r",? (due to|caused by|resulting from|secondary to) .+$", re.IGNORECASE),
    _SIDE,
    re.compile(r",? (associated |in association |combined )?(with|without) .+$", re.IGNORECASE),
    re.compile(r",? (in|during) (pregnancy|childhood|infancy|adults?|newborns?|the puerperium)$", re.IGNORECASE),
    re.compile(
        r", (left|right|bilateral|recurrent|severe|mild|moderate|intractable|acute|chronic|familial|congenital) ?.*$"
    ),
    re.compile(
        r"^(recurrent|severe|mild|bilateral|unilateral|acute|chronic|congenital|idiopathic|familial|hereditary|juvenile|infantile"
        r"|neonatal|alcoholic|traumatic|diffuse|localized|generalized|persistent|isolated|early-onset|late-onset|adult-onset"
        r"|drug-induced|allergic|viral|bacterial|septic|classic|transient|spontaneous|nontraumatic|postoperative)\s+",
        re.IGNORECASE,
    ),
)


def qualifiers(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A name, and the same without a word that narrows it; or a common name with such a word."""
    return in_turn([(0.6, _dropped(pool, random)), (0.4, _added(pool, random))], random)


def _dropped(pool: Pool, random: Random) -> Iterator[Candidate]:
    """The name that is left is one of a source, too, or has two words and more."""
    enumerated = [name for name in pool.every if is_enumerated(name.text)]
    for name in mixed(0.85, pool.all, enumerated, random):
        for part in shuffled(_PARTS, random):
            rest = part.sub("", name.text).strip(" ,")
            if rest == name.text or not is_name(rest):
                continue
            known = pool.vocabulary.disease(rest) is not None
            if known or (len(rest.split()) > 1 and part is not _SIDE and not _LIST.search(name.text)):
                yield Candidate(name.text, rest, from_b=(name.text,))
                break


def _added(pool: Pool, random: Random) -> Iterator[Candidate]:
    forms: dict[str, list[str]] = defaultdict(list)  # those of "" go with any mechanism
    for row in rows("qualified_en.csv"):
        forms[row["mechanism"]].append(row["form"])
    for row in shuffled(pool.everyday * 4, random):
        form = random.choice(forms[""] + forms[row.mechanism] * 3)
        if form.split()[0] in ("acute", "chronic") and re.search(r"\b(acute|chronic)\b", row.disease):
            continue
        base = pool.drawn_name(row.disease, random)
        yield Candidate(form.format(row.disease), base, (row.disease,), (row.disease,))


_MANIFESTATIONS = re.compile(r"-.*-|-.* syndrome|coloboma syndrome|-like", re.IGNORECASE)
"""Names that string manifestations together: the code is that of one of them."""


def orphadata_relations(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A rare disease and the title of the ICD-10 code that Orphanet holds to be exact, broader or narrower."""
    vocabulary = pool.vocabulary
    for known in shuffled(vocabulary.orpha_codes, random):
        as_written = vocabulary.titles.get(known.node)
        if as_written is None or as_written.other or _LIST.search(as_written.words) or _WIDE.search(as_written.words):
            continue
        if not is_name(as_written.words) or not is_name(known.name) or is_enumerated(as_written.words):
            continue
        if known.relation != "E" and _MANIFESTATIONS.search(known.name):
            continue
        a, b = (vocabulary.meaningful(vocabulary.normalizer(text)) for text in (known.name, as_written.words))
        narrow, wide = (b, a) if known.relation == "BTNT" else (a, b)
        if known.relation == "E" or 2 * len(narrow & wide) > len(wide):
            yield Candidate(known.name, as_written.words)


def stages(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A disease, and the same at a stage, by one of its names or two."""
    forms: dict[str, list[str]] = defaultdict(list)
    for row in rows("courses_en.csv"):
        forms[row["stages"]].append(row["form"])
    staged = [(row["disease"], row["stages"]) for row in rows("stages_en.csv") if row["stages"] != "cancer"]
    names = [(name.text, kind) for name in pool.all if (kind := _staged_as(name.normal))]
    staged += [
        (row.disease, "cancer") for row in pool.everyday if row.mechanism == "cancer" and not _BLOOD.search(row.disease)
    ]
    exact = [(disease, kind) for disease, kind in staged if pool.vocabulary.in_fold((disease,))]
    for disease, kind in mixed(0.5, names, exact * 25, random):
        other = pool.drawn_name(disease, random)
        yield Candidate(random.choice(forms[kind]).format(disease), other, (disease,), (disease,))


_BLOOD = re.compile(r"leukemia|lymphoma|glioblastoma", re.IGNORECASE)
_CANCER = re.compile(r"(carcinoma|cancer|melanoma|sarcoma)\b")
_NOT_STAGED = re.compile(
    r"in situ|metasta|stage|grade|benign|familial|hereditary|syndrome|suscept|predispos|secondary|recurrent|risk|history|\d"
)


def _staged_as(normal: str) -> str | None:
    return "cancer" if len(normal.split()) <= 5 and _CANCER.search(normal) and not _NOT_STAGED.search(normal) else None
