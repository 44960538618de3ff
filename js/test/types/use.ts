// Compiled and not run: the types say what the package does.

import { LeanMem, LeanMemError, indexedDBStore, keyValueStore, memoryStore, openAIEmbedder, openAIModel, sqliteStore } from 'leanmem';
import { fileStore } from 'leanmem/file';
import type { AddResult, Bank, ErrorCode, SearchResult, Store } from 'leanmem';

export async function everyday(): Promise<string> {
  const memory = await LeanMem.open({ store: memoryStore() });
  const bank: Bank = memory.bank('ana');
  const added: AddResult = await bank.add([{ id: 's1', turns: [{ speaker: 'Ana', text: 'I live in Lisbon.' }], close: true }]);
  const found: SearchResult = await bank.search('Where does Ana live?', { signal: AbortSignal.timeout(1000) });
  await memory.add({ bank: 'ana', sessions: [], expires_at: new Date() }, { onProgress: (p) => console.log(p.stage, p.done, p.total) });
  const first = (await bank.list({ filter: { kinds: ['profile'] }, status: 'current' })).entries[0];
  if (first?.profile) console.log(first.profile.attribute, first.current === true);
  await bank.export().then((page) => memory.bank('copy').import(page.lines));
  await memory.close();
  return `${added.added} ${found.evidence} ${found.tokens} ${found.plan.weights.event}`;
}

export async function withModels(): Promise<void> {
  await LeanMem.open({
    store: await fileStore('memories'),
    llm: openAIModel({ model: 'm', baseURL: 'http://localhost:8080/v1', key: 'k' }),
    embed: openAIEmbedder({ model: 'e', dimensions: 384 }),
    tag: async (texts) => texts.map(() => [{ text: 'Ana', start: 0, end: 3 }]),
    options: { max_calls: 10, embedder: 'host' },
    timeouts: { llm: 1000 },
  });
  await LeanMem.open({ store: indexedDBStore(), llm: async (prompt) => ({ text: prompt.user, prompt_tokens: 3 }), embed: (texts) => texts.map(() => [1, 0]) });
}

export function stores(db: Parameters<typeof sqliteStore>[0], map: Map<string, Uint8Array>): Store[] {
  const backend = {
    get: async (name: string) => map.get(name),
    put: async (name: string, bytes: Uint8Array) => map.set(name, bytes),
    delete: async (name: string) => map.delete(name),
    names: (prefix: string) => [...map.keys()].filter((n) => n.startsWith(prefix)),
  };
  return [sqliteStore(db), keyValueStore(backend, { exclusive: true })];
}

export function errors(e: unknown): ErrorCode | undefined {
  return e instanceof LeanMemError && e.retryable ? e.code : undefined;
}

// @ts-expect-error a store is needed
LeanMem.open({});
// @ts-expect-error a verb that there is not
memoryStore().sing();
