import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { indexedDBStore, keyValueStore, memoryStore, sqliteStore } from 'leanmem';
import { fileStore } from 'leanmem/file';

import { chat, lacks, open } from './fixtures.js';
import { cases } from './storetest.js';

globalThis.IDBKeyRange ??= IDBKeyRange;

/** A backend in memory, whose calls take a turn as those of a network do. */
export function mapBackend(map = new Map()) {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    map,
    async get(name) { await turn(); return map.get(name)?.slice().buffer; },
    async put(name, bytes) { await turn(); map.set(name, bytes.slice()); },
    async delete(name) { await turn(); map.delete(name); },
    async *names(prefix) { for (const n of [...map.keys()]) if (n.startsWith(prefix)) yield n; },
  };
}

const sqlite = await import('better-sqlite3').then((m) => new m.default(':memory:') && m.default, () => null);

const makers = {
  memory: () => memoryStore(),
  indexedDB: () => indexedDBStore('t', { factory: new IDBFactory() }),
  'key-value': () => keyValueStore(mapBackend()),
  'key-value in small parts': () => keyValueStore(mapBackend(), { maxValue: 100_000, exclusive: true }),
  file: async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'leanmem-'));
    const store = await fileStore(directory);
    t.after(async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    });
    return store;
  },
  sqlite: (t) => !lacks(t, 'better-sqlite3 with its native part', sqlite) && sqliteStore(new sqlite(':memory:')),
};

for (const [name, make] of Object.entries(makers)) {
  for (const [behaviour, run] of Object.entries(cases)) {
    test(`${name}: ${behaviour}`, async (t) => {
      const store = await make(t);
      if (store) await run(store);
    });
  }

  test(`${name}: holds a memory`, async (t) => {
    const store = await make(t);
    if (!store) return;
    const memory = await open({ store });
    await memory.add(chat);
    const fresh = await open({ store });
    assert.match((await fresh.search('Where does Ana live?')).evidence, /Lisbon/);
    await fresh.delete({ filter: { sessions: ['s1'] } });
    assert.equal((await memory.list()).total, 0);
    await memory.drop();
    assert.deepEqual((await fresh.banks()).banks, []);
  });
}

test('key-value: what was deleted leaves the backend', async () => {
  const backend = mapBackend();
  const memory = await open({ store: keyValueStore(backend) });
  await memory.add(chat);
  const all = () => [...backend.map.values()].map((v) => Buffer.from(v).toString('latin1')).join('');
  assert.match(all(), /Bruno/);
  await memory.delete({ filter: { about: 'Bruno' } });
  assert.doesNotMatch(all(), /Bruno/);
  await memory.drop();
  assert.equal(backend.map.size, 0);
});

test('key-value: a commit that was killed leaves the state before it, and the next one clears its rest', async () => {
  const backend = mapBackend();
  const store = keyValueStore(backend, { exclusive: true });
  const memory = await open({ store });
  await memory.add(chat);
  const before = (await memory.export()).lines;
  const { put } = backend;
  backend.put = async (name, bytes) => {
    if (name.startsWith('root/')) throw new Error('the process ends here');
    return put.call(backend, name, bytes);
  };
  await assert.rejects(memory.add([{ id: 's2', turns: [{ id: 'x', speaker: 'Ana', text: 'I bought a boat.' }] }]), { code: 'store_failed' });
  backend.put = put;
  const again = await open({ store: keyValueStore(mapBackend(backend.map), { exclusive: true }) });
  assert.deepEqual((await again.export()).lines, before);
  await again.add([{ id: 's2', turns: [{ id: 'y', speaker: 'Ana', text: 'I sold a car.' }] }]);
  const text = [...backend.map.values()].map((v) => Buffer.from(v).toString('latin1')).join('');
  assert.doesNotMatch(text, /bought a boat/);
});

test('file: one process holds a directory, and a lock of a dead one is taken over', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'leanmem-'));
  const first = await fileStore(directory);
  const second = await fileStore(directory); // of this process
  const lock = join(directory, 'lock');
  const own = readFileSync(lock, 'utf8');
  await first.close();
  await second.close();
  assert.ok(!readdirSync(directory).includes('lock'));
  writeFileSync(lock, `1 ${readFileSync('/proc/1/stat', 'latin1').split(') ')[1].split(' ')[19]}`);
  await assert.rejects(fileStore(directory), { code: 'store_failed' });
  writeFileSync(lock, own.replace(/ .*/, ' 12'));
  await (await fileStore(directory)).close();
  rmSync(directory, { recursive: true });
});
