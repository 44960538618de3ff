import assert from 'node:assert/strict';
import { test } from 'node:test';

import { memoryStore } from 'leanmem';

import { defaultTimeouts, perform } from '../src/effects.js';
import { Instance, InstanceLost } from '../src/instance.js';
import { Pool } from '../src/pool.js';
import { run } from '../src/drive.js';
import { chat, deferred, open, plugin } from './fixtures.js';

const more = [{ id: 's2', close: true, turns: [{ id: 's2:1', speaker: 'Ana', time: '2025-04-01T10:00:00Z', text: 'I sold my blue bicycle to Carla.' }] }];
const short = { llm: 60, embed: 60, tag: 60, store: 60 };

/** A store with some functions replaced. */
function broken(replaced, store = memoryStore()) {
  return Object.fromEntries(['get', 'scan', 'commit', 'banks'].map((name) => [name, replaced[name] ?? ((...a) => store[name](...a))]));
}

const storeFaults = {
  'throws': [() => { throw new Error('no such device'); }, 'store_failed'],
  'rejects': [async () => { throw new Error('no such device'); }, 'store_failed'],
  'rejects with nothing': [() => Promise.reject(), 'store_failed'],
  'rejects with a code of its own': [() => Promise.reject(Object.assign(new Error('gone'), { code: 'unavailable' })), 'unavailable'],
  'has no room left': [() => Promise.reject(Object.assign(new Error('quota'), { name: 'QuotaExceededError' })), 'store_full'],
  'never settles': [() => new Promise(() => {}), 'deadline'],
  'gives nothing': [() => undefined, 'store_failed'],
  'gives a text': [async () => 'ok', 'store_failed'],
  'gives the wrong fields': [async () => ({ value: 1 }), 'store_failed'],
};

for (const [how, [fault, code]] of Object.entries(storeFaults)) {
  for (const method of ['get', 'commit', 'banks']) {
    test(`a store whose ${method} ${how} gives ${code}`, async () => {
      const memory = await open({ store: broken({ [method]: fault }), timeouts: short });
      await assert.rejects(method === 'banks' ? memory.banks() : memory.add(chat), (e) => {
        assert.equal(e.name, 'LeanMemError');
        assert.equal(e.code, code, e.message);
        assert.ok(!e.message.includes('Lisbon'));
        return true;
      });
    });
  }
}

test('values of the wrong shape are refused where they stand', async () => {
  const call = { signal: new AbortController().signal };
  const ask = (store, request) => perform({ store: broken(store), timeouts: defaultTimeouts }, call, request);
  const key = new Uint8Array([1]);
  const wrong = [
    [{ get: async () => ({ values: [], version: '' }) }, { op: 'store_get', bank: 'b', keys: [key] }],
    [{ get: async () => ({ values: ['text'], version: '' }) }, { op: 'store_get', bank: 'b', keys: [key] }],
    [{ get: async () => ({ values: [null], version: 7 }) }, { op: 'store_get', bank: 'b', keys: [key] }],
    [{ scan: async () => ({ entries: [], more: true, version: '' }) }, { op: 'store_scan', bank: 'b' }],
    [{ scan: async () => ({ entries: [{ key: 'k' }], version: '' }) }, { op: 'store_scan', bank: 'b' }],
    [{ commit: async () => ({ ok: 'yes', version: 'v' }) }, { op: 'store_commit', bank: 'b', version: 'v' }],
    [{ banks: async () => ({ banks: [1] }) }, { op: 'store_banks' }],
  ];
  for (const [store, request] of wrong) assert.equal((await ask(store, request)).error.code, 'store_failed');
  assert.equal((await ask({}, { op: 'fly' })).error.code, 'invalid_argument');
  const bound = { ...call, bank: 'mine' };
  assert.equal((await perform({ store: memoryStore(), timeouts: defaultTimeouts }, bound, { op: 'store_get', bank: 'yours' })).error.code, 'forbidden');
});

const llmFaults = {
  'throws': [() => { throw new Error('no such model'); }, 'model_failed'],
  'rejects': [async () => { throw new Error('no such model'); }, 'model_failed'],
  'never settles': [() => new Promise(() => {}), 'model_timeout'],
  'gives a number': [async () => 7, 'model_failed'],
  'gives no text': [async () => ({ content: 'x' }), 'model_failed'],
};

for (const [how, [llm, code]] of Object.entries(llmFaults)) {
  test(`a model that ${how}: the turns are stored, and the reason is told`, async () => {
    const memory = await open({ llm, timeouts: short });
    const added = await memory.add(chat);
    assert.equal(added.added, 3);
    const found = await memory.search({ query: 'Where does Ana live?', options: { llm: false } });
    assert.match(found.evidence, /Lisbon/);
    const { completions } = await perform({ llm, timeouts: short, prompts: 8, store: memoryStore() }, { signal: new AbortController().signal }, { op: 'llm_complete', prompts: [{ stage: 'plan', system: '', user: 'u' }] });
    assert.equal(completions[0].error.code, code);
  });
}

test('embeddings of the wrong shape are refused, others are brought to unit length', async () => {
  const ask = (embed) => perform({ embed, timeouts: short, store: memoryStore() }, { signal: new AbortController().signal }, { op: 'embed', texts: ['a', 'b'], purpose: 'query' });
  for (const answer of [7, [], [[1, 0]], [[1, 0], [1]], [[0, 0], [1, 0]], [[NaN, 1], [1, 0]], [[], []], ['ab', 'cd'], { vectors: null }]) {
    assert.equal((await ask(() => answer)).error?.code, 'embed_failed', JSON.stringify(answer));
  }
  const { vectors } = await ask(() => [[3, 4], Float32Array.of(0, 2)]);
  assert.deepEqual([...vectors.data].map((f) => Math.round(f * 10) / 10), [0.6, 0.8, 0, 1]);
  assert.equal((await ask(() => new Promise(() => {}))).error.code, 'deadline');
});

test('a caller may give up while an effect is under way', async () => {
  const waiting = deferred();
  let heeded = false;
  const memory = await open({ store: broken({ get: (_, __, { signal }) => new Promise(() => {
    signal.addEventListener('abort', () => { heeded = true; });
    waiting.resolve();
  }) }) });
  const controller = new AbortController();
  const call = memory.search('x', { signal: controller.signal });
  await waiting.promise;
  controller.abort();
  await assert.rejects(call, { code: 'canceled' });
  assert.ok(heeded);
  await assert.rejects(memory.search('x', { signal: controller.signal }), { code: 'canceled' });
});

test('a progress listener that throws cancels the call; what was stored stays', async () => {
  const memory = await open();
  await assert.rejects(memory.add(chat, { onProgress: () => { throw new Error('enough'); } }), { code: 'canceled' });
  assert.equal((await memory.add(chat)).known, 3);
});

test('closing cancels calls under way', async () => {
  const waiting = deferred();
  const memory = await open({ store: broken({ get: () => new Promise(() => waiting.resolve()) }) });
  const call = memory.search('x');
  await waiting.promise;
  await Promise.all([memory.close(), assert.rejects(call, { code: 'canceled' })]);
});

test('two writers on one bank lose nothing', async () => {
  const store = memoryStore();
  const writers = [await open({ store }), await open({ store })];
  await Promise.all(writers.map(async (memory, w) => {
    for (let i = 0; i < 4; i++) await memory.add([{ id: `w${w}.${i}`, close: true, turns: [{ id: '1', speaker: 'Ana', text: `I counted ${w * 10 + i} herons today.` }] }]);
  }));
  assert.equal((await writers[0].list({ filter: { kinds: ['turn'] } })).total, 8);
});

test('many calls of one memory write one bank', async () => {
  const memory = await open();
  await Promise.all(Array.from({ length: 20 }, (_, i) => memory.add([{ id: `w${i}`, close: true, turns: [{ id: '1', speaker: 'Ana', text: `I counted ${i} herons today.` }] }])));
  assert.equal((await memory.list({ filter: { kinds: ['turn'] } })).total, 20);
});

test('killed between any two commits of an add, the next open continues', async () => {
  const reference = await open();
  await reference.add([...chat, ...more]);
  const want = (await reference.export()).lines;
  for (let kill = 0; kill < 6; kill++) {
    const store = memoryStore();
    let commits = 0;
    const dying = await open({ store: broken({ commit: (...a) => {
      if (commits++ >= kill) throw new Error('the process ends here');
      return store.commit(...a);
    } }, store) });
    const died = await dying.add([...chat, ...more]).then(() => false, () => true);
    const memory = await open({ store });
    await memory.add([...chat, ...more]);
    await memory.flush();
    assert.deepEqual((await memory.export()).lines, want, `killed before commit ${kill}`);
    if (!died) break;
  }
});

/** A pool whose instances trap at their n-th step. */
async function trapping(...steps) {
  const module = await plugin();
  const started = [];
  const pool = new Pool(module, 256 << 20);
  const start = Instance.start;
  Instance.start = async (...a) => {
    const instance = await start(...a);
    let left = steps[started.length] ?? Infinity;
    started.push(instance);
    for (const step of ['begin', 'resume']) {
      const real = instance[step].bind(instance);
      instance[step] = (message) => {
        if (left-- > 0) return real(message);
        instance.dead = true;
        throw new InstanceLost('unreachable');
      };
    }
    return instance;
  };
  return { pool, started, restore: () => { Instance.start = start; } };
}

test('a trapped instance is replaced and its call goes on from its log: no commit twice, no model asked twice', async (t) => {
  for (let at = 0; at < 12; at++) {
    const store = memoryStore();
    const commits = [];
    let asked = 0;
    const world = {
      store: broken({ commit: (bank, change) => {
        commits.push(change.version);
        return store.commit(bank, change);
      } }, store),
      llm: () => { asked++; return '{}'; }, timeouts: defaultTimeouts, prompts: 8,
    };
    const { pool, started, restore } = await trapping(at);
    t.after(restore);
    const call = { verb: 'add', bank: 'b', request: { bank: 'b', now: '2026-01-01T00:00:00Z', sessions: chat, options: { llm: true } }, signal: new AbortController().signal };
    const added = await run(pool, world, call);
    restore();
    assert.equal(added.added, 3);
    assert.equal(new Set(commits).size, commits.length, `trap at step ${at}: a commit was repeated`);
    if (started.length === 1) return; // it was done before the trap
    assert.equal(started.length, 2);
    const plain = { n: 0 };
    const reference = await open({ llm: () => { plain.n++; return '{}'; } });
    await reference.add(chat);
    assert.equal(asked, plain.n, `trap at step ${at}: the model was asked again`);
  }
});

test('a call that takes down instance after instance is given up', async (t) => {
  const { pool, started, restore } = await trapping(0, 0, 0);
  t.after(restore);
  const call = { verb: 'stats', bank: 'b', request: { bank: 'b', now: '2026-01-01T00:00:00Z' }, signal: new AbortController().signal };
  await assert.rejects(run(pool, { store: memoryStore(), timeouts: defaultTimeouts }, call), { code: 'internal', retryable: true });
  assert.equal(started.length, 2);
});

test('others on a trapped instance go on elsewhere', async (t) => {
  const { pool, restore } = await trapping(3);
  t.after(restore);
  const store = memoryStore();
  const world = { store, timeouts: defaultTimeouts };
  const call = (bank) => run(pool, world, { verb: 'add', bank, request: { bank, now: '2026-01-01T00:00:00Z', sessions: chat }, signal: new AbortController().signal });
  const results = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(call));
  assert.deepEqual(results.map((r) => r.added), [3, 3, 3, 3, 3]);
});

test('an instance that grew too large is replaced between calls', async () => {
  const memory = await open({ recycleBytes: 1 });
  await memory.add(chat);
  assert.match((await memory.search('Where does Ana live?')).evidence, /Lisbon/);
});
