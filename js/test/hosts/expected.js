// What a trial must give: what it gives in Node, whose bytes the transcripts
// hold against the core's own.

import { LeanMem, memoryStore } from 'leanmem';

import { dialogue, questions } from '../fixtures.js';
import { trial } from './trial.js';

export const input = {
  sessions: [...dialogue('chinese'), ...dialogue('assistant').slice(0, 2)],
  questions: [...questions('chinese'), ...questions('assistant').slice(0, 4)].map((q) => q.question),
};

let result;
export async function expected() {
  return (result ??= await trial({ LeanMem, store: memoryStore(), ...input }));
}

/** Compares all but the times, and shows those. */
export async function compare(assert, t, got) {
  const { times, ...rest } = got;
  const { times: _, ...want } = await expected();
  assert.deepEqual(rest, want);
  t.diagnostic(`milliseconds: ${Object.entries(times).map(([k, v]) => `${k} ${v.toFixed(2)}`).join(', ')}`);
}
