import os
import random
import sqlite3
import tempfile
import threading
import unittest

from leanmem import Error, Store
from leanmem.store import MAX_KEY, MAX_VALUE, PAGE_BYTES

# Names and keys that escaping, collation and globbing get wrong.
AWKWARD = ["a", "a/b", "a\0b", "\0", "a}b{c", "a*?[%_", "'; drop table kv; --", "我每天", "\u00e9", "e\u0301", "A", "a ", "ü", "z" * 256]


class Contract(unittest.TestCase):
    """What hostfuncs/store/storetest asks of every store."""

    def setUp(self):
        self.store = Store(":memory:")
        self.addCleanup(self.store.close)

    def commit(self, bank, expected, version, *writes):
        self.assertEqual(self.store.commit(bank, expected, version, list(writes)), (True, version))

    def conflict(self, bank, expected, version, stands, *writes):
        self.assertEqual(self.store.commit(bank, expected, version, list(writes)), (False, stands))

    def values(self, bank, version, **want):
        keys = [k.encode() for k in want]
        self.assertEqual(self.store.get(bank, keys), (version, list(want.values())))

    def scan(self, bank, prefix=b"", limit=0):
        out, after, more = [], b"", True
        while more:
            _, page, more = self.store.scan(bank, prefix, after, limit)
            self.assertTrue(page or not more, "more after an empty page")
            self.assertTrue(not limit or len(page) <= limit)
            out += page
            after = page[-1][0] if page else after
        return out

    def refused(self, code, *args):
        with self.assertRaises(Error) as caught:
            self.store.commit(*args)
        self.assertEqual(caught.exception.code, code)

    def test_an_absent_bank_is_empty(self):
        self.values("none", "", k=None)
        self.assertEqual(self.scan("none"), [])
        self.assertEqual(self.store.banks(), ([], False))
        self.conflict("none", "v1", "v2", "", (b"k", b"x"))

    def test_a_commit_takes_place_only_on_the_expected_version(self):
        self.commit("b", "", "v1", (b"k", b"1"))
        self.conflict("b", "", "v9", "v1", (b"k", b"9"))
        self.conflict("b", "v0", "v9", "v1", (b"k", b"9"))
        self.commit("b", "v1", "v2", (b"k", b"2"))
        self.conflict("b", "v1", "", "v2")
        self.values("b", "v2", k=b"2")
        self.commit("b", "v2", "v3")  # without writes the version still moves
        self.values("b", "v3", k=b"2")

    def test_an_empty_value_is_not_an_absent_one(self):
        self.commit("b", "", "v1", (b"empty", b""), (b"k", b"x"))
        self.values("b", "v1", empty=b"", absent=None, k=b"x")
        self.commit("b", "v1", "v2", (b"k", None), (b"empty", None), (b"absent", None))
        self.values("b", "v2", k=None, empty=None)
        self.assertEqual(self.store.banks(), (["b"], False))

    def test_a_commit_writes_all_or_nothing(self):
        self.commit("b", "", "v1", (b"a", b"1"), (b"b", b"1"))
        self.refused("invalid_argument", "b", "v1", "v2", [(b"a", b"2"), (b"", b"2")])
        self.refused("invalid_argument", "b", "v1", "v2", [(b"a", b"2"), (b"a", None)])
        self.values("b", "v1", a=b"1", b=b"1")
        self.commit("b", "v1", "v2", (b"a", b"2"), (b"b", None), (b"d", b"2"))
        self.values("b", "v2", a=b"2", b=None, d=b"2")

    def test_keys_values_and_names_are_any_bytes(self):
        for i, bank in enumerate(AWKWARD):
            self.commit(bank, "", "v\0", *((k.encode(), f"{i}/{k}".encode()) for k in AWKWARD))
        for i, bank in enumerate(AWKWARD):
            self.assertEqual(self.scan(bank, limit=3), [(k, b"%d/%s" % (i, k)) for k in sorted(k.encode() for k in AWKWARD)])
        every = bytes(range(256))
        self.commit("bytes", "", "v", (every, every))
        self.assertEqual(self.store.get("bytes", [every]), ("v", [every]))
        names, after, more = [], "", True
        while more:
            page, more = self.store.banks(after, 4)
            names, after = names + page, page[-1]
        self.assertEqual(names, sorted([*AWKWARD, "bytes"], key=str.encode))

    def test_keys_come_in_byte_order_page_by_page(self):
        keys = sorted([b"a", b"a\0", b"a\0b", b"a\1", b"aa", b"a\xff", b"a\xff\xff", b"b", b"B", b"\xff", b"\xff\xff\1", b"\0", "ü".encode()])
        self.commit("b", "", "v1", *((k, b"v" + k) for k in random.sample(keys, len(keys))))
        for prefix in (b"", b"a", b"a\0", b"a\xff", b"\xff", b"\xff\xff", b"zz"):
            want = [(k, b"v" + k) for k in keys if k.startswith(prefix)]
            for limit in (0, 1, 2, 3, len(want), 10_000_000):
                self.assertEqual(self.scan("b", prefix, limit), want)
        self.assertEqual(self.store.scan("b", b"a", b"zz"), ("v1", [], False))
        self.assertEqual(len(self.store.scan("b", b"b", b"a")[1]), 1)

    def test_a_page_ends_at_its_size_in_bytes(self):
        value = bytes(PAGE_BYTES // 4)
        self.commit("b", "", "v1", *((b"k%d" % i, value) for i in range(6)))
        _, page, more = self.store.scan("b")
        self.assertTrue(0 < len(page) <= 4 and more)
        self.assertEqual(len(self.scan("b")), 6)

    def test_banks_do_not_touch_each_other(self):
        names = ["a", "a/", "a/b", "a\0", "a\0b", "A", "ab"]
        for n in names:
            self.commit(n, "", "v", (b"k", n.encode()), (b"\0b", b""))
        self.commit("a", "v", "")
        self.commit("a/b", "v", "w", (b"k", None))
        for n in names:
            version = {"a": "", "a/b": "w"}.get(n, "v")
            self.values(n, version, k=n.encode() if version == "v" else None)

    def test_version_empty_removes_a_bank(self):
        self.commit("b", "", "")  # there is none
        self.commit("b", "", "v1", (b"k", b"1"), (b"l", b"1"))
        self.commit("b", "v1", "")
        self.assertEqual(self.store.banks(), ([], False))
        self.commit("b", "", "v1", (b"k", b"2"))
        self.values("b", "v1", k=b"2", l=None)
        self.refused("invalid_argument", "b", "v1", "", [(b"k", b"3")])
        self.refused("invalid_argument", "b", "v1", "v1", [(b"k", b"3")])

    def test_limits_are_checked(self):
        self.refused("invalid_argument", "", "", "v", [])
        self.refused("invalid_argument", "b" * 257, "", "v", [])
        self.refused("invalid_argument", "b", "", "v" * 257, [])
        self.refused("too_large", "b", "", "v", [(b"k" * (MAX_KEY + 1), b"")])
        self.refused("too_large", "b", "", "v", [(b"k", bytes(MAX_VALUE + 1))])
        self.refused("too_large", "b", "", "v", [(b"%d" % i, b"") for i in range(10_001)])
        self.assertEqual(self.store.banks(), ([], False))


class File(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "memory.db")

    def open(self):
        store = Store(self.path)
        self.addCleanup(store.close)
        return store

    def test_what_was_committed_is_there_after_reopening(self):
        first = self.open()
        first.commit("b", "", "v1", [(b"k", b"1")])
        first.close()
        self.assertEqual(self.open().get("b", [b"k"]), ("v1", [b"1"]))

    def test_what_was_deleted_is_gone_from_the_files(self):
        store = self.open()
        store.commit("b", "", "v1", [(b"k", b"a secret" * 1000), (b"l", b"another secret")])
        store.commit("b", "v1", "v2", [(b"k", None), (b"l", None)])
        for name in os.listdir(os.path.dirname(self.path)):
            with open(os.path.join(os.path.dirname(self.path), name), "rb") as f:
                self.assertNotIn(b"secret", f.read(), name)

    def test_of_many_writers_one_wins_each_version(self):
        stores = [self.open() for _ in range(2)]
        stores[0].commit("b", "", "0", [])
        won = []

        def work(store, n):
            for _ in range(20):
                while True:
                    version, _ = store.get("b", [])
                    ok, _ = store.commit("b", version, str(int(version) + 1), [(b"%d/%s" % (n, version.encode()), b"x")])
                    if ok:
                        won.append(int(version))
                        break

        threads = [threading.Thread(target=work, args=(stores[i % 2], i)) for i in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(won), list(range(80)))
        version, entries, _ = stores[0].scan("b")
        self.assertEqual((version, len(entries)), ("80", 80))

    def test_faults_of_the_file_have_codes(self):
        with open(self.path, "wb") as f:
            f.write(b"this is no database, and never was one" * 100)
        with self.assertRaises(Error) as caught:
            Store(self.path)
        self.assertEqual(caught.exception.code, "store_corrupt")

    def test_a_full_disk_changes_nothing(self):
        store = self.open()
        store.commit("b", "", "v1", [(b"k", b"1")])
        store._db.execute("PRAGMA max_page_count=20")
        with self.assertRaises(Error) as caught:
            store.commit("b", "v1", "v2", [(b"k", b"2"), (b"l", bytes(1 << 20))])
        self.assertEqual(caught.exception.code, "store_full")
        self.assertEqual(store.get("b", [b"k", b"l"]), ("v1", [b"1", None]))

    def test_a_file_that_another_holds_is_retryable(self):
        store = self.open()
        store._db.execute("PRAGMA busy_timeout=10")
        other = sqlite3.connect(self.path, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")
        with self.assertRaises(Error) as caught:
            store.commit("b", "", "v1", [])
        self.assertEqual((caught.exception.code, caught.exception.retryable), ("store_failed", True))
