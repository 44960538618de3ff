"""Measures what the table of hosts tells: python -m tests.measure"""

import os
import tempfile
import time

from leanmem import Error, Memory, Store, World, step

from . import plugin

ROUNDS, CALLS = 40, 25
NOW = "2025-10-01T12:00:00Z"


def blocking(wasm, world):
    return Memory(wasm, world)


def stepping(wasm, world):
    instance = step.Plugin(wasm)
    return lambda verb, **request: step.call(instance, world, verb, **request)


def best(work, rounds=ROUNDS):
    """Milliseconds of the fastest of some rounds: the others were disturbed."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return 1000 * min(times)


def stats(memory):
    try:
        memory("stats", bank="none", now=NOW)
    except Error as e:
        assert e.code == "bank_not_found", e


def measure(name, open_):
    wasm, world = plugin.wasm(name), World(store=Store(":memory:"))

    def start():
        open_(wasm, world)("version")

    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty
        cold, cached = best(start, 1), best(start, 5)
        memory = open_(wasm, world)
        call = best(lambda: [memory("version") for _ in range(CALLS)]) / CALLS
        effect = best(lambda: [stats(memory) for _ in range(CALLS)]) / CALLS - call
    print(f"{name}: nothing compiled {cold:.0f} ms, compiled {cached:.0f} ms, a call {call:.3f} ms, an effect {effect:.3f} ms")


if __name__ == "__main__":
    measure("leanmem.wasm", blocking)
    measure("leanmem-step.wasm", stepping)
