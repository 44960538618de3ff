// A server with OpenAI's interface, for tests.

import { createServer } from 'node:http';

import { deferred } from './fixtures.js';

export const key = 'sk-very-secret-key';
export const prompt = { stage: 'answer', system: 'Answer.', user: 'Where does Ana live in summer?', schema: { type: 'object' }, schema_name: 'answer', max_tokens: 50 };

/**
 * A server that answers with what `answers` gives for each request, and notes the
 * requests. An answer has json, text, or parts of a text to stream with what comes
 * after them; `hold` leaves it unfinished. `gone` resolves when a caller hangs up.
 */
export async function serve(t, answers) {
  const seen = [];
  const gone = deferred();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
    response.on('close', () => response.writableEnded || gone.resolve());
    const { status = 200, headers = {}, json, text, parts, end = streamEnd, hold } = await answers(seen.at(-1), seen.length);
    if (status === 0) return request.socket.destroy();
    if (status === -1) return; // says nothing
    response.writeHead(status, { 'content-type': parts ? 'text/event-stream' : 'application/json', ...headers });
    if (parts) for (const content of parts) response.write(event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
    else response.write(text ?? JSON.stringify(json));
    if (!hold) response.end(parts ? end : '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { seen, gone: gone.promise, options: { baseURL: `http://127.0.0.1:${server.address().port}/v1`, key, model: 'small', backoff: 1 } };
}

export const event = (data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const finished = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const streamEnd = finished + event({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 5 } }) + event('[DONE]');

export const completion = (content, more = {}) => ({ json: { choices: [{ message: { content }, finish_reason: 'stop', ...more }], usage: { prompt_tokens: 11, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 3 } } } });

