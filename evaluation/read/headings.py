"""Headings that hold the ranks of lists: whose, and which; those that may hold ranks or models alike are asked about."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

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
_CARDINALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LEADING = words("main primary leading likeliest principal likely")
"""Words of the first rank, beside columns of others."""
_RATER = re.compile(
    r"model|llm|system|sys|algorithm|tool|bot|agent|team|group|arm|rater|reader|expert|annotator|doctor|reviewer|gp|resident|fellow|attending|consultant"
    r"|student|nurse|surgeon|\w+(?:ician|ologist)|run|repeat|trial|seed|sample|prompt|attempt|site|cent(?:re|er)|\w+ (?:v|version)"
)
"""Words that say that the number or letter behind them is a name; CRAFT-MD asks mistral-v1 and mistral-v2."""
_FOREIGN = re.compile(
    r"\b(?:erste|zweite|dritte|premier|deuxi[eè]me|troisi[eè]me|primero?|segundo|tercero|prima|seconda|terza)\b|diagn[oó](?!s[ei]s|stic)", re.IGNORECASE
)  # fmt: skip
"""Headings of other languages that hold ranks or right answers as often as a model."""
_DISEASE = re.compile(r"diagnos|disease|condition|\bd?dx\b", re.IGNORECASE)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_REPEAT = re.compile(r".*\S\s*\[(?!(?:rank|dx|top)\s*#)[^\[\]#]*[^\[\]#\s]\s*#\d+\]\s*")
"""A repeat under a prompt is no rank: "gpt4 [free #2]"."""
_TOP = re.compile(r"\btop[\W_]?\d+(?=[\W_]+\d)|(?<=_)top[\W_]?\d+(?=[\W_]+\d)", re.IGNORECASE)
"""Of "top3_1" the rank is 1."""
_AGAIN = re.compile(r"(.+)\.(\d+)")
_TOKEN = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)*|[^\W\d_]+", re.IGNORECASE)
_LEADS = -1


def _said(names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each column with what its heading says: of several called "DDx" pandas makes DDx, DDx.1 and DDx.2."""
    again = {name: found for name in names if (found := _AGAIN.fullmatch(name)) and found[1] in names}
    for name in names:
        number = f" {int(again[name][2]) + 1}" if name in again else " 1" if f"{name}.1" in again else ""
        yield name, f"{again[name][1] if name in again else name}{number}"


def numbered(names: Collection[str]) -> dict[str, list[str]]:
    """Whose -> the columns of its ranks in order: dx1, dx2, … ("" for nobody's); gpt4_dx1, …; first diagnosis, second diagnosis; Main diagnosis, Differential 1, ….

    A heading says its rank by a number beside a word of ranks, or by an ordinal; the numbers go on from 0 or 1, or behind a leading one.
    """
    ranks, out = dict[str, list[tuple[int, str]]](), dict[str, list[str]]()
    for name, said in _said(names):
        if (found := _rank_of(said)) is not None:
            ranks.setdefault(found[0], []).append((found[1], name))
    for model, columns in ranks.items():
        at = [rank for rank, _ in sorted(columns)]
        starts, rest = ((1, 2), at[1:]) if at[0] == _LEADS else ((0, 1), at)
        in_order = rest and rest == [*range(rest[0], rest[0] + len(rest))] and rest[0] in starts
        names_a_model = not known_as(model) or says(model, "rater") or says(model, PREDICTIONS)
        if in_order and len(at) > 1 and names_a_model:
            out[model] = [name for _, name in sorted(columns)]
    return out


def _rank_of(said: str) -> tuple[str, int] | None:
    """Whose rank a heading says it holds, and which, `_LEADS` for "leading"; None for a heading that says none."""
    name = _TOP.sub(lambda top: "top".ljust(len(top[0])), said)
    found = [] if _REPEAT.fullmatch(said) else list(_TOKEN.finditer(name))
    tokens, ranks = [one[0].casefold() for one in found], dict[int, int]()
    for at, word in enumerate(tokens):
        behind = at > 0 and tokens[at - 1] in _RANK_WORDS
        beside = (
            behind or (at == 0 and tokens[1:2] and tokens[1] in _RANK_WORDS) or name[: found[at].start()].endswith("#")
        )
        if word in _ORDINALS:
            ranks[at] = _ORDINALS[word]
        elif word.isdecimal() and len(word) < 3 and beside:
            ranks = {at: int(word)}
        elif behind and word in _CARDINALS:
            ranks = {at: _CARDINALS.index(word)}
    leads = [at for at, word in enumerate(tokens) if word in _LEADING and (word != "likely" or "most" in tokens)]
    ranks = ranks or dict.fromkeys(leads, _LEADS)
    rest = [i for i, word in enumerate(tokens) if i not in ranks and word not in _RANK_WORDS | {"most", "likely"}]
    if len(ranks) != 1 or (rest and rest != [*range(rest[0], rest[-1] + 1)]):
        return None
    model = name[found[rest[0]].start() : found[rest[-1]].end()].strip() if rest else ""
    return model, next(iter(ranks.values()))


def check_models(names: Collection[str], right: bool, source: str) -> None:
    """Refuses headings of models that may be ranks of one list, or right answers. right : whether another column holds these.

    Raises
    ------
    InputError
        For headings that differ in nothing but a number, a letter or a Roman number that go on from the first ("A1, A2", "I, II"); for a rank
        without those before it; for ordinals, or the word diagnosis, of another language; and where some headings speak of a disease, and no
        column holds right answers.
    """
    series = dict[tuple[str, ...], dict[int, str]]()
    of_disease = [name for name in names if _DISEASE.search(name)]
    for name, said in _said(names):
        rank = _rank_of(said)
        asked = name in of_disease and not right and len(of_disease) < len(names)
        if (rank is not None and rank[1] > 1) or (_FOREIGN.search(name) and len(names) > 1) or asked:
            problem = f"the column {quoted(name)} may hold a rank, the right answers, or a model's"
            raise InputError(problem, source=source, allowed=WAYS, got=list(names))
        tokens = [] if _REPEAT.fullmatch(name) else [token.casefold() for token in _TOKEN.findall(said)]
        for at, word in enumerate(tokens):
            before = " ".join(tokens[max(0, at - 2) : at])
            if not _RATER.fullmatch(before) and not (at and _RATER.fullmatch(tokens[at - 1])):
                places = {"number": int(word)} if word.isdecimal() else {}
                places |= {"roman": _ROMAN.index(word) + 1} if word in _ROMAN else {}
                places |= {"letter": ord(word) - ord("a") + 1} if len(word) == 1 and "a" <= word <= "j" else {}
                for kind, place in places.items():
                    series.setdefault((*tokens[:at], f"{kind} {at}", *tokens[at + 1 :]), {})[place] = name
    for columns in series.values():
        if len(columns) > 1 and sorted(columns) in ([*range(len(columns))], [*range(1, len(columns) + 1)]):
            named = [columns[n] for n in sorted(columns)]
            raise InputError(
                f"the columns {', '.join(map(quoted, named))} differ in a number or letter alone: they may be ranks of one list, or models",
                source=source, allowed=f"the option 'columns': rank={','.join(named)} for ranks, or predictions={','.join(named)} for models", got=named,
            )  # fmt: skip
