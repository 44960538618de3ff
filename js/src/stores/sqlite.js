import { utf8 } from '../wire.js';
import { limits } from '../limits.js';

const schema = `
  CREATE TABLE IF NOT EXISTS leanmem_bank (name BLOB PRIMARY KEY, version TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS leanmem_entry (bank BLOB NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (bank, key)) WITHOUT ROWID;
  PRAGMA secure_delete = ON;
`;

/**
 * Keeps banks in a SQLite database that is open already: one of better-sqlite3,
 * node:sqlite or bun:sqlite. SQLite calls are synchronous, so a transaction is
 * never interleaved with another of this process; other processes wait for
 * SQLite's own lock.
 */
export function sqliteStore(db) {
  db.exec(schema);
  return new SQLiteStore(db);
}

class SQLiteStore {
  #db;
  #sql;

  constructor(db) {
    this.#db = db;
    this.#sql = Object.fromEntries(Object.entries({
      version: 'SELECT version FROM leanmem_bank WHERE name = ?',
      get: 'SELECT value FROM leanmem_entry WHERE bank = ? AND key = ?',
      scan: 'SELECT key, value FROM leanmem_entry WHERE bank = ? AND key > ? AND key >= ? AND key < ? ORDER BY key',
      put: 'INSERT INTO leanmem_entry (bank, key, value) VALUES (?, ?, ?) ON CONFLICT (bank, key) DO UPDATE SET value = excluded.value',
      remove: 'DELETE FROM leanmem_entry WHERE bank = ? AND key = ?',
      clear: 'DELETE FROM leanmem_entry WHERE bank = ?',
      set: 'INSERT INTO leanmem_bank (name, version) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version',
      drop: 'DELETE FROM leanmem_bank WHERE name = ?',
      banks: 'SELECT name FROM leanmem_bank WHERE name > ? ORDER BY name LIMIT ?',
    }).map(([name, text]) => [name, db.prepare(text)]));
  }

  async get(bank, keys) {
    return this.#transaction('BEGIN', () => {
      const name = utf8(bank);
      return { values: keys.map((k) => this.#sql.get.get(name, k)?.value ?? null), version: this.#version(name) };
    });
  }

  async scan(bank, { prefix, after, limit }) {
    return this.#transaction('BEGIN', () => {
      const name = utf8(bank);
      const entries = [];
      let bytes = 0;
      let more = false;
      for (const { key, value } of this.#sql.scan.iterate(name, after ?? new Uint8Array(0), prefix, above(prefix))) {
        if (entries.length === limit || bytes >= limits.pageBytes) {
          more = true;
          break;
        }
        entries.push({ key, value });
        bytes += key.length + value.length;
      }
      return { entries, more, version: this.#version(name) };
    });
  }

  async commit(bank, { expected, version, writes }) {
    return this.#transaction('BEGIN IMMEDIATE', () => {
      const name = utf8(bank);
      const current = this.#version(name);
      if (current !== expected) return { ok: false, version: current };
      if (version === '') {
        this.#sql.clear.run(name);
        this.#sql.drop.run(name);
        return { ok: true, version };
      }
      for (const { key, value } of writes) {
        if (value === null) this.#sql.remove.run(name, key);
        else this.#sql.put.run(name, key, value);
      }
      this.#sql.set.run(name, version);
      return { ok: true, version };
    });
  }

  async banks({ after, limit }) {
    const names = this.#sql.banks.all(utf8(after), limit + 1).map((row) => new TextDecoder().decode(row.name));
    return { banks: names.slice(0, limit), more: names.length > limit };
  }

  #version(name) {
    return this.#sql.version.get(name)?.version ?? '';
  }

  #transaction(begin, work) {
    this.#db.exec(begin);
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (e) {
      this.#db.exec('ROLLBACK');
      throw e;
    }
  }
}

/** A bound above every key with the prefix: keys have at most 1 kB. */
function above(prefix) {
  const bound = new Uint8Array(prefix.length + limits.key + 1).fill(0xff);
  bound.set(prefix);
  return bound;
}
