import { compareNames, keyText, pageOf } from '../limits.js';

/** Keeps banks in this process; they end with it. */
export class MemoryStore {
  #banks = new Map(); // name → {version, entries: Map of keyText → value}

  async get(bank, keys) {
    const b = this.#banks.get(bank);
    return { values: keys.map((k) => b?.entries.get(keyText(k))?.slice() ?? null), version: b?.version ?? '' };
  }

  async scan(bank, range) {
    const b = this.#banks.get(bank);
    const entries = [...(b?.entries ?? [])].sort(([x], [y]) => (x < y ? -1 : 1));
    return { ...pageOf(entries, range), version: b?.version ?? '' };
  }

  async commit(bank, { expected, version, writes }) {
    const b = this.#banks.get(bank);
    const current = b?.version ?? '';
    if (current !== expected) return { ok: false, version: current };
    if (version === '') {
      this.#banks.delete(bank);
      return { ok: true, version };
    }
    const entries = b?.entries ?? new Map();
    for (const { key, value } of writes) {
      if (value === null) entries.delete(keyText(key));
      else entries.set(keyText(key), value.slice());
    }
    this.#banks.set(bank, { version, entries });
    return { ok: true, version };
  }

  async banks({ after, limit }) {
    const names = [...this.#banks.keys()].filter((n) => compareNames(n, after) > 0).sort(compareNames);
    return { banks: names.slice(0, limit), more: names.length > limit };
  }
}

/** Makes a store that keeps banks in this process. */
export function memoryStore() {
  return new MemoryStore();
}
