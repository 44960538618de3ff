import { Endpoint, isContextLength, isRefusal } from './endpoint.js';
import { judge, streamed, whole } from './reply.js';

const never = new AbortController().signal;

/**
 * Makes an `llm` function of a server with OpenAI's chat interface. What the
 * server does not support (JSON schemas, JSON mode, a temperature, the name of
 * the token limit, usage in streams) is learned from its refusals and remembered.
 * It streams where somebody looks: a whole reply is cheaper to read.
 */
export function openAIModel(options) {
  const endpoint = new Endpoint(options, { failed: 'model_failed', late: 'model_timeout' });
  const plain = reasons(options.model);
  let habit = { form: 'schema', temperature: !plain, oldLimit: !plain, streamUsage: true };
  const llm = async (prompt, { signal = never, onText } = {}) => {
    const doing = `complete a prompt of stage ${prompt.stage}`;
    const usage = {}; // of all attempts: those that failed after an answer were paid for, too
    for (;;) {
      const tried = habit;
      const body = chatBody(options, prompt, tried, onText !== undefined);
      const read = async (response, refused) => {
        const got = onText ? await streamed(response, { doing, onText, refused, usage, body }) : await whole(response, doing);
        return judge(got, { prompt, doing, usage, body });
      };
      try {
        const { text, finish } = await endpoint.post('chat/completions', body, { doing, texts: [prompt.user], signal, read });
        return { text, finish, ...usage };
      } catch (e) {
        const next = learn(tried, e, prompt);
        if (next === null) throw Object.assign(e, { usage });
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

function chatBody(options, prompt, habit, stream) {
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
  if (stream) Object.assign(body, { stream }, habit.streamUsage && { stream_options: { include_usage: true } });
  body.messages = [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content: prompt.user || ' ' }];
  return body;
}

/** The habit after a refusal, or null when there is nothing to give up. */
function learn(tried, error, prompt) {
  if (![400, 422, 501].includes(error.status) || isContextLength(error.says) || isRefusal(error.says)) return null;
  const text = error.says;
  if (text.includes('temperature') && tried.temperature) return { ...tried, temperature: false };
  if (text.includes('stream_options') && tried.streamUsage) return { ...tried, streamUsage: false };
  if (text.includes('max_completion_tokens') && tried.oldLimit && prompt.max_tokens > 0) return { ...tried, oldLimit: false };
  if (text.includes('max_tokens') && !tried.oldLimit && prompt.max_tokens > 0) return { ...tried, oldLimit: true };
  const aboutModel = text.includes('model_not_found') || (text.includes('model') && /not (found|exist)/.test(text));
  if (!prompt.schema || tried.form === 'text' || aboutModel) return null;
  return { ...tried, form: tried.form === 'schema' ? 'json' : 'text' };
}
