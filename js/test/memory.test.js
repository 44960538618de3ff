import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LeanMem, LeanMemError, memoryStore, verbs } from 'leanmem';

import { chat, dialogue, open, questions } from './fixtures.js';

test('a dialogue becomes memory and gives evidence', async () => {
  const memory = await open();
  const bank = memory.bank('friends');
  const progress = [];
  const sessions = dialogue('friends');
  const added = await bank.add(sessions, { onProgress: (p) => progress.push(p.stage) });
  assert.equal(added.added, sessions.flatMap((s) => s.turns).length);
  assert.ok(added.derived.event > 0 && added.derived.profile > 0 && added.derived.record > 0);
  assert.ok(progress.length > 0);
  let found = 0;
  const asked = questions('friends').filter((q) => !q.absent).slice(0, 12);
  for (const q of asked) {
    const result = await bank.search({ query: q.question, budget: 1000 });
    assert.ok(result.tokens <= 1000);
    if (q.evidence.some((id) => result.items.some((item) => item.sources.includes(id)))) found++;
  }
  assert.ok(found >= 0.8 * asked.length, `evidence for ${found} of ${asked.length} questions`);
  await memory.close();
});

test('every verb of the engine can be called', async () => {
  const memory = await open();
  const { verbs: known } = await memory.version();
  assert.deepEqual([...verbs].sort(), known.filter((v) => v !== 'banks' && v !== 'version').sort());
  const bank = memory.bank('b');
  await bank.add(chat);
  assert.equal((await bank.flush()).pending, 0);
  assert.match((await bank.search('Where does Ana live?')).evidence, /Lisbon/);
  assert.match((await bank.answer('Where does Ana live?')).answer, /Lisbon/);
  assert.ok((await bank.evolve()).relations);
  const { entries } = await bank.list({ filter: { kinds: ['turn'] } });
  assert.equal(entries.length, 3);
  assert.equal((await bank.get(['s1:1'])).entries[0].speaker, 'Ana');
  const profile = (await bank.list({ filter: { kinds: ['profile'] } })).entries[0];
  assert.ok((await bank.history({ id: profile.id })).entries.length > 0);
  assert.equal((await bank.update({ id: profile.id, value: 'Porto' })).entry.profile.value, 'Porto');
  const { lines } = await bank.export();
  assert.ok((await memory.bank('copy').import(lines)).turns === 3);
  assert.equal((await bank.expire()).purged, 0);
  assert.equal((await bank.stats()).counts.turn, 3);
  assert.equal((await bank.delete({ filter: { about: 'Bruno' }, dry_run: true })).dry_run, true);
  assert.equal((await bank.delete({ filter: { ids: ['s1:3'] } })).turns, 1);
  assert.equal((await bank.restore()).lifted, 1);
  await bank.reprocess();
  await bank.reindex();
  assert.deepEqual((await memory.banks()).banks, ['b', 'copy']);
  await bank.drop();
  assert.deepEqual((await memory.banks()).banks, ['copy']);
  await memory.close();
});

test('the bank of a request is the one of the memory unless it is named', async () => {
  const memory = await open({ bank: 'mine' });
  await memory.add(chat);
  await memory.add({ bank: 'yours', sessions: chat });
  assert.deepEqual((await memory.banks()).banks, ['mine', 'yours']);
  assert.match((await memory.search('Where does Ana live?')).evidence, /Lisbon/);
});

test('errors are typed', async () => {
  const memory = await open();
  const circle = {};
  circle.again = { circle };
  const refusals = [
    [() => memory.bank('none').delete({ filter: { ids: ['x'] } }), 'bank_not_found'],
    [() => memory.add([{ turns: [] }]), 'invalid_argument'],
    [() => memory.call('sing'), 'unknown_verb'],
    [() => memory.search({ query: 'x', abi: '9.0' }), 'unsupported_abi'],
    [() => memory.search(7), 'invalid_argument'],
    [() => memory.bank('a').search(7), 'invalid_argument'],
    [() => memory.bank('a').add('hello'), 'invalid_argument'],
    [() => memory.bank('a').add(chat[0]), 'invalid_argument'],
    [() => memory.search({ query: 'x', budget: 10n }), 'invalid_argument'],
    [() => memory.add({ sessions: chat, get options() { return circle; } }), 'invalid_argument'],
    [() => memory.add([{ id: 's', turns: Array.from({ length: 65 }, () => ({ speaker: 'Ana', text: 'x'.repeat(1 << 20) })) }]), 'too_large'],
    [() => memory.bank('a').delete({ filter: { speakers: ['Ana'], sesions: ['s1'] } }), 'invalid_argument'],
    [() => memory.bank('x'.repeat(300)).stats(), 'too_large'],
    [() => memory.bank('').stats(), 'invalid_argument'],
    [() => LeanMem.open({}), 'invalid_argument'],
    [() => LeanMem.open({ store: memoryStore(), llm: 'gpt' }), 'invalid_argument'],
    [() => LeanMem.open({ store: memoryStore(), wasm: new Uint8Array([0, 97, 115, 109, 9, 9, 9, 9]) }), 'invalid_argument'],
    [() => LeanMem.open({ store: memoryStore(), wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }), 'internal'],
  ];
  for (const [call, code] of refusals) {
    const error = await call().then(() => assert.fail(`${call} succeeded`), (e) => e);
    assert.ok(error instanceof LeanMemError, `${call}: ${error}`);
    assert.equal(error.code, code, `${call}: ${error.message}`);
    assert.equal(error.retryable, false);
  }
});

test('adding again stores nothing, and turn by turn gives what bulk gives', async () => {
  const memory = await open();
  const bulk = memory.bank('bulk');
  await bulk.add(chat);
  assert.equal((await bulk.add(chat)).known, 3);
  const slow = memory.bank('slow');
  for (const turn of chat[0].turns) await slow.add([{ id: 's1', turns: [turn] }]);
  await slow.flush();
  assert.deepEqual((await slow.export()).lines, (await bulk.export()).lines);
});

test('a closed memory refuses calls', async () => {
  let closed = 0;
  const memory = await open({ store: Object.assign(memoryStore(), { close: () => closed++ }) });
  await memory.close();
  await memory.close();
  assert.equal(closed, 1);
  await assert.rejects(memory.banks(), { code: 'unavailable' });
});

test('many calls interleave on one instance, more than it has places', async () => {
  const memory = await open();
  const names = Array.from({ length: 90 }, (_, i) => `bank ${i}`);
  await Promise.all(names.map((n, i) => memory.bank(n).add([{ id: 's', close: true, turns: [{ id: '1', speaker: `P${i}`, text: `My lucky number is ${i + 1000}.` }] }])));
  await Promise.all(names.map(async (n, i) => {
    const { evidence } = await memory.bank(n).search('What is the lucky number?');
    assert.match(evidence, new RegExp(`${i + 1000}`));
  }));
});
