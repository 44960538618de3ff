// Banks over anything that keeps bytes under names, such as Workers KV, the
// storage of a Durable Object, or files.
//
// A bank has one root, which names where each value lies. A commit writes its
// values under new names and then the root: that one put is the commit. What
// the new root no longer names is deleted after it, and noted in it until then.
//
//   root/BANK         {bank, version, entries: {key: [name, …]}, dropped: [name, …]}
//   data/BANK/ID-n    a value, or a part of one

import { inParallel } from '../bounded.js';
import { LeanMemError } from '../error.js';
import { compareNames, keyText, pageOf } from '../limits.js';
import { utf8 } from '../wire.js';

/** How often a reader starts anew when commits take away what it was about to read. */
const rereads = 10;
const atOnce = 16;
/** Names longer than this are replaced by their hash: files and KV bound them. */
const longestName = 120;

/**
 * Makes a store of a backend with get(name), put(name, bytes), delete(name) and
 * names(prefix). Commits of one process take turns; of several processes only
 * one may write a bank at a time, unless the backend is of a single process by
 * nature, like a Durable Object (exclusive: values that a killed commit left are
 * then swept). maxValue is the largest value that the backend takes, in bytes.
 */
export function keyValueStore(backend, { maxValue = 24 << 20, exclusive = false } = {}) {
  return new KeyValueStore(backend, { maxValue, exclusive });
}

const turns = new WeakMap(); // backend → Map of bank → the last commit under way

export class KeyValueStore {
  #backend;
  #maxValue;
  #exclusive;
  #clean = new Map(); // bank → version whose dropped values are deleted

  constructor(backend, { maxValue, exclusive }) {
    this.#backend = backend;
    this.#maxValue = maxValue;
    this.#exclusive = exclusive;
    if (!turns.has(backend)) turns.set(backend, new Map());
  }

  async get(bank, keys) {
    return this.#read(bank, async (root, value) => {
      const values = await inParallel(keys.map((k) => () => value(root.entries[keyText(k)])), atOnce);
      return { values, version: root.version };
    });
  }

  async scan(bank, { prefix, after, limit }) {
    return this.#read(bank, async (root, value) => {
      const start = keyText(prefix);
      const names = Object.keys(root.entries).filter((k) => k.startsWith(start) && (after === null || k > keyText(after))).sort();
      const shown = names.slice(0, limit);
      const values = await inParallel(shown.map((k) => () => value(root.entries[k])), atOnce);
      const page = pageOf(shown.map((k, i) => [k, values[i]]), { prefix, after, limit });
      return { ...page, more: page.more || names.length > shown.length, version: root.version };
    });
  }

  /** Reads from one root, and from the next one when a commit took values away. */
  async #read(bank, work) {
    const name = await nameOf(bank);
    let before;
    for (let n = 0; n < rereads; n++) {
      const root = await this.#root(name);
      let missing = false;
      const value = async (parts) => {
        if (!parts) return null;
        const read = await Promise.all(parts.map((p) => this.#bytes(p)));
        if (read.includes(null)) missing = true;
        return missing ? new Uint8Array(0) : joined(read);
      };
      const result = await work(root, value);
      if (!missing) return result;
      if (root.version === before) throw new LeanMemError('store_corrupt', `read bank ${bank}: a value that its root names is missing`);
      before = root.version;
    }
    throw new LeanMemError('conflict', `read bank ${bank}: commits overtook every attempt`, { retryable: true });
  }

  async commit(bank, change) {
    const queue = turns.get(this.#backend);
    const turn = (queue.get(bank) ?? Promise.resolve()).then(() => this.#commit(bank, change));
    const settled = turn.catch(() => {});
    queue.set(bank, settled);
    try {
      return await turn;
    } finally {
      if (queue.get(bank) === settled) queue.delete(bank);
    }
  }

  async #commit(bank, { expected, version, writes }) {
    const name = await nameOf(bank);
    const root = await this.#root(name);
    if (root.version !== expected) return { ok: false, version: root.version };
    await this.#tidy(name, bank, root);
    if (version === '') {
      await this.#backend.delete(`root/${name}`);
      await this.#remove(Object.values(root.entries).flat());
      this.#clean.set(bank, '');
      return { ok: true, version };
    }
    const next = { bank, version, entries: { ...root.entries }, dropped: [] };
    await this.#lay(name, writes, next);
    await this.#backend.put(`root/${name}`, utf8(JSON.stringify(next)));
    await this.#remove(next.dropped);
    this.#clean.set(bank, version);
    return { ok: true, version };
  }

  /** Writes values under new names and notes them in the next root. */
  async #lay(name, writes, next) {
    const id = [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, '0')).join('');
    const puts = [];
    for (const { key, value } of writes) {
      const text = keyText(key);
      next.dropped.push(...(next.entries[text] ?? []));
      delete next.entries[text];
      if (value === null) continue;
      next.entries[text] = [];
      for (let at = 0; at < value.length; at += this.#maxValue) {
        const part = `data/${name}/${id}-${puts.length}`;
        next.entries[text].push(part);
        puts.push(() => this.#backend.put(part, value.slice(at, at + this.#maxValue)));
      }
    }
    await inParallel(puts, atOnce);
  }

  /** Deletes what earlier commits could not delete any more. */
  async #tidy(name, bank, root) {
    if (this.#clean.get(bank) === root.version) return;
    let left = root.dropped;
    if (this.#exclusive) {
      const live = new Set(Object.values(root.entries).flat());
      left = [];
      for await (const n of await this.#backend.names(`data/${name}/`)) if (!live.has(n)) left.push(n);
    }
    await this.#remove(left);
  }

  #remove(names) {
    return inParallel(names.map((n) => () => this.#backend.delete(n)), atOnce);
  }

  async banks({ after, limit }) {
    const names = [];
    for await (const n of await this.#backend.names('root/')) {
      const bank = decoded(n.slice('root/'.length)) ?? (await this.#root(n.slice('root/'.length))).bank;
      if (bank !== undefined && compareNames(bank, after) > 0) names.push(bank);
    }
    names.sort(compareNames);
    return { banks: names.slice(0, limit), more: names.length > limit };
  }

  async #root(name) {
    const bytes = await this.#bytes(`root/${name}`);
    if (bytes === null) return { version: '', entries: {}, dropped: [] };
    try {
      return JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      throw new LeanMemError('store_corrupt', `read bank: root/${name} is not JSON`);
    }
  }

  async #bytes(name) {
    const value = await this.#backend.get(name);
    if (value == null) return null;
    return value instanceof Uint8Array ? value : new Uint8Array(value);
  }

  async close() {
    await this.#backend.close?.();
  }
}

function joined(parts) {
  if (parts.length === 1) return parts[0];
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}

/** A bank's name in lower-case ASCII without separators, as files and keys want it. */
async function nameOf(bank) {
  let name = '';
  for (const b of utf8(bank)) {
    const c = String.fromCharCode(b);
    name += /[a-z0-9_-]/.test(c) ? c : `=${b.toString(16).padStart(2, '0')}`;
  }
  if (name.length <= longestName) return name;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(bank)));
  return `~${[...hash].map((b) => b.toString(16).padStart(2, '0')).join('')}`;
}

function decoded(name) {
  if (name.startsWith('~')) return undefined; // its root tells
  const bytes = [];
  for (let i = 0; i < name.length; i++) {
    if (name[i] === '=') {
      bytes.push(parseInt(name.slice(i + 1, i + 3), 16));
      i += 2;
    } else bytes.push(name.charCodeAt(i));
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
