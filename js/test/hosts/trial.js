// What every host runs: a dialogue is added, questions are asked, and the
// evidence must be the same everywhere.

const now = '2026-02-01T12:00:00Z';

/** Gives the evidence for each question, and how long things took in milliseconds. */
export async function trial({ LeanMem, store, wasm, sessions, questions }) {
  const clock = () => performance.now();
  const times = {};
  let begun = clock();
  const memory = await LeanMem.open({ store, wasm, now: () => now });
  times.open = clock() - begun;
  const bank = memory.bank('trial');
  begun = clock();
  const added = await bank.add(sessions);
  times.add = clock() - begun;
  const evidence = [];
  begun = clock();
  for (const query of questions) evidence.push((await bank.search({ query, budget: 600 })).evidence);
  times.search = (clock() - begun) / questions.length;
  times.call = await fastest(() => memory.call('version'));
  times.effect = await fastest(() => memory.call('stats', { bank: 'none' }).catch(() => {})) - times.call;
  return { added: added.added, evidence, export: JSON.stringify((await bank.export()).lines), times };
}

/** Milliseconds of a call in the fastest of some rounds: the others were disturbed. */
async function fastest(call, rounds = 10, calls = 20) {
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (let i = 0; i < calls; i++) await call();
    best = Math.min(best, (performance.now() - begun) / calls);
  }
  return best;
}

export { now };
