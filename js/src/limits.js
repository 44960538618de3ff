// Limits of every store; they are checked before a store is asked, so a store
// need not.

import { LeanMemError } from './error.js';
import { utf8 } from './wire.js';

export const limits = Object.freeze({
  key: 1 << 10, // bytes of a key
  value: 64 << 20, // bytes of a value
  bank: 256, // bytes of a bank's name
  version: 256, // bytes of a version
  writes: 10_000, // of a commit
  commit: 128 << 20, // bytes of the keys and values of a commit
  keys: 10_000, // of a get
  page: 1_000, // entries or names of a page
  pageBytes: 16 << 20, // a page ends after the entry that reaches this
});

export function checkBank(bank) {
  if (typeof bank !== 'string' || bank === '') throw new LeanMemError('invalid_argument', 'the name of a bank is empty');
  const size = utf8(bank).length;
  if (size > limits.bank) throw new LeanMemError('invalid_argument', `the name of a bank has ${size} bytes, the limit is ${limits.bank}`);
}

export function checkGet(bank, keys) {
  checkBank(bank);
  if (keys.length > limits.keys) throw new LeanMemError('too_large', `get ${keys.length} keys: the limit is ${limits.keys}`);
  keys.forEach(checkKey);
}

/** Gives the limit of a page to use. */
export function pageLimit(limit = 0) {
  if (!Number.isSafeInteger(limit) || limit < 0) throw new LeanMemError('invalid_argument', `a limit of ${limit} entries`);
  return limit === 0 ? limits.page : Math.min(limit, limits.page);
}

export function checkCommit(bank, { expected, version, writes }) {
  checkBank(bank);
  if (utf8(expected).length > limits.version || utf8(version).length > limits.version) {
    throw new LeanMemError('invalid_argument', `commit: a version has more than ${limits.version} bytes`);
  }
  if (version === '' && writes.length > 0) {
    throw new LeanMemError('invalid_argument', `commit: version "" removes the bank, yet there are ${writes.length} writes`);
  }
  // Otherwise a later commit that expects the version could not tell the two
  // states apart.
  if (version !== '' && version === expected) throw new LeanMemError('invalid_argument', 'commit: the new version is the expected one');
  if (writes.length > limits.writes) throw new LeanMemError('too_large', `commit ${writes.length} writes: the limit is ${limits.writes}`);
  checkWrites(writes);
}

function checkWrites(writes) {
  const seen = new Set();
  let total = 0;
  for (const { key, value } of writes) {
    checkKey(key);
    const size = value?.length ?? 0;
    if (size > limits.value) throw new LeanMemError('too_large', `commit a value of ${size} bytes: the limit is ${limits.value}`);
    total += key.length + size;
    if (total > limits.commit) throw new LeanMemError('too_large', `commit more than ${limits.commit} bytes: split the commit`);
    const name = keyText(key);
    if (seen.has(name)) throw new LeanMemError('invalid_argument', 'commit: a key occurs twice');
    seen.add(name);
  }
}

function checkKey(key) {
  if (key.length === 0) throw new LeanMemError('invalid_argument', 'a key is empty');
  if (key.length > limits.key) throw new LeanMemError('too_large', `a key has ${key.length} bytes, the limit is ${limits.key}`);
}

/** Writes bytes as a string of one character a byte, which sorts as the bytes do. */
export function keyText(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += String.fromCharCode(bytes[i]);
  return text;
}

/** The bytes that keyText wrote. */
export function keyBytes(text) {
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

/** Compares two names as their UTF-8 bytes compare; JavaScript's own order differs above U+FFFF. */
export function compareNames(a, b) {
  const x = utf8(a);
  const y = utf8(b);
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return x[i] - y[i];
  }
  return x.length - y.length;
}

/**
 * Cuts the next page out of sorted entries: those after `after` with the prefix.
 * `entries` yields [keyText, value].
 */
export function pageOf(entries, { prefix, after, limit }) {
  const start = prefix ? keyText(prefix) : '';
  const last = after ? keyText(after) : '';
  const page = [];
  let bytes = 0;
  for (const [text, value] of entries) {
    if (!text.startsWith(start) || (after && text <= last)) continue;
    if (page.length === limit || bytes >= limits.pageBytes) return { entries: page, more: true };
    page.push({ key: keyBytes(text), value: value.slice() });
    bytes += text.length + value.length;
  }
  return { entries: page, more: false };
}
