"""Performs what the core asks of the world."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Callable, Collection, Optional

from .wire import Error

PARALLEL = 8  # prompts of one request that run at once


@dataclass
class World:
    """What a host supplies. What is None is answered with "unavailable"."""

    store: Any = None  # see store.py
    complete: Optional[Callable] = None  # (prompt) -> {"text", "finish", …}; runs in threads
    embed: Optional[Callable] = None  # (texts, purpose) -> (model, rows of unit length)
    tag: Optional[Callable] = None  # (texts) -> lists of {"text", "label", "start", "end"}
    progress: Optional[Callable] = None  # (stage, done, total); raises to cancel the work
    banks: Optional[Collection[str]] = None  # those that the caller may touch; None: all

    def options(self):
        """The options of a request that tell the core what there is to ask."""
        out = {"llm": self.complete is not None, "tagger": self.tag is not None}
        return {**out, "embedder": "host"} if self.embed else out


FAILURE = {"llm_complete": "model_failed", "embed": "embed_failed", "tag": "tag_failed", "progress": "canceled"}


def perform(world, request):
    """Gives the reply to a request; whatever goes wrong stands in it."""
    op = request["op"]
    try:
        return _perform(world, op, request)
    except Error as e:
        return {"error": e.to_wire()}
    except Exception as e:
        # Not its text, which may hold what a memory or a prompt says.
        return {"error": Error(FAILURE.get(op, "store_failed"), f"{op}: {type(e).__name__}").to_wire()}


def _perform(world, op, r):
    bank = r.get("bank", "")
    if world.banks is not None and bank and bank not in world.banks:
        raise Error("forbidden", f"{op}: the caller may not touch this bank")
    if op == "llm_complete":
        return {"completions": _complete(_given(op, world.complete), r["prompts"])}
    if op == "embed":
        model, rows = _given(op, world.embed)(r["texts"], r["purpose"])
        if len(rows) != len(r["texts"]) or len({len(row) for row in rows}) != 1:
            raise Error("embed_failed", f"embed: {len(rows)} vectors for {len(r['texts'])} texts, or of several lengths")
        return {"vectors": (model, rows)}
    if op == "tag":
        return {"entities": _given(op, world.tag)(r["texts"])}
    if op == "progress":
        if world.progress:
            p = r["progress"]
            world.progress(p["stage"], p["done"], p["total"])
        return {}
    store = _given(op, world.store)
    if op == "store_get":
        version, values = store.get(bank, r.get("keys", []))
        return {"current": version, "values": values}
    if op == "store_scan":
        version, entries, more = store.scan(bank, r.get("prefix") or b"", r.get("after") or b"", r.get("limit", 0))
        return {"current": version, "entries": entries, "more": more}
    if op == "store_commit":
        ok, current = store.commit(bank, r.get("expected", ""), r.get("version", ""), r.get("writes", []))
        return {"current": current, "conflict": not ok}
    if op == "store_banks":
        names, more = _list(world, r.get("after_bank", ""), r.get("limit", 0))
        return {"banks": names, "more": more}
    raise Error("invalid_argument", "unknown effect")


def _given(op, function):
    if function is None:
        raise Error("unavailable", f"{op}: the host supplies none")
    return function


def _complete(complete, prompts):
    """One completion a prompt; one that fails leaves its neighbours valid."""

    def one(prompt):
        try:
            return complete(prompt)
        except Error as e:
            return {"text": "", "error": e.to_wire()}
        except Exception as e:
            return {"text": "", "error": Error("model_failed", f"llm_complete: {type(e).__name__}").to_wire()}

    if len(prompts) == 1:
        return [one(prompts[0])]
    with ThreadPoolExecutor(PARALLEL) as pool:
        return list(pool.map(one, prompts))


def _list(world, after, limit):
    """Lists the banks that the caller may touch and no others."""
    if world.banks is None:
        return world.store.banks(after, limit)
    limit = min(limit or 1000, 1000)
    names = [n for n in sorted(set(world.banks), key=str.encode) if n.encode() > after.encode() and world.store.get(n, [])[0]]
    return names[:limit], len(names) > limit
