// What a chat server answered, in one piece or in many.

import { LeanMemError, retryable } from './error.js';
import { estimate } from './models.js';

/** Reads a reply in one piece. */
export async function whole(response, doing) {
  const { choices, usage } = (await response.json()) ?? {};
  if (!choices?.[0]) throw retryable('model_failed', `${doing}: the server's reply has no choices`);
  const [{ message, finish_reason: finish }] = choices;
  return { text: message?.content ?? '', refusal: message?.refusal, thought: message?.reasoning_content, finish: finish ?? '', usage };
}

/**
 * Reads a reply as it arrives. One that breaks off after some of it was shown is
 * not asked for again, which would show it twice.
 */
export async function streamed(response, { doing, onText, refused, usage, body }) {
  const got = { text: '', refusal: '', thought: '', finish: '', usage: undefined };
  const show = (text) => {
    got.text += text;
    onText(text);
  };
  try {
    for await (const data of events(response)) take(JSON.parse(data), got, { show, refused });
    // The end of the connection is not the end of the reply.
    if (got.finish === '') throw retryable('model_failed', `${doing}: the stream ended before the reply did`);
    return got;
  } catch (e) {
    add(usage, count(got, body));
    if (got.text === '') throw e;
    const broken = e instanceof LeanMemError ? e : retryable('model_failed', `${doing}: the stream broke off`, { cause: e });
    throw Object.assign(broken, { fatal: true });
  }
}

/** The data of the events of a stream, to its end. */
async function* events(response) {
  // Here and not above, so that a page which does not stream need not have it.
  const { EventSourceParserStream } = await import('eventsource-parser/stream');
  const reader = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value.data === '[DONE]') return;
      yield value.data;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function take({ choices, usage, error }, got, { show, refused }) {
  if (error) throw refused(error);
  if (usage) got.usage = usage;
  for (const { index = 0, delta, finish_reason: finish } of choices ?? []) {
    if (index !== 0) continue;
    if (finish) got.finish = finish;
    got.refusal += delta?.refusal ?? '';
    got.thought += delta?.reasoning_content ?? '';
    if (delta?.content) show(delta.content);
  }
}

/** Gives the text of a reply, or what is wrong with it. Its tokens are added to `usage`. */
export function judge(got, { prompt, doing, usage, body }) {
  add(usage, count(got, body));
  const { text, finish } = got;
  if (got.refusal) throw new LeanMemError('model_refused', `${doing}: the model refused`);
  if (finish === 'content_filter') throw new LeanMemError('model_refused', `${doing}: the server's content filter stopped the reply`);
  if (typeof text !== 'string' || text.trim() === '') {
    if (finish === 'length') throw new LeanMemError('model_failed', `${doing}: the limit of ${prompt.max_tokens} tokens ended the reply before its text began`);
    throw retryable('model_failed', `${doing}: the model's reply is empty`);
  }
  return { text, finish };
}

/** The tokens that the server reports, or an estimate. */
function count({ usage, text, refusal, thought }, body) {
  if (usage?.prompt_tokens > 0) {
    return { prompt_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens ?? 0, cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 };
  }
  const prompt = body.messages.reduce((sum, m) => sum + estimate(m.content) + 4, 0);
  return { prompt_tokens: prompt, output_tokens: [text, refusal, thought].reduce((sum, t) => sum + estimate(t), 0), estimated: true };
}

/** Adds up what attempts took. */
export function add(usage, more) {
  for (const [name, n] of Object.entries(more)) usage[name] = n === true ? true : (usage[name] ?? 0) + n;
}
