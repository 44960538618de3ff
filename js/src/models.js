// The effects that a user's model functions perform, with their shapes checked:
// what is wrong is told by its code and place, not by a fault later on.

import { bounded, inParallel } from './bounded.js';
import { LeanMemError, coded, describe } from './error.js';
import { redact } from './redact.js';

const counts = ['prompt_tokens', 'output_tokens', 'cached_tokens'];

/** Performs llm_complete: one call of `llm` for each prompt, in parallel. */
export async function complete(llm, request, { timeouts, prompts, signal, onText }) {
  const completions = await inParallel(request.prompts.map((prompt) => () => completion(llm, prompt, { timeouts, signal, onText })), prompts);
  return { completions };
}

async function completion(llm, prompt, { timeouts, signal, onText }) {
  const doing = `llm (${prompt.stage})`;
  try {
    const onDelta = prompt.stream && onText ? (text) => onText(text, prompt) : undefined;
    const call = (own) => llm(prompt, { signal: own, ...(onDelta && { onText: onDelta }) });
    const answer = await bounded(call, { doing, milliseconds: timeouts.llm, late: 'model_timeout', signal });
    return checkCompletion(answer, doing);
  } catch (e) {
    return { text: '', ...spent(e?.usage), error: shown(coded(e, 'model_failed', doing), [prompt.user]) };
  }
}

function checkCompletion(answer, doing) {
  const given = typeof answer === 'string' ? { text: answer } : answer;
  if (given === null || typeof given !== 'object' || typeof given.text !== 'string') {
    throw new LeanMemError('model_failed', `${doing}: the function gave ${describe(answer)}; a string or an object with the string "text" is wanted`);
  }
  const out = { text: given.text };
  if (given.finish !== undefined) out.finish = String(given.finish);
  return Object.assign(out, spent(given));
}

/** The token counts of an answer that are counts, and whether they are estimated. */
function spent(given) {
  const out = {};
  for (const name of counts) {
    const n = given?.[name];
    if (Number.isSafeInteger(n) && n >= 0) out[name] = n;
  }
  if (given?.estimated === true) out.estimated = true;
  return out;
}

/** A rough count of tokens: four ASCII characters or one other character a token. */
export function estimate(text) {
  let ascii = 0;
  let other = 0;
  for (const c of text ?? '') {
    if (c < '\u0080') ascii++;
    else other++;
  }
  return Math.ceil(ascii / 4) + other;
}

/** Performs embed. */
export async function embed(embedder, request, { timeouts, signal }) {
  const doing = 'embed';
  try {
    const call = (own) => embedder(request.texts, { purpose: request.purpose, signal: own });
    const answer = await bounded(call, { doing, milliseconds: timeouts.embed, signal });
    const rows = Array.isArray(answer) ? answer : answer?.vectors;
    const model = (Array.isArray(answer) ? undefined : answer?.model) ?? embedder.model ?? 'function';
    return { vectors: { model: String(model), ...joinRows(rows, request.texts.length) } };
  } catch (e) {
    return { error: shown(coded(e, 'embed_failed', doing), request.texts) };
  }
}

function joinRows(rows, wanted) {
  if (!Array.isArray(rows) || rows.length !== wanted) {
    throw new LeanMemError('embed_failed', `embed: the function gave ${describe(rows)}; one vector for each of ${wanted} texts is wanted`);
  }
  const dims = rows[0]?.length;
  if (!Number.isSafeInteger(dims) || dims < 1) throw new LeanMemError('embed_failed', `embed: the first vector is ${describe(rows[0])}`);
  const data = new Float32Array(dims * rows.length);
  rows.forEach((row, i) => {
    if (row?.length !== dims) throw new LeanMemError('embed_failed', `embed: vector ${i} is ${describe(row)}, the first has ${dims} numbers`);
    data.set(unit(row, i), i * dims);
  });
  return { dims, data };
}

/** Brings a vector to unit length; rounding alone is left as it is. */
function unit(row, place) {
  const v = Float32Array.from(row);
  let sum = 0;
  for (const f of v) sum += f * f;
  const length = Math.sqrt(sum);
  if (!Number.isFinite(length)) throw new LeanMemError('embed_failed', `embed: vector ${place} holds what is not a finite number`);
  if (length < 1e-12) throw new LeanMemError('embed_failed', `embed: vector ${place} has length zero`);
  if (Math.abs(length - 1) > 1e-6) for (let i = 0; i < v.length; i++) v[i] /= length;
  return v;
}

/** Performs tag. */
export async function tag(tagger, request, { timeouts, signal }) {
  try {
    const call = (own) => tagger(request.texts, { signal: own });
    const answer = await bounded(call, { doing: 'tag', milliseconds: timeouts.tag, signal });
    if (!Array.isArray(answer) || answer.length !== request.texts.length || !answer.every((list) => Array.isArray(list) && list.every(isEntity))) {
      throw new LeanMemError('tag_failed', `tag: the function gave ${describe(answer)}; a list of {text, label, start, end} for each of ${request.texts.length} texts is wanted`);
    }
    return { entities: answer.map((list) => list.map(({ text, label = '', start, end }) => ({ text, label, start, end }))) };
  } catch (e) {
    return { error: shown(coded(e, 'tag_failed', 'tag'), request.texts) };
  }
}

function isEntity(e) {
  return typeof e?.text === 'string' && (e.label === undefined || typeof e.label === 'string') && Number.isSafeInteger(e.start) && Number.isSafeInteger(e.end);
}

/** Performs progress: a listener that throws cancels the work. */
export function progress(listener, request) {
  try {
    listener?.(request.progress);
    return {};
  } catch (e) {
    return { error: coded(e, 'canceled', 'progress').toWire() };
  }
}

function shown(error, texts) {
  return new LeanMemError(error.code, redact(error.message, texts), error).toWire();
}

export function unavailable(op) {
  return { error: new LeanMemError('unavailable', `${op}: the host supplies none`).toWire() };
}
