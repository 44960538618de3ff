"""A language model and an embedder behind an OpenAI-compatible server."""

import json
import math
import socket
import time
import urllib.error
import urllib.request

from .wire import Error

ATTEMPTS = 4
WAIT = 1.0  # seconds before the second attempt, doubled each time


def chat(base_url, model, key="", timeout=120):
    """Gives a World's `complete`."""

    def complete(prompt):
        system = prompt.get("system", "")
        body = {"model": model, "temperature": 0}
        if prompt.get("max_tokens"):
            body["max_tokens"] = prompt["max_tokens"]
        if prompt.get("schema"):
            schema = {"name": prompt.get("schema_name") or "reply", "schema": prompt["schema"], "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        # The instruction goes first and is the same for all prompts of a stage,
        # so that the server's prefix cache hits.
        body["messages"] = [{"role": "system", "content": system}] if system else []
        body["messages"].append({"role": "user", "content": prompt["user"] or " "})
        return _completion(_post(f"{base_url}/chat/completions", body, key, timeout, "model_failed"))

    return complete


def _completion(reply):
    choice = (reply.get("choices") or [None])[0]
    if not choice:
        raise Error("model_failed", "the server's reply has no choices", retryable=True)
    message, finish = choice.get("message") or {}, choice.get("finish_reason") or ""
    if message.get("refusal") or finish == "content_filter":
        raise Error("model_refused", "the model or its server's filter refused")
    usage = reply.get("usage") or {}
    return {
        "text": message.get("content") or "",
        "finish": finish,
        "prompt_tokens": usage.get("prompt_tokens", 0),
        "output_tokens": usage.get("completion_tokens", 0),
        "cached_tokens": (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
    }


def embeddings(base_url, model, key="", timeout=60, batch=128):
    """Gives a World's `embed`."""

    def embed(texts, purpose):
        rows = []
        for i in range(0, len(texts), batch):
            inputs = [t or " " for t in texts[i : i + batch]]  # servers refuse an empty text
            reply = _post(f"{base_url}/embeddings", {"model": model, "input": inputs}, key, timeout, "embed_failed")
            rows += _rows(reply, len(inputs))
        return f"host:{model}", rows  # the name by which every host knows this embedder

    return embed


def _rows(reply, wanted):
    """Vectors where their index says, for servers do not keep the order."""
    data = reply.get("data") or []
    if sorted(d["index"] for d in data) != list(range(wanted)):
        raise Error("embed_failed", f"the server gave {len(data)} vectors for {wanted} texts, or numbered them wrongly")
    rows = [d["embedding"] for d in sorted(data, key=lambda d: d["index"])]
    return [_unit(row) for row in rows]


def _unit(row):
    length = math.sqrt(math.fsum(x * x for x in row))
    if not length or not math.isfinite(length):
        raise Error("embed_failed", "a vector has no direction")
    return [x / length for x in row]


def _post(url, body, key, timeout, failed):
    """Posts JSON; tries again what may pass, and waits as long as the server asks."""
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as e:
            error = _refused(e, failed)
        except (TimeoutError, socket.timeout):
            # Not again: it would cost the caller the same time once more.
            raise Error("model_timeout" if failed == "model_failed" else "deadline", "the server did not answer in time", True)
        except (OSError, ValueError) as e:
            error = Error(failed, f"ask the server: {type(e).__name__}", retryable=True)
        if not error.retryable or attempt == ATTEMPTS:
            raise error
        time.sleep(max(error.retry_after_ms / 1000, WAIT * 2 ** (attempt - 1)))


def _refused(e, failed):
    """What a status means. The body is not shown: servers echo prompts and keys."""
    text = e.read(1 << 16).decode(errors="replace").lower()
    wait = e.headers.get("Retry-After", "")
    after = int(wait) * 1000 if wait.isdigit() else 0
    says = f"the server answered with status {e.code}"
    if e.code in (401, 403):
        return Error("unauthorized", says)
    if e.code == 429:
        return Error("rate_limited", says, True, after)
    if e.code in (400, 413) and ("context" in text or "too long" in text):
        return Error("context_length", says)
    return Error(failed, says, e.code >= 500, after)
