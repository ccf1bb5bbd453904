"""Pairs of which one specifies the other, or gives its stage."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from random import Random

from ..word_lists.reading import KINDS, rows, rows_like
from .pool import Candidate, Pool, in_turn, is_name, mixed, shuffled
from .titles import is_enumerated

_LIST = re.compile(r"\b(and|or)\b", re.IGNORECASE)


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


def stages(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A disease, and the same at a stage, by one of its names or two."""
    forms: dict[str, list[str]] = defaultdict(list)
    for row in rows("courses_en.csv"):
        forms[row["stages"]].append(row["form"])
    staged = [(row["disease"], row["stages"]) for row in rows("stages_en.csv")]
    staged += [
        (row.disease, row.mechanism) for row in pool.everyday if row.mechanism == "cancer" and row.site not in _GRADED
    ]
    for disease, kind in shuffled(staged * 25, random):
        yield Candidate(
            random.choice(forms[kind]).format(disease), pool.drawn_name(disease, random), (disease,), (disease,)
        )


_GRADED = ("blood", "lymph nodes", "brain")
"""Where cancers have no stages of their own kind."""
