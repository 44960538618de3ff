// Functions of a user's, held to their deadline and to the caller's signal.

import { LeanMemError, retryable } from './error.js';

/**
 * Calls a user's function. When the deadline passes or the caller gives up, its
 * signal is aborted and it is no longer waited for; what it may still return is
 * dropped. `late` is the code of a passed deadline.
 */
export function bounded(call, { doing, milliseconds, late = 'deadline', signal }) {
  if (signal.aborted) return Promise.reject(canceled(doing));
  const own = new AbortController();
  return new Promise((resolve, reject) => {
    const giveUp = (error) => {
      reject(error);
      own.abort(error);
    };
    const onAbort = () => giveUp(canceled(doing));
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = milliseconds > 0 ? setTimeout(() => giveUp(retryable(late, `${doing}: no answer in time`)), milliseconds) : null;
    const settle = (how) => (value) => {
      signal.removeEventListener('abort', onAbort);
      if (timer !== null) clearTimeout(timer);
      how(value);
    };
    new Promise((done) => done(call(own.signal))).then(settle(resolve), settle(reject));
  });
}

export function canceled(doing) {
  return new LeanMemError('canceled', `${doing}: cancelled`);
}

/** Runs jobs, at most so many at a time, and gives their results in order. */
export async function inParallel(jobs, atOnce) {
  const results = new Array(jobs.length);
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) {
      const i = next++;
      results[i] = await jobs[i]();
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, worker));
  return results;
}

/** Lets so many jobs run at a time over all its callers; the others wait in line. */
export function slots(count) {
  let free = count;
  const waiting = new Set();
  const turn = (signal, doing) => new Promise((resolve, reject) => {
    const next = () => {
      signal.removeEventListener('abort', leave);
      waiting.delete(next);
      resolve();
    };
    const leave = () => {
      waiting.delete(next);
      reject(canceled(doing));
    };
    waiting.add(next);
    signal.addEventListener('abort', leave, { once: true });
  });
  return async (job, { signal, doing }) => {
    if (signal.aborted) throw canceled(doing);
    if (free > 0) free--;
    else await turn(signal, doing);
    try {
      return await job();
    } finally {
      const [next] = waiting;
      if (next) next();
      else free++;
    }
  };
}
