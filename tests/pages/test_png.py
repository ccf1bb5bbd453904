from __future__ import annotations

import struct
import zlib

import pytest

from dxmatch.pages.png import packed


def chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    out, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + content)
        out.append((kind, content))
        at += 12 + length
    return out


def test_smaller_and_the_same_picture():
    draw = pytest.importorskip("vl_convert", reason="drawing needs vl-convert (extra 'report')")
    spec = {"data": {"values": [{"x": i, "y": i * i} for i in range(9)]}, "mark": "bar",
            "encoding": {"x": {"field": "x", "type": "ordinal"}, "y": {"field": "y", "type": "quantitative"}}}  # fmt: skip
    drawn = draw.vegalite_to_png(spec, scale=2)
    small = packed(drawn)
    assert len(small) < 0.6 * len(drawn) and small.startswith(b"\x89PNG")
    before, after = ([(kind, content) for kind, content in chunks(png) if kind != b"IDAT"] for png in (drawn, small))
    assert before == after
    pixels = [zlib.decompress(b"".join(content for kind, content in chunks(png) if kind == b"IDAT")) for png in (drawn, small)]  # fmt: skip
    assert pixels[0] == pixels[1] and len([1 for kind, _ in chunks(small) if kind == b"IDAT"]) == 1
