"""Names with the errors that people make at a keyboard, or by ear."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from ..word_lists.misspelling import misspelt
from .candidate import Candidate, in_turn, shuffled
from .pool import Pool

_WORD = re.compile(r"[A-Za-z]{6,}")


def typing_errors(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A name and the same with one or two words misspelt; what comes out is no word of any name."""
    known = pool.vocabulary.known_words
    common = shuffled(pool.common * 4, random)
    others = shuffled([name for name in pool.all if len(name.words) <= 6], random)
    for name in in_turn([(0.5, iter(common)), (0.5, iter(others))], random):
        words = _WORD.findall(name.text)
        text = name.text
        for word in random.sample(words, min(len(words), 1 if random.random() < 0.7 else 2)):
            wrong = misspelt(word, random)
            if wrong is not None and wrong != word and not set(pool.vocabulary.normalizer(wrong).split()) & known:
                text = text.replace(word, wrong, 1)
        if text != name.text:
            yield Candidate(name.text, text, f"{name.source}, misspelt", from_b=(name.text,))
