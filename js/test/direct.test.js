// Direct exchange against the same steps through Extism's memory.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Direct } from '../src/direct.js';
import { Instance } from '../src/instance.js';
import { plugin } from './fixtures.js';

const now = '2024-05-01T00:00:00Z';

test('messages of every size arrive whole in both ways, with the same answers and errors', async () => {
  const start = async () => Instance.start(await plugin(), { recycleBytes: 256 << 20 });
  const direct = await start();
  const of = Direct.of;
  Direct.of = () => null;
  const kernel = await start();
  Direct.of = of;
  const answers = (instance, size) => ['version', 'stats', 'no verb'].map((verb) => {
    try {
      const begun = instance.begin({ verb, now, request: { bank: 'b', now, pad: 'x'.repeat(size) } });
      if (begun.want.length === 0) return begun.done;
      const value = new Uint8Array(size).fill(7);
      return instance.resume({ flow: begun.flow, now, replies: [{ current: 'v', values: [value] }] }).done;
    } catch (e) {
      return `${e.code}: ${e.message}`;
    }
  });
  for (const size of [0, 1, (64 << 10) - 100, 64 << 10, (64 << 10) + 1, 3 << 20, 5]) assert.deepEqual(answers(direct, size), answers(kernel, size), `${size} bytes`);
});

test('an answer outside the memory of the guest ends in an error', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const named = (...place) => {
    new Uint32Array(memory.buffer).set(place, 2);
    return Direct.of({ memory, reserve: () => 64, exchange: () => 8 });
  };
  assert.deepEqual(named(64, 3, 0).send('begin', new Uint8Array([1, 2, 3])), { output: new Uint8Array([1, 2, 3]), failed: false });
  assert.throws(() => named(64, 1 << 20, 0).send('begin', new Uint8Array(3)), RangeError);
  assert.throws(() => named(2 ** 32 - 1, 2 ** 32 - 1, 0).send('begin', new Uint8Array(3)), RangeError);
  assert.throws(() => Direct.of({ memory, reserve: () => 64, exchange: () => -4 }).send('begin', new Uint8Array(3)), RangeError);
  assert.throws(() => Direct.of({ memory, reserve: () => 0, exchange: () => 8 }).send('begin', new Uint8Array(3)), RangeError);
  assert.equal(Direct.of({ memory }), null);
});
