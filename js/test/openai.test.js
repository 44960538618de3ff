import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openAIEmbedder, openAIModel } from 'leanmem';

import { retryAfter } from '../src/endpoint.js';
import { completion, key, prompt, serve } from './chatserver.js';
import { chat, deferred, open } from './fixtures.js';

test('a prompt is completed, with its usage', async (t) => {
  const { seen, options } = await serve(t, () => completion('Lisbon'));
  const answer = await openAIModel(options)(prompt);
  assert.deepEqual(answer, { text: 'Lisbon', finish: 'stop', prompt_tokens: 11, output_tokens: 2, cached_tokens: 3 });
  const { url, headers, body } = seen[0];
  assert.equal(url, '/v1/chat/completions');
  assert.equal(headers.authorization, `Bearer ${key}`);
  assert.equal(body.temperature, 0);
  assert.equal(body.response_format.json_schema.strict, true);
  assert.deepEqual(body.messages.map((m) => m.role), ['system', 'user']);
});

test('a busy server is asked again after the time that it names', async (t) => {
  const { seen, options } = await serve(t, (_, n) => (n < 3 ? { status: n === 1 ? 429 : 503, headers: { 'retry-after-ms': '30' }, json: {} } : completion('yes')));
  const begun = performance.now();
  assert.equal((await openAIModel(options)(prompt)).text, 'yes');
  assert.equal(seen.length, 3);
  assert.ok(performance.now() - begun >= 55);
  assert.equal(retryAfter(new Headers({ 'retry-after': '2' })), 2000);
  assert.equal(retryAfter(new Headers({ 'retry-after': 'Thu, 01 Jan 1970 00:00:05 GMT' }), 1000), 4000);
  assert.equal(retryAfter(new Headers({ 'retry-after': 'soon' })), 0);
});

test('what a server does not support is learned', async (t) => {
  const { seen, options } = await serve(t, ({ body }) => {
    if (body.response_format?.type === 'json_schema') return { status: 400, json: { error: { message: 'response_format is not supported' } } };
    if ('temperature' in body) return { status: 400, json: { error: { message: 'temperature is not supported' } } };
    if ('max_tokens' in body) return { status: 400, json: { error: { message: 'use max_completion_tokens' } } };
    return completion('{}');
  });
  const llm = openAIModel(options);
  assert.equal((await llm(prompt)).text, '{}');
  const tries = seen.length;
  await llm(prompt);
  assert.equal(seen.length, tries + 1);
  assert.match(seen.at(-1).body.messages[0].content, /JSON schema/);
});

test('a prompt that a filter refuses says nothing of the form of replies', async (t) => {
  let first = true;
  const { seen, options } = await serve(t, () => {
    if (!first) return completion('{}');
    first = false;
    return { status: 400, json: { error: { code: 'content_filter', message: 'the content management policy' } } };
  });
  const llm = openAIModel(options);
  await assert.rejects(llm(prompt), { code: 'model_refused' });
  assert.equal((await llm(prompt)).text, '{}');
  assert.equal(seen.length, 2);
  assert.equal(seen[1].body.response_format.type, 'json_schema');
});

test('errors have their code, and hold neither the key nor the prompt', async (t) => {
  const cases = [
    [{ status: 401, json: { error: { message: `bad key ${key}` } } }, 'unauthorized', false],
    [{ status: 400, json: { error: { code: 'context_length_exceeded', message: prompt.user } } }, 'context_length', false],
    [{ status: 429, json: { error: { code: 'insufficient_quota', message: 'pay' } } }, 'rate_limited', false],
    [{ status: 404, json: { error: { message: 'model small not found' } } }, 'model_failed', false],
    [{ status: 500, text: '<html>oops</html>' }, 'model_failed', true],
    [{ status: 200, text: 'not json' }, 'model_failed', true],
    [{ status: 0 }, 'model_failed', true],
    [{ status: -1 }, 'model_timeout', true],
    [{ json: { choices: [] } }, 'model_failed', true],
    [completion('', { finish_reason: 'length' }), 'model_failed', false],
    [completion('x', { finish_reason: 'content_filter' }), 'model_refused', false],
  ];
  for (const [answer, code, again] of cases) {
    const { options } = await serve(t, () => answer);
    await assert.rejects(openAIModel({ ...options, maxRetries: 1, timeout: 300 })(prompt), (e) => {
      assert.deepEqual([e.code, e.retryable], [code, again], e.message);
      assert.ok(!e.message.includes(key) && !e.message.includes('Ana live'), e.message);
      return true;
    });
  }
  assert.throws(() => openAIModel({ baseURL: 'ftp://x', model: 'm' }), { code: 'invalid_argument' });
  assert.throws(() => openAIModel({}), { code: 'invalid_argument' });
});

test('a caller that gives up is heeded between two attempts, and before the first', async (t) => {
  const { seen, options } = await serve(t, () => ({ status: 503, headers: { 'retry-after': '30' }, json: {} }));
  await assert.rejects(openAIModel(options)(prompt, { signal: AbortSignal.timeout(100) }), { code: 'canceled' });
  assert.equal(seen.length, 1);
  await assert.rejects(openAIModel(options)(prompt, { signal: AbortSignal.abort() }), { code: 'canceled' });
  assert.equal(seen.length, 1);
});

for (const [where, answer] of Object.entries({
  'before it is answered': { status: -1 },
  'within its reply': { text: '{"choices": [', hold: true },
  'within an error': { status: 500, text: '{"error":', hold: true },
  'within a stream': { parts: ['Lis'], hold: true },
})) {
  test(`a request that runs is ended by its signal, ${where}`, async (t) => {
    const asked = deferred();
    const { gone, options } = await serve(t, () => {
      setTimeout(asked.resolve, 50);
      return answer;
    });
    const stop = new AbortController();
    const call = openAIModel(options)(prompt, { signal: stop.signal, ...(answer.parts && { onText: () => {} }) });
    await asked.promise;
    stop.abort();
    await assert.rejects(call, { code: 'canceled' });
    await gone; // the server sees that nobody waits
  });
}

test('a call of a memory that is given up ends the request of its model', async (t) => {
  const asked = deferred();
  const { gone, options } = await serve(t, () => {
    asked.resolve();
    return { status: -1 };
  });
  const memory = await open({ llm: openAIModel(options) });
  await memory.add({ sessions: chat, options: { llm: false } });
  const stop = new AbortController();
  const call = memory.answer('Where does Ana live?', { signal: stop.signal });
  await asked.promise;
  stop.abort();
  await assert.rejects(call, { code: 'canceled' });
  await gone;
});

test('replies are read to a limit', async (t) => {
  for (const status of [200, 400]) {
    const { seen, options } = await serve(t, () => ({ status, text: 'x'.repeat(200_000) }));
    await assert.rejects(openAIModel({ ...options, maxBody: 100_000 })(prompt), (e) => {
      assert.deepEqual([e.code, e.retryable], ['model_failed', false], e.message);
      assert.match(e.message, /more than 100000 bytes/);
      return true;
    });
    assert.equal(seen.length, 1);
  }
});

test('tokens of failed attempts count, and are estimated where the server reports none', async (t) => {
  const { options } = await serve(t, (_, n) => (n === 1 ? completion('') : completion('yes')));
  assert.deepEqual(await openAIModel(options)(prompt), { text: 'yes', finish: 'stop', prompt_tokens: 22, output_tokens: 4, cached_tokens: 6 });
  const silent = await serve(t, () => ({ json: { choices: [{ message: { content: 'Lisbon, I think' }, finish_reason: 'stop' }] } }));
  // 7 and 30 characters in two messages, 15 of the reply: four are a token.
  assert.deepEqual(await openAIModel(silent.options)(prompt), { text: 'Lisbon, I think', finish: 'stop', prompt_tokens: 18, output_tokens: 4, estimated: true });
  const empty = await serve(t, () => completion(''));
  await assert.rejects(openAIModel({ ...empty.options, maxRetries: 2 })(prompt), (e) => e.usage.prompt_tokens === 33);
});

test('a server is asked so much at once', async (t) => {
  const running = { now: 0, most: 0 };
  const { options } = await serve(t, async () => {
    running.most = Math.max(running.most, ++running.now);
    await new Promise((resolve) => setTimeout(resolve, 10));
    running.now--;
    return completion('yes');
  });
  const llm = openAIModel({ ...options, concurrency: 2 });
  const stop = new AbortController();
  const calls = Array.from({ length: 8 }, () => llm(prompt));
  const late = llm(prompt, { signal: stop.signal });
  stop.abort(); // it waits in line
  await assert.rejects(late, { code: 'canceled' });
  await Promise.all(calls);
  assert.equal(running.most, 2);
});

test('vectors are put where their index says, and halves are asked when all is too much', async (t) => {
  const { seen, options } = await serve(t, ({ body }) => {
    if (body.input.length > 2) return { status: 400, json: { error: { message: 'too many tokens' } } };
    return { json: { data: body.input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse() } };
  });
  const embed = openAIEmbedder({ ...options, documentPrefix: 'd:' });
  const { model, vectors } = await embed(['a', 'bb', 'ccc', ''], { purpose: 'document' });
  assert.equal(model, 'host:small');
  assert.deepEqual(vectors.map((v) => v[0]), [3, 4, 5, 2]);
  assert.equal(seen.length, 3);
});

test('a memory works over an endpoint', async (t) => {
  const { options } = await serve(t, ({ url, body }) => (url.endsWith('embeddings')
    ? { json: { data: body.input.map((text, index) => ({ index, embedding: [text.length % 7, 1, text.includes('Lisbon') ? 3 : 0] })) } }
    : completion('{"answer": "Lisbon", "sources": [1], "known": true}')));
  const memory = await open({ llm: openAIModel(options), embed: openAIEmbedder({ ...options, dimensions: 3 }) });
  await memory.add(chat);
  assert.equal((await memory.stats()).embedder, 'host:small');
  const answer = await memory.answer('Where does Ana live?');
  assert.match(answer.answer, /Lisbon/);
  assert.ok(answer.usage.answer.prompt_tokens > 0);
});
