// Compares the evidence of this package, in Node and in Chromium, with the Go
// engine's on LoCoMo conversations. By hand, for the data are not part of this
// repository:  node test/locomo.mjs COMMAND FILE…  where COMMAND is a leanmem
// command built from the same source as the plugin.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { LeanMem, memoryStore } from 'leanmem';

import { chromium, plainPage, serve, visit } from './hosts/browser.js';

const [command, ...files] = process.argv.slice(2);
const budget = 1000;
const asked = 12; // of each conversation, spread over it
const cleanups = [];
const host = { after: (f) => cleanups.push(f), skip: (why) => { throw new Error(why); } };

function sessionsOf({ conversation }) {
  const sessions = [];
  for (let n = 1; n <= 60; n++) {
    const time = conversation[`session_${n}_date_time`];
    const turns = (conversation[`session_${n}`] ?? []).map((t) => ({ id: t.dia_id, speaker: t.speaker, time, text: t.text }));
    if (turns.length > 0) sessions.push({ id: `session_${n}`, turns, close: true });
  }
  return sessions;
}

/** What each engine runs. */
async function evidenceOf({ LeanMem, store }, sessions, questions, budget) {
  const memory = await LeanMem.open({ store });
  await memory.add(sessions);
  const out = [];
  for (const query of questions) out.push((await memory.search({ query, budget })).evidence);
  return out;
}

function inGo(folder, sessions, questions) {
  const lines = sessions.flatMap((s) => s.turns.map((t) => JSON.stringify({ session: s.id, ...t })));
  writeFileSync(join(folder, 'in.jsonl'), lines.join('\n'));
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(command, ['--store', `buntdb:${join(folder, 'bank.db')}`, '--json', ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  run('add', '--format', 'jsonl', join(folder, 'in.jsonl'));
  run('flush');
  return questions.map((q) => run('search', q, '--budget', String(budget)).evidence);
}

const page = await (async () => {
  const browser = await chromium(host);
  const { origin } = await serve(host, { pages: { '/plain.html': plainPage } });
  return visit(browser, `${origin}/plain.html`);
})();
let different = 0;
let compared = 0;
for (const sample of files.flatMap((f) => JSON.parse(readFileSync(f, 'utf8')))) {
  const folder = mkdtempSync(join(tmpdir(), 'leanmem-'));
  const sessions = sessionsOf(sample);
  const questions = sample.qa.filter((_, i) => i % Math.ceil(sample.qa.length / asked) === 0).map((q) => q.question);
  const go = inGo(folder, sessions, questions);
  rmSync(folder, { recursive: true });
  const node = await evidenceOf({ LeanMem, store: memoryStore() }, sessions, questions, budget);
  const chrome = await page.evaluate(`(async (given) => {
    const { LeanMem, memoryStore } = await import('/src/browser.js');
    return (${evidenceOf})({ LeanMem, store: memoryStore() }, given.sessions, given.questions, ${budget});
  })(${JSON.stringify({ sessions, questions })})`);
  const wrong = questions.filter((_, i) => go[i] !== node[i] || go[i] !== chrome[i]);
  compared += questions.length;
  different += wrong.length;
  console.log(`${sample.sample_id}: ${sessions.flatMap((s) => s.turns).length} turns, ${questions.length} questions, ${wrong.length} differ`);
}
for (const f of cleanups.reverse()) await f();
console.log(`${compared} compared, ${different} differ`);
process.exitCode = different > 0 ? 1 : 0;
