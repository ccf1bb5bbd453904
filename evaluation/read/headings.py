"""Headings that hold the ranks of lists: whose, and which; those that may hold ranks or models alike are asked about."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...errors import InputError, quoted
from .names import PREDICTIONS, WORDS_ASIDE, folded, known_as

WAYS = "the option 'columns' (rank=COLUMN,COLUMN for the ranks of one list, predictions=COLUMN,COLUMN for models, reference=COLUMN for right answers)"
_RANK_WORDS = "dx ddx diagnosis diagnoses diag differential rank choice answer prediction pred top candidate hypothesis guess most likely"
"""Words that say that the number beside them is a rank."""
_PLACES = (
    "main primary leading likeliest principal most", "first 1st", "second 2nd secondary", "third 3rd tertiary", "fourth 4th", "fifth 5th", "sixth 6th",
    "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th",
)  # fmt: skip
_ORDINALS = {word: place for place, of in enumerate(_PLACES) for word in of.split()}  # 0 goes before all others
_SERIES = "a b c d e f g h", "i ii iii iv v vi vii viii ix x", "one two three four five six seven eight nine ten"
_MARKS = {mark: place for marks in _SERIES for place, mark in enumerate(marks.split(), 1)}
_RATER = re.compile(  # says that the number or letter behind it is a name; CRAFT-MD asks mistral-v1 and mistral-v2
    r"(?:model|llm|system|sys|algorithm|tool|bot|agent|team|group|arm|rater|reader|expert|annotator|dr|doctor|reviewer|gp|resident|fellow|attending|consultant"
    r"|student|nurse|surgeon|ician|ologist|run|repeat|trial|seed|sample|prompt|attempt|site|cent(?:re|er)|[\W_]v|[\W_]version)[\W_]*$", re.IGNORECASE
)  # fmt: skip
_ASKED = f"{WORDS_ASIDE} variable value initial revised admission working provisional final erste zweite dritte premier deuxième deuxieme troisième troisieme primer primero segundo tercero prima seconda terza"
"""Words of headings that hold ranks, right answers or a remark as often as a model: of one case at several times, and of other languages."""
_DISEASE = re.compile(r"diagnos|disease|condition|\bd?dx\b")
_OF_ANOTHER_LANGUAGE = re.compile(r"diagn[oó](?!s[ei]s|stic)")
_TOKEN = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)*|[^\W\d_]+", re.IGNORECASE)


def numbered(names: Collection[str]) -> dict[str, list[str]]:
    """Whose -> the columns of its ranks in order: dx1, dx2, … ("" for nobody's); gpt4_dx1, …; first diagnosis, second diagnosis; Main diagnosis, Differential 1, ….

    A heading says its rank by a number beside a word of ranks, or by an ordinal; the numbers go on from 0 or 1, or behind a leading one.
    """
    ranks, out = dict[str, list[tuple[int, str]]](), dict[str, list[str]]()
    for name in names:
        if (found := _rank_of(name)) is not None:
            ranks.setdefault(found[0], []).append((found[1], name))
    for whose, columns in ranks.items():
        places, n = sorted(place for place, _ in columns), len(columns)
        in_order = n > 1 and places in ([*range(n)], [*range(1, n + 1)], [0, *range(2, n + 1)])
        if in_order and known_as(whose).keys() <= {"rater", "diagnosis", PREDICTIONS}:
            out[whose] = [name for _, name in sorted(columns)]
    return out


def _rank_of(name: str) -> tuple[str, int] | None:
    """Whose rank a heading says it holds, and which; None for a heading that says none."""
    found, ranks = [*_TOKEN.finditer(name)], dict[int, int]()
    said = [one[0].casefold() for one in found]
    for at, word in enumerate(said):
        beside = said[at - 1 : at] if at else said[1:2]
        # "gpt4 [free #2]" is a repeat under a prompt
        is_rank = not {*beside}.isdisjoint(_RANK_WORDS.split()) or name.endswith(f"#{word}")
        if word in _ORDINALS:
            ranks[at] = _ORDINALS[word]
        elif is_rank and word.isdecimal() and len(word) < 3:
            ranks = {at: int(word)}
    ranks = {at: place for at, place in ranks.items() if place} or ranks
    rest = [at for at, word in enumerate(said) if at not in ranks and word not in (*_RANK_WORDS.split(), "alt")]
    if len(ranks) != 1 or (rest and rest != [*range(rest[0], rest[-1] + 1)]):
        return None
    return name[found[rest[0]].start() : found[rest[-1]].end()] if rest else "", next(iter(ranks.values()))


def check_models(names: Collection[str], right: bool, source: str) -> None:
    """Refuses headings of models that may be ranks of one list, or right answers. right : whether another column holds these.

    Raises
    ------
    InputError
        For headings that differ in nothing but a number, a letter or a Roman number that go on from the first ("A1, A2", "I, II"); for a rank
        without those before it, or one of nobody's beside models; for ordinals, or the word diagnosis, of another language; for those of one case at several times; for a word
        such as score inside one; and where some headings speak of a disease, and no column holds right answers.
    """
    series, said = dict[tuple[str, str], dict[int, str]](), {name: folded(name).replace("_", " ") for name in names}
    of_disease = [name for name in names if _DISEASE.search(said[name])]
    for name in names:
        asked = not {*said[name].split()}.isdisjoint(_ASKED.split()) or _OF_ANOTHER_LANGUAGE.search(said[name])
        asked = asked or (name in of_disease and not right and len(of_disease) < len(names))
        whose, place = _rank_of(name) or (name, 0)
        if asked or place > 1 or (not whose and len(names) > 1):
            problem = f"the column {quoted(name)} may hold a rank, the right answers, or a model's"
            raise InputError(problem, source=source, allowed=WAYS, got=list(names))
        for one in _TOKEN.finditer(name):
            mark = int(one[0]) if one[0].isdecimal() else _MARKS.get(one[0].casefold())
            if mark is not None and not _RATER.search(name, 0, one.start()):
                series.setdefault((folded(name[: one.start()]), folded(name[one.end() :])), {})[mark] = name
    for columns in series.values():
        if len(columns) > 1 and sorted(columns) in ([*range(len(columns))], [*range(1, len(columns) + 1)]):
            named = [columns[n] for n in sorted(columns)]
            raise InputError(
                f"the columns {', '.join(map(quoted, named))} differ in a number or letter alone: they may be ranks of one list, or models",
                source=source, allowed=f"the option 'columns': rank={','.join(named)} for ranks, or predictions={','.join(named)} for models", got=named,
            )  # fmt: skip
