import { LeanMemError } from '../error.js';
import { keyText, limits } from '../limits.js';
import { utf8 } from '../wire.js';

// Keys of both object stores are bytes, which IndexedDB orders as bytes:
// "banks" maps a bank's name to its version, "entries" [name, key] to a value.

/**
 * Keeps banks in the browser's IndexedDB, one transaction a commit: it takes
 * place as a whole or not at all, even when the page is closed meanwhile, and
 * two tabs that write one bank see each other's commits.
 */
export function indexedDBStore(name = 'leanmem', { factory = globalThis.indexedDB } = {}) {
  if (!factory) throw new LeanMemError('unavailable', 'indexedDBStore: this host has no IndexedDB');
  return new IndexedDBStore(name, factory);
}

class IndexedDBStore {
  #name;
  #factory;
  #opening = null;

  constructor(name, factory) {
    this.#name = name;
    this.#factory = factory;
  }

  #db() {
    return (this.#opening ??= new Promise((resolve, reject) => {
      const request = this.#factory.open(this.#name, 1);
      request.onupgradeneeded = () => {
        request.result.createObjectStore('banks');
        request.result.createObjectStore('entries');
      };
      request.onsuccess = () => {
        const db = request.result;
        // The browser closes a database when its data are cleared, or for
        // another tab's upgrade; the next call opens it anew.
        const forget = () => { this.#opening = null; };
        db.onclose = forget;
        db.onversionchange = () => {
          db.close();
          forget();
        };
        resolve(db);
      };
      request.onerror = () => {
        this.#opening = null;
        reject(request.error);
      };
    }));
  }

  /** Runs work in one transaction and gives its result once the transaction is durable. */
  async #transaction(mode, work) {
    const db = await this.#db();
    return new Promise((resolve, reject) => {
      const t = db.transaction(['banks', 'entries'], mode, { durability: 'strict' });
      let result;
      t.oncomplete = () => resolve(result);
      t.onabort = () => reject(t.error ?? new LeanMemError('store_failed', 'IndexedDB ended the transaction'));
      work(t.objectStore('banks'), t.objectStore('entries')).then((r) => { result = r; }, (e) => {
        reject(e);
        try {
          t.abort();
        } catch {
          // it has ended already
        }
      });
    });
  }

  get(bank, keys) {
    const name = utf8(bank);
    return this.#transaction('readonly', async (banks, entries) => {
      const [version, ...values] = await Promise.all([done(banks.get(name)), ...keys.map((k) => done(entries.get([name, k.slice()])))]);
      return { values: values.map((v) => v ?? null), version: version ?? '' };
    });
  }

  scan(bank, { prefix, after, limit }) {
    const name = utf8(bank);
    return this.#transaction('readonly', async (banks, entries) => {
      const version = done(banks.get(name));
      const beyond = after !== null && keyText(after) >= keyText(above(prefix));
      const found = beyond ? { entries: [], more: false } : await page(entries.openCursor(rangeOf(name, prefix, after)), limit);
      return { ...found, version: (await version) ?? '' };
    });
  }

  commit(bank, { expected, version, writes }) {
    const name = utf8(bank);
    return this.#transaction('readwrite', async (banks, entries) => {
      const current = (await done(banks.get(name))) ?? '';
      if (current !== expected) return { ok: false, version: current };
      const requests = [];
      if (version === '') {
        requests.push(banks.delete(name), entries.delete(rangeOf(name, new Uint8Array(0), null)));
      } else {
        for (const { key, value } of writes) {
          const at = [name, key.slice()];
          requests.push(value === null ? entries.delete(at) : entries.put(value.slice(), at));
        }
        requests.push(banks.put(version, name));
      }
      await Promise.all(requests.map(done));
      return { ok: true, version };
    });
  }

  banks({ after, limit }) {
    return this.#transaction('readonly', async (banks) => {
      const range = after === '' ? null : IDBKeyRange.lowerBound(utf8(after), true);
      const names = (await done(banks.getAllKeys(range, limit + 1))).map((n) => new TextDecoder().decode(n));
      return { banks: names.slice(0, limit), more: names.length > limit };
    });
  }

  async close() {
    const opening = this.#opening;
    this.#opening = null;
    (await opening)?.close();
  }
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A bound above every key with the prefix: keys have at most 1 kB. */
function above(prefix) {
  const bound = new Uint8Array(prefix.length + limits.key + 1).fill(0xff);
  bound.set(prefix);
  return bound;
}

/** The entries of a bank whose key has the prefix and is greater than after. */
function rangeOf(name, prefix, after) {
  const from = after !== null && keyText(after) >= keyText(prefix) ? after : null;
  const lower = from ?? prefix;
  // A shorter array comes first; empty bytes as a key are not accepted everywhere.
  return IDBKeyRange.bound(lower.length > 0 ? [name, lower.slice()] : [name], [name, above(prefix)], from !== null, true);
}

function page(request, limit) {
  const entries = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor === null) return resolve({ entries, more: false });
      if (entries.length === limit || bytes >= limits.pageBytes) return resolve({ entries, more: true });
      const key = new Uint8Array(cursor.key[1]).slice();
      entries.push({ key, value: cursor.value });
      bytes += key.length + cursor.value.length;
      cursor.continue();
    };
  });
}
