"""Fine-tuning a sentence encoder: hard batches, a small run that learns, interruption, the command, a feature set with it."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.recipe.encoder.data import Names, Synonyms, join
from dxmatch.terms.text.normalizer import Normalizer

torch = pytest.importorskip("torch", reason="fine-tuning an encoder needs torch (extra 'encoders')")

from dxmatch.recipe.encoder.sentence import Settings, batches, fine_tune, main, one_specifies_the_other  # noqa: E402
from dxmatch.terms.encoders.sentence import SentenceEncoder  # noqa: E402

# 16 diseases with two names that share no word, so that only training can bring them together.
FIRST = [f"{a}{b}osis" for a in ("lumb", "card", "nephr", "derm") for b in ("in", "ul", "ar", "et")]
SECOND = [f"{a} {b}" for a in ("why", "jump", "buzz", "zephyr") for b in ("q", "wx", "vv", "kj")]
QUICK = Settings(epochs=100, batch=16, neighbours=4, learning_rate=3e-3)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def names() -> Names:
    return join([Synonyms("mini", FIRST, SECOND, [None] * len(FIRST))], Normalizer())


def loaded(folder: Path) -> Any:
    return SentenceEncoder(folder, device="cpu").model


def right(vectors_of: Any) -> float:
    cosines = vectors_of.encode(FIRST) @ vectors_of.encode(SECOND).T
    return float((cosines.argmax(axis=1) == np.arange(len(FIRST))).mean())


def test_one_specifies_the_other() -> None:
    found = one_specifies_the_other(
        ["diabetes", "type 1 diabetes"], ["type 2 diabetes", "diabetes type 1 mellitus", "gout"]
    )
    assert found.tolist() == [[True, True, False], [False, True, False]]
    assert one_specifies_the_other(["gout"], []).shape == (1, 0)


def test_a_batch_holds_neighbours_and_an_epoch_each_pair_once() -> None:
    sites = ["lung", "skin", "bone", "liver", "ear", "eye", "hip", "toe"]
    first = [f"{site} {site}{n}" for site in sites for n in range(8)]
    every = join([Synonyms("s", first, [f"{name} bis" for name in first], [None] * len(first))], Normalizer())
    drawn = list(batches(every, Settings(batch=16, neighbours=4), np.random.default_rng(0)))
    assert [pairs.shape for pairs in drawn] == [(16, 2)] * 4
    assert sorted(map(sorted, np.concatenate(drawn).tolist())) == every.pairs.tolist()
    shuffled = np.random.default_rng(1).permutation(every.pairs).reshape(4, 16, 2)

    def beside(some: Any) -> int:
        """Neighbours in a batch that name the same site."""
        site = [[every.texts[i].split()[0] for i in pairs[:, 0]] for pairs in some]
        return sum(a == b for one in site for a, b in itertools.pairwise(one))

    assert beside(drawn) > 2 * beside(shuffled)
    assert len(list(batches(every, Settings(batch=1000, neighbours=2000), np.random.default_rng(0)))) == 1


def test_a_small_run_learns_and_is_the_same_again(tiny_sentence_model: Path, names: Names) -> None:
    model, again = loaded(tiny_sentence_model), loaded(tiny_sentence_model)
    before = right(model)
    words = model[0].model.embeddings.word_embeddings.weight.clone()
    seen: list[tuple[int, int]] = []
    done = fine_tune(model, names, QUICK, progress=lambda at, of: seen.append((at, of)))
    assert done.ended == "all epochs" and len(done.losses) == 100 and done.losses[-1] < done.losses[0] / 2
    assert before < 0.4 and right(model) > 0.9
    assert seen == [(i, 100) for i in range(1, 101)]
    assert torch.equal(model[0].model.embeddings.word_embeddings.weight, words)
    assert model.max_seq_length == 48 and not model.training
    assert fine_tune(again, names, QUICK).losses == done.losses
    assert again.encode(FIRST).tobytes() == model.encode(FIRST).tobytes()


def test_no_wrong_answers_among_names_of_one_disease_or_of_which_one_specifies_the_other(
    tiny_sentence_model: Path,
) -> None:
    one = Names(["elk", "fog", "hen"], np.array([[0, 1], [0, 2], [1, 2]]), np.zeros(3, np.int64))
    specified = Names(
        ["elk", "elk fog", "elk fog hen", "elk fog hen ox"], np.array([[0, 1], [2, 3]]), np.array([0, 0, 1, 1])
    )
    for harmless in (one, specified):
        assert fine_tune(loaded(tiny_sentence_model), harmless, Settings()).losses == [0.0]
    contrast_alone = Names(["acute elk", "elk acute"], np.array([[0, 1], [0, 1]]), np.zeros(2, np.int64))
    assert fine_tune(loaded(tiny_sentence_model), contrast_alone, Settings()).losses[0] > 0.1


def test_out_of_time_and_interrupted(tiny_sentence_model: Path, names: Names) -> None:
    hurried = fine_tune(loaded(tiny_sentence_model), names, Settings(minutes=0.01, epochs=100_000, batch=4))
    assert hurried.ended == "out of time" and 0 < len(hurried.losses) < 400_000
    assert len(fine_tune(loaded(tiny_sentence_model), names, Settings(minutes=1e-9)).losses) == 1

    def press(at: int, _: int) -> None:
        if at == 2:
            raise KeyboardInterrupt

    model = loaded(tiny_sentence_model)
    stopped = fine_tune(model, names, Settings(epochs=5, batch=8), progress=press)
    assert (stopped.ended, len(stopped.losses)) == ("interrupted", 2)
    assert model.max_seq_length == 48 and not model.training


@pytest.mark.parametrize(
    ("field", "value"),
    [("minutes", 0), ("epochs", 0), ("batch", 1), ("neighbours", 0), ("temperature", 0), ("learning_rate", float("nan")),
     ("longest", 2), ("seed", -1), ("epochs", 1.5), ("epochs", True)],
)  # fmt: skip
def test_settings_out_of_range(field: str, value: float) -> None:
    with pytest.raises(OptionError, match=field):
        Settings(**{field: value})


def test_too_few_pairs() -> None:
    with pytest.raises(InputError, match="too few pairs"):
        fine_tune(None, Names(["a", "b"], np.array([[0, 1]]), np.zeros(2, np.int64)), Settings())


def test_the_command_and_a_feature_set_with_its_result(
    tiny_sentence_model: Path, example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synonyms = tmp_path / "mini.csv"
    synonyms.write_text("name,synonym\n" + "".join(f"{a},{b}\n" for a, b in zip(FIRST, SECOND, strict=True)), "utf-8")
    judged = tmp_path / "judged.csv"
    rows = [f"{a},{b},{int(i == j)}\n" for i, a in enumerate(FIRST) for j, b in enumerate(SECOND)]
    judged.write_text("expert,algorithm,label\n" + "".join(rows), "utf-8")
    out = tmp_path / "tuned"
    common = ["--base", str(tiny_sentence_model), "--synonyms", str(synonyms), "--no-icd", "--no-common"]
    main(
        [*common, "--epochs", "100", "--batch", "16", "--learning-rate", "3e-3", "--pairs", str(judged), "-o", str(out)]
    )
    card = (out / "README.md").read_text("utf-8")
    training, measured = (json.loads(part.split("```")[0]) for part in card.split("```json")[1:])
    assert (training["names"], training["pairs"], training["steps"], training["ended"]) == (32, 16, 100, "all epochs")
    assert training["sources"] == {"mini.csv": 16} and str(tmp_path) not in card
    assert measured["fine_tuned"]["pairs"] == measured["base"]["pairs"] == 256
    assert measured["fine_tuned"]["pairs_average_precision"] > 0.9 > measured["base"]["pairs_average_precision"]
    assert [path.name for path in tmp_path.glob(".tuned*")] == []

    features = tmp_path / "set.toml"
    features.write_text(
        f"[encoder.mine]\nmodel = '{out}'\n[[feature]]\nname = 'cosine_mine'\nkind = 'cosine'\nencoder = 'mine'\n"
        "[[feature]]\nname = 'levenshtein'\nkind = 'levenshtein'\n"
    )
    trained = dxmatch.train(example / "pairs.csv", features=features)
    m = dxmatch.load(trained.save(tmp_path / "model"), loading=dxmatch.Loading(encoders={"mine": out}))
    assert m.features.names == ("cosine_mine", "levenshtein")
    assert m.probability("flu", "influenza") == trained.probability("flu", "influenza")

    with pytest.raises(SystemExit) as stopped:
        main([*common, "-o", str(out)])
    assert stopped.value.code == 1 and "is there already. Allowed: a new path" in capsys.readouterr().err


def test_what_the_command_refuses(
    tiny_sentence_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = shutil.copytree(tiny_sentence_model, tmp_path / "broken")
    (broken / "modules.json").unlink()
    for options, told in (
        (["--base", str(tiny_sentence_model), "--no-icd", "--no-common"], "nothing to train on"),
        (["--base", str(broken), "--no-icd"], "without modules.json"),
        (["--base", str(tiny_sentence_model), "--icd-names", "x.csv"], "given with --without-fold"),
        (["--base", str(tiny_sentence_model), "--minutes", "0"], "'minutes' parameter must be a number above 0"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main([*options, "-o", str(tmp_path / "none")])
        assert stopped.value.code == 1 and told in capsys.readouterr().err
        assert not (tmp_path / "none").exists()
