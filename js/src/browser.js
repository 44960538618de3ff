// The entry for browsers and their workers: the plugin is fetched from beside
// this module. Bundlers that know `new URL(…, import.meta.url)` carry it along.

import { compileFrom } from './compile.js';
import { LeanMem as Base, openWith } from './leanmem.js';

export * from './exports.js';

export class LeanMem extends Base {
  static open(config) {
    return openWith(this, (wasm) => compileFrom(wasm ?? new URL('../dist/leanmem-step.wasm', import.meta.url), (address) => fetch(address)), config);
  }
}
