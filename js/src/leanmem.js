import { LeanMemError, describe } from './error.js';
import { defaultTimeouts } from './effects.js';
import { run } from './drive.js';
import { Pool } from './pool.js';
import { Turns } from './turns.js';

/** Every verb of the engine that acts on a bank. */
export const verbs = Object.freeze([
  'add', 'flush', 'search', 'answer', 'evolve', 'list', 'get', 'update', 'delete', 'restore', 'history', 'export',
  'import', 'expire', 'reprocess', 'reindex', 'stats', 'drop',
]);

const stores = ['get', 'scan', 'commit', 'banks'];
const functions = ['llm', 'embed', 'tag', 'onProgress', 'onText'];

/** What a plain argument of a verb stands for. */
const shorthand = {
  add: (sessions) => (Array.isArray(sessions) ? { sessions } : sessions),
  import: (lines) => (Array.isArray(lines) ? { lines } : lines),
  get: (ids) => (Array.isArray(ids) ? { ids } : ids),
  search: (query) => (typeof query === 'string' ? { query } : query),
  answer: (query) => (typeof query === 'string' ? { query } : query),
};

/** Opens a memory; each entry module of the package binds `compile` to its host. */
export async function openWith(Memory, compile, config) {
  check(config);
  const module = await compile(await config.wasm);
  const memory = new Memory(secret, module, config);
  await memory.version(); // a plugin that does not run is refused here and not by the first call
  return memory;
}

function check(config) {
  if (config === null || typeof config !== 'object') throw new LeanMemError('invalid_argument', `open: ${describe(config)}, an object with a store is wanted`);
  const { store } = config;
  for (const method of stores) {
    if (typeof store?.[method] !== 'function') throw new LeanMemError('invalid_argument', `open: the store has no function ${method}; memoryStore() makes one that has`);
  }
  for (const name of functions) {
    if (config[name] !== undefined && typeof config[name] !== 'function') throw new LeanMemError('invalid_argument', `open: ${name} is ${describe(config[name])}, a function is wanted`);
  }
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

const secret = Symbol('constructed by open');

/** A long-term memory over one store. Calls may overlap. */
export class LeanMem {
  #pool;
  #world;
  #config;
  #closed = false;
  #version;
  #running = new Map(); // calls under way, with what aborts them

  constructor(key, module, config) {
    if (key !== secret) throw new LeanMemError('invalid_argument', 'use await LeanMem.open({ store })');
    this.#config = { bank: 'default', now: () => new Date(), recycleBytes: 256 << 20, ...config };
    this.#pool = new Pool(module, this.#config.recycleBytes);
    const { store, llm, embed, tag } = config;
    this.#world = { turns: new Turns(), store, llm, embed, tag, prompts: config.prompts ?? 8, timeouts: { ...defaultTimeouts, ...config.timeouts } };
  }

  /** Binds the memory to a bank, which need not exist: the first add makes it. */
  bank(name) {
    return new Bank(this, name);
  }

  /** Performs any verb with a whole request. */
  async call(verb, request = {}, { signal, onProgress = this.#config.onProgress, onText = this.#config.onText } = {}) {
    if (!isObject(request)) throw new LeanMemError('invalid_argument', `${String(verb).slice(0, 40)}: the request is ${describe(request)}, an object is wanted`);
    if (this.#closed) throw new LeanMemError('unavailable', 'the memory is closed');
    if (signal?.aborted) throw new LeanMemError('canceled', `${verb}: cancelled`);
    const own = new AbortController();
    const abort = () => own.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const whole = this.#fill(request);
    const running = run(this.#pool, this.#world, { verb, bank: verb === 'banks' ? undefined : whole.bank, request: whole, signal: own.signal, onProgress, onText });
    this.#running.set(running, abort);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Adds what a request leaves to the host: bank, clock and options. */
  #fill(request) {
    const { llm, embed, tag, options } = this.#config;
    const own = {
      ...(llm && { llm: true, ...(llm.model && { model: llm.model }) }),
      ...(embed && { embedder: 'host' }),
      ...(tag && { tagger: true }),
      ...options,
      ...request.options,
    };
    return { bank: this.#config.bank, now: this.#config.now(), ...request, ...(Object.keys(own).length > 0 && { options: own }) };
  }

  /** Lists banks, one page. */
  banks(request = {}, how) {
    return this.call('banks', request, how);
  }

  /** Names what runs: release, interface, formats, verbs. */
  async version(how) {
    return (this.#version ??= await this.call('version', {}, how));
  }

  /** Refuses new calls, cancels those under way, and closes the store when it can be closed. */
  async close() {
    if (this.#closed) return;
    this.#closed = true;
    for (const abort of this.#running.values()) abort();
    await Promise.allSettled(this.#running.keys());
    await this.#world.store.close?.();
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
    await this.close();
  }
}

/** A memory bound to one bank. */
export class Bank {
  #memory;

  constructor(memory, name) {
    this.#memory = memory;
    this.name = name;
  }

  call(verb, request = {}, how) {
    return this.#memory.call(verb, isObject(request) ? { ...request, bank: this.name } : request, how);
  }
}

for (const verb of verbs) {
  const read = shorthand[verb] ?? ((request) => request);
  define(LeanMem.prototype, verb, function (request, how) {
    return this.call(verb, read(request), how);
  });
  define(Bank.prototype, verb, function (request, how) {
    return this.call(verb, read(request), how);
  });
}

function define(prototype, verb, value) {
  Object.defineProperty(prototype, verb, { value, writable: true, configurable: true });
}

