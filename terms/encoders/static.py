"""The static encoder: a vector per bucket of hashed words and n-grams, added up. Loads with numpy and safetensors.

After fastText (Bojanowski et al. 2017, "Enriching word vectors with subword information", eq. 1 and §3.2), with the
hashes of `hashing`. A name's vector is the sum over its buckets of `scale[b] * (row[b] - 7.5)`, brought to unit length.
The learnt weight of a bucket and the step of its quantisation are one number, `scale[b]`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from ...errors import InputError, ModelError, OptionError, quoted
from ...files.atomic import make_folder, whole_file

FILE = "encoder.safetensors"
FORMAT, VERSION = "dxmatch-static-encoder", 1
MAX_BUCKETS, MAX_DIMENSIONS, MAX_GRAM = 1 << 24, 4096, 16
MAX_SCALE = 1e6
MAX_FILE_BYTES = 256 * 2**20


@dataclass(frozen=True)
class Shape:
    """How a text becomes buckets, and how long its vector is.

    Attributes
    ----------
    buckets, word_buckets : all of them, and those of words and pairs of words, which come first.
    dimensions : an even number.
    shortest, longest : of the n-grams, in characters; at least 3.
    pairs : whether two neighbouring words have a bucket, too.

    Raises
    ------
    OptionError
        For a number out of range.
    """

    buckets: int = 1 << 17
    word_buckets: int = 3 << 14
    dimensions: int = 256
    shortest: int = 3
    longest: int = 5
    pairs: bool = True

    def __post_init__(self) -> None:
        self._within("buckets", 2, MAX_BUCKETS)
        self._within("word_buckets", 1, self.buckets - 1)
        self._within("dimensions", 2, MAX_DIMENSIONS)
        self._within("shortest", 3, MAX_GRAM)
        self._within("longest", self.shortest, MAX_GRAM)
        if self.dimensions % 2:
            raise OptionError("dimensions", "an even number", self.dimensions)
        if not isinstance(self.pairs, bool):
            raise OptionError("pairs", "true or false", self.pairs)

    def _within(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise OptionError(name, f"a whole number from {low:,} to {high:,}", value)


class StaticEncoder:
    """Normalised strings -> unit vectors. The vector of a text is the same, bit for bit, alone and in any batch.

    Parameters
    ----------
    shape : see `Shape`.
    rows : uint8[buckets, dimensions / 2]; byte j holds dimension j in its low four bits and dimension
        j + dimensions / 2 in its high four bits, each 0 to 15.
    scales : float32[buckets], from 0 to 1e6.
    training, measured : what the card says of it: how it was trained, and how good it is.

    Raises
    ------
    ModelError
        For arrays that do not fit `shape`, or a scale out of range.
    """

    def __init__(
        self,
        shape: Shape,
        rows: NDArray[np.uint8],
        scales: NDArray[np.float32],
        *,
        training: Mapping[str, Any] | None = None,
        measured: Mapping[str, Any] | None = None,
    ) -> None:
        _check_array("rows", rows, np.uint8, (shape.buckets, shape.dimensions // 2))
        _check_array("scales", scales, np.float32, (shape.buckets,))
        for row in np.flatnonzero(~((scales >= 0) & (scales <= MAX_SCALE)))[:1]:
            raise _refusal("scales", "a scale out of range", f"0 to {MAX_SCALE:,.0f}", f"{scales[row]} in row {row}")
        self.shape = shape
        self.training, self.measured = dict(training or {}), dict(measured or {})
        self._rows, self._scales = np.ascontiguousarray(rows), np.ascontiguousarray(scales)

    @classmethod
    def quantized(cls, shape: Shape, vectors: NDArray[np.float32], **about: Any) -> StaticEncoder:
        """From learnt vectors, float32[buckets, dimensions]; each row gets the scale of the least squared error."""
        _check_array("vectors", vectors, np.float32, (shape.buckets, shape.dimensions))
        if not np.isfinite(vectors).all():
            raise _refusal("vectors", "a number that is not finite", "finite numbers", "NaN or infinity")
        rows, scales = _quantize(vectors)
        half = shape.dimensions // 2
        packed = np.bitwise_or(rows[:, :half], rows[:, half:] << 4, dtype=np.uint8)
        return cls(shape, packed, scales, **about)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> StaticEncoder:
        """From `encoder.safetensors` in a folder, as `save` wrote it. Errors: `ModelError` for anything else."""
        path = Path(folder) / FILE
        try:
            if path.stat().st_size > MAX_FILE_BYTES:
                raise _refusal(
                    str(path), "the file is too large", f"at most {MAX_FILE_BYTES:,} bytes", path.stat().st_size
                )
            return cls.from_arrays(load_tensors(path.read_bytes()), str(path))
        except OSError as error:
            raise ModelError(f"{path}: the encoder's file could not be read ({error.strerror or error}).") from error
        except (SafetensorError, KeyError, ValueError, TypeError, MemoryError) as error:
            raise ModelError(f"{path}: not a safetensors file, or a damaged one ({error}).") from error

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], place: str = "encoder") -> StaticEncoder:
        """From what a model folder keeps, as `arrays` gives it. Errors: `ModelError`."""
        if set(arrays) != {"config", "rows", "scales"}:
            raise _refusal(place, "other arrays than an encoder's", "'config', 'rows' and 'scales'", sorted(arrays))
        shape, training, measured = _read_config(arrays["config"].tobytes(), f"{place}: config")
        try:
            return cls(shape, arrays["rows"], arrays["scales"], training=training, measured=measured)
        except ModelError as error:
            raise ModelError(f"{place}: {error}") from None

    def arrays(self) -> dict[str, NDArray[Any]]:
        """`rows`, `scales`, and as bytes of JSON, uint8, the `config`."""
        about = {"training": self.training, "measured": self.measured}
        config = {"format": FORMAT, "version": VERSION, **asdict(self.shape), **about}
        text = json.dumps(config, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        return {"config": np.frombuffer(text.encode(), np.uint8), "rows": self._rows, "scales": self._scales}

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes `encoder.safetensors`, whole or not at all. Errors: `DxmatchError` where it cannot be written."""
        target = make_folder(folder)
        with whole_file(target / FILE) as temporary:
            temporary.write_bytes(save_tensors(self.arrays()))
        return target

    @property
    def identity(self) -> str:
        """The word "static-" and twelve hexadecimal digits of the hash of all that shapes a vector."""
        return self._identity

    @cached_property
    def _identity(self) -> str:
        digest = hashlib.sha256(json.dumps([VERSION, asdict(self.shape)], sort_keys=True).encode())
        digest.update(self._rows.tobytes())
        digest.update(self._scales.astype("<f4").tobytes())
        return f"static-{digest.hexdigest()[:12]}"

    @property
    def dimensions(self) -> int:
        return self.shape.dimensions

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of normalised strings.

        Returns
        -------
        float32[len(texts), dimensions], unit rows.

        Raises
        ------
        InputError
            For a text of blanks or nothing.
        ModelError
            Where the weights of a text's buckets add up to nothing (damaged weights).
        """
        from .hashing import code_points, encode, max_buckets

        if isinstance(texts, str):
            raise OptionError("texts", "a list of strings", texts)
        texts, shape = list(texts), self.shape
        out = np.zeros((len(texts), self.dimensions), np.float32)
        points, offsets = code_points(texts)
        room = max_buckets(int(np.diff(offsets).max(initial=0)), shape.shortest, shape.longest)
        grams = shape.buckets - shape.word_buckets
        failed = encode(
            points, offsets, self._rows, self._scales, shape.word_buckets, grams, shape.shortest, shape.longest, shape.pairs,
            room, out,
        )  # fmt: skip
        if failed >= 0:
            if not texts[failed].strip(" "):
                raise InputError("a text without a character", allowed="a normalised name", got=texts[failed])
            raise ModelError(
                f"The encoder {self.identity} has no vector for {quoted(texts[failed])}: its weights are damaged."
            )
        return out


def _quantize(vectors: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Sixteen levels, half a step off zero, so that both signs have eight: uint8[n, d] of 0 to 15, and the steps.

    The step of a row is the best of twelve, from a cut at 45 % of its largest number to none.
    """
    rows = np.empty(vectors.shape, np.uint8)
    scales = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), 4096):
        part = vectors[start : start + 4096]
        largest = np.abs(part).max(axis=1)
        best = np.full(len(part), np.inf)
        for cut in np.linspace(0.45, 1.0, 12):
            step = (largest * cut / 7.5).astype(np.float32)
            safe = np.where(step > 0, step, 1)[:, None]
            levels = np.clip(np.floor(part / safe) + 8, 0, 15)
            error = np.square(part - (levels - 7.5) * step[:, None]).sum(axis=1)
            better = error < best
            best = np.where(better, error, best)
            rows[start : start + len(part)][better] = levels[better]
            scales[start : start + len(part)][better] = step[better]
    return rows, scales


def _check_array(name: str, array: Any, dtype: type, shape: tuple[int, ...]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        got = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else type(array).__name__
        raise _refusal(name, "not the array of this encoder", f"{np.dtype(dtype)}{list(shape)}", got)


def _read_config(content: bytes, place: str) -> tuple[Shape, dict[str, Any], dict[str, Any]]:
    try:
        config = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{place}: not JSON in UTF-8 ({error}).") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise _refusal(place, "not the description of a static encoder", f'an object with "format": "{FORMAT}"', config)
    fields = list(Shape.__dataclass_fields__)
    expected = {"format", "version", *fields, "training", "measured"}
    if config.get("version") != VERSION:
        raise _refusal(place, "a version that this release cannot read", str(VERSION), config.get("version"))
    if set(config) != expected:
        raise _refusal(place, "other fields than an encoder's", ", ".join(sorted(expected)), sorted(config))
    for name in ("training", "measured"):
        if not isinstance(config[name], dict):
            raise _refusal(place, f"{name!r} is no object", "an object", config[name])
    try:
        return Shape(**{name: config[name] for name in fields}), config["training"], config["measured"]
    except OptionError as error:
        raise ModelError(f"{place}: {error}") from error


def _refusal(place: str, problem: str, allowed: str, got: Any) -> ModelError:
    return ModelError(f"{place}: {problem}. Allowed: {allowed}. Got: {quoted(got)}.")
