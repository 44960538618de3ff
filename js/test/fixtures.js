// What the tests share: dialogues, memories over them, and the rule for tools
// that are missing.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { LeanMem, memoryStore } from 'leanmem';

export const now = '2026-02-01T12:00:00Z';
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** The plugin is compiled once for all tests of a file. */
let module;
export async function plugin() {
  return (module ??= await WebAssembly.compile(readFileSync(path('dist/leanmem-step.wasm'))));
}

export async function open(config = {}) {
  return LeanMem.open({ store: memoryStore(), now: () => now, wasm: await plugin(), ...config });
}

/** A dialogue as sessions that are closed. */
export function dialogue(name) {
  const sessions = new Map();
  for (const { session, ...turn } of lines(`testdata/dialogues/${name}.jsonl`)) {
    if (!sessions.has(session)) sessions.set(session, { id: session, turns: [], close: true });
    sessions.get(session).turns.push(turn);
  }
  return [...sessions.values()];
}

export function questions(name) {
  return lines(`testdata/dialogues/${name}.questions.jsonl`);
}

function lines(name) {
  return readFileSync(`${root}${name}`, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}

export const chat = [{ id: 's1', close: true, turns: [
  { id: 's1:1', speaker: 'Ana', time: '2025-03-01T10:00:00Z', text: 'I moved to Lisbon in February and I love it.' },
  { id: 's1:2', speaker: 'Ben', time: '2025-03-01T10:01:00Z', text: 'How is the new job at the harbour museum?' },
  { id: 's1:3', speaker: 'Ana', time: '2025-03-01T10:02:00Z', text: 'I work there as a restorer since Monday. My dog Bruno waits at home.' },
] }];

/**
 * Skips a test whose tool is missing, with the reason; with LEANMEM_REQUIRE=1
 * that is a failure.
 */
export function lacks(t, what, present) {
  if (present) return false;
  if (process.env.LEANMEM_REQUIRE === '1') throw new Error(`required but missing: ${what}`);
  t.skip(`missing: ${what}`);
  return true;
}

export function executable(...names) {
  const folders = [path('node_modules/.bin'), ...(process.env.PATH ?? '').split(':')];
  for (const name of names) {
    for (const folder of folders) if (existsSync(`${folder}/${name}`)) return `${folder}/${name}`;
  }
  return null;
}

/** A promise with its resolvers. */
export function deferred() {
  const d = {};
  d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }));
  return d;
}
