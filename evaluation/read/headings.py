"""Headings that hold the ranks of lists: whose, and which; those that may hold ranks or models alike are asked about."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import count

from ...errors import InputError, quoted
from .names import PREDICTIONS, known_as, says, words

WAYS = "the option 'columns' (rank=COLUMN,COLUMN for the ranks of one list, predictions=COLUMN,COLUMN for models, reference=COLUMN for right answers)"
_RANK_WORDS = words(
    "dx ddx diagnosis diagnoses diag differential rank choice answer prediction pred top candidate hypothesis guess"
)
"""Words that say that the number beside them is a rank."""
_PLACES = (
    "first 1st", "second 2nd secondary", "third 3rd tertiary", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th",
)  # fmt: skip
_ORDINALS = {word: place for place, of in enumerate(_PLACES, 1) for word in of.split()}
"""Words that are a rank by themselves."""
_LEADING = words("main primary leading likeliest principal likely")
"""Words of the first rank, beside columns of others."""
_LEADS = -1
_SERIES = {
    mark: (kind, place)
    for kind, marks in (
        ("letter", "a b c d e f g h"), ("roman", "i ii iii iv v vi vii viii ix x"), ("number", "one two three four five six seven eight nine ten"),
    )
    for place, mark in enumerate(marks.split(), 1)
}  # fmt: skip
_RATER = re.compile(
    r"model|llm|system|sys|algorithm|tool|bot|agent|team|group|arm|rater|reader|expert|annotator|dr|doctor|reviewer|gp|resident|fellow|attending|consultant"
    r"|student|nurse|surgeon|\w+(?:ician|ologist)|run|repeat|trial|seed|sample|prompt|attempt|site|cent(?:re|er)|\w+ (?:v|version)"
)
"""Words that say that the number or letter behind them is a name; CRAFT-MD asks mistral-v1 and mistral-v2."""
_ASKED = re.compile(
    r"\b(?:erste|zweite|dritte|premier|deuxi[eè]me|troisi[eè]me|primero?|segundo|tercero|prima|seconda|terza)\b|diagn[oó](?!s[ei]s|stic)"
    r"|\b(?:initial|revised|admission|working|provisional)\b", re.IGNORECASE,
)  # fmt: skip
"""Headings that hold ranks or right answers as often as a model: of other languages, and of one case at several times."""
_DISEASE = re.compile(r"diagnos|disease|condition|\bd?dx\b", re.IGNORECASE)
_REPEAT = re.compile(r".*\S\s*\[(?!(?:rank|dx|top)\s*#)[^\[\]#]*[^\[\]#\s]\s*#\d+\]\s*")
"""A repeat under a prompt is no rank: "gpt4 [free #2]"."""
_AGAIN = re.compile(r"(.+)\.\d+")
"""What pandas makes of a heading that stands there twice."""
_TOKEN = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)*|[^\W\d_]+", re.IGNORECASE)


def _tokens(name: str) -> list[re.Match[str]]:
    return [] if _REPEAT.fullmatch(name) else [*_TOKEN.finditer(name.casefold())]


def standing_twice(names: Collection[str]) -> set[str]:
    """Headings of which pandas made several: "DDx" and "DDx.1"."""
    return {
        one for name in names if (found := _AGAIN.fullmatch(name)) and found[1] in names for one in (name, found[1])
    }


def numbered(names: Collection[str]) -> dict[str, list[str]]:
    """Whose -> the columns of its ranks in order: dx1, dx2, … ("" for nobody's); gpt4_dx1, …; first diagnosis, second diagnosis; Main diagnosis, Differential 1, ….

    A heading says its rank by a number beside a word of ranks, or by an ordinal; the numbers go on from 0 or 1, or behind a leading one.
    """
    ranks, out = dict[str, list[tuple[int, str]]](), dict[str, list[str]]()
    for name in names:
        if (found := _rank_of(name)) is not None:
            ranks.setdefault(found[0], []).append((found[1], name))
    for model, columns in ranks.items():
        (first, _), *more = columns = sorted(columns)
        begins = (first,) if first >= 0 else (1, 2)
        in_order = any(all(rank == at for (rank, _), at in zip(columns[first < 0 :], count(begin))) for begin in begins)
        names_a_model = not known_as(model) or says(model, "rater") or says(model, PREDICTIONS)
        if more and first < 2 and in_order and names_a_model:
            out[model] = [name for _, name in columns]
    return out


def _rank_of(name: str) -> tuple[str, int] | None:
    """Whose rank a heading says it holds, and which, `_LEADS` for "leading"; None for a heading that says none."""
    found = _tokens(name)
    said, ranks = [one[0] for one in found], dict[int, int]()
    for at, word in enumerate(said):
        behind = at > 0 and said[at - 1] in _RANK_WORDS
        before = at == 0 and said[1:2] and said[1] in _RANK_WORDS
        if word in _ORDINALS:
            ranks[at] = _ORDINALS[word]
        elif word.isdecimal() and len(word) < 3 and (behind or before or name[: found[at].start()].endswith("#")):
            ranks = {at: int(word)}
        elif behind and _SERIES.get(word, ("",))[0] == "number":
            ranks = {at: _SERIES[word][1]}
    leads = [at for at, word in enumerate(said) if word in _LEADING and (word != "likely" or "most" in said)]
    ranks = ranks or dict.fromkeys(leads, _LEADS)
    rest = [at for at, word in enumerate(said) if at not in ranks and word not in _RANK_WORDS | {"most", "likely"}]
    if len(ranks) != 1 or (rest and rest != [*range(rest[0], rest[-1] + 1)]):
        return None
    return name[found[rest[0]].start() : found[rest[-1]].end()].strip() if rest else "", next(iter(ranks.values()))


def check_models(names: Collection[str], right: bool, source: str) -> None:
    """Refuses headings of models that may be ranks of one list, or right answers. right : whether another column holds these.

    Raises
    ------
    InputError
        For headings that differ in nothing but a number, a letter or a Roman number that go on from the first ("A1, A2", "I, II"); for one
        that stands there twice; for a rank without those before it; for ordinals, or the word diagnosis, of another language; for those of one
        case at several times; and where some headings speak of a disease, and no column holds right answers.
    """
    series, of_disease = dict[tuple[str, ...], dict[int, str]](), [name for name in names if _DISEASE.search(name)]
    for name in names:
        rank, asked = _rank_of(name), name in of_disease and not right and len(of_disease) < len(names)
        asked |= name in standing_twice(names) or (_ASKED.search(name) is not None and len(names) > 1)
        if asked or (rank is not None and rank[1] > 1):
            problem = f"the column {quoted(name)} may hold a rank, the right answers, or a model's"
            raise InputError(problem, source=source, allowed=WAYS, got=list(names))
        said = [one[0] for one in _tokens(name)]
        for at, word in enumerate(said):
            if not any(_RATER.fullmatch(" ".join(said[start:at])) for start in range(max(0, at - 2), at)):
                marks = [("number", int(word))] if word.isdecimal() else [_SERIES[word]] if word in _SERIES else []
                for kind, place in marks:
                    series.setdefault((*said[:at], f"{kind} {at}", *said[at + 1 :]), {})[place] = name
    for columns in series.values():
        if len(columns) > 1 and sorted(columns) in ([*range(len(columns))], [*range(1, len(columns) + 1)]):
            named = [columns[n] for n in sorted(columns)]
            raise InputError(
                f"the columns {', '.join(map(quoted, named))} differ in a number or letter alone: they may be ranks of one list, or models",
                source=source, allowed=f"the option 'columns': rank={','.join(named)} for ranks, or predictions={','.join(named)} for models", got=named,
            )  # fmt: skip
