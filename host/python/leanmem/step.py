"""leanmem-step.wasm under Extism: no host functions at all.

The plugin answers with the effects that it wants, the host performs them as it
likes and hands the results in, until the plugin answers that it is done. So an
instance is not held while a model thinks, and calls may interleave in it.
"""

import asyncio
import threading

import extism

from . import wire
from .blocking import ABI, coded, filled, load
from .effects import perform


class Plugin:
    """An instance of the step plugin. It is entered by one thread at a time."""

    def __init__(self, wasm):
        self._lock = threading.Lock()
        self._compiled = load(wasm, [])
        self._plugin = extism.Plugin(self._compiled)

    def step(self, export, header, replies=()):
        with self._lock:
            try:
                return wire.decode_answer(self._plugin.call(export, wire.encode_step(header, replies)))
            except extism.Error as e:
                error = coded(e)
                if error is None:  # it trapped: every flow of this instance is lost
                    self._plugin = extism.Plugin(self._compiled)
                    error = wire.Error("internal", f"{export}: the instance stopped; what it had written stands", retryable=True)
                raise error from None


def flow(plugin, verb, request):
    """Yields lists of wanted effects, is sent lists of replies, returns the result."""
    answer = plugin.step("begin", {"abi": ABI, "verb": verb, "request": request})
    try:
        while "done" not in answer:
            replies = yield answer["want"]
            answer = plugin.step("resume", {"flow": answer["flow"]}, replies)
    except BaseException:
        _cancel(plugin, answer["flow"])
        raise
    return answer["done"]


def _cancel(plugin, name):
    """Frees a flow that is given up; one that failed is already gone."""
    try:
        plugin.step("cancel", {"flow": name})
    except wire.Error:
        pass


def call(plugin, world, verb, **request):
    """Performs a verb; the effects run here, one after another."""
    steps = flow(plugin, verb, filled(world, request))
    try:
        want = next(steps)
        while True:
            want = steps.send([perform(world, r) for r in want])
    except StopIteration as done:
        return done.value
    finally:
        steps.close()


async def call_async(plugin, world, verb, **request):
    """The same for asyncio: effects that are wanted together run together."""
    steps = flow(plugin, verb, filled(world, request))
    try:
        want = await asyncio.to_thread(_advance, steps, None)
        while isinstance(want, list):
            replies = await asyncio.gather(*(asyncio.to_thread(perform, world, r) for r in want))
            want = await asyncio.to_thread(_advance, steps, replies)
        return want.value
    finally:
        steps.close()


def _advance(steps, replies):
    """The next effects, or the StopIteration, which a future cannot carry."""
    try:
        return steps.send(replies)
    except StopIteration as done:
        return done
