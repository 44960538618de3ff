import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { codes, verbs } from 'leanmem';

import { checkCommit, compareNames, keyBytes, keyText } from '../src/limits.js';
import { Kernel } from '../src/kernel.js';
import { redact } from '../src/redact.js';
import { keyOf } from '../src/replay.js';
import { decodeAnswer, encodeStep, utf8 } from '../src/wire.js';
import { plugin, root } from './fixtures.js';

const schema = JSON.parse(readFileSync(`${root}testdata/abi.json`, 'utf8'));

function message(header, raw = new Uint8Array(0)) {
  const head = utf8(JSON.stringify(header));
  const out = new Uint8Array(4 + head.length + raw.length);
  new DataView(out.buffer).setUint32(0, head.length, true);
  out.set(head, 4);
  out.set(raw, 4 + head.length);
  return out;
}

test('replies are packed as the core reads them', () => {
  const encoded = encodeStep({ flow: '7', replies: [
    { values: [new Uint8Array([1, 2]), null, new Uint8Array(0)], current: 'v' },
    { vectors: { model: 'm', dims: 2, data: new Float32Array([1, -2]) } },
  ] });
  const size = new DataView(encoded.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(encoded.subarray(4, 4 + size)));
  assert.deepEqual(header, { flow: '7', replies: [
    { values: [[0, 2], [-1, 0], [2, 0]], current: 'v' },
    { vectors: { model: 'm', dims: 2, data: [2, 8] } },
  ] });
  assert.deepEqual([...encoded.subarray(4 + size)], [1, 2, 0, 0, 128, 63, 0, 0, 0, 192]);
});

test('requests are unpacked', () => {
  const { flow, want, done } = decodeAnswer(message({ flow: '1', want: [
    { op: 'store_commit', bank: 'b', version: 'v', writes: [{ key: [0, 1], value: [1, 2] }, { key: [3, 1] }] },
    { op: 'store_get', keys: [[0, 1], [-1, 0]] },
  ] }, new Uint8Array([107, 1, 2, 108])));
  assert.equal(flow, '1');
  assert.equal(done, undefined);
  assert.deepEqual(want[0].writes, [{ key: new Uint8Array([107]), value: new Uint8Array([1, 2]) }, { key: new Uint8Array([108]), value: null }]);
  assert.deepEqual(want[1].keys, [new Uint8Array([107]), null]);
});

test('a message that makes no sense is refused', () => {
  const bad = [new Uint8Array(3), new Uint8Array([9, 0, 0, 0, 1]), new Uint8Array([1, 0, 0, 0, 123]), message(7), message(null),
    ...[[0, 5], [-1, 1], [1], 'x', [0.5, 1], [2 ** 53, 1]].map((span) => message({ want: [{ op: 'store_get', keys: [span] }] }, new Uint8Array(4)))];
  for (const m of bad) assert.throws(() => decodeAnswer(m), { name: 'LeanMemError' });
  let seed = 7; // a small generator: the same bytes every time
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
  const good = message({ flow: '1', want: [{ op: 'store_get', keys: [[0, 1]] }] }, new Uint8Array(4));
  for (let i = 0; i < 3000; i++) {
    const m = good.slice();
    for (let n = 0; n < 3; n++) m[Math.floor(random() * m.length)] = Math.floor(random() * 256);
    try {
      decodeAnswer(m);
    } catch (e) {
      assert.ok(e.name === 'LeanMemError' || e instanceof TypeError, e.stack);
    }
  }
});

test('the kernel moves bytes and keeps the guest inside', () => {
  const kernel = new Kernel();
  const env = kernel.imports();
  kernel.begin(new Uint8Array([1, 0, 0, 0, 0, 0, 0, 128, 9]));
  assert.equal(env.input_length(), 9n);
  assert.equal(env.input_load_u64(0n), 0x8000000000000001n);
  assert.equal(env.input_load_u8(8n), 9);
  assert.throws(() => env.input_load_u64(2n));
  assert.throws(() => env.input_load_u8(9n));
  const at = env.alloc(11n);
  assert.equal(env.length(at), 11n);
  env.store_u64(at, 0xffffffffffffffffn);
  env.store_u8(at + 10n, 300);
  assert.equal(env.load_u64(at), 0xffffffffffffffffn);
  env.output_set(at, 11n);
  assert.deepEqual([...kernel.output], [255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 44]);
  for (const act of [() => env.store_u8(1000n, 1), () => env.load_u64(at + 8n), () => env.output_set(at, 12n), () => env.alloc(1n << 40n), () => env.store_u8(-1n, 1)]) {
    assert.throws(act, RangeError);
  }
  env.free(at);
  assert.equal(env.alloc(11n), at);
  assert.equal(env.alloc(0n), 0n);
  const big = env.alloc(5n << 20n);
  env.store_u8(big + (5n << 20n) - 1n, 7);
  kernel.begin(new Uint8Array(0));
  assert.throws(() => env.load_u8(big), RangeError);
  kernel.error = new Uint8Array([5]);
  assert.equal(env.load_u8(env.error_get()), 5);
});

test('the plugin imports nothing but WASI and the kernel, and the kernel has it all', async () => {
  const env = new Kernel().imports();
  for (const { module, name } of WebAssembly.Module.imports(await plugin())) {
    assert.ok(module === 'wasi_snapshot_preview1' || (module === 'extism:host/env' && env[name]), `${module} ${name}`);
  }
  const kit = 'alloc config_get error_get error_set free get_log_level http_headers http_request http_status_code input_length input_load_u64 input_load_u8 length length_unsafe load_u64 load_u8 log_debug log_error log_info log_trace log_warn output_set store_u64 store_u8 var_get var_set';
  assert.equal(Object.keys(env).sort().join(' '), kit);
});

test('codes and verbs are those of the schema', () => {
  assert.deepEqual([...codes], schema.errors.map((e) => e.code));
  assert.deepEqual([...verbs].sort(), Object.keys(schema.verbs).filter((v) => v !== 'banks' && v !== 'version').sort());
});

test('limits are checked before a store is asked', () => {
  const commit = (bank, expected, version, ...writes) => () => checkCommit(bank, { expected, version, writes });
  const key = (n) => new Uint8Array(n).fill(107);
  assert.throws(commit('', '', 'v'), { code: 'invalid_argument' });
  assert.throws(commit('b'.repeat(257), '', 'v'), { code: 'invalid_argument' });
  assert.throws(commit('b', '', 'v'.repeat(257)), { code: 'invalid_argument' });
  assert.throws(commit('b', 'v', 'v'), { code: 'invalid_argument' });
  assert.throws(commit('b', 'v', '', { key: key(1), value: null }), { code: 'invalid_argument' });
  assert.throws(commit('b', '', 'v', { key: key(0), value: null }), { code: 'invalid_argument' });
  assert.throws(commit('b', '', 'v', { key: key(1), value: null }, { key: key(1), value: null }), { code: 'invalid_argument' });
  assert.throws(commit('b', '', 'v', { key: key(1025), value: null }), { code: 'too_large' });
  assert.throws(commit('b', '', 'v', { key: key(1), value: { length: (64 << 20) + 1 } }), { code: 'too_large' });
  commit('b', '', 'v', { key: key(1024), value: null })();
});

test('names sort as their bytes, keys are written byte by byte', () => {
  assert.deepEqual(['😀', '\uffee', 'z', 'a'].sort(compareNames), ['a', 'z', '\uffee', '😀']);
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  assert.deepEqual(keyBytes(keyText(all)), all);
});

test('requests are named by what they ask', () => {
  const key = (n) => keyOf({ op: 'store_get', bank: 'b', keys: [new Uint8Array([n])] });
  assert.equal(key(1), key(1));
  assert.notEqual(key(1), key(2));
  assert.notEqual(keyOf({ op: 'store_get', keys: [new Uint8Array([49])] }), keyOf({ op: 'store_get', keys: ['1'] }));
});

test('messages quote no text', () => {
  assert.equal(redact('cannot read "Ana lives in Lisbon" at 3', ['I know that Ana lives in Lisbon now']), 'cannot read "…" at 3');
  assert.equal(redact('a\n  b', []), 'a b');
  assert.ok(redact('x'.repeat(1000), []).length <= 301);
});
