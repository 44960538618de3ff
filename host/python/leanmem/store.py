"""A store of banks in one SQLite file.

A bank is an ordered map of binary keys to binary values with one version. The
core compares and sets the version with every commit, so any number of processes
may share the file.
"""

import sqlite3
import threading

from .wire import Error

# The limits of every store.
MAX_KEY = 1 << 10
MAX_VALUE = 64 << 20
MAX_NAME = 256  # of a bank or a version, in bytes
MAX_WRITES = 10_000
MAX_COMMIT = 128 << 20
MAX_KEYS = 10_000
MAX_REPLY = 192 << 20  # bytes of the values of a get
MAX_PAGE = 1_000
PAGE_BYTES = 16 << 20  # a page ends after the entry that reaches this

# A commit that was confirmed survives a power cut, and what was deleted is
# overwritten in the file.
SETTINGS = "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;"

SCHEMA = """
CREATE TABLE IF NOT EXISTS bank (name BLOB PRIMARY KEY, version BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kv (bank BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (bank, key));
"""


class Store:
    """Names, keys and versions are blobs: text would be compared by a collation."""

    def __init__(self, path):
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        try:
            self._db.executescript(SETTINGS + SCHEMA)
        except sqlite3.Error as e:
            self._db.close()
            raise _coded("open the store", e) from e

    def close(self):
        self._db.close()

    def get(self, bank, keys):
        """Gives the version ("" when there is no such bank) and a value or None for each key."""
        name = _name(bank)
        _check(len(keys) <= MAX_KEYS, "too_large", f"get {len(keys)} keys: the limit is {MAX_KEYS}")
        for key in keys:
            _check_key(key)
        with self._transaction("get", "DEFERRED") as db:
            values, size = [], 0
            for key in keys:
                row = db.execute("SELECT value FROM kv WHERE bank=? AND key=?", (name, key)).fetchone()
                values.append(row and row[0])
                size += len(row[0]) if row else 0
                _check(size <= MAX_REPLY, "too_large", f"get more than {MAX_REPLY} bytes: ask for fewer keys")
            return self._version(name), values

    def scan(self, bank, prefix=b"", after=b"", limit=0):
        """Gives the version, a page of (key, value) in key order and whether there is more."""
        name, limit = _name(bank), _limit(limit)
        _check(len(prefix) <= MAX_KEY and len(after) <= MAX_KEY, "too_large", "scan: the prefix or the start is too long")
        where, end = "bank=? AND key>=? AND key>?", _end(prefix)
        bounds = [name, prefix, after]
        if end is not None:
            where, bounds = where + " AND key<?", bounds + [end]
        with self._transaction("scan", "DEFERRED") as db:
            entries, size, more = [], 0, False
            for key, value in db.execute(f"SELECT key, value FROM kv WHERE {where} ORDER BY key LIMIT {limit + 1}", bounds):
                if len(entries) == limit or size >= PAGE_BYTES:
                    more = True
                    break
                entries.append((key, value))
                size += len(key) + len(value)
            return self._version(name), entries, more

    def commit(self, bank, expected, version, writes):
        """Makes all writes if `expected` is the bank's version, or none.

        A write is (key, value), or (key, None) to delete. `expected` "" creates
        the bank, `version` "" removes it. Gives whether it took place and the
        version that now stands.
        """
        name = _name(bank)
        _check_commit(expected, version, writes)
        erased = version == "" or any(value is None for _, value in writes)
        with self._transaction("commit", "IMMEDIATE") as db:
            current = self._version(name)
            if current != expected:
                return False, current
            if version == "":
                db.execute("DELETE FROM kv WHERE bank=?", (name,))
                db.execute("DELETE FROM bank WHERE name=?", (name,))
            else:
                db.execute("INSERT OR REPLACE INTO bank VALUES (?, ?)", (name, version.encode()))
                db.executemany("DELETE FROM kv WHERE bank=? AND key=?", [(name, k) for k, v in writes if v is None])
                db.executemany("INSERT OR REPLACE INTO kv VALUES (?, ?, ?)", [(name, k, v) for k, v in writes if v is not None])
        if erased:
            self._empty_log()
        return True, version

    def banks(self, after="", limit=0):
        """Gives a page of names in byte order and whether there is more."""
        limit = _limit(limit)
        _check(len(after.encode()) <= MAX_NAME, "invalid_argument", "the name of a bank is too long")
        with self._transaction("list banks", "DEFERRED") as db:
            rows = db.execute("SELECT name FROM bank WHERE name>? ORDER BY name LIMIT ?", (after.encode(), limit + 1)).fetchall()
        return [row[0].decode() for row in rows[:limit]], len(rows) > limit

    def _version(self, name):
        row = self._db.execute("SELECT version FROM bank WHERE name=?", (name,)).fetchone()
        return row[0].decode() if row else ""

    def _transaction(self, doing, kind):
        return _Transaction(self._db, self._lock, doing, kind)

    def _empty_log(self):
        """Takes what was deleted out of the write-ahead log, too."""
        try:
            with self._lock:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            pass  # the commit stands; the next one that deletes tries again


class _Transaction:
    """One thread at a time, all or nothing, and errors with their codes."""

    def __init__(self, db, lock, doing, kind):
        self.db, self.lock, self.doing, self.kind = db, lock, doing, kind

    def __enter__(self):
        self.lock.acquire()
        try:
            self.db.execute(f"BEGIN {self.kind}")
        except sqlite3.Error as e:
            self.lock.release()
            raise _coded(self.doing, e) from e
        return self.db

    def __exit__(self, _type, e, _trace):
        try:
            if e is None:
                self.db.execute("COMMIT")
        except sqlite3.Error as failed:
            e = failed
        try:
            if e is not None and self.db.in_transaction:
                self.db.execute("ROLLBACK")
        except sqlite3.Error:
            pass
        self.lock.release()
        if isinstance(e, sqlite3.Error):
            raise _coded(self.doing, e) from e


def _coded(doing, e):
    text = str(e)
    if "full" in text:
        return Error("store_full", f"{doing}: {text}")
    if "malformed" in text or "not a database" in text:
        return Error("store_corrupt", f"{doing}: {text}")
    return Error("store_failed", f"{doing}: {text}", retryable="locked" in text or "I/O" in text)


def _check(ok, code, message):
    if not ok:
        raise Error(code, message)


def _name(bank):
    name = bank.encode()
    _check(name, "invalid_argument", "the name of a bank is empty")
    _check(len(name) <= MAX_NAME, "invalid_argument", f"the name of a bank has {len(name)} bytes, the limit is {MAX_NAME}")
    return name


def _limit(limit):
    _check(limit >= 0, "invalid_argument", f"a limit of {limit} entries")
    return min(limit or MAX_PAGE, MAX_PAGE)


def _check_key(key):
    _check(key, "invalid_argument", "a key is empty")
    _check(len(key) <= MAX_KEY, "too_large", f"a key has {len(key)} bytes, the limit is {MAX_KEY}")


def _check_commit(expected, version, writes):
    for v in (expected, version):
        _check(len(v.encode()) <= MAX_NAME, "invalid_argument", f"commit: a version has more than {MAX_NAME} bytes")
    _check(version or not writes, "invalid_argument", 'commit: version "" removes the bank, yet there are writes')
    # Otherwise a later commit could not tell the two states apart.
    _check(version != expected or not version, "invalid_argument", "commit: the new version is the expected one")
    _check(len(writes) <= MAX_WRITES, "too_large", f"commit {len(writes)} writes: the limit is {MAX_WRITES}")
    seen, total = set(), 0
    for key, value in writes:
        _check_key(key)
        _check(key not in seen, "invalid_argument", "commit: a key occurs twice")
        seen.add(key)
        size = len(value or b"")
        _check(size <= MAX_VALUE, "too_large", f"commit a value of {size} bytes: the limit is {MAX_VALUE}")
        total += len(key) + size
    _check(total <= MAX_COMMIT, "too_large", f"commit more than {MAX_COMMIT} bytes: split the commit")


def _end(prefix):
    """The least key that is greater than all with the prefix; None when there is none."""
    cut = prefix.rstrip(b"\xff")
    return cut[:-1] + bytes([cut[-1] + 1]) if cut else None
