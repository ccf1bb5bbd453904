"""The compiled loops of `bitmask_trees`. Imports numba, so imported late."""

# pyright: reportCallIssue=false
# (an intrinsic is called without its first parameter, the typing context)
from __future__ import annotations

import sys

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...compiled import compiled
from .bins import LANES, block_of, fill_bins, fill_codes
from .bitmask import AT_ONCE

_WORD = 8
_LAST_BYTE_FIRST = 0 if sys.byteorder == "little" else 56
_REGISTERS = 4 * 256
"""Bits of masks at a time: what the registers hold beside a split's bins, and enough rows to be worth its reading."""


@intrinsic
def _find_leaves(typing_context, bins, block, column, cut, mask, begin, end, rows, index, to):
    """index[to + r], of row r, a multiple of `LANES` in number: its leaf in the tree of the splits from `begin` to before `end`.

    bins : int8, those of column c from c * block on. column, cut, mask : of each split. index : uint8. As vectors of many
    rows, since LLVM makes none of a loop over the rows around one over the splits.
    """

    def generate(context, builder, signature, arguments):
        data = {i: context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in (0, 2, 3, 4, 8)}
        _, block, _, _, _, begin, end, rows, _, to = arguments
        bit, byte, number = ir.IntType(1), ir.IntType(8), rows.type
        kind = data[4].type.pointee

        def place(i, item, vector):
            return builder.bitcast(builder.gep(data[i], [item]), vector.as_pointer())

        def in_all(i, item, vector):
            """One item of an array in all lanes."""
            one = builder.load(builder.gep(data[i], [item]))
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), one, ir.Constant(ir.IntType(32), 0))
            chosen = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
            return builder.shuffle_vector(first, first, chosen)

        def rows_from(row, lanes):
            bytes_, masks = ir.VectorType(byte, lanes), ir.VectorType(kind, lanes)
            every = ir.Constant(masks, [-1] * lanes)
            leaves = cgutils.alloca_once_value(builder, every)
            with cgutils.for_range(builder, end, start=begin, intp=number) as splits:
                at = splits.index
                column = builder.load(builder.gep(data[2], [at]))
                there = builder.add(builder.mul(column, block), row)
                right = builder.icmp_signed(">", builder.load(place(0, there, bytes_), align=1), in_all(3, at, bytes_))
                kept = builder.select(right, in_all(4, at, masks), every)
                builder.store(builder.and_(builder.load(leaves), kept), leaves)
            count = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(masks, [masks, bit]), f"llvm.cttz.v{lanes}i{kind.width}"
            )
            leaf = builder.call(count, [builder.load(leaves), ir.Constant(bit, 1)])  # 1: some leaf always remains
            leaf = leaf if kind == byte else builder.trunc(leaf, bytes_)
            builder.store(leaf, place(8, builder.add(to, row), bytes_), align=1)

        start = ir.Constant(number, 0)
        for lanes in dict.fromkeys((max(_REGISTERS // kind.width, LANES), LANES)):
            width = ir.Constant(number, lanes)
            steps = builder.udiv(builder.sub(rows, start), width)
            with cgutils.for_range(builder, steps, intp=number) as loop:
                rows_from(builder.add(start, builder.mul(loop.index, width)), lanes)
            start = builder.add(start, builder.mul(steps, width))
        return context.get_dummy_value()

    whole = types.int64
    return types.void(bins, whole, column, cut, mask, whole, whole, whole, index, whole), generate


@compiled()
def _add_values(total, rows, index, block, value, first):
    """total[r] += the value of row r's leaf in each of `AT_ONCE` trees, one after the other. first : their first leaves.

    The leaves of 8 rows are read as one word: loads are what there are too few of. An index without a sign spares a check.
    """
    u = np.uint64
    v0, v1, v2, v3 = u(first[0]), u(first[1]), u(first[2]), u(first[3])
    words = index.view(np.uint64)
    one_tree = u(block // _WORD)
    low = u(255)
    for at in range(u(rows // _WORD)):
        w0, w1, w2, w3 = words[at], words[one_tree + at], words[u(2) * one_tree + at], words[u(3) * one_tree + at]
        for i in range(u(_WORD)):
            r = at * u(_WORD) + i
            shift = (u(_WORD) * i) ^ u(_LAST_BYTE_FIRST)
            s = total[r] + value[v0 + (w0 >> shift & low)]
            s = s + value[v1 + (w1 >> shift & low)]
            s = s + value[v2 + (w2 >> shift & low)]
            total[r] = s + value[v3 + (w3 >> shift & low)]


@compiled()
def score(
    table, cuts, cut_start, column_feature, lookup, lookup_start, most_columns, bank_member, bank_group, bank_column,
    tree_split, tree_leaf, column, cut, mask, value, out,
):  # fmt: skip
    """Fills out[r, member]; the arrays are those of `BitmaskTrees`."""
    block = block_of(len(table))
    codes = np.zeros((table.shape[1], block), np.int32)
    bins = np.zeros(most_columns * block, np.int8)
    index = np.zeros(AT_ONCE * block, np.uint8)
    total = np.zeros(block)
    for start in range(0, len(table), block):
        rows = min(block, len(table) - start)
        wide = -(-rows // LANES) * LANES  # what is past the rows is computed and not read
        fill_codes(table, start, rows, cuts, cut_start, codes)
        for bank in range(len(bank_member)):
            member = bank_member[bank]
            if bank == 0 or bank_member[bank - 1] != member:
                total[:] = 0.0
            first, last = bank_column[bank], bank_column[bank + 1]
            fill_bins(codes, rows, first, last, column_feature, lookup, lookup_start, bins, block)
            for tree in range(bank_group[bank] * AT_ONCE, bank_group[bank + 1] * AT_ONCE, AT_ONCE):
                for i in range(AT_ONCE):
                    begin, end = tree_split[tree + i], tree_split[tree + i + 1]
                    _find_leaves(bins, block, column, cut, mask, begin, end, wide, index, i * block)
                _add_values(total, wide, index, block, value, tree_leaf[tree : tree + AT_ONCE])
            for r in range(rows):
                out[start + r, member] = total[r]
