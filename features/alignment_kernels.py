"""The compiled loops of the alignment. Imports numba, so imported late.

A first name's words are compared eight at a time with each word of its second names; sums of whole numbers have no order.
"""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)
from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..compiled import compiled

_TOGETHER = 8
"""Words of a first name that are compared at once; a longer name takes several turns."""
_RUN = 256
"""Pairs of one first name that are done together, at most: a word that many of their second names share is compared once."""
_AT_ONCE, _LINE = 16, 64
_INT, _DOUBLE = ir.IntType(32), ir.DoubleType()
_BYTES, _LEVELS = ir.VectorType(ir.IntType(8), _AT_ONCE), ir.VectorType(ir.IntType(16), _AT_ONCE)
_SUMS, _NUMBERS = ir.VectorType(_INT, _TOGETHER), ir.VectorType(_DOUBLE, _TOGETHER)


def _filled(kind, number):
    return ir.Constant(kind, [number] * kind.count)


def _chosen(builder, a, b, places):
    kind = ir.VectorType(_INT, len(places))
    return builder.shuffle_vector(a, b, ir.Constant(kind, list(places)))


def _pairs_added(context, builder, a, b):
    """int32[8]: a[2 i] b[2 i] + a[2 i + 1] b[2 i + 1]; one instruction where there is AVX2."""
    if "+avx2" in context.codegen().magic_tuple()[2].split(","):
        kind = ir.FunctionType(_SUMS, [_LEVELS, _LEVELS])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx2.pmadd.wd"), [a, b])
    products = []
    for place in (0, 1):
        halves = (_chosen(builder, each, each, range(place, _AT_ONCE, 2)) for each in (a, b))
        products.append(builder.mul(*(builder.sext(half, _SUMS) for half in halves)))
    return builder.add(*products)


def _added_up(builder, sums):
    """int32[8]: the sum of each of eight vectors."""
    while len(sums) > 2:
        sums = [
            builder.add(
                _chosen(builder, a, b, (0, 2, 8, 10, 4, 6, 12, 14)), _chosen(builder, a, b, (1, 3, 9, 11, 5, 7, 13, 15))
            )
            for a, b in zip(sums[::2], sums[1::2], strict=True)
        ]
    low = _chosen(builder, *sums, (0, 1, 2, 3, 8, 9, 10, 11))
    return builder.add(low, _chosen(builder, *sums, (4, 5, 6, 7, 12, 13, 14, 15)))


def _greater(builder, a, b):
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


@intrinsic
def _compare(typing_context, wide, its_stems, its_lengths, levels, word, rest, stem, length, alike, row):
    """alike[row, i] = the cosine of word i of eight and the word `word`, from 0 to 1; returns the greatest.

    wide : int16[8, d], the eight words' levels; with their stems (int32[8]) and lengths (float64[8]). levels : int8[w, d]. rest :
    int32[8], the sums over the last d % 16 dimensions. stem, length : of the word. alike : float64[., 8]. All in C order.
    LLVM makes no vectors of loops over eight sums.
    """

    def generate(context, builder, signature, arguments):
        def array(i):
            return context.make_array(signature.args[i])(context, builder, arguments[i])

        def load(data, at, kind):
            return builder.load(builder.bitcast(builder.gep(data, [at]), kind.as_pointer()), align=1)

        def in_all(number, kind):
            first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(_INT, 0))
            return _chosen(builder, first, first, [0] * kind.count)

        rows = array(3)
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        size = width.type
        none, at_once = ir.Constant(size, 0), ir.Constant(size, _AT_ONCE)
        its_levels = builder.gep(rows.data, [builder.mul(arguments[4], width)])
        sums = [cgutils.alloca_once_value(builder, _filled(_SUMS, 0)) for _ in range(_TOGETHER)]
        with cgutils.for_range(builder, builder.udiv(width, at_once)) as loop:
            at = builder.mul(loop.index, at_once)
            one = builder.sext(load(its_levels, at, _BYTES), _LEVELS)
            for i, total in enumerate(sums):
                there = builder.add(at, builder.mul(width, ir.Constant(size, i)))
                products = _pairs_added(context, builder, load(array(0).data, there, _LEVELS), one)
                builder.store(builder.add(builder.load(total), products), total)
        whole = _added_up(builder, [builder.load(total) for total in sums])
        whole = builder.add(whole, load(array(5).data, none, _SUMS))
        scales = builder.fmul(load(array(2).data, none, _NUMBERS), in_all(arguments[7], _NUMBERS))
        cosine = builder.fdiv(builder.sitofp(whole, _NUMBERS), scales)
        zero, one = _filled(_NUMBERS, 0.0), _filled(_NUMBERS, 1.0)
        cosine = _greater(builder, cosine, zero)
        cosine = builder.select(builder.fcmp_ordered(">", cosine, one), one, cosine)
        equal = builder.icmp_signed("==", load(array(1).data, none, _SUMS), in_all(arguments[6], _SUMS))
        cosine = builder.select(equal, one, cosine)
        out = builder.gep(array(8).data, [builder.mul(arguments[9], ir.Constant(size, _TOGETHER))])
        builder.store(cosine, builder.bitcast(out, _NUMBERS.as_pointer()), align=8)
        while cosine.type.count > 1:
            half = cosine.type.count // 2
            parts = (_chosen(builder, cosine, cosine, range(start, start + half)) for start in (0, half))
            cosine = _greater(builder, *parts)
        return builder.extract_element(cosine, ir.Constant(_INT, 0))

    words = levels, types.intp, rest, types.int32, types.float64
    return types.float64(wide, its_stems, its_lengths, *words, alike, types.intp), generate


@intrinsic
def _fetch(typing_context, levels, word):
    """Asks the memory for a row of int8[w, d] in C order before it is needed: the words of a name lie far apart."""

    def generate(context, builder, signature, arguments):
        rows = context.make_array(signature.args[0])(context, builder, arguments[0])
        width = cgutils.unpack_tuple(builder, rows.shape)[1]
        size, byte = width.type, ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _INT, _INT, _INT])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        start = builder.mul(arguments[1], width)
        line = ir.Constant(size, _LINE)
        lines = builder.udiv(builder.add(width, ir.Constant(size, _LINE - 1)), line)
        with cgutils.for_range(builder, lines) as loop:
            place = builder.gep(rows.data, [builder.add(start, builder.mul(loop.index, line))])
            builder.call(fetch, [place, *(ir.Constant(_INT, x) for x in (0, 3, 1))])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(levels, types.intp), generate


@intrinsic
def _best_added(typing_context, total, ids, start, end, place, alike):
    """`total` plus, one after the other, the greatest number of each column of `alike` in the rows place[ids[start:end]]."""

    def generate(context, builder, signature, arguments):
        words, places, rows = (
            context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in (1, 4, 5)
        )
        size = arguments[2].type
        best = cgutils.alloca_once_value(builder, _filled(_NUMBERS, 0.0))
        with cgutils.for_range(builder, builder.sub(arguments[3], arguments[2])) as loop:
            word = builder.load(builder.gep(words, [builder.add(arguments[2], loop.index)]))
            row = builder.load(builder.gep(places, [builder.sext(word, size)]))
            data = builder.gep(rows, [builder.mul(builder.sext(row, size), ir.Constant(size, _TOGETHER))])
            here = builder.load(builder.bitcast(data, _NUMBERS.as_pointer()), align=8)
            builder.store(_greater(builder, here, builder.load(best)), best)
        total, most = arguments[0], builder.load(best)
        for i in range(_TOGETHER):
            total = builder.fadd(total, builder.extract_element(most, ir.Constant(_INT, i)))
        return total

    return types.float64(types.float64, ids, types.intp, types.intp, place, alike), generate


@compiled()
def align(offsets, ids, stems, levels, lengths, first, second, better, worse):
    """`alignment.alignment` of `Words`, whose arrays are in C order; int32 `ids`."""
    many, width = levels.shape
    whole = width - width % _AT_ONCE
    # Of each word: the run that it was last met in, and its row of `alike`.
    met, place = np.full(many, -1, np.int64), np.empty(many, np.int32)
    different, alike = np.empty(many, np.int64), np.empty((many, _TOGETHER), np.float64)
    best, of_first = np.empty(many, np.float64), np.empty(_RUN, np.float64)
    wide, rest = np.zeros((_TOGETHER, width), np.int16), np.zeros(_TOGETHER, np.int32)
    its_stems, its_lengths = np.empty(_TOGETHER, np.int32), np.empty(_TOGETHER, np.float64)
    start = 0
    while start < first.size:
        one, end, count = first[start], start, 0
        while end < first.size and first[end] == one and end - start < _RUN:
            for at in range(offsets[second[end]], offsets[second[end] + 1]):
                word = ids[at]
                if met[word] != start:
                    met[word], place[word], different[count], best[count] = start, count, word, 0.0
                    count += 1
                    _fetch(levels, word)
            end += 1
        for pair in range(end - start):
            of_first[pair] = 0.0
        for here in range(offsets[one], offsets[one + 1], _TOGETHER):
            filled = min(offsets[one + 1] - here, _TOGETHER)
            for i in range(_TOGETHER):
                # What fills up the last turn has a cosine of 0 to every word.
                its_stems[i], its_lengths[i] = -1, 1.0
                if i < filled:
                    word = ids[here + i]
                    its_stems[i], its_lengths[i] = stems[word], lengths[word]
                    for k in range(width):
                        wide[i, k] = levels[word, k]
                else:
                    for k in range(width):
                        wide[i, k] = 0
            for row in range(count):
                word = different[row]
                if whole < width:
                    for i in range(_TOGETHER):
                        rest[i] = 0
                        for k in range(whole, width):
                            rest[i] += np.int32(wide[i, k]) * np.int32(levels[word, k])
                most = _compare(
                    wide, its_stems, its_lengths, levels, word, rest, stems[word], lengths[word], alike, row
                )
                best[row] = most if most > best[row] else best[row]
            for pair in range(start, end):
                a, b = offsets[second[pair]], offsets[second[pair] + 1]
                of_first[pair - start] = _best_added(of_first[pair - start], ids, a, b, place, alike)
        for pair in range(start, end):
            b, b_end = offsets[second[pair]], offsets[second[pair] + 1]
            of_second = 0.0
            for at in range(b, b_end):
                of_second += best[place[ids[at]]]
            of_a, of_b = of_first[pair - start] / (offsets[one + 1] - offsets[one]), of_second / (b_end - b)
            better[pair] = np.float32(max(of_a, of_b))
            worse[pair] = np.float32(min(of_a, of_b))
        start = end
