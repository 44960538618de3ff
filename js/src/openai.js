import { Endpoint, isContextLength } from './endpoint.js';
import { LeanMemError, retryable } from './error.js';
import { inParallel } from './bounded.js';
import { estimate } from './models.js';

const never = new AbortController().signal;

/**
 * Makes an `llm` function of a server with OpenAI's chat interface. What the
 * server does not support (JSON schemas, JSON mode, a temperature, the name of
 * the token limit) is learned from its refusals and remembered.
 */
export function openAIModel(options) {
  const endpoint = new Endpoint(options, { failed: 'model_failed', late: 'model_timeout' });
  const plain = reasons(options.model);
  let habit = { form: 'schema', temperature: !plain, oldLimit: !plain };
  const llm = async (prompt, { signal = never } = {}) => {
    const doing = `complete a prompt of stage ${prompt.stage}`;
    for (;;) {
      const tried = habit;
      try {
        return await endpoint.post('chat/completions', () => chatBody(options, prompt, tried), {
          doing, texts: [prompt.user], signal, read: async (r) => judge(await r.json(), prompt, doing),
        });
      } catch (e) {
        const next = learn(tried, e, prompt);
        if (next === null) throw e;
        if (habit === tried) habit = next; // otherwise another prompt has learned meanwhile
      }
    }
  };
  llm.model = options.model;
  return llm;
}

/** Models that take max_completion_tokens and no temperature. */
function reasons(model) {
  return /^(o1|o3|o4|gpt-5|gpt-6)/.test(model ?? '');
}

function chatBody(options, prompt, habit) {
  const body = { model: options.model, ...options.extra };
  let system = prompt.system ?? '';
  if (habit.temperature) body.temperature = options.temperature ?? 0;
  if (prompt.max_tokens > 0) body[habit.oldLimit ? 'max_tokens' : 'max_completion_tokens'] = prompt.max_tokens;
  if (prompt.schema) {
    const name = prompt.schema_name || 'reply';
    if (habit.form === 'schema') body.response_format = { type: 'json_schema', json_schema: { name, schema: prompt.schema, strict: true } };
    if (habit.form === 'json') body.response_format = { type: 'json_object' };
    // Behind the stage's own instruction, so that prefix caches hit.
    if (habit.form !== 'schema') system = `${system}\n\nReply with one JSON object that satisfies this JSON schema:\n${JSON.stringify(prompt.schema)}`.trim();
  }
  body.messages = [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content: prompt.user || ' ' }];
  return body;
}

/** The habit after a refusal, or null when there is nothing to give up. */
function learn(tried, error, prompt) {
  if (![400, 422, 501].includes(error.status) || isContextLength(error.says)) return null;
  const text = error.says;
  if (text.includes('temperature') && tried.temperature) return { ...tried, temperature: false };
  if (text.includes('max_completion_tokens') && tried.oldLimit && prompt.max_tokens > 0) return { ...tried, oldLimit: false };
  if (text.includes('max_tokens') && !tried.oldLimit && prompt.max_tokens > 0) return { ...tried, oldLimit: true };
  const aboutModel = text.includes('model_not_found') || (text.includes('model') && /not (found|exist)/.test(text));
  if (!prompt.schema || tried.form === 'text' || aboutModel) return null;
  return { ...tried, form: tried.form === 'schema' ? 'json' : 'text' };
}

function judge(reply, prompt, doing) {
  const choice = reply?.choices?.[0];
  if (!choice) throw retryable('model_failed', `${doing}: the server's reply has no choices`);
  const text = choice.message?.content ?? '';
  const usage = {
    prompt_tokens: reply.usage?.prompt_tokens, output_tokens: reply.usage?.completion_tokens,
    cached_tokens: reply.usage?.prompt_tokens_details?.cached_tokens,
  };
  const fail = (code, what, again = false) => Object.assign(new LeanMemError(code, `${doing}: ${what}`, { retryable: again }), { usage });
  if (choice.message?.refusal) throw fail('model_refused', 'the model refused');
  if (choice.finish_reason === 'content_filter') throw fail('model_refused', "the server's content filter stopped the reply");
  if (typeof text !== 'string' || text.trim() === '') {
    if (choice.finish_reason === 'length') throw fail('model_failed', `the limit of ${prompt.max_tokens} tokens ended the reply before its text began`);
    throw fail('model_failed', "the model's reply is empty", true);
  }
  return { text, finish: choice.finish_reason ?? '', ...usage };
}

/** Makes an `embed` function of a server with OpenAI's embeddings interface. */
export function openAIEmbedder(options) {
  const { model, dimensions, batchTexts = 128, batchTokens = 8000, queryPrefix = '', documentPrefix = '', concurrency = 8 } = options;
  const endpoint = new Endpoint(options, { failed: 'embed_failed', late: 'deadline' });
  const request = async (texts, signal) => {
    try {
      return await endpoint.post('embeddings', () => ({ model, input: texts, encoding_format: 'float', ...(dimensions && { dimensions }) }), {
        doing: 'embed texts', texts, signal, read: async (r) => place(await r.json(), texts.length, dimensions),
      });
    } catch (e) {
      if (e.code !== 'context_length' || texts.length < 2) throw e;
      const half = texts.length >> 1; // the server finds the request too large
      return [...(await request(texts.slice(0, half), signal)), ...(await request(texts.slice(half), signal))];
    }
  };
  const embed = async (texts, { purpose, signal = never } = {}) => {
    const prefix = purpose === 'query' ? queryPrefix : documentPrefix;
    const inputs = texts.map((t) => prefix + t || ' '); // servers refuse an empty text
    const groups = batches(inputs, batchTexts, batchTokens);
    const rows = await inParallel(groups.map((g) => () => request(g, signal)), concurrency);
    return { model: embed.model, vectors: rows.flat() };
  };
  // The name under which every host of leanmem remembers this embedder.
  embed.model = `host:${model}`;
  return embed;
}

function batches(texts, count, tokens) {
  const out = [];
  let sum = 0;
  for (const t of texts) {
    const n = estimate(t);
    if (out.length === 0 || out.at(-1).length === count || sum + n > tokens) {
      out.push([]);
      sum = 0;
    }
    out.at(-1).push(t);
    sum += n;
  }
  return out;
}

/** Puts vectors where their index says: servers do not keep the order. */
function place(reply, wanted, dimensions) {
  const data = reply?.data;
  const wrong = (what) => new LeanMemError('embed_failed', `embed texts: ${what}`);
  if (!Array.isArray(data) || data.length !== wanted) throw wrong(`${data?.length ?? 'no'} vectors for ${wanted} texts`);
  const rows = new Array(wanted);
  for (const { index, embedding } of data) {
    if (!Number.isSafeInteger(index) || index < 0 || index >= wanted || rows[index]) throw wrong(`the server numbers its ${wanted} vectors wrongly`);
    if (!Array.isArray(embedding) || (dimensions && embedding.length !== dimensions)) throw wrong(`a vector of ${embedding?.length} dimensions, expected ${dimensions ?? 'a list of numbers'}`);
    rows[index] = embedding;
  }
  return rows;
}
