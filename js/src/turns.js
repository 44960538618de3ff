// Lets the calls of one memory commit to a bank one after another. Without it
// every writer of a busy bank would plan its commit anew each time that another
// one wins.

import { canceled } from './bounded.js';

/** Milliseconds that a writer waits at most after it lost against other hosts. */
const longestPause = 64;

export class Turns {
  #queues = new Map(); // bank → those who wait; absent: its turn is free

  enter(bank, signal) {
    const queue = this.#queues.get(bank);
    if (!queue) {
      this.#queues.set(bank, []);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', withdraw);
        resolve();
      };
      const withdraw = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(canceled('wait to commit'));
      };
      queue.push(enter);
      signal.addEventListener('abort', withdraw, { once: true });
    });
  }

  leave(bank) {
    const next = this.#queues.get(bank)?.shift();
    if (next) next();
    else this.#queues.delete(bank);
  }
}

/**
 * The turn of one call. It is taken for a commit and kept after a conflict until
 * the commit that follows, so that within a memory a commit is made anew at most
 * once; it is never kept while a model is asked.
 */
export class Turn {
  #turns;
  #call;
  #holds = false;
  #lost = 0; // conflicts in a row

  constructor(turns, call) {
    this.#turns = turns;
    this.#call = call;
  }

  async before(requests) {
    const commits = requests.some((r) => r.op === 'store_commit');
    const reads = requests.every((r) => r.op === 'store_get');
    if (commits && !this.#holds) {
      await this.#turns.enter(this.#call.bank, this.#call.signal);
      this.#holds = true;
    } else if (!commits && !reads) this.release();
    else if (reads && this.#lost > 1) {
      const wait = Math.min(longestPause, 2 ** this.#lost) * Math.random();
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  after(requests, replies) {
    if (!requests.some((r) => r.op === 'store_commit')) return;
    if (replies.some((r) => r.conflict)) this.#lost++;
    else {
      this.#lost = 0;
      this.release();
    }
  }

  release() {
    if (this.#holds) this.#turns.leave(this.#call.bank);
    this.#holds = false;
  }
}
