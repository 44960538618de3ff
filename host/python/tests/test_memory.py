"""What holds under both artefacts, and what each does alone."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from leanmem import Error, Memory, Store, World, step

from . import plugin
from .flows import excerpt

NOW = "2025-10-01T12:00:00Z"


# (module (func (export "search") (result i32) unreachable))
TRAP = bytes.fromhex("0061736d0100000001050160 00017f03020100070a0106736561726368 00000a05010300000b")


def turns(*texts):
    return [{"id": str(i), "speaker": "Ana", "time": "2025-09-01T09:00:00Z", "text": t} for i, t in enumerate(texts)]


def session(id, *texts):
    return {"id": id, "close": True, "turns": turns(*texts)}


class Stepping:
    """The step plugin with the face of a Memory."""

    def __init__(self, world):
        self.plugin, self.world = plugin.stepper(), world

    def __call__(self, verb, **request):
        return step.call(self.plugin, self.world, verb, **request)


class Both:
    """Tests for either artefact: `open` gives a memory over a world."""

    def failed(self, code, act, *args, **kwargs):
        with self.assertRaises(Error) as caught:
            act(*args, **kwargs)
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    def test_a_dialogue_is_found_again(self):
        memory = self.open(World(store=Store(":memory:")))
        added = memory("add", bank="friends", now=NOW, sessions=excerpt("friends"))
        self.assertEqual(added["added"], 234)
        path = Path(plugin.ROOT / "testdata/dialogues/friends.questions.jsonl")
        questions = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for q in questions[:5]:
            found = memory("search", bank="friends", now=NOW, query=q["question"], budget=2000)
            sources = {s for item in found["items"] for s in item["sources"]}
            self.assertTrue(sources & set(q["evidence"]), q["question"])

    def test_banks_are_isolated(self):
        world = World(store=Store(":memory:"))
        memory = self.open(world)
        memory("add", bank="ana", sessions=[session("s", "I live in Lisbon.")])
        memory("add", bank="ben", sessions=[session("s", "I live in Oslo.")])
        self.assertNotIn("Oslo", memory("search", bank="ana", query="Where do I live?")["evidence"])
        world.banks = ["ben", "never"]
        self.failed("forbidden", memory, "search", bank="ana", query="x")
        self.failed("forbidden", memory, "add", bank="eve", sessions=[session("s", "Hello.")])
        self.assertEqual(memory("banks")["banks"], ["ben"])
        self.assertIn("Oslo", memory("search", bank="ben", query="Where do I live?")["evidence"])

    def test_a_store_that_fails_leaves_nothing_half_written(self):
        class Failing(Store):
            left = 10**9

            def commit(self, *args):
                self.left -= 1
                if self.left < 0:
                    raise OSError("the text of a memory")
                return super().commit(*args)

        whole = self.open(World(store=Store(":memory:")))
        whole("add", bank="b", now=NOW, sessions=excerpt("thread"))
        wanted = whole("export", bank="b", now=NOW)["lines"]
        store = Failing(":memory:")
        memory = self.open(World(store=store))
        for commits in range(20):
            store.left = commits % 3
            try:
                memory("add", bank="b", now=NOW, sessions=excerpt("thread"))
                break
            except Error as e:
                self.assertEqual(e.code, "store_failed")
                self.assertNotIn("text of a memory", e.message)
            store.left = 10**9
        store.left = 10**9
        memory("flush", bank="b", now=NOW)
        self.assertEqual(memory("export", bank="b", now=NOW)["lines"], wanted)

    def test_what_is_not_supplied_is_unavailable(self):
        self.failed("unavailable", self.open(World()), "search", bank="b", query="x")

    def test_bad_requests_have_codes(self):
        memory = self.open(World(store=Store(":memory:")))
        self.failed("unsupported_abi", memory, "search", bank="b", abi="2.0", query="x")
        self.failed("bank_not_found", memory, "stats", bank="b")
        self.failed("invalid_argument", memory, "search", bank=7, query="x")
        self.failed("unknown_verb", memory, "fly", bank="b")

    def test_a_turn_of_ten_megabytes_is_stored_or_refused(self):
        memory = self.open(World(store=Store(":memory:")))
        text = "The quick brown fox. " * (10 * 1024 * 1024 // 21)
        try:
            self.assertEqual(memory("add", bank="b", sessions=[session("s", text)])["added"], 1)
        except Error as e:
            self.assertIn(e.code, ("too_large", "invalid_argument"), e)
        memory("add", bank="b", sessions=[session("t", "I live in Lisbon.")])
        self.assertIn("Lisbon", memory("search", bank="b", query="Where do I live?")["evidence"])

    def test_progress_is_told_and_may_cancel(self):
        heard = []
        memory = self.open(World(store=Store(":memory:"), progress=lambda *p: heard.append(p)))
        memory("add", bank="b", now=NOW, sessions=excerpt("friends"))
        self.assertEqual(heard[0][0], "store")

        def stop(*_):
            raise RuntimeError("enough")

        memory = self.open(World(store=Store(":memory:"), progress=stop))
        self.failed("canceled", memory, "add", bank="b", now=NOW, sessions=excerpt("friends"))

    def test_two_writers_lose_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            stores = [Store(os.path.join(folder, "memory.db")) for _ in range(2)]
            memories = [self.open(World(store=s)) for s in stores]
            failures = []

            def write(i):
                try:
                    for n in range(10):
                        memories[i]("add", bank="b", sessions=[session(f"{i}-{n}", f"Note {n} of writer {i} is about gardens.")])
                except Exception as e:
                    failures.append(e)

            threads = [threading.Thread(target=write, args=(i,)) for i in range(2)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            self.assertEqual(failures, [])
            self.assertEqual(memories[0]("stats", bank="b")["counts"]["turn"], 20)
            for s in stores:
                s.close()

    def test_memory_outlives_the_process(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "memory.db")
            store = Store(path)
            self.open(World(store=store))("add", bank="b", sessions=[session("s", "I live in Lisbon.")])
            store.close()
            store = Store(path)
            self.assertIn("Lisbon", self.open(World(store=store))("search", bank="b", query="Where do I live?")["evidence"])
            store.close()

    def test_a_model_and_an_embedder_are_asked(self):
        asked = []

        def complete(prompt):
            asked.append(prompt["stage"])
            return {"text": "Lisbon", "finish": "stop"}

        def embed(texts, purpose):
            asked.append(purpose)
            return "host:eight", [[float(i == len(t) % 8) for i in range(8)] for t in texts]

        memory = self.open(World(store=Store(":memory:"), complete=complete, embed=embed))
        memory("add", bank="b", sessions=[session("s", "I live in Lisbon.", "It is sunny here.")])
        answer = memory("answer", bank="b", query="Where do I live?")
        self.assertEqual((answer["answer"], answer["paths"]["answer"]), ("Lisbon", "llm"))
        self.assertLessEqual({"document", "query", "answer"}, set(asked))

    def test_memory_stays_flat_over_many_calls(self):
        memory = self.open(World(store=Store(":memory:")))
        memory("add", bank="b", now=NOW, sessions=excerpt("friends"))

        def search():
            memory("search", bank="b", now=NOW, query="Where does Maren live?")

        for _ in range(50):
            search()
        before = resident()
        for _ in range(200):
            search()
        self.assertLess(resident() - before, 16 << 20)


def resident():
    """Bytes of memory in use; 0 where the system does not say."""
    try:
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


class Blocking(Both, unittest.TestCase):
    def open(self, world):
        return plugin.memory(world)

    def test_bytes_that_are_no_request_have_codes(self):
        memory = self.open(World(store=Store(":memory:")))
        for code, request in (
            ("invalid_json", b""),
            ("invalid_json", b'{"bank":'),
            ("invalid_argument", b'{"bank":"\xff"}'),
            ("invalid_argument", b'{"text":"' + b"long " * (2 << 20) + b'"}'),
        ):
            self.failed(code, memory.send, "search", request)
            self.assertEqual(memory("version")["abi"], "1.0")

    def test_threads_take_turns(self):
        memory = self.open(World(store=Store(":memory:")))
        with_errors = []

        def work(i):
            try:
                memory("add", bank=f"b{i}", sessions=[session("s", f"My number is {i}00.")])
                assert f"{i}00" in memory("search", bank=f"b{i}", query="What is my number?")["evidence"]
            except Exception as e:
                with_errors.append(e)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(with_errors, [])

    def test_a_callback_that_calls_back_is_refused(self):
        world = World(store=Store(":memory:"))
        memory = self.open(world)
        world.progress = lambda *_: memory("stats", bank="b")
        self.failed("busy", memory, "add", bank="b", sessions=[session("s", "Hello there.")])

    def test_a_trap_costs_its_instance_alone(self):
        memory = Memory(TRAP, World(store=Store(":memory:")))
        for _ in range(2):
            self.assertTrue(self.failed("internal", memory, "search", bank="b", query="x").retryable)

    def test_an_interrupt_reaches_the_caller(self):
        class Interrupted(Store):
            def get(self, *args):
                raise KeyboardInterrupt

        memory = self.open(World(store=Interrupted(":memory:")))
        with self.assertRaises(KeyboardInterrupt):
            memory("search", bank="b", query="x")
        memory.world = World(store=Store(":memory:"))
        self.failed("bank_not_found", memory, "search", bank="b", query="x")

    def test_the_example_runs(self):
        root = Path(__file__).resolve().parents[1]
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                command = [sys.executable, "example.py", str(plugin.ROOT / "dist/leanmem.wasm"), os.path.join(folder, "memory.db")]
                env = {k: v for k, v in os.environ.items() if not k.startswith("LEANMEM_")}
                out = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=True).stdout
                self.assertIn("I moved to Lisbon last week.", out)
            self.assertIn("added 0 turns", out)


class Step(Both, unittest.TestCase):
    def open(self, world):
        return Stepping(world)

    def test_calls_interleave_in_one_instance(self):
        instance, world = plugin.stepper(), World(store=Store(":memory:"))

        async def one(i):
            await step.call_async(instance, world, "add", bank=f"b{i}", sessions=[session("s", f"My number is {i}00.")])
            return (await step.call_async(instance, world, "search", bank=f"b{i}", query="What is my number?"))["evidence"]

        async def all():
            return await asyncio.gather(*(one(i) for i in range(8)))

        for i, evidence in enumerate(asyncio.run(all())):
            self.assertIn(f"{i}00", evidence)

    def test_a_call_that_is_given_up_is_cancelled(self):
        instance = plugin.stepper()
        for _ in range(200):  # many more than there is room for
            steps = step.flow(instance, "search", {"bank": "b", "now": NOW, "query": "x"})
            next(steps)
            steps.close()
