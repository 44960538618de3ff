import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openAIModel } from 'leanmem';

import { completion, event, finished, key, prompt, serve } from './chatserver.js';
import { chat, open } from './fixtures.js';

test('a reply is shown as it arrives', async (t) => {
  const { seen, options } = await serve(t, () => ({ parts: ['Lis', 'bon', ' ☂'] }));
  const shown = [];
  const answer = await openAIModel(options)(prompt, { onText: (text) => shown.push(text) });
  assert.deepEqual(answer, { text: 'Lisbon ☂', finish: 'stop', prompt_tokens: 20, output_tokens: 5, cached_tokens: 0 });
  assert.deepEqual(shown, ['Lis', 'bon', ' ☂']);
  assert.equal(seen[0].body.stream, true);
  assert.equal(seen[0].body.stream_options.include_usage, true);
  assert.equal(seen[0].headers.accept, 'text/event-stream');
});

test('nobody looks: nothing is streamed', async (t) => {
  const { seen, options } = await serve(t, () => completion('Lisbon'));
  await openAIModel(options)({ ...prompt, stream: true });
  assert.equal(seen[0].body.stream, undefined);
});

test('a stream without usage is estimated, and one that refuses to report it is asked without', async (t) => {
  const { seen, options } = await serve(t, ({ body }) => (body.stream_options
    ? { status: 400, json: { error: { message: 'Unrecognized request argument supplied: stream_options' } } }
    : { parts: ['Lisbon!!'], end: `: a comment keeps it alive\n\n${finished}` }));
  const llm = openAIModel(options);
  const answer = await llm(prompt, { onText: () => {} });
  assert.deepEqual(answer, { text: 'Lisbon!!', finish: 'stop', prompt_tokens: 18, output_tokens: 2, estimated: true });
  await llm(prompt, { onText: () => {} });
  assert.equal(seen.length, 3);
});

const said = (message, type) => event({ error: { message, type } });
const broken = {
  'cut off after text': [{ parts: ['Lis'], end: '' }, 'model_failed', 1],
  'done without a finish': [{ parts: ['Lis'], end: event('[DONE]') }, 'model_failed', 1],
  'cut off before text': [{ parts: [], end: '' }, 'model_failed', 3],
  'no JSON': [{ parts: ['Lis'], end: event('{"choices": [{"ind') }, 'model_failed', 1],
  'an error in the stream': [{ parts: ['Lis'], end: said(`overloaded by ${prompt.user} and ${key}`, 'server_error') }, 'model_failed', 1],
  'a rate limit in the stream': [{ parts: [], end: said('slow down', 'rate_limit_error') }, 'rate_limited', 3],
  'filtered': [{ parts: ['Lis'], end: event({ choices: [{ delta: {}, finish_reason: 'content_filter' }] }) }, 'model_refused', 1],
  'a status': [{ status: 401, json: { error: { message: `bad ${key}` } } }, 'unauthorized', 1],
  'silence': [{ parts: ['Lis'], hold: true }, 'model_timeout', 1],
};

for (const [how, [answer, code, requests]] of Object.entries(broken)) {
  test(`a stream that breaks is not shown twice: ${how}`, async (t) => {
    const { seen, options } = await serve(t, () => answer);
    let shown = '';
    const llm = openAIModel({ ...options, maxRetries: 2, timeout: 300 });
    await assert.rejects(llm(prompt, { onText: (text) => { shown += text; } }), (e) => {
      assert.equal(e.code, code, e.message);
      assert.ok(!e.message.includes(key) && !e.message.includes('Ana live'), e.message);
      return true;
    });
    assert.equal(seen.length, requests);
    assert.ok(shown === '' || shown === 'Lis', shown);
  });
}

test('the text of an answer is shown through a memory, that of other prompts is not', async (t) => {
  const { options } = await serve(t, ({ body }) => (body.stream
    ? { parts: ['{"answer": "Lis', 'bon", "sources": [1], "known": true}'] }
    : completion('{}')));
  const memory = await open({ llm: openAIModel(options) });
  await memory.add({ sessions: chat, options: { llm: false } });
  const stages = new Set();
  let shown = '';
  const { answer } = await memory.answer('Where does Ana live?', { onText: (text, { stage }) => { shown += text; stages.add(stage); } });
  assert.match(answer, /Lisbon/);
  assert.match(shown, /Lisbon/);
  assert.deepEqual([...stages], ['answer']);
});
