"""Pairs of one disease: synonyms, and names that say the same in other words, another order, or misspelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from ..encoder.data import COMMON, GRAPH, ICD, MONDO, ORPHADATA
from ..encoder.variants import word_table
from ..word_lists.misspelling import misspelt
from .pool import Candidate, Pool, in_turn, is_name, mixed, shuffled
from .titles import is_enumerated

_NUMBERS = re.compile(r"\b(\d+[a-z]?|[a-h])\b")


def synonyms(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two names that a source holds to be one disease."""
    shares = {COMMON: 0.2, ORPHADATA: 0.2, MONDO: 0.2, ICD: 0.2, GRAPH: 0.2}
    return in_turn([(share, _of_source(pool, source, random)) for source, share in shares.items()], random)


def _of_source(pool: Pool, source: str, random: Random) -> Iterator[Candidate]:
    for first, second in shuffled(pool.vocabulary.pairs[source], random):
        usable = is_name(first) and is_name(second) and not is_enumerated(first)
        if usable and not _numbers_differ(pool, first, second):
            yield Candidate(first, second)


def _numbers_differ(pool: Pool, a: str, b: str) -> bool:
    """Names with other numbers are other types, whatever the source says."""
    first, second = (set(_NUMBERS.findall(pool.vocabulary.normalizer(text))) for text in (a, b))
    return bool(first and second and first.isdisjoint(second))


def phrasings(pool: Pool, random: Random) -> Iterator[Candidate]:
    """One name in two phrasings: order of words, adjective or noun, a plainer word, a hedge."""
    names = [name for name in pool.all if len(name.words) <= 6]
    for name in mixed(0.35, pool.common * 6, names * 2, random):
        ways = shuffled([_turned_of, _turned_comma, _other_word], random)
        for way in [*ways, _said_by_a_model] if random.random() < 0.2 else ways:
            said = way(name.text, random)
            if said is not None:
                yield Candidate(name.text, said, from_b=(name.text,))
                break


_OF = re.compile(r"([^,]+?) of (?:the )?([^,]+)")
_NO_TURN = re.compile(
    r"\b(of|in|with|without|and|or|due|to|by|for|on|from|other|type|upper|lower|origin|body|tip|head)\b", re.IGNORECASE
)
_COURSES = re.compile(
    r"(acute|chronic|recurrent|congenital|primary|secondary|acquired|familial|hereditary|idiopathic|viral|bacterial|allergic"
    r"|malignant|benign|juvenile|neonatal|severe) (.+)",
    re.IGNORECASE,
)


def _turned_of(text: str, random: Random) -> str | None:
    """ "Carcinoma of the lung" to "lung carcinoma"."""
    found = _OF.fullmatch(text)
    if found is None or any(_NO_TURN.search(part) for part in found.groups()):
        return None
    head, site = found.groups()
    if len(site.split()) > 2 or len(head.split()) > 3:
        return None
    return f"{site} {head[0].lower()}{head[1:]}"


def _turned_comma(text: str, random: Random) -> str | None:
    """ "Acute bronchitis" to "bronchitis, acute"."""
    found = _COURSES.fullmatch(text)
    if found is None or "," in text or len(found[2].split()) > 4 or re.search(r"\b(and|or)\b", text):
        return None
    return f"{found[2]}, {found[1].lower()}"


def _other_word(text: str, random: Random) -> str | None:
    """ "Renal failure" to "kidney failure", "nasal hemorrhage" to "nasal bleeding"."""
    words = text.casefold().split()
    changes = word_table().rewordings(words)
    if not changes or text.casefold().startswith("broken heart"):
        return None
    return random.choice(changes).of(words)


_SAID = (
    "most likely {}", "{} most likely", "{} is the most likely diagnosis", "clinical picture of {}", "features of {}",
    "findings suggestive of {}", "{} (most likely)", "presentation consistent with {}", "{} (clinical diagnosis)",
    "differential includes {}", "diagnosis: {}", "{} confirmed by testing", "{} as the leading diagnosis", "underlying {}",
    "undiagnosed {}", "{} as primary diagnosis", "likely diagnosis of {}", "new-onset {}", "symptomatic {}", "{} with symptoms",
)  # fmt: skip


def _said_by_a_model(text: str, random: Random) -> str | None:
    """As a language model answers: "most likely bronchitis"."""
    if text[0].isupper() and text[1].islower():
        text = text[0].lower() + text[1:]
    return random.choice(_SAID).format(text)


_WORD = re.compile(r"[A-Za-z]{6,}")


def typing_errors(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A name and the same with one or two words misspelt; what comes out is no word of any name."""
    known = pool.vocabulary.known_words
    for name in mixed(0.5, pool.common * 4, [name for name in pool.all if len(name.words) <= 6], random):
        words = _WORD.findall(name.text)
        text = name.text
        for word in random.sample(words, min(len(words), 1 if random.random() < 0.7 else 2)):
            wrong = misspelt(word, random)
            if wrong is not None and wrong != word and not set(pool.vocabulary.normalizer(wrong).split()) & known:
                text = text.replace(word, wrong, 1)
        if text != name.text:
            yield Candidate(name.text, text, from_b=(name.text,))
