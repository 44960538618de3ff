"""The form in which messages cross the border of the plugin.

A message is the length of its header (uint32, little endian), the header (JSON)
and raw bytes. What is binary stands in the raw bytes; the header refers to it by
a span, [offset, length], and [-1, 0] is no value.
"""

import json
import struct


class Error(Exception):
    """A failure with a code of the closed list in testdata/abi.json."""

    def __init__(self, code, message, retryable=False, retry_after_ms=0):
        super().__init__(f"{message} ({code})")
        self.code = code
        self.message = message
        self.retryable = retryable
        self.retry_after_ms = retry_after_ms

    def to_wire(self):
        out = {"code": self.code, "message": self.message, "retryable": self.retryable}
        if self.retry_after_ms:
            out["retry_after_ms"] = self.retry_after_ms
        return out

    @classmethod
    def from_wire(cls, e):
        return cls(e["code"], e["message"], e.get("retryable", False), e.get("retry_after_ms", 0))


def dumps(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def seal(header, raw=b""):
    head = dumps(header)
    return struct.pack("<I", len(head)) + head + bytes(raw)


def unseal(message):
    """Splits a message into its header and its raw bytes."""
    (n,) = struct.unpack_from("<I", message)
    return json.loads(message[4 : 4 + n]), message[4 + n :]


def decode_request(message):
    return _unpack(*unseal(message))


def encode_reply(reply):
    raw = bytearray()
    return seal(_pack(raw, reply), raw)


def decode_answer(message):
    """Reads what begin, resume and cancel give: {"flow", "want"} or {"done"}."""
    answer, raw = unseal(message)
    answer["want"] = [_unpack(r, raw) for r in answer.get("want", ())]
    return answer


def encode_step(header, replies=()):
    raw = bytearray()
    if replies:
        header = {**header, "replies": [_pack(raw, r) for r in replies]}
    return seal(header, raw)


def _unpack(request, raw):
    """Puts bytes in the place of spans. A write without a value is a deletion."""

    def take(span):
        at, n = span
        return None if at < 0 else bytes(raw[at : at + n])

    if "keys" in request:
        request["keys"] = [take(s) for s in request["keys"]]
    for name in ("prefix", "after"):
        if name in request:
            request[name] = take(request[name])
    if "writes" in request:
        request["writes"] = [
            (take(w["key"]), take(w["value"]) if "value" in w else None) for w in request["writes"]
        ]
    return request


def _pack(raw, reply):
    """Puts spans in the place of bytes, which go to the raw ones."""

    def put(value):
        if value is None:
            return [-1, 0]
        span = [len(raw), len(value)]
        raw.extend(value)
        return span

    out = dict(reply)
    if "values" in out:
        out["values"] = [put(v) for v in out["values"]]
    if "entries" in out:
        out["entries"] = [{"key": put(k), "value": put(v)} for k, v in out["entries"]]
    if "vectors" in out:
        model, rows = out["vectors"]
        dims = len(rows[0]) if rows else 0
        data = b"".join(struct.pack(f"<{dims}f", *row) for row in rows)
        out["vectors"] = {"model": model, "dims": dims, "data": put(data)}
    return out
