// The LoCoMo conversations in Node and in Chromium: results are those of the
// native Go engine. A test run takes every tenth question of one conversation;
// LEANMEM_SOAK=1 takes all of all.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { LeanMem, memoryStore } from 'leanmem';

import { executable, lacks, root } from './fixtures.js';
import { chromium, plainPage, serve, visit } from './hosts/browser.js';

const budget = 2000;
const long = Boolean(process.env.LEANMEM_SOAK);
const data = join(process.env.LEANMEM_DATA ?? join(root, '../shared/data'), 'locomo');
const files = existsSync(data) ? readdirSync(data).filter((n) => n.endsWith('.json')) : [];

/** The calls of a file, each with what the native engine gives. */
const references = new Map();
function reference(file) {
  if (!references.has(file)) references.set(file, ask(file));
  return references.get(file);
}

function ask(file) {
  const args = ['run', './host/internal/reference', '-budget', budget, '-every', long ? 1 : 10, join(data, file)];
  const { status, stdout, stderr } = spawnSync('go', args.map(String), { cwd: root, encoding: 'utf8', maxBuffer: 1 << 30 });
  assert.equal(status, 0, stderr);
  return stdout.trim().split('\n').map((line) => JSON.parse(line));
}

/** Makes calls, here or in a page, and gives their results. */
async function make({ LeanMem, store }, calls) {
  const memory = await LeanMem.open({ store });
  const results = [];
  for (const { verb, request } of calls) results.push(await memory.call(verb, request));
  await memory.close();
  return results;
}

function compare(t, calls, got) {
  const searches = calls.filter((c) => c.verb === 'search').length;
  assert.ok(searches > 0 && calls.every((c) => c.verb !== 'search' || c.result.evidence !== ''), 'there is nothing to compare');
  const other = calls.filter(({ result }, i) => !isDeepStrictEqual(got[i], result));
  assert.deepEqual(other.map(({ verb, request }) => `${verb} ${request.query ?? ''}`), [], 'these differ');
  t.diagnostic(`${searches} searches at ${budget} tokens, all equal`);
}

/** Skips a test without its data: they are third-party and cannot be installed. */
function unready(t) {
  if (process.env.LEANMEM_DATA) assert.ok(files.length > 0, 'LEANMEM_DATA is set, but holds no folder locomo with files');
  if (files.length === 0) t.skip('no evaluation data: set LEANMEM_DATA');
  return files.length === 0 || lacks(t, 'Go', executable('go'));
}

for (const file of long ? files : files.slice(0, 1)) {
  test(`Node finds in ${file} what the native engine finds`, async (t) => {
    if (unready(t)) return;
    const calls = reference(file);
    compare(t, calls, await make({ LeanMem, store: memoryStore() }, calls));
  });

  test(`Chromium finds in ${file} what the native engine finds`, async (t) => {
    if (unready(t)) return;
    const browser = await chromium(t);
    if (!browser) return;
    const { origin } = await serve(t, { pages: { '/plain.html': plainPage } });
    const page = await visit(browser, `${origin}/plain.html`);
    const calls = reference(file);
    const got = await page.evaluate(`(async (calls) => {
      const { LeanMem, memoryStore } = await import('/src/browser.js');
      return (${make})({ LeanMem, store: memoryStore() }, calls);
    })(${JSON.stringify(calls.map(({ verb, request }) => ({ verb, request })))})`);
    compare(t, calls, got);
    assert.deepEqual(page.errors, []);
  });
}

if (files.length === 0) test('LoCoMo', (t) => { unready(t); });
