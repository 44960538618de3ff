// The replies that a call received, so that it can be run again on another
// instance without asking a model or writing to a store twice.
//
// Replies are found by their request and not by their place: the cache of the
// new instance is another one, so the call may read the store more often than
// before, but it decides the same and so asks and writes the same.
//
// There is one way for it to come out otherwise: the call erased what the new
// instance would have to read first. Then it does not repeat the write that it
// made before (astray), and its result would be about the bank as it is
// afterwards.

export class ReplayLog {
  #replies = new Map();
  #played = new Map();
  #commits = 0; // that took place
  #redone = 0; // of them, those that this attempt repeated

  /** Starts the next attempt. */
  rewind() {
    this.#played.clear();
    this.#redone = 0;
  }

  /** This attempt has not made the writes of the earlier ones. */
  get astray() {
    return this.#redone < this.#commits;
  }

  /** The next reply to a request that an earlier attempt made, or undefined. */
  replay(op, key) {
    const n = this.#played.get(key) ?? 0;
    const reply = this.#replies.get(key)?.[n];
    if (reply === undefined) return undefined;
    this.#played.set(key, n + 1);
    if (tookPlace(op, reply)) this.#redone++;
    return reply;
  }

  /** Notes a reply, which counts as played in this attempt. */
  record(op, key, reply) {
    if (!this.#replies.has(key)) this.#replies.set(key, []);
    this.#replies.get(key).push(reply);
    this.#played.set(key, (this.#played.get(key) ?? 0) + 1);
    if (tookPlace(op, reply)) {
      this.#commits++;
      this.#redone++;
    }
  }
}

function tookPlace(op, reply) {
  return op === 'store_commit' && !reply.error && !reply.conflict;
}

/**
 * Names a request. Of a commit the versions suffice: the new one is a hash
 * chain over the old one and the writes.
 */
export function keyOf(request) {
  const { writes, ...rest } = request;
  return JSON.stringify(rest, (_, v) => (v instanceof Uint8Array ? `\u0000${binary(v)}` : v));
}

function binary(bytes) {
  let out = '';
  for (const b of bytes) out += String.fromCharCode(b);
  return out;
}
