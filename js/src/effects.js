// The world that the core asks, made of the functions that a user gave. Nothing
// here throws: whatever goes wrong stands in the reply.

import { bounded } from './bounded.js';
import { LeanMemError, coded, describe } from './error.js';
import { checkBank, checkCommit, checkGet, pageLimit } from './limits.js';
import * as models from './models.js';

/** Milliseconds that an effect may take; 0 is no limit. */
export const defaultTimeouts = Object.freeze({ llm: 120_000, embed: 120_000, tag: 60_000, store: 30_000 });

/**
 * Performs one request for a call that is bound to `bank` (undefined: to none).
 * `world` holds store, llm, embed, tag, timeouts and prompts; `call` holds
 * signal, onProgress and onText.
 */
export async function perform(world, call, request) {
  try {
    return await dispatch(world, call, request);
  } catch (e) {
    return { error: coded(e, request.op.startsWith('store_') ? 'store_failed' : 'internal', request.op).toWire() };
  }
}

async function dispatch(world, call, request) {
  admit(call, request);
  const context = { ...world, ...call };
  switch (request.op) {
    case 'llm_complete':
      return world.llm ? models.complete(world.llm, request, context) : models.unavailable(request.op);
    case 'embed':
      return world.embed ? models.embed(world.embed, request, context) : models.unavailable(request.op);
    case 'tag':
      return world.tag ? models.tag(world.tag, request, context) : models.unavailable(request.op);
    case 'progress':
      return models.progress(call.onProgress, request);
    case 'store_get':
      return get(context, request);
    case 'store_scan':
      return scan(context, request);
    case 'store_commit':
      return commit(context, request);
    case 'store_banks':
      return banks(context, request);
  }
  throw new LeanMemError('invalid_argument', `unknown effect ${request.op}`);
}

/** A call touches the bank that it names and no other. */
function admit(call, request) {
  if (call.bank !== undefined && request.bank && request.bank !== call.bank) {
    throw new LeanMemError('forbidden', `${request.op}: the caller may not touch this bank`);
  }
}

function ask({ timeouts, signal }, doing, call) {
  return bounded(call, { doing, milliseconds: timeouts.store, signal });
}

async function get(context, { bank, keys = [] }) {
  checkGet(bank, keys);
  const answer = await ask(context, 'store_get', (signal) => context.store.get(bank, keys, { signal }));
  const { values, version } = object(answer, 'get');
  if (!Array.isArray(values) || values.length !== keys.length) throw wrong('get', `values is ${describe(values)}, one for each of ${keys.length} keys is wanted`);
  return { values: values.map((v) => (v == null ? null : bytes(v, 'get'))), current: text(version, 'get') };
}

async function scan(context, { bank, prefix, after, limit }) {
  checkBank(bank);
  const wanted = { prefix: prefix ?? new Uint8Array(0), after: after ?? null, limit: pageLimit(limit) };
  const answer = await ask(context, 'store_scan', (signal) => context.store.scan(bank, wanted, { signal }));
  const { entries, more, version } = object(answer, 'scan');
  if (!Array.isArray(entries)) throw wrong('scan', `entries is ${describe(entries)}, an array is wanted`);
  if (more === true && entries.length === 0) throw wrong('scan', 'an empty page with more after it');
  const page = entries.map((e) => ({ key: bytes(e?.key, 'scan'), value: bytes(e?.value, 'scan') }));
  return { entries: page, more: more === true, current: text(version, 'scan') };
}

async function commit(context, { bank, expected = '', version = '', writes = [] }) {
  checkCommit(bank, { expected, version, writes });
  const answer = await ask(context, 'store_commit', (signal) => context.store.commit(bank, { expected, version, writes }, { signal }));
  const { ok, version: current } = object(answer, 'commit');
  if (typeof ok !== 'boolean') throw wrong('commit', `ok is ${describe(ok)}, true or false is wanted`);
  return { conflict: !ok, current: text(current, 'commit') };
}

async function banks(context, { after_bank: after = '', limit }) {
  const answer = await ask(context, 'store_banks', (signal) => context.store.banks({ after, limit: pageLimit(limit) }, { signal }));
  const { banks: names, more } = object(answer, 'banks');
  if (!Array.isArray(names) || !names.every((n) => typeof n === 'string')) throw wrong('banks', `banks is ${describe(names)}, an array of strings is wanted`);
  return { banks: names, more: more === true };
}

function object(answer, method) {
  if (answer === null || typeof answer !== 'object') throw wrong(method, `it gave ${describe(answer)}, an object is wanted`);
  return answer;
}

function text(version, method) {
  if (typeof version !== 'string') throw wrong(method, `version is ${describe(version)}, a string is wanted ("" where there is no bank)`);
  return version;
}

function bytes(value, method) {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw wrong(method, `bytes are ${describe(value)}, a Uint8Array is wanted`);
}

function wrong(method, what) {
  return new LeanMemError('store_failed', `store.${method}: ${what}`);
}
