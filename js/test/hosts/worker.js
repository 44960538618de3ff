// A worker of workerd: the trial over a key-value store in memory, over the
// storage of a Durable Object, and over Workers KV.

import { LeanMem, keyValueStore, memoryStore } from 'leanmem';

import { trial } from './trial.js';

/** Workers KV: one worker at a time may write a bank. */
function kv(namespace) {
  return {
    get: (name) => namespace.get(name, 'arrayBuffer'),
    put: (name, bytes) => namespace.put(name, bytes),
    delete: (name) => namespace.delete(name),
    async *names(prefix) {
      for (let cursor; ;) {
        const page = await namespace.list({ prefix, cursor });
        for (const key of page.keys) yield key.name;
        if (page.list_complete) return;
        cursor = page.cursor;
      }
    },
  };
}

/** The storage of a Durable Object, which is its only user. */
function durable(storage) {
  return {
    get: (name) => storage.get(name),
    put: (name, bytes) => storage.put(name, bytes),
    delete: (name) => storage.delete(name),
    names: async (prefix) => (await storage.list({ prefix })).keys(),
  };
}

export class Memory {
  constructor(state) {
    this.store = keyValueStore(durable(state.storage), { maxValue: 120_000, exclusive: true });
  }

  async fetch(request) {
    return Response.json(await trial({ LeanMem, store: this.store, ...(await request.json()) }));
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/durable') return env.MEMORY.get(env.MEMORY.idFromName('m')).fetch(request);
    const store = pathname === '/kv' ? keyValueStore(kv(env.KV)) : memoryStore();
    return Response.json(await trial({ LeanMem, store, ...(await request.json()) }));
  },
};
