#!/usr/bin/env python3
"""Fits the static table of core/embed and writes ../table.bin.

    python3 fit.py --wordnet DIR --conversations FILE [--work DIR] [--out ../table.bin]

README.md says where its inputs come from, under which licences, and how long
each step takes. Vectors that stand in --work are not made again.
"""
import argparse
import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
import scipy.sparse as sp

import table as tables
import teacher as teachers
import texts as sources

TEXTS = 32_000    # to fit on
DIMS = 64         # of the table
COMMON = 1e-3     # a of the weight a / (a + frequency)
RIDGE = 0.3       # λ of the regression
TURNS = 30        # of conjugate gradients
STEPS = 1_500     # of gradient descent
RATE = 0.01       # of the first of them
PULL = 48.0       # weight of "as near to each other as the teacher has them"


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


class Fit:
    """goal are the teacher's unit vectors of the texts, centred; average takes
    a table to the texts' means."""

    def __init__(self, pieces, ids, vectors, alone):
        self.pieces, n = pieces, len(ids)
        mean = vectors.mean(0)
        centred, words = vectors - mean, unit(alone) - mean
        _, _, basis = np.linalg.svd(centred[np.random.default_rng(0).permutation(n)[:20_000]], full_matrices=False)
        project = basis[:DIMS].T
        self.full, self.goal = unit(centred), unit(centred @ project).astype(np.float32)
        self.word_full, self.word_goal = unit(words), unit(words @ project).astype(np.float32)
        rows = np.repeat(np.arange(n), [len(x) for x in ids])
        columns = np.concatenate(ids)
        values = np.repeat([1 / len(x) for x in ids], [len(x) for x in ids]).astype(np.float32)
        self.average = sp.csr_matrix((values, (rows, columns)), shape=(n, len(pieces)))
        self.counts = np.bincount(columns, minlength=len(pieces))
        weight = COMMON / (COMMON + self.frequencies())
        start = words @ project * weight[:, None]
        got = self.average @ start
        self.table = (start * (got * self.goal).sum() / (got * got).sum()).astype(np.float32)

    def frequencies(self):
        """Of each piece: the vocabulary is ordered by frequency from its first
        whole word on, so by Zipf's law that of rank r is about 0.1/r; a piece
        that the texts use more often has theirs."""
        rank = np.maximum(np.arange(len(self.pieces)) - self.pieces.index("the") + 1, 1)
        return np.maximum(0.1 / rank, 0.3 * self.counts / self.counts.sum())

    def regress(self):
        """The least change of the table that takes each text's mean to its
        goal, by conjugate gradients, every dimension on its own."""
        a = self.average
        change = np.zeros_like(self.table)
        rest = a.T @ (self.goal - a @ self.table)
        direction, norm = rest.copy(), (rest * rest).sum(0)
        for _ in range(TURNS):
            applied = a.T @ (a @ direction) + RIDGE * direction
            step = norm / np.maximum((direction * applied).sum(0), 1e-12)
            change += step * direction
            rest -= step * applied
            now = (rest * rest).sum(0)
            direction = rest + now / np.maximum(norm, 1e-12) * direction
            norm = now
        self.table = (self.table + change).astype(np.float32)

    def descend(self):
        """Directions alone from here on: a text's mean is to point at its
        goal, and texts are to be as near to each other as the teacher has
        them, also single words. A batch is eight texts and those near them."""
        dice = np.random.default_rng(0)
        n, identity = len(self.goal), sp.identity(len(self.pieces), format="csr", dtype=np.float32)
        words = np.array([i for i, p in enumerate(self.pieces)
                          if tables.covered(p) and not p.startswith("##") and len(p) > 1 and self.counts[i]])
        first, second, seen = np.zeros_like(self.table), np.zeros_like(self.table), np.zeros(len(self.table))
        for step in range(STEPS):
            pool = dice.choice(n, 4096, replace=False)
            near = self.goal[pool[:8]] @ self.goal[pool].T
            batch = np.unique(np.concatenate([pool[np.argsort(-near, axis=1, kind="stable")[:, :40].ravel()], pool[8:108]]))
            alone = dice.choice(words, 64, replace=False)
            average = sp.vstack([self.average[batch], identity[alone]]).tocsr()
            goal = np.concatenate([self.goal[batch], self.word_goal[alone]])
            full = np.concatenate([self.full[batch], self.word_full[alone]])
            columns = np.unique(average.indices)
            slope, gap = gradient(average[:, columns], self.table[columns], goal, full @ full.T)
            seen[columns] += 1
            first[columns] = 0.9 * first[columns] + 0.1 * slope
            second[columns] = 0.99 * second[columns] + 0.01 * slope * slope
            k = seen[columns][:, None]
            rate = 3 * RATE * min(1, (step + 1) / 30) * (1 - step / STEPS) * np.abs(self.table[columns]).mean()
            spread = np.sqrt((second[columns] / (1 - 0.99 ** k)).mean(1, keepdims=True)) + 1e-9
            self.table[columns] -= rate * (first[columns] / (1 - 0.9 ** k)) / spread
            if step % 200 == 199:
                print(f"step {step + 1}: 1 - cosine {gap:.4f}", flush=True)


def gradient(average, rows, goal, near):
    """Of the loss by rows, and the mean of 1 - cosine to the goal."""
    means = average @ rows
    length = np.linalg.norm(means, axis=1, keepdims=True) + 1e-6
    u = means / length
    off = u @ u.T - near
    np.fill_diagonal(off, 0)
    n = len(u)
    du = -goal / n + PULL * (off @ u) / (n * n)
    return average.T @ ((du - (du * u).sum(1, keepdims=True) * u) / length), (1 - (u * goal).sum(1)).mean()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--wordnet", required=True, help="folder with WordNet 3.0's data.* and index.*")
    p.add_argument("--conversations", required=True, help="dataset.json of chitchat-dataset")
    p.add_argument("--work", default="work", help="where the teacher's vectors are kept")
    p.add_argument("--out", default=str(Path(__file__).parent.parent / "table.bin"))
    a = p.parse_args()
    Path(a.work).mkdir(exist_ok=True, parents=True)
    teacher, tokenizer = teachers.Teacher(a.work), teachers.tokenizer()
    vocabulary = tokenizer.get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.get)
    texts = sources.mixed(a.wordnet, a.conversations, 100_000)[:TEXTS]
    ids = [e.ids for e in tokenizer.encode_batch(texts)]
    vectors = teacher.encode("texts", ids)
    cls, sep = vocabulary["[CLS]"], vocabulary["[SEP]"]
    alone = teacher.encode("pieces", [[cls, i, sep] for i in range(len(pieces))])
    known = np.array([tables.covered(p) for p in pieces])
    ids = [[i for i in x[1:-1] if known[i]] for x in ids]
    some = [i for i, x in enumerate(ids) if x]
    fit = Fit(pieces, [ids[i] for i in some], vectors[some], alone)
    fit.regress()
    fit.descend()
    tables.write(a.out, pieces, tables.chosen(pieces, fit.counts), fit.table)


if __name__ == "__main__":
    main()
