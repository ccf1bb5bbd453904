"""Any sentence-transformers model as an encoder, by folder or hub name. Needs the extra `encoders`."""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, MissingExtra, ModelError, OptionError, quoted

ROWS = 8
_TEXTS_AT_ONCE = 8192
_HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


class SentenceEncoder:
    """Strings -> unit vectors of a sentence-transformers model.

    Parameters
    ----------
    name_or_folder : a folder with `modules.json` (nothing is fetched for it), or a hub name such as
        "sentence-transformers/all-MiniLM-L6-v2", which is downloaded once unless it is in the hub's cache.
    revision : branch, tag or commit of a hub name.
    prompt : put before every text, for models that were trained with one: the text, not its name. None for the one that
        the model says it uses by default, if any; "" for none.
    device : "cpu", "cuda", "cuda:1", "mps"; None for the fastest there is.
    rows : texts per batch, always. More is quicker for many texts and slower for one.

    The last bits of a torch result depend on the shape of the batch. So a batch here always holds `rows` texts of one
    length in tokens, without padding, filled up with copies where texts are missing. With `rows=1` a text gets the same
    bits alone and in a batch by construction. With more it did on CPU for all-MiniLM-L6-v2 and a model of width 64
    (both tested), but not for a model of width 24, whose matrices are cut up unevenly. Another processor, number of
    threads or release of torch may give other last bits.

    Errors: `MissingExtra` without sentence-transformers; `OptionError` for neither a folder nor a hub name;
    `ModelError` for a folder that is no model, or a model that cannot be loaded.
    """

    def __init__(
        self,
        name_or_folder: str | os.PathLike[str],
        revision: str | None = None,
        prompt: str | None = None,
        device: str | None = None,
        rows: int = ROWS,
    ) -> None:
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtra("A sentence-transformers encoder", "encoders") from None
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise OptionError("rows", "a whole number from 1", rows)
        self.name, self.prompt = os.fspath(name_or_folder), prompt
        self._folder = _folder(name_or_folder)
        self._files_hash = ""
        if self._folder is not None and revision is not None:
            raise OptionError("revision", "left out where the model is a folder", revision)
        try:
            self._model: Any = SentenceTransformer(
                str(self._folder or self.name),
                revision=revision,
                device=device,
                local_files_only=self._folder is not None,
            )
        except Exception as error:  # the library raises whatever the layer below did
            first_line = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ModelError(
                f"{self.name}: could not be loaded as a sentence-transformers model ({first_line})."
            ) from error
        self._rows = rows
        self._revision = None if self._folder else _commit(self.name, revision) or revision or "main"
        default = self._model.prompts.get(self._model.default_prompt_name) or ""
        self._put_first: str = default if prompt is None else prompt
        self._dimensions = int(self._model.get_embedding_dimension() or 0)
        if not self._dimensions:
            raise ModelError(f"{self.name}: the model does not say how long its vectors are.")

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def identity(self) -> str:
        """The hash of the folder's files or `name@commit`; then `rows`, the prompt's hash, a device but for the CPU."""
        if self._folder is not None:
            self._files_hash = self._files_hash or _hash_of_files(self._folder)
            base = f"sentence-{self._files_hash}-{self._rows}"
        else:
            base = f"{self.name}@{self._revision}-{self._rows}"
        if self.prompt is not None:
            base += f"-{hashlib.sha256(self.prompt.encode()).hexdigest()[:12]}"
        device = self._model.device.type
        return base if device == "cpu" else f"{base}+{device}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), dimensions], unit rows. A text longer than the model reads is cut, with a warning.

        Errors: `InputError` for a text without a character; `ModelError` where the model gives numbers that are not
        finite, or only zeros.
        """
        if isinstance(texts, str):
            raise OptionError("texts", "a list of strings", texts)
        texts = list(texts)
        out = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            self._encode(texts[start : start + _TEXTS_AT_ONCE], out[start : start + _TEXTS_AT_ONCE])
        return out

    def _encode(self, texts: list[str], out: NDArray[np.float32]) -> None:
        for text in texts:
            if not text.strip():
                raise InputError("a text without a character", allowed="a name in words", got=text)
        lengths = self._lengths(texts)
        for length in np.unique(lengths):
            at = np.flatnonzero(lengths == length)
            filled = np.concatenate([at, np.repeat(at[-1:], -len(at) % self._rows)])
            vectors = self._model.encode(
                [texts[i] for i in filled], prompt=self._put_first, batch_size=self._rows, show_progress_bar=False
            )
            vectors = np.asarray(vectors, np.float64)[: len(at)]
            norms = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
            if not (np.isfinite(norms) & (norms > 0)).all():
                failed = texts[at[int(np.argmin(norms > 0))]]
                raise ModelError(f"{self.name}: no vector for {quoted(failed)}; its weights are damaged.")
            out[at] = vectors / norms

    def _lengths(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens of each text with its prompt, after cutting; all 0 for a model without a tokenizer of its own."""
        tokenizer = getattr(self._model, "tokenizer", None)
        if not callable(tokenizer):
            return np.zeros(len(texts), np.int64)
        tokens: Any = tokenizer([self._put_first + text for text in texts], verbose=False)
        lengths = np.array([len(one) for one in tokens["input_ids"]], np.int64)
        longest = self._model.max_seq_length or int(lengths.max(initial=0))
        if cut := int((lengths > longest).sum()):
            warnings.warn(
                f"{self.name} reads {longest} tokens; {cut} longer text(s) were cut.", UserWarning, stacklevel=4
            )
        return np.minimum(lengths, longest)


def _folder(name: str | os.PathLike[str]) -> Path | None:
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "modules.json").is_file():
            raise ModelError(f"{path}: a folder without modules.json, so no sentence-transformers model.")
        return path
    if isinstance(name, str) and _HUB_NAME.fullmatch(name) and not path.exists():
        return None
    raise OptionError("name_or_folder", "an existing folder, or a hub name such as 'owner/model'", os.fspath(name))


def _commit(name: str, revision: str | None) -> str | None:
    """Which commit the hub's cache holds for a branch or tag; None where it cannot be told."""
    from huggingface_hub import try_to_load_from_cache

    cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    for repository in (name, f"sentence-transformers/{name}"):
        for file in ("modules.json", "config.json"):
            found = try_to_load_from_cache(repository, file, cache_dir=cache, revision=revision)
            if isinstance(found, str):
                return Path(found).parent.name
    return None


def _hash_of_files(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in _files(folder):
        with path.open("rb") as handle:
            content = hashlib.file_digest(handle, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:12]


def _files(folder: Path) -> Iterable[Path]:
    """All that may shape a vector, in a fixed order; no descriptions, no hidden files."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and path.suffix.lower() not in {".md", ".png", ".pyc"}:
            yield path
