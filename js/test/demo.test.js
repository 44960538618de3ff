import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';

import { buildDemo } from '../demo/build.mjs';
import { readDialogue } from '../demo/dialogue.js';
import { root } from './fixtures.js';
import { chromium, serve, visit } from './hosts/browser.js';

const shots = process.env.LEANMEM_SHOTS; // a folder for screenshots, for a person to look at

async function demo(t, options = {}) {
  const browser = await chromium(t);
  if (!browser) return {};
  const server = await serve(t, { folder: await buildDemo() });
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await visit(browser, `${server.origin}/index.html`, { context });
  const said = (pattern) => page.waitForFunction((p) => new RegExp(p).test(document.getElementById('state').textContent), pattern);
  await said('is ready');
  return { page, context, server, said, shot: (name) => shots && page.screenshot({ path: `${shots}/${name}.png`, fullPage: true }) };
}

test('the demo: a dialogue becomes memory, is browsed and asked, by clicks', async (t) => {
  const { page, said, shot } = await demo(t);
  if (!page) return;
  await shot('empty');
  await page.click('#sample');
  await page.click('#remember');
  await said('new turns are remembered');
  assert.equal(await page.locator('.session').count(), 4);
  assert.ok(await page.locator('.segment').count() >= 4);
  assert.match(await page.locator('.session').first().textContent(), /turns stored → filter: \d+ set aside → \d+ segments? → routed by rules/);
  assert.match(await page.textContent('#panel'), /Nora/);
  await page.click('#panel summary >> nth=0');
  await page.waitForSelector('#panel details[open] .said');
  await page.click('#tab-event');
  await page.waitForSelector('.timeline');
  await page.fill('#question', 'Where does Nora live now?');
  await page.click('#go');
  await page.waitForSelector('#evidence');
  assert.match(await page.textContent('#tokens'), /Evidence: \d+ tokens of at most 400/);
  assert.match(await page.textContent('#evidence'), /Grado/);
  await shot('light');
  await page.click('#remember');
  await said('all of them were known');
  await page.setInputFiles('#file', { name: 'friends.jsonl', mimeType: 'text/plain', buffer: Buffer.from(readFileSync(`${root}testdata/dialogues/friends.jsonl`, 'utf8').split('\n').slice(0, 60).join('\n')) });
  await page.waitForFunction(() => document.getElementById('text').value.includes('Idris'));
  await page.click('#remember');
  await said('60 new turns are remembered');
  await page.click('#tab-record');
  await page.waitForSelector('#panel .record');
  await shot('records');
  await page.click('#forget');
  await said('Everything is forgotten');
  assert.match(await page.textContent('#panel'), /Nothing yet/);
  assert.deepEqual(page.errors, []);
});

test('the demo: by keyboard, in the dark, and without a network after it was loaded', async (t) => {
  const { page, context, server, said, shot } = await demo(t, { colorScheme: 'dark', viewport: { width: 420, height: 800 } });
  if (!page) return;
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), 'rgb(21, 23, 26)');
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.focus('#sample');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'remember');
  await page.keyboard.press('Space');
  await said('new turns are remembered');
  await page.focus('#tab-profile');
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('.timeline');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-event');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is wider than the screen');
  await shot('dark');
  server.stop();
  await context.setOffline(true);
  await page.reload();
  await said('is ready');
  await page.fill('#question', 'Who has a cat?');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#evidence');
  assert.match(await page.textContent('#evidence'), /Miso/);
});

const hostile = [
  'Mallory: <img src=x onerror="globalThis.ran = 1"> I live in <b>Bold</b> Street.',
  'Mallory: <script>globalThis.ran = 1</script> and {{7*7}} ${7*7} <svg/onload=globalThis.ran=1>',
  "Mallory: My name is </textarea><script>globalThis.ran=1</script>. I am a plumber.",
];

test('the demo: what a memory contains is shown and never run', async (t) => {
  const { page, said, shot } = await demo(t);
  if (!page) return;
  await page.fill('#text', hostile.join('\n'));
  await page.click('#remember');
  await said('new turns are remembered');
  for (const kind of ['profile', 'event', 'record', 'turn']) {
    await page.click(`#tab-${kind}`);
    // Opened where they stand: the panel may be drawn anew between two clicks.
    await page.waitForTimeout(200);
    await page.evaluate(() => document.querySelectorAll('#panel details').forEach((d) => { d.open = true; }));
  }
  await page.fill('#question', 'Where does Mallory live?');
  await page.click('#go');
  await page.waitForSelector('#evidence');
  assert.match(await page.textContent('#evidence'), /<b>Bold<\/b>/);
  assert.match(await page.textContent('#flow'), /\{\{7\*7\}\} \$\{7\*7\}/);
  await shot('hostile');
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  assert.equal(await page.locator('main img, main svg, main script, main b b').count(), 0);
});

test('the demo: a model is used when it is named, and its key is kept nowhere', async (t) => {
  const { page, said } = await demo(t);
  if (!page) return;
  const asked = [];
  const server = createServer(async (request, response) => {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    asked.push(request.headers.authorization);
    response.writeHead(200, { ...cors, 'content-type': 'application/json' }).end(JSON.stringify({ choices: [{ message: { content: '{"answer": "In Grado.", "sources": [1], "known": true}' }, finish_reason: 'stop' }] }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => { server.closeAllConnections(); server.close(); });
  await page.click('#sample');
  await page.click('#remember');
  await said('new turns are remembered');
  await page.fill('#url', `http://127.0.0.1:${server.address().port}/v1`);
  await page.fill('#name', 'small');
  await page.fill('#key', 'sk-secret');
  await page.click('#model button[type=submit]');
  await said('The model is used');
  await page.fill('#question', 'Where does Nora live now?');
  await page.click('#go');
  await page.waitForSelector('#answer');
  assert.match(await page.textContent('#answer'), /Grado/);
  assert.ok(asked.length > 0 && asked.every((a) => a === 'Bearer sk-secret'));
  const kept = await page.evaluate(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, await caches.keys()]));
  assert.doesNotMatch(kept, /sk-secret/);
  await page.click('#without');
  assert.equal(await page.inputValue('#key'), '');
});

test('dialogues are read, and what cannot be read is told', () => {
  assert.deepEqual(readDialogue('# 2025-01-01\nA: hi\nmore\n\n#\nB: x'), [
    { id: 's1', close: true, turns: [{ speaker: 'A', text: 'hi\nmore', time: '2025-01-01', id: 's1:1' }] },
    { id: 's2', close: true, turns: [{ speaker: 'B', text: 'x', id: 's2:1' }] },
  ]);
  assert.deepEqual(readDialogue('{"session": "a", "id": "1", "speaker": "A", "text": "hi"}'), [{ id: 'a', close: true, turns: [{ speaker: 'A', text: 'hi', id: '1' }] }]);
  for (const bad of ['', 'no speaker', '{"speaker": 1}', '{x', '# only a heading']) assert.throws(() => readDialogue(bad), Error);
});
