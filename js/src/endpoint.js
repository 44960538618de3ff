// Talking to a server with OpenAI's interface: patient within bounds, errors
// turned into codes, and nothing in them that is secret.

import { LeanMemError, retryable } from './error.js';
import { redact } from './redact.js';

const defaults = { baseURL: 'https://api.openai.com/v1', timeout: 90_000, maxRetries: 4, maxWait: 60_000, backoff: 500 };

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

  /** `failed` and `late` are the codes of failures and timeouts of this kind of effect. */
  constructor(options, { failed, late }) {
    this.#options = { ...defaults, fetch: globalThis.fetch.bind(globalThis), ...options };
    this.#failed = failed;
    this.#late = late;
    const { baseURL, key, model } = this.#options;
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

  /** Posts JSON until it succeeds, fails for good, or patience ends. `read` takes the response. */
  async post(path, makeBody, { doing, texts, signal, read }) {
    let waited = 0;
    for (let n = 0; ; n++) {
      const error = await this.#once(path, makeBody, { doing, texts, signal, read });
      if (!(error instanceof LeanMemError)) return error.value;
      const { maxRetries, maxWait, backoff } = this.#options;
      const wait = Math.max(error.retryAfter, backoff * 2 ** n * (0.75 + Math.random() / 2));
      waited += wait;
      if (!error.retryable || error.fatal || error.code === this.#late || n >= maxRetries || waited > maxWait || signal.aborted) throw error;
      await pause(wait, signal, doing);
    }
  }

  async #once(path, makeBody, { doing, texts, signal, read }) {
    const { baseURL, key, headers, timeout, fetch } = this.#options;
    const own = new AbortController();
    const abort = () => own.abort();
    signal.addEventListener('abort', abort, { once: true });
    const timer = timeout > 0 ? setTimeout(abort, timeout) : undefined;
    try {
      const response = await fetch(`${baseURL.replace(/\/+$/, '')}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...(key && { authorization: `Bearer ${key}` }), ...headers },
        body: JSON.stringify(makeBody()),
        signal: own.signal,
      });
      if (!response.ok) return this.#refused(doing, response, await says(response), texts);
      return { value: await read(response) };
    } catch (e) {
      return this.#broken(doing, e, { signal, own, timeout, texts });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  #broken(doing, e, { signal, own, timeout, texts }) {
    if (e instanceof LeanMemError) return e;
    if (signal.aborted) return new LeanMemError('canceled', `${doing}: cancelled`);
    if (own.signal.aborted) return retryable(this.#late, `${doing}: no answer within ${timeout} ms`);
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
    else if (mentions(lower, refusals)) code = 'model_refused';
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

function mentions(text, words) {
  return words.some((w) => text.includes(w));
}

/** What a server says about an error, in whatever form it came. */
async function says(response) {
  const body = await response.text().catch(() => '');
  try {
    const { error, message, detail } = JSON.parse(body);
    const e = typeof error === 'object' && error !== null ? error : { message: error };
    return { code: String(e.code ?? ''), type: String(e.type ?? ''), message: [e.message, message, detail].find((m) => typeof m === 'string' && m !== '') ?? '' };
  } catch {
    return { code: '', type: '', message: body.trimStart().startsWith('<') ? '(an HTML page)' : body.slice(0, 2000) };
  }
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

function pause(milliseconds, signal, doing) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(new LeanMemError('canceled', `${doing}: cancelled`));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', abort, { once: true });
  });
}
