// Direct exchange: messages are written into and read from the guest's own
// memory, where the kernel's would move them eight bytes a call. Its other side
// is plugin/direct.go; a plugin need not offer it.

export const steps = ['begin', 'resume', 'cancel'];
/** How long a message the plugin takes where it took the last one. */
const keptRoom = 64 << 10;

export class Direct {
  #exports;
  #room = 0; // where short messages go, once known

  constructor(exports) {
    this.#exports = exports;
  }

  static of(exports) {
    const offered = typeof exports.reserve === 'function' && typeof exports.exchange === 'function' && exports.memory instanceof WebAssembly.Memory;
    return offered ? new Direct(exports) : null;
  }

  /** Performs a step; what it throws is the end of the instance. */
  send(step, message) {
    const at = this.#place(message.length);
    this.#bytes(at, message.length).set(message);
    const place = this.#exports.exchange(steps.indexOf(step), message.length) >>> 0;
    const [address, length, failed] = new Uint32Array(this.#bytes(place, 12).slice().buffer);
    return { output: this.#bytes(address, length).slice(), failed: failed !== 0 };
  }

  #place(size) {
    if (size <= keptRoom && this.#room !== 0) return this.#room;
    const at = this.#exports.reserve(size) >>> 0;
    if (at === 0) throw new RangeError(`the plugin has no room for a message of ${size} bytes`);
    if (size <= keptRoom) this.#room = at;
    return at;
  }

  /** A view of the guest's memory, which a call may have moved. */
  #bytes(at, size) {
    const { buffer } = this.#exports.memory;
    if (at + size > buffer.byteLength) throw new RangeError(`the plugin named ${size} bytes at ${at} outside its memory`);
    return new Uint8Array(buffer, at, size);
  }
}
