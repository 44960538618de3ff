// Drives one call through the step protocol: begin, perform what it wants,
// resume, until it is done; again from its log when its instance was lost.

import { canceled } from './bounded.js';
import { retryable } from './error.js';
import { perform } from './effects.js';
import { InstanceLost } from './instance.js';
import { ReplayLog, keyOf } from './replay.js';
import { Turn, Turns } from './turns.js';

/** The version of the interface between a host and the core that this host speaks. */
export const abi = '1.0';

/** How many instances a call may take down itself, and how often it is run in all. */
const ownLosses = 2;
const attempts = 16;

/** Runs a verb and gives its result. `call` holds verb, bank, request, signal, onProgress and onText. */
export async function run(pool, world, call) {
  const turn = new Turn(world.turns ?? new Turns(), call);
  try {
    return await runAgain(pool, world, { ...call, turn });
  } finally {
    turn.release();
  }
}

/** Runs a call until it ends otherwise than by the loss of its instance. */
async function runAgain(pool, world, call) {
  const log = new ReplayLog();
  const losses = { own: 0 };
  let last;
  for (let n = 0; n < attempts && losses.own < ownLosses; n++) {
    log.rewind();
    try {
      return await attempt(pool, world, call, log, losses);
    } catch (e) {
      if (!(e instanceof InstanceLost)) throw e;
      last = e;
    }
  }
  throw retryable('internal', `${call.verb}: the instance stopped and the call was given up: ${last.message}`, { cause: last });
}

async function attempt(pool, world, call, log, losses) {
  const instance = await pool.join(call.signal);
  let flow = null; // alive and to be cancelled when it is given up
  const step = (take) => {
    const mine = !instance.dead; // otherwise another call took the instance down
    try {
      return take();
    } catch (e) {
      if (mine && e instanceof InstanceLost) losses.own++;
      throw e;
    }
  };
  try {
    // No now is sent: this host cancels whatever it gives up, so its flows need
    // not expire, and a slow model must not make them.
    let answer = step(() => instance.begin({ abi, verb: call.verb, request: call.request }));
    while (answer.done === undefined) {
      flow = answer.flow;
      const replies = await replyTo(world, call, log, answer.want);
      answer = step(() => instance.resume({ flow, replies }));
    }
    flow = null;
    if (log.astray) throw written(call);
    return answer.done;
  } catch (e) {
    if (log.astray && !(e instanceof InstanceLost) && !call.signal.aborted) throw written(call);
    throw e;
  } finally {
    if (flow !== null) instance.cancel(flow);
    await pool.part(instance);
  }
}

/** The call wrote, lost its instance, and cannot be run again as if it had not. */
function written(call) {
  return retryable('internal', `${call.verb}: the instance stopped after the call had written; what it wrote stands, and the call may be repeated`);
}

/** Gives the replies that an earlier attempt received, and asks the world for the others, in parallel. */
async function replyTo(world, call, log, want) {
  const keys = want.map(keyOf);
  const replies = want.map((r, i) => log.replay(r.op, keys[i]));
  const open = [...want.keys()].filter((i) => replies[i] === undefined);
  if (open.some((i) => want[i].op === 'store_commit') && log.astray) throw written(call);
  if (open.length === 0) return replies;
  const asked = open.map((i) => want[i]);
  await call.turn.before(asked);
  const fresh = open.map(async (i) => {
    const reply = await perform(world, call, want[i]);
    log.record(want[i].op, keys[i], reply);
    replies[i] = reply;
  });
  await orAborted(Promise.all(fresh), call);
  call.turn.after(asked, replies.filter((_, i) => open.includes(i)));
  return replies;
}

/** Waits, but no longer than the caller does. */
function orAborted(promise, { signal, verb }) {
  if (signal.aborted) return Promise.reject(canceled(verb));
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(canceled(verb));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
