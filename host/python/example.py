"""Remembers a dialogue and asks about it.

    python example.py ../../dist/leanmem.wasm memory.db

With LEANMEM_BASE_URL (and LEANMEM_MODEL, LEANMEM_API_KEY) a language model helps;
without it, rules do all the work.
"""

import os
import sys

from leanmem import Memory, Store, World, models

TURNS = [
    {"id": "1", "speaker": "Ana", "time": "2026-05-04T09:00:00Z", "text": "I moved to Lisbon last week."},
    {"id": "2", "speaker": "Ben", "time": "2026-05-04T09:01:00Z", "text": "How exciting! What took you there?"},
    {"id": "3", "speaker": "Ana", "time": "2026-05-04T09:02:00Z", "text": "A new job at the aquarium."},
]


def main(wasm, file):
    world = World(store=Store(file))
    if url := os.environ.get("LEANMEM_BASE_URL"):
        world.complete = models.chat(url, os.environ["LEANMEM_MODEL"], os.environ.get("LEANMEM_API_KEY", ""))
    with Memory(wasm, world) as memory:
        added = memory("add", bank="ana", sessions=[{"id": "monday", "close": True, "turns": TURNS}])
        print("added", added["added"], "turns")
        print(memory("search", bank="ana", query="Where does Ana live?")["evidence"])


if __name__ == "__main__":
    main(*sys.argv[1:])
