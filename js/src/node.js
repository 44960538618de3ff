// The entry for Node, Deno and Bun: the plugin is read from a file.

import { readFile } from 'node:fs/promises';

import { compileFrom } from './compile.js';
import { LeanMem as Base, openWith } from './leanmem.js';

export * from './exports.js';

export class LeanMem extends Base {
  static open(config) {
    return openWith(this, (wasm) => compileFrom(wasm ?? new URL('../dist/leanmem-step.wasm', import.meta.url), read), config);
  }
}

function read(address) {
  if (/^https?:/.test(String(address))) return fetch(address);
  return readFile(/^file:/.test(String(address)) ? new URL(address) : address);
}
