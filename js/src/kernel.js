// This side of the memory that Extism plugins exchange with their host: one run
// of bytes in which blocks are laid behind each other. All of it is dropped when
// the next call begins, so freeing is hardly ever needed; the last block alone
// is given back at once.

/** What a guest may allocate on this side in one call. */
const maxArena = 512 << 20;
/** How much of it an idle instance keeps. */
const keepArena = 1 << 20;
/** Above every level there is: nothing is logged. */
const noLogging = 1 << 30;

export class Kernel {
  #bytes = new Uint8Array(64 << 10);
  #view = new DataView(this.#bytes.buffer);
  #end = 8;
  #blocks = new Map();
  #input = new Uint8Array(0);
  #inputView = new DataView(this.#input.buffer);
  output = null;
  error = null;

  /** Makes the kernel ready for a call. */
  begin(input) {
    this.#setInput(input);
    this.output = this.error = null;
    if (this.#bytes.length > keepArena) this.#grow(64 << 10, false);
    this.#blocks.clear();
    this.#end = 8; // offset 0 means that there is no block
  }

  /** Lets go of a call's data: an idle instance keeps none here. */
  finish() {
    this.#setInput(new Uint8Array(0));
    this.output = null;
  }

  #setInput(input) {
    this.#input = input;
    this.#inputView = new DataView(input.buffer, input.byteOffset, input.byteLength);
  }

  #grow(size, keep) {
    const bytes = new Uint8Array(size);
    if (keep) bytes.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #alloc(size) {
    if (size === 0) return 0;
    const at = (this.#end + 7) & ~7;
    if (at + size > maxArena) throw new RangeError(`the plugin asked for ${size} bytes of exchange memory and has ${at}`);
    if (at + size > this.#bytes.length) this.#grow(Math.max(at + size, Math.min(2 * this.#bytes.length, maxArena)), true);
    else this.#bytes.fill(0, at, at + size);
    this.#end = at + size;
    this.#blocks.set(at, size);
    return at;
  }

  #free(at) {
    const size = this.#blocks.get(at);
    if (size === undefined) return;
    this.#blocks.delete(at);
    if (at + size === this.#end) this.#end = at;
  }

  /** Copies a block out. */
  #block(at, size) {
    if (at < 0 || size < 0 || at + size > this.#end) throw new RangeError(`the plugin named ${size} bytes at ${at} outside its exchange memory`);
    return this.#bytes.slice(at, at + size);
  }

  #inside(at, size) {
    if (at < 0 || at + size > this.#end) throw new RangeError('the plugin left its exchange memory');
    return at;
  }

  #errorBlock() {
    const at = this.#alloc(this.error?.length ?? 0);
    if (at !== 0) this.#bytes.set(this.error, at);
    return at;
  }

  /**
   * The functions of extism:host/env, as the plugin development kit declares
   * them. What they throw ends the guest like a trap. The plugin uses only some
   * of them; the others exist so that any plugin made with the kit starts.
   */
  imports() {
    const block = (at) => this.#blocks.get(Number(at)) ?? 0;
    const none = () => 0n;
    const ignore = () => {};
    return {
      alloc: (size) => BigInt(this.#alloc(Number(size))),
      free: (at) => this.#free(Number(at)),
      length: (at) => BigInt(block(at)),
      length_unsafe: (at) => BigInt(block(at)),
      load_u8: (at) => this.#bytes[this.#inside(Number(at), 1)],
      load_u64: (at) => this.#view.getBigUint64(this.#inside(Number(at), 8), true),
      store_u8: (at, value) => { this.#bytes[this.#inside(Number(at), 1)] = value; },
      store_u64: (at, value) => this.#view.setBigUint64(this.#inside(Number(at), 8), value, true),
      input_length: () => BigInt(this.#input.length),
      input_load_u8: (at) => this.#inputView.getUint8(Number(at)),
      input_load_u64: (at) => this.#inputView.getBigUint64(Number(at), true),
      output_set: (at, size) => { this.output = this.#block(Number(at), Number(size)); },
      error_set: (at) => { this.error = this.#block(Number(at), block(at)); },
      error_get: () => BigInt(this.#errorBlock()),
      config_get: none,
      var_get: none,
      var_set: ignore,
      http_request: none,
      http_status_code: () => 0,
      http_headers: none,
      log_trace: ignore,
      log_debug: ignore,
      log_info: ignore,
      log_warn: ignore,
      log_error: ignore,
      get_log_level: () => noLogging,
    };
  }
}
