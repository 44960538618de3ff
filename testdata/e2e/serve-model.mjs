// A server with OpenAI's chat interface over one small local model, on one
// thread: with two on a machine of two cores the runtime spins and is many
// times slower. It knows response_format with a JSON schema (as a grammar),
// max_tokens, temperature and streams, and answers one request after another.
//
// Start it with serve-model.sh.
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const runtime = (file) => import(pathToFileURL(`${process.env.LEANMEM_MODULES}/node_modules/node-llama-cpp/dist/${file}`));
const { getLlama, LlamaChatSession, LlamaText } = await runtime("index.js");
const { getGbnfGrammarForGbnfJsonSchema: gbnf } = await runtime("utils/gbnfJson/getGbnfGrammarForGbnfJsonSchema.js");

const contextSize = Number(process.env.CONTEXT ?? 8192);
const name = "qwen2.5-coder-0.5b-instruct";
const llama = await getLlama({ build: "never", gpu: false, maxThreads: 1, logLevel: "error" });
const model = await llama.loadModel({ modelPath: process.env.LEANMEM_MODEL });
const context = await model.createContext({ threads: 1, contextSize, sequences: 1 });
const sequence = context.getSequence();
const session = new LlamaChatSession({ contextSequence: sequence });
const grammars = new Map();

async function grammarOf(format) {
  const schema = format?.type === "json_schema" ? format.json_schema.schema : format?.type === "json_object" ? { type: "object" } : null;
  if (!schema) return undefined;
  const key = JSON.stringify(schema);
  if (!grammars.has(key)) grammars.set(key, await llama.createGrammar({
    // Without line breaks and indents, which would be half of a reply's tokens.
    grammar: gbnf(schema, { allowNewLines: false, scopePadSpaces: 0 }),
    stopGenerationTriggers: [LlamaText(["\n".repeat(4)])], trimWhitespaceSuffix: true,
  }));
  return grammars.get(key);
}

class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    Object.assign(this, { status, code });
  }
}

async function complete(request, signal, onText) {
  if (request.model && request.model !== name) throw new Refusal(404, "model_not_found", `the model ${request.model} does not exist; there is ${name}`);
  const of = (role) => request.messages.filter((m) => m.role === role).map((m) => m.content).join("\n\n");
  const system = of("system"), user = of("user");
  const prompt = model.tokenize(system).length + model.tokenize(user).length + 12;
  const most = request.max_tokens ?? request.max_completion_tokens ?? 512;
  if (prompt + Math.min(most, 256) > contextSize) {
    throw new Refusal(400, "context_length_exceeded", `the prompt has ${prompt} tokens; the maximum context length is ${contextSize}`);
  }
  session.setChatHistory(system ? [{ type: "system", text: system }] : []);
  const r = await session.promptWithMeta(user, {
    grammar: await grammarOf(request.response_format), temperature: request.temperature ?? 0, seed: 1,
    maxTokens: Math.min(most, contextSize - prompt), trimWhitespaceSuffix: true, onTextChunk: onText,
    signal, stopOnAbortSignal: true, // nobody waits for it any more
  });
  return {
    text: r.responseText, finish: r.stopReason === "maxTokens" ? "length" : "stop",
    usage: { prompt_tokens: prompt, completion_tokens: model.tokenize(r.responseText).length, total_tokens: 0 },
  };
}

let last = Promise.resolve();
const inTurn = (work) => (last = last.then(work, work));

async function chat(request, response, signal) {
  if (signal.aborted) return;
  const head = { id: "chatcmpl-local", object: "chat.completion", created: 0, model: name };
  if (!request.stream) {
    const r = await complete(request, signal);
    return send(response, 200, { ...head, usage: r.usage, choices: [{ index: 0, finish_reason: r.finish, message: { role: "assistant", content: r.text } }] });
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const part = (choice, more) => response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...more, choices: choice ? [{ index: 0, ...choice }] : [] })}\n\n`);
  const r = await complete(request, signal, (text) => part({ delta: { content: text } }));
  part({ delta: {}, finish_reason: r.finish });
  if (request.stream_options?.include_usage) part(null, { usage: r.usage });
  response.end("data: [DONE]\n\n");
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

createServer(async (request, response) => {
  if (request.method === "GET") return send(response, 200, { object: "list", data: [{ id: name, object: "model" }] });
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  let body = "";
  for await (const chunk of request) body += chunk;
  try {
    const parsed = JSON.parse(body);
    const begin = Date.now();
    await inTurn(() => chat(parsed, response, gone.signal));
    const again = parsed.messages.at(-1).content.includes("could not be read") ? " (repair)" : "";
    console.error(`${parsed.response_format?.json_schema?.name ?? "text"}${again}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  } catch (e) {
    if (response.headersSent) return response.destroy();
    send(response, e.status ?? 500, { error: { message: String(e.message ?? e), type: e.status ? "invalid_request_error" : "server_error", code: e.code ?? null } });
  }
}).listen(Number(process.env.PORT ?? 8711), "127.0.0.1", () => console.log(`ready on port ${process.env.PORT ?? 8711}: ${name}`));
