// The entry for workerd and what is built on it: there the plugin can only be
// imported, for compiling at run time is forbidden.

import plugin from '../dist/leanmem-step.wasm';

import { compileFrom } from './compile.js';
import { LeanMem as Base, openWith } from './leanmem.js';

export * from './exports.js';

/** A worker has 128 MB of memory in all. */
const recycleBytes = 80 << 20;

export class LeanMem extends Base {
  static open(config) {
    return openWith(this, (wasm) => compileFrom(wasm ?? plugin, (address) => fetch(address)), { recycleBytes, ...config });
  }
}
