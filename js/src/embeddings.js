import { Endpoint } from './endpoint.js';
import { LeanMemError } from './error.js';
import { inParallel } from './bounded.js';
import { estimate } from './models.js';

const never = new AbortController().signal;

/** Makes an `embed` function of a server with OpenAI's embeddings interface. */
export function openAIEmbedder(options) {
  const { model, dimensions, batchTexts = 128, batchTokens = 8000, queryPrefix = '', documentPrefix = '', concurrency = 8 } = options;
  const endpoint = new Endpoint(options, { failed: 'embed_failed', late: 'deadline' });
  const request = async (texts, signal) => {
    try {
      return await endpoint.post('embeddings', { model, input: texts, encoding_format: 'float', ...(dimensions && { dimensions }) }, {
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
