// Talking to a server with OpenAI's interface: patient within bounds, errors
// turned into codes, and nothing in them that is secret.

import { canceled, slots } from './bounded.js';
import { LeanMemError, retryable } from './error.js';
import { redact } from './redact.js';

const defaults = {
  baseURL: 'https://api.openai.com/v1', timeout: 90_000, concurrency: 8, maxRetries: 4, maxWait: 60_000, backoff: 500, maxBody: 64 << 20,
};
/** Of a page that tells of an error. */
const maxError = 1 << 20;
const longestBackoff = 20_000;

const tooLong = [
  'context_length', 'context length', 'context window', 'context size', 'maximum context', 'exceed_context',
  'prompt is too long', 'too many tokens', 'input is too long', 'string_above_max_length', 'reduce the length',
  'max_position_embeddings', 'maximum input length', 'exceeds the maximum number of tokens',
];
const refusals = ['content_filter', 'content_policy', 'content management policy', 'responsibleaipolicy', 'safety system'];

export class Endpoint {
  #options;
  #failed;
  #late;
  #slots;

  /** `failed` and `late` are the codes of failures and timeouts of this kind of effect. */
  constructor(options, { failed, late }) {
    this.#options = { ...defaults, fetch: globalThis.fetch.bind(globalThis), ...options };
    this.#failed = failed;
    this.#late = late;
    const { baseURL, key, model, concurrency } = this.#options;
    this.#slots = slots(Math.max(1, concurrency));
    if (typeof model !== 'string' || model === '') throw new LeanMemError('invalid_argument', 'an endpoint needs the name of a model');
    let url;
    try {
      url = new URL(baseURL);
    } catch {
      throw new LeanMemError('invalid_argument', 'the base URL of the server is no URL');
    }
    if (!/^https?:$/.test(url.protocol) || url.username !== '') throw new LeanMemError('invalid_argument', 'the base URL of the server is not an http or https URL without a user name');
    if (key !== undefined && /[\r\n\0]/.test(key)) throw new LeanMemError('invalid_argument', 'the key holds a line break');
  }

  /**
   * Posts JSON until it succeeds, fails for good, or patience ends. `read` takes
   * the response, and what makes an error of one that came within it.
   */
  post(path, body, how) {
    return this.#slots(() => this.#patiently(path, body, how), how);
  }

  async #patiently(path, body, how) {
    const { maxRetries, maxWait } = this.#options;
    let waited = 0;
    for (let n = 0; ; n++) {
      const { value, error } = await this.#once(path, body, how);
      if (error === undefined) return value;
      const wait = this.#wait(n, error.retryAfter);
      waited += wait;
      if (!error.retryable || error.fatal || error.code === this.#late || n >= maxRetries || waited > maxWait || how.signal.aborted) throw error;
      await pause(wait, how);
    }
  }

  /** What the server asks for and a little more, else the backoff with jitter, so that callers do not come back at once. */
  #wait(n, asked) {
    const step = Math.min(this.#options.backoff * 2 ** n, longestBackoff);
    const jitter = (Math.random() * step) / 2;
    return asked > 0 ? asked + Math.min(jitter, asked / 10) : step / 2 + jitter;
  }

  async #once(path, body, { doing, texts, signal, read }) {
    const { baseURL, key, headers, timeout, maxBody, fetch } = this.#options;
    const own = new AbortController();
    const abort = () => own.abort();
    signal.addEventListener('abort', abort, { once: true });
    const timer = timeout > 0 ? setTimeout(abort, timeout) : undefined;
    try {
      const response = await fetch(`${baseURL.replace(/\/+$/, '')}/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json', accept: body.stream ? 'text/event-stream' : 'application/json',
          ...(key && { authorization: `Bearer ${key}` }), ...headers,
        },
        body: JSON.stringify(body),
        signal: own.signal,
      });
      const refused = (status, said) => this.#refused(doing, { status, headers: response.headers }, said, texts);
      if (!response.ok) throw refused(response.status, await says(limited(response, Math.min(maxError, maxBody), doing, this.#failed)));
      return { value: await read(limited(response, maxBody, doing, this.#failed), (error) => refused(statusOf(error), fields({ error }))) };
    } catch (e) {
      return { error: this.#broken(doing, e, { signal, own, timeout, texts }) };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #broken(doing, e, { signal, own, timeout, texts }) {
    if (signal.aborted) return canceled(doing);
    if (own.signal.aborted) return retryable(this.#late, `${doing}: no answer within ${timeout} ms`);
    if (e instanceof LeanMemError) return e;
    const what = e instanceof SyntaxError ? "the server's reply is no JSON" : `cannot talk to the server: ${e.cause?.code ?? e.message}`;
    return retryable(this.#failed, this.#clean(`${doing}: ${what}`, texts));
  }

  /** Classifies what the server answered. */
  #refused(doing, response, said, texts) {
    const { status } = response;
    const lower = `${said.code} ${said.type} ${said.message}`.toLowerCase();
    let code = this.#failed;
    let again = false;
    if (status === 401 || status === 403) code = 'unauthorized';
    else if ((mentions(lower, tooLong) && status !== 429) || status === 413) code = 'context_length';
    else if (isRefusal(lower)) code = 'model_refused';
    else if (status === 429) {
      code = 'rate_limited';
      again = !lower.includes('insufficient_quota'); // no waiting brings back a quota that is spent
    } else again = [408, 409, 425].includes(status) || (status >= 500 && status !== 501);
    const message = this.#clean(`${doing}: the server answered ${status}${said.message ? `: ${said.message}` : ''}`, texts);
    const error = new LeanMemError(code, message, { retryable: again, retryAfter: again ? retryAfter(response.headers) : 0 });
    error.status = status;
    error.says = lower;
    return error;
  }

  #clean(message, texts) {
    return redact(message, [this.#options.key ?? '', ...texts]);
  }
}

export const isContextLength = (lower) => mentions(lower, tooLong);
export const isRefusal = (lower) => mentions(lower, refusals);

function mentions(text, words) {
  return words.some((w) => text.includes(w));
}

/** A response that fails when it is longer than it may be. */
function limited(response, most, doing, code) {
  let left = most;
  const count = new TransformStream({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left < 0) controller.error(new LeanMemError(code, `${doing}: the server's reply has more than ${most} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(count), { status: response.status, headers: response.headers });
}

/** What a server says about an error, in whatever form it came. */
async function says(response) {
  const body = await response.text().catch((e) => {
    if (e instanceof LeanMemError) throw e;
    return ''; // the status is there
  });
  try {
    return fields(JSON.parse(body));
  } catch {
    return { code: '', type: '', message: body.trimStart().startsWith('<') ? '(an HTML page)' : body.slice(0, 2000) };
  }
}

function fields({ error, message, detail }) {
  const e = typeof error === 'object' && error !== null ? error : { message: error };
  const said = [e.message, message, detail].find((m) => typeof m === 'string' && m !== '');
  return { code: String(e.code ?? ''), type: String(e.type ?? ''), message: said ?? (detail ? JSON.stringify(detail).slice(0, 2000) : '') };
}

/** The status of an error that came within a stream. */
function statusOf({ code, type }) {
  if (code >= 400 && code < 600) return Number(code);
  const text = `${code} ${type}`.toLowerCase();
  if (text.includes('rate_limit')) return 429;
  return text.includes('invalid_request') ? 400 : 500;
}

/** Milliseconds that the server asked to wait. */
export function retryAfter(headers, now = Date.now()) {
  const inMs = Number(headers.get('retry-after-ms'));
  if (inMs > 0) return inMs;
  const value = headers.get('retry-after');
  if (value === null) return 0;
  const ms = /^\s*[\d.]+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

function pause(milliseconds, { signal, doing }) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(canceled(doing));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
