// One running plugin with its flows. Its exports are synchronous, so one step
// runs to its end before another can begin: JavaScript itself serialises entry.

import { ConsoleStdout, File, OpenFile, WASI } from '@bjorn3/browser_wasi_shim';

import { Direct, steps } from './direct.js';
import { LeanMemError, describe } from './error.js';
import { Kernel } from './kernel.js';
import { decodeAnswer, encodeStep } from './wire.js';

/** The end of an instance with all its flows: a trap, an exit, an answer that makes no sense. */
export class InstanceLost extends Error {}

/** Keeps the guest's collector from running all the time. */
const leastCollected = 64 << 20;

/** The longest request that is taken, in bytes; the Go host has the same. */
const maxRequest = 64 << 20;

/** Encodes a call. What cannot be carried is the caller's mistake and not the end of an instance. */
function encodeBegin(message) {
  const verb = String(message.verb).slice(0, 40);
  let bytes;
  try {
    bytes = encodeStep(message);
  } catch (cause) {
    if (cause instanceof RangeError) throw new LeanMemError('too_large', `${verb}: the request is too long for a text`, { cause });
    throw new LeanMemError('invalid_argument', `${verb}: the request cannot be written as JSON`, { cause });
  }
  if (bytes.length > maxRequest) throw new LeanMemError('too_large', `${verb}: a request of ${bytes.length} bytes, the limit is ${maxRequest}`);
  return bytes;
}

export class Instance {
  #exports;
  #kernel;
  #direct; // null: messages go through the kernel
  dead = false;

  constructor(exports, kernel) {
    this.#exports = exports;
    this.#kernel = kernel;
    this.#direct = Direct.of(exports);
  }

  /** Starts the guest's runtime. */
  static async start(module, { recycleBytes }) {
    const kernel = new Kernel();
    const silent = () => ConsoleStdout.lineBuffered(() => {}); // a trace may hold remembered text
    const wasi = new WASI([], [`GOMEMLIMIT=${Math.max(recycleBytes, leastCollected)}`], [new OpenFile(new File([])), silent(), silent()], { debug: false });
    let instance;
    try {
      instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport, 'extism:host/env': kernel.imports() });
      for (const name of steps) {
        if (typeof instance.exports[name] !== 'function') throw new TypeError(`it does not export ${name}; leanmem-step.wasm is wanted`);
      }
      wasi.initialize(instance);
    } catch (e) {
      throw new LeanMemError('internal', `start the plugin: ${e.message}`, { cause: e });
    }
    return new Instance(instance.exports, kernel);
  }

  /** The memory of the guest in bytes; it never shrinks. */
  get size() {
    return this.#exports.memory.buffer.byteLength;
  }

  begin(message) {
    return this.#advance('begin', encodeBegin(message));
  }

  resume(message) {
    return this.#advance('resume', encodeStep(message));
  }

  /** Ends a flow that is given up; that it is over already is no failure. */
  cancel(flow) {
    if (this.dead) return;
    try {
      this.#send('cancel', encodeStep({ flow }));
    } catch {
      // The flow is gone either way; a lost instance is marked as dead.
    }
  }

  #advance(step, message) {
    const output = this.#send(step, message);
    let answer;
    try {
      answer = decodeAnswer(output);
    } catch (e) {
      throw this.#lost(step, e);
    }
    if (answer.want.length === 0 && answer.done === undefined) throw this.#lost(step, new Error('the plugin neither wants anything nor is done'));
    return answer;
  }

  #send(step, message) {
    if (this.dead) throw new InstanceLost(`${step}: the instance was lost`);
    let answer;
    try {
      answer = this.#direct ? this.#direct.send(step, message) : this.#throughKernel(step, message);
    } catch (e) {
      throw this.#lost(step, e);
    }
    if (answer.failed) throw this.#failed(step, answer.output);
    return answer.output;
  }

  #throughKernel(step, message) {
    const kernel = this.#kernel;
    kernel.begin(message);
    const result = this.#exports[step]();
    const { output, error } = kernel;
    kernel.finish();
    const failed = result !== 0 || error !== null;
    return { output: (failed ? error : output) ?? new Uint8Array(0), failed };
  }

  #failed(step, set) {
    try {
      const e = JSON.parse(new TextDecoder().decode(set));
      if (typeof e.code === 'string') return LeanMemError.fromWire(e);
    } catch {
      // falls through: no coded error is a fault of the plugin's
    }
    return this.#lost(step, new Error('the plugin failed without a coded error'));
  }

  #lost(step, cause) {
    this.dead = true;
    return new InstanceLost(`${step}: ${cause instanceof Error ? cause.message : describe(cause)}`, { cause });
  }
}
