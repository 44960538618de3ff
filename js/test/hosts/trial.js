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
  begun = clock();
  for (let i = 0; i < 50; i++) await memory.call('version');
  times.call = (clock() - begun) / 50;
  begun = clock();
  for (let i = 0; i < 50; i++) await memory.call('stats', { bank: 'none' }).catch(() => {});
  times.effect = (clock() - begun) / 50 - times.call;
  return { added: added.added, evidence, export: JSON.stringify((await bank.export()).lines), times };
}

export { now };
