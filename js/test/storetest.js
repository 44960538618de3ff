// The one suite that every store passes.

import assert from 'node:assert/strict';

import { compareNames } from '../src/limits.js';

const how = { signal: new AbortController().signal };
const bytes = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));
const put = (key, value) => ({ key: bytes(key), value: bytes(value) });
const del = (key) => ({ key: bytes(key), value: null });
const shown = (value) => (value == null ? null : String.fromCharCode(...value));

async function mustCommit(s, bank, expected, version, ...writes) {
  assert.deepEqual(await s.commit(bank, { expected, version, writes }, how), { ok: true, version });
}

async function mustConflict(s, bank, expected, version, current, ...writes) {
  assert.deepEqual(await s.commit(bank, { expected, version, writes }, how), { ok: false, version: current });
}

async function holds(s, bank, version, entries) {
  const keys = Object.keys(entries);
  const read = await s.get(bank, keys.map(bytes), how);
  assert.equal(read.version, version);
  assert.deepEqual(read.values.map(shown), keys.map((k) => entries[k]));
}

async function scanAll(s, bank, prefix = '', limit = 1000) {
  const out = [];
  let after = null;
  for (;;) {
    const page = await s.scan(bank, { prefix: bytes(prefix), after, limit }, how);
    assert.ok(page.entries.length <= limit);
    out.push(...page.entries.map((e) => [shown(e.key), shown(e.value)]));
    if (!page.more) return out;
    assert.ok(page.entries.length > 0, 'an empty page with more after it');
    after = page.entries.at(-1).key;
  }
}

async function allBanks(s, limit = 1000) {
  const out = [];
  for (;;) {
    const page = await s.banks({ after: out.at(-1) ?? '', limit }, how);
    out.push(...page.banks);
    if (!page.more) return out;
  }
}

/** Strings that escaping, collation, globbing and splitting get wrong. */
const awkwardKeys = ['a', 'a/b', 'a\0b', '\0', '\xff\xfe', 'a}b{c', 'a:b', 'a*?[', "'; drop table kv; --", '\r\n', 'A', 'a ', ' a', '%61', '\x80', 'z'.repeat(256)];
const awkwardNames = ['a', 'a/b', 'a\0b', '\0', 'A', 'a}b{c', '../a', '..', '.', 'a:b', "'; drop table kv; --", '\r\n', '我每天', '\u00e9', 'e\u0301', '😀', '\uffee', ' a', 'z'.repeat(256), '=41', '~a'];

export const cases = {
  async 'what is absent reads as absent'(s) {
    await holds(s, 'none', '', { k: null });
    assert.deepEqual(await scanAll(s, 'none'), []);
    assert.deepEqual(await allBanks(s), []);
    await mustConflict(s, 'none', 'v1', 'v2', '', put('k', 'x'));
  },

  async 'a commit compares the version and sets it'(s) {
    await mustCommit(s, 'b', '', 'v1', put('k', '1'));
    await mustConflict(s, 'b', '', 'v9', 'v1', put('k', '9'));
    await mustConflict(s, 'b', 'v0', 'v9', 'v1', put('k', '9'));
    await mustCommit(s, 'b', 'v1', 'v2', put('k', '2'));
    await mustConflict(s, 'b', 'v1', '', 'v2');
    await holds(s, 'b', 'v2', { k: '2' });
    await mustCommit(s, 'b', 'v2', 'v3');
    await holds(s, 'b', 'v3', { k: '2' });
  },

  async 'an empty value is not an absent one'(s) {
    await mustCommit(s, 'b', '', 'v1', put('empty', ''), put('k', 'x'));
    await holds(s, 'b', 'v1', { empty: '', absent: null, k: 'x' });
    await mustCommit(s, 'b', 'v1', 'v2', put('k', ''), del('empty'), del('absent'));
    assert.deepEqual(await scanAll(s, 'b'), [['k', '']]);
    await mustCommit(s, 'b', 'v2', 'v3', del('k'));
    await holds(s, 'b', 'v3', { k: null });
    assert.deepEqual(await allBanks(s), ['b']);
  },

  async 'names and keys are any bytes'(s) {
    for (const bank of awkwardNames) await mustCommit(s, bank, '', 'v\0', ...awkwardKeys.map((k) => put(k, k)));
    for (const bank of awkwardNames) {
      await holds(s, bank, 'v\0', Object.fromEntries(awkwardKeys.map((k) => [k, k])));
      assert.deepEqual(await scanAll(s, bank, '', 3), [...awkwardKeys].sort().map((k) => [k, k]));
    }
    assert.deepEqual(await allBanks(s, 4), [...awkwardNames].sort(compareNames));
    const all = String.fromCharCode(...Array(256).keys());
    await mustCommit(s, 'bytes', '', 'v', put(all, all));
    await holds(s, 'bytes', 'v', { [all]: all });
  },

  async 'a scan pages through a prefix in byte order'(s) {
    const keys = ['a', 'a\0', 'a\0b', 'a\x01', 'aa', 'ab', 'a\xff', 'a\xff\xff', 'b', 'B', '\xff', '\xff\xff', '\xff\xff\x01', '\0'].sort();
    await mustCommit(s, 'b', '', 'v1', ...keys.map((k) => put(k, `v${k}`)));
    for (const prefix of ['', 'a', 'a\0', 'a\xff', '\xff', '\xff\xff', 'b', 'zz']) {
      const want = keys.filter((k) => k.startsWith(prefix)).map((k) => [k, `v${k}`]);
      for (const limit of [1, 2, 3, 1000]) assert.deepEqual(await scanAll(s, 'b', prefix, limit), want);
    }
    const beyond = await s.scan('b', { prefix: bytes('a'), after: bytes('zz'), limit: 10 }, how);
    assert.deepEqual([beyond.entries.length, beyond.more, beyond.version], [0, false, 'v1']);
    const before = await s.scan('b', { prefix: bytes('b'), after: bytes('a'), limit: 10 }, how);
    assert.deepEqual([before.entries.length, before.more], [1, false]);
  },

  async 'a bank that was removed is gone, and may be born again'(s) {
    assert.deepEqual(await s.commit('b', { expected: '', version: '', writes: [] }, how), { ok: true, version: '' });
    await mustCommit(s, 'b', '', 'v1', put('k', '1'), put('l', '1'));
    await mustConflict(s, 'b', 'v0', '', 'v1');
    await mustCommit(s, 'b', 'v1', '');
    await holds(s, 'b', '', { k: null, l: null });
    assert.deepEqual(await allBanks(s), []);
    await mustCommit(s, 'b', '', 'v1', put('k', '2'));
    await holds(s, 'b', 'v1', { k: '2', l: null });
  },

  async 'bytes that are given or taken are not shared'(s) {
    const write = put('k', 'value');
    await mustCommit(s, 'b', '', 'v1', write);
    write.key[0] = write.value[0] = 88;
    const read = await s.get('b', [bytes('k')], how);
    read.values[0][0] = 89;
    const page = await s.scan('b', { prefix: bytes(''), after: null, limit: 9 }, how);
    page.entries[0].key[0] = page.entries[0].value[0] = 90;
    await holds(s, 'b', 'v1', { k: 'value' });
  },

  async 'a large value comes back whole'(s) {
    const big = new Uint8Array(3 << 20).map((_, i) => (i * 2654435761) >> 13);
    await s.commit('b', { expected: '', version: 'v1', writes: [{ key: bytes('big'), value: big }, put('k', 'x')] }, how);
    const { values } = await s.get('b', [bytes('big'), bytes('k')], how);
    assert.ok(values[0].length === big.length && values[0].every((b, i) => b === big[i]));
    assert.equal((await scanAll(s, 'b', 'k')).length, 1);
  },

  async 'writers under compare-and-set lose nothing'(s) {
    const append = async (bank, item) => {
      for (;;) {
        const { values: [list], version } = await s.get(bank, [bytes('list')], how);
        const n = Number(version.split('#')[1] ?? 0) + 1;
        const { ok } = await s.commit(bank, { expected: version, version: `${item}#${n}`, writes: [put('list', `${shown(list) ?? ''} ${item}`)] }, how);
        if (ok) return;
      }
    };
    const writers = [0, 1, 2, 3].map(async (w) => {
      for (let i = 0; i < 8; i++) await append(`bank${w % 2}`, `${w}.${i}`);
    });
    await Promise.all(writers);
    for (const bank of ['bank0', 'bank1']) {
      const { values, version } = await s.get(bank, [bytes('list')], how);
      assert.equal(new Set(shown(values[0]).trim().split(' ')).size, 16);
      assert.match(version, /#16$/);
    }
  },
};

