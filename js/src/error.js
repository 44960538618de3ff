/** The closed list of error codes; every failure that leaves this package has one of them. */
export const codes = Object.freeze([
  'invalid_json', 'invalid_argument', 'unknown_verb', 'unsupported_abi', 'bank_not_found', 'not_found', 'bank_exists',
  'forbidden', 'conflict', 'too_large', 'store_failed', 'store_full', 'store_corrupt', 'format_too_new', 'model_failed',
  'model_timeout', 'rate_limited', 'unauthorized', 'context_length', 'model_refused', 'embed_failed',
  'embedder_mismatch', 'tag_failed', 'limit_reached', 'canceled', 'deadline', 'busy', 'unknown_flow', 'unavailable',
  'internal',
]);

/** A failure with its code. The message is for a person and quotes neither keys nor remembered text. */
export class LeanMemError extends Error {
  constructor(code, message, { retryable = false, retryAfter = 0, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'LeanMemError';
    this.code = code;
    this.retryable = retryable;
    /** Milliseconds that a provider asked to wait; 0 when it did not say. */
    this.retryAfter = retryAfter;
  }

  /** Reads an error as it stands on the wire. */
  static fromWire(e) {
    return new LeanMemError(e.code, e.message, { retryable: e.retryable === true, retryAfter: e.retry_after_ms ?? 0 });
  }

  toWire() {
    const e = { code: this.code, message: this.message, retryable: this.retryable };
    if (this.retryAfter > 0) e.retry_after_ms = Math.ceil(this.retryAfter);
    return e;
  }

  toJSON() {
    return this.toWire();
  }
}

/** An error that may pass when tried again. */
export function retryable(code, message, more = {}) {
  return new LeanMemError(code, message, { ...more, retryable: true });
}

/** Tells what a value is without showing it. */
export function describe(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return `an object of ${value.constructor?.name ?? 'no class'}`;
  return `a value of type ${typeof value}`;
}

/**
 * Gives what a user's function threw its code. A code of its own is kept, for a
 * store or a provider knows best; anything else gets the code of its kind.
 */
export function coded(thrown, code, doing) {
  if (thrown instanceof LeanMemError) return thrown;
  if (typeof thrown?.code === 'string' && codes.includes(thrown.code)) {
    return new LeanMemError(thrown.code, String(thrown.message), { retryable: thrown.retryable === true, retryAfter: thrown.retryAfter ?? thrown.retry_after_ms ?? 0, cause: thrown });
  }
  const message = thrown instanceof Error ? thrown.message : describe(thrown);
  if (code === 'store_failed' && isFull(thrown)) return new LeanMemError('store_full', `${doing}: ${message}`, { cause: thrown });
  return new LeanMemError(code, `${doing}: ${message}`, { retryable: thrown?.retryable === true, cause: thrown });
}

function isFull(thrown) {
  return thrown?.name === 'QuotaExceededError' || ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(thrown?.code);
}
