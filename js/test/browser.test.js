import assert from 'node:assert/strict';
import { test } from 'node:test';

import { build } from 'esbuild';

import { event, finished } from './chatserver.js';
import { chat, dialogue, path } from './fixtures.js';
import { chromium, plainPage, serve, visit } from './hosts/browser.js';
import { compare, input } from './hosts/expected.js';

const pages = { '/plain.html': plainPage };

/** Bundles test code for the browser with the plugin beside it. */
async function bundle(code) {
  const { outputFiles } = await build({ stdin: { contents: code, resolveDir: path('test'), sourcefile: 'page.js' }, bundle: true, format: 'esm', platform: 'browser', write: false, alias: { 'node:assert/strict': path('test/hosts/assert.js') } });
  return outputFiles[0].text;
}

for (const isolated of [false, true]) {
  test(`Chromium, module in a page, ${isolated ? 'with' : 'without'} cross-origin isolation`, async (t) => {
    const browser = await chromium(t);
    if (!browser) return;
    const { origin } = await serve(t, { pages, isolated });
    const page = await visit(browser, `${origin}/plain.html`);
    assert.equal(await page.evaluate(() => globalThis.crossOriginIsolated), isolated);
    const got = await page.evaluate(async (given) => {
      const { LeanMem, memoryStore } = await import('/src/browser.js');
      const { trial } = await import('/test/hosts/trial.js');
      return trial({ LeanMem, store: memoryStore(), ...given });
    }, input);
    await compare(assert, t, got);
    assert.deepEqual(page.errors, []);
  });

  test(`Chromium, bundled in a worker over IndexedDB, ${isolated ? 'with' : 'without'} cross-origin isolation`, async (t) => {
    const browser = await chromium(t);
    if (!browser) return;
    const worker = await bundle(`
      import { LeanMem, indexedDBStore } from 'leanmem';
      import { trial } from './hosts/trial.js';
      onmessage = ({ data }) => trial({ LeanMem, store: indexedDBStore(), wasm: '/dist/leanmem-step.wasm', ...data })
        .then((result) => postMessage({ result }), (e) => postMessage({ error: e.stack }));`);
    const { origin } = await serve(t, { pages: { ...pages, '/worker.js': worker }, isolated });
    const page = await visit(browser, `${origin}/plain.html`);
    const { result, error } = await page.evaluate((given) => new Promise((resolve, reject) => {
      const w = new Worker('/worker.js', { type: 'module' });
      w.onmessage = ({ data }) => resolve(data);
      w.onerror = (e) => reject(new Error(e.message));
      w.postMessage(given);
    }), input);
    assert.equal(error, undefined);
    await compare(assert, t, result);
  });
}

test('Chromium: a model streams, and replies are read to a limit', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const { origin } = await serve(t, { pages });
  const page = await visit(browser, `${origin}/plain.html`);
  const got = await page.evaluate(async (stream) => {
    const { openAIModel } = await import('/src/browser.js');
    const shown = [];
    const options = { model: 'small', baseURL: `${location.origin}/v1`, fetch: async () => new Response(stream) };
    const answer = await openAIModel(options)({ stage: 'answer', user: 'Where?' }, { onText: (text) => shown.push(text) });
    const { code } = await openAIModel({ ...options, maxBody: 20 })({ stage: 'answer', user: 'Where?' }).catch((e) => e);
    return { shown, text: answer.text, code };
  }, event({ choices: [{ delta: { content: 'Lis' } }] }) + event({ choices: [{ delta: { content: 'bon' } }] }) + finished);
  assert.deepEqual(got, { shown: ['Lis', 'bon'], text: 'Lisbon', code: 'model_failed' });
  assert.deepEqual(page.errors, []);
});

test('Chromium: IndexedDB passes the suite of stores', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const code = await bundle(`
    import { indexedDBStore } from 'leanmem';
    import { cases } from './storetest.js';
    globalThis.run = async (name) => {
      const store = indexedDBStore(name);
      await cases[name](store);
      await store.close();
    };
    globalThis.names = Object.keys(cases);`);
  const { origin } = await serve(t, { pages: { ...pages, '/suite.js': code } });
  const page = await visit(browser, `${origin}/plain.html`);
  await page.addScriptTag({ url: '/suite.js', type: 'module' });
  await page.waitForFunction(() => globalThis.names);
  for (const name of await page.evaluate(() => globalThis.names)) {
    await t.test(name, () => page.evaluate((n) => globalThis.run(n), name));
  }
});

/** Opens a memory over IndexedDB in a page as `memory`. */
async function remember(page, more = '') {
  await page.evaluate(`(async () => {
    const { LeanMem, indexedDBStore } = await import('/src/browser.js');
    globalThis.memory = await LeanMem.open({ store: indexedDBStore(), now: () => '2026-02-01T12:00:00Z' ${more} });
  })()`);
}

test('Chromium: a closed page in mid-add leaves nothing half-written, and the next open continues', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const { origin } = await serve(t, { pages });
  const context = await browser.newContext();
  const sessions = dialogue('thread');
  const turns = sessions.flatMap((s) => s.turns).length;
  const page = await visit(browser, `${origin}/plain.html`, { context });
  await remember(page);
  const first = page.evaluate((s) => new Promise((resolve) => {
    memory.add(s, { onProgress: (p) => resolve(p.stage) }).catch(() => {});
  }), sessions);
  await first;
  await page.close();
  const again = await visit(browser, `${origin}/plain.html`, { context });
  await remember(again);
  const added = await again.evaluate((s) => memory.add(s), sessions);
  assert.equal(added.added + added.known, turns);
  assert.ok(added.known > 0, 'nothing was stored before the page closed');
  const reference = await visit(browser, `${origin}/plain.html`, { context: await browser.newContext() });
  await remember(reference);
  await reference.evaluate((s) => memory.add(s), sessions);
  const lines = (p) => p.evaluate(async () => JSON.stringify((await memory.export()).lines));
  assert.equal(await lines(again), await lines(reference));
});

test('Chromium: two tabs write one bank', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const { origin } = await serve(t, { pages });
  const context = await browser.newContext();
  const tabs = [await visit(browser, `${origin}/plain.html`, { context }), await visit(browser, `${origin}/plain.html`, { context })];
  await Promise.all(tabs.map((tab) => remember(tab)));
  await Promise.all(tabs.map((tab, w) => tab.evaluate(async (tabNumber) => {
    for (let i = 0; i < 6; i++) {
      await memory.add([{ id: `tab${tabNumber}.${i}`, close: true, turns: [{ id: '1', speaker: 'Ana', text: `I counted ${tabNumber * 10 + i} herons today.` }] }]);
    }
  }, w)));
  assert.equal(await tabs[0].evaluate(async () => (await memory.list({ filter: { kinds: ['turn'] } })).total), 12);
});

test('Chromium: a full disk is a coded error, nothing is half-written, and with room it goes on', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const { origin } = await serve(t, { pages });
  const page = await visit(browser, `${origin}/plain.html`);
  const session = await page.context().newCDPSession(page);
  // Before anything is stored: Chromium remembers for a while that there was room.
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1000 });
  await remember(page);
  const error = await page.evaluate((s) => memory.add(s).then(() => null, (e) => ({ code: e.code, name: e.name })), chat);
  assert.deepEqual(error, { code: 'store_full', name: 'LeanMemError' });
  assert.deepEqual(await page.evaluate(async () => (await memory.banks()).banks), []);
  await session.send('Storage.overrideQuotaForOrigin', { origin });
  assert.equal(await page.evaluate(async (s) => (await memory.add(s)).added, chat), 3);
});
