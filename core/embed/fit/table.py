"""The table's file: rows as 4-bit numbers beside the pieces they belong to. ../table.go says how it is laid out."""
import struct
import zlib
from pathlib import Path

import numpy as np

LEVELS = 7        # of a 4-bit number, either side of zero
KEEP = 24_000     # pieces, so that the plugin stays below 3.3 MB compressed


def covered(piece):
    body = piece.removeprefix("##")
    return body.isascii() and body.isalnum() and 0 < len(body) <= 18


def chosen(pieces, counts):
    """The pieces to keep: all that continue a word and all single characters,
    since any word must fall apart into something, then those that the texts
    use, most used first, then the rest in the vocabulary's order."""
    have = [i for i, p in enumerate(pieces) if covered(p)]
    needed = lambda p: p.startswith("##") or len(p) == 1
    have.sort(key=lambda i: (not needed(pieces[i]), -counts[i], i))
    return have[:KEEP]


def quantise(table):
    """Rows as 4-bit numbers with a scale each: of a few scales the one that
    leaves the least error."""
    peak = np.abs(table).max(1, keepdims=True)
    best, scale, error = None, None, None
    for share in (1.0, 0.9, 0.8, 0.7, 0.6, 0.5):
        s = np.maximum(peak * share / LEVELS, 1e-12)
        q = np.clip(np.rint(table / s), -LEVELS, LEVELS)
        e = ((q * s - table) ** 2).sum(1, keepdims=True)
        if best is None:
            best, scale, error = q, s, e
        else:
            better = e < error
            best, scale, error = np.where(better, q, best), np.where(better, s, scale), np.where(better, e, error)
    scale = scale[:, 0]
    unit = scale.max() / 65535
    return best.astype(np.int8), np.maximum(np.rint(scale / unit), 1).astype(np.uint16)


def write(path, pieces, keep, table):
    dims = table.shape[1]
    begins = sorted((pieces[i].encode(), i) for i in keep if not pieces[i].startswith("##"))
    continues = sorted((pieces[i][2:].encode(), i) for i in keep if pieces[i].startswith("##"))
    names = [n for n, _ in begins + continues]
    rows, scales = quantise(table[[i for _, i in begins + continues]])
    offsets = np.cumsum([0] + [len(n) for n in names]).astype("<u4")
    low, high = rows[:, 0::2] & 15, rows[:, 1::2] & 15
    packed = (low | high << 4).astype(np.uint8)
    body = offsets.tobytes() + b"".join(names) + scales.astype("<u2").tobytes() + packed.tobytes()
    head = b"LMET" + struct.pack("<HHIIII", dims, 0, len(begins), len(continues), int(offsets[-1]), zlib.crc32(body))
    Path(path).write_bytes(head + body)
    print(f"{path}: {len(names)} pieces, {len(head) + len(body)} bytes")
