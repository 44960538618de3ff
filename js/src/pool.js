// The instance that serves calls now, and those that still finish older ones.
// One is enough: what takes long happens outside of it, between steps.

import { LeanMemError } from './error.js';
import { Instance } from './instance.js';

/** Flows that one instance holds; the plugin's own limit. */
const maxFlows = 64;

export class Pool {
  #module;
  #recycleBytes;
  #current = null; // promise of the instance that takes new calls
  #free = maxFlows;
  #waiting = [];

  constructor(module, recycleBytes) {
    this.#module = module;
    this.#recycleBytes = recycleBytes;
  }

  /** Waits for a place and gives an instance, from which the caller must part. */
  async join(signal) {
    await this.#place(signal);
    try {
      return await this.#instance();
    } catch (e) {
      this.#leave();
      throw e;
    }
  }

  /** Gives the place back. An instance that grew too large, or died, takes no more calls. */
  async part(instance) {
    if (instance.dead || instance.size > this.#recycleBytes) await this.#retire(instance);
    this.#leave();
  }

  async #retire(instance) {
    const current = this.#current;
    if (current !== null && (await current.catch(() => null)) === instance && this.#current === current) this.#current = null;
  }

  async #instance() {
    for (;;) {
      const starting = (this.#current ??= Instance.start(this.#module, { recycleBytes: this.#recycleBytes }));
      try {
        const instance = await starting;
        if (!instance.dead) return instance;
      } catch (e) {
        if (this.#current === starting) this.#current = null;
        throw e;
      }
      if (this.#current === starting) this.#current = null;
    }
  }

  #place(signal) {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', withdraw);
        resolve();
      };
      const withdraw = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(new LeanMemError('canceled', 'wait for the instance: cancelled'));
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', withdraw, { once: true });
    });
  }

  #leave() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
