import type {
  BankRequest, Completion, Entity, ErrorCode, ExportLine, InputSession, Options, Progress, Prompt, Verbs, VersionResult,
} from './verbs.js';

export * from './verbs.js';

/** A failure with its code, one of a closed list. */
export class LeanMemError extends Error {
  constructor(code: ErrorCode, message: string, more?: { retryable?: boolean; retryAfter?: number; cause?: unknown });
  readonly code: ErrorCode;
  /** It may pass when tried again. */
  readonly retryable: boolean;
  /** Milliseconds that a provider asked to wait; 0 when it did not say. */
  readonly retryAfter: number;
}

export const codes: readonly ErrorCode[];
export const verbs: readonly (keyof Verbs)[];

/** What an effect function may heed: it is aborted when its answer is no longer waited for. */
export interface Heed {
  signal: AbortSignal;
}

/**
 * Keeps banks: ordered maps of binary keys to binary values, each with a
 * version. Limits are checked before it is asked. Bytes that it is given are not
 * to be kept or changed.
 */
export interface Store {
  /** Values (null: absent) and the version ("" where there is no bank) in one consistent view. */
  get(bank: string, keys: Uint8Array[], how: Heed): Promise<{ values: (Uint8Array | null | undefined)[]; version: string }>;
  /** Entries with the prefix and greater than after, in byte order, at most limit. */
  scan(bank: string, range: { prefix: Uint8Array; after: Uint8Array | null; limit: number }, how: Heed):
    Promise<{ entries: { key: Uint8Array; value: Uint8Array }[]; more: boolean; version: string }>;
  /**
   * Makes all writes (value null deletes) and sets the version if expected is
   * current; otherwise ok is false, version is the one that stands, and nothing
   * is changed. version "" removes the bank.
   */
  commit(bank: string, change: { expected: string; version: string; writes: { key: Uint8Array; value: Uint8Array | null }[] }, how: Heed):
    Promise<{ ok: boolean; version: string }>;
  /** Names greater than after, in the order of their UTF-8 bytes. */
  banks(range: { after: string; limit: number }, how: Heed): Promise<{ banks: string[]; more: boolean }>;
  close?(): Promise<void> | void;
}

/** Completes one prompt; the prompts of one request are asked in parallel. */
export interface LLM {
  (prompt: Prompt, how: Heed & { onText?: (text: string) => void }): Promise<string | CompletionLike> | string | CompletionLike;
  /** The model's name, remembered with what it made. */
  model?: string;
}
export type CompletionLike = Partial<Omit<Completion, 'error'>> & { text: string };

/** Gives one vector for each text; they are brought to unit length. */
export interface Embedder {
  (texts: string[], how: Heed & { purpose: 'document' | 'query' }): Promise<VectorsLike> | VectorsLike;
  model?: string;
}
export type VectorsLike = ArrayLike<number>[] | { model?: string; vectors: ArrayLike<number>[] };

/** Gives the names in each text; start and end are byte offsets in UTF-8. */
export type Tagger = (texts: string[], how: Heed) => Promise<EntityLike[][]> | EntityLike[][];
export type EntityLike = Omit<Entity, 'label'> & { label?: string };

/** How one call is made. */
export interface How {
  signal?: AbortSignal;
  /** Told how far long work has come; when it throws, the call is cancelled. */
  onProgress?: (progress: Progress) => void;
  /** Shown the text of an answer as it arrives, where the llm function streams. */
  onText?: (text: string, prompt: Prompt) => void;
}

export interface Config extends Omit<How, 'signal'> {
  store: Store;
  llm?: LLM;
  embed?: Embedder;
  tag?: Tagger;
  /** Defaults of every request. llm, embedder and tagger follow from the functions above. */
  options?: Options;
  /** The bank of requests that name none: "default". */
  bank?: string;
  /** leanmem-step.wasm, where it is not found beside the package: a module, bytes, a response or an address. */
  wasm?: WebAssembly.Module | BufferSource | Response | URL | string | Promise<WebAssembly.Module | BufferSource | Response>;
  /** The clock; the core has none. */
  now?: () => Date | string;
  /** Prompts of one request at a time: 8. */
  prompts?: number;
  /** Milliseconds that an effect may take, 0 for no limit: llm and embed 120000, tag 60000, store 30000. */
  timeouts?: { llm?: number; embed?: number; tag?: number; store?: number };
  /** Memory of the plugin in bytes past which it is replaced between calls: 256 MB, in workerd 80 MB. */
  recycleBytes?: number;
}

type Plain<V extends keyof Verbs> =
  | Verbs[V][0]
  | (V extends 'add' ? InputSession[] : never)
  | (V extends 'import' ? ExportLine[] : never)
  | (V extends 'get' ? string[] : never)
  | (V extends 'search' | 'answer' ? string : never);
type Lax = 'flush' | 'evolve' | 'list' | 'restore' | 'export' | 'expire' | 'reprocess' | 'reindex' | 'stats' | 'drop' | 'banks';
type Verb<V extends keyof Verbs> = V extends Lax
  ? (request?: Verbs[V][0], how?: How) => Promise<Verbs[V][1]>
  : (request: Plain<V>, how?: How) => Promise<Verbs[V][1]>;
export type BankVerbs = { [V in Exclude<keyof Verbs, 'banks' | 'version'>]: Verb<V> };

/** A memory bound to one bank. */
export interface Bank extends BankVerbs {
  readonly name: string;
  call<V extends keyof Verbs>(verb: V, request?: Verbs[V][0], how?: How): Promise<Verbs[V][1]>;
}
export const Bank: { readonly prototype: Bank };

/** A long-term memory over one store. Calls may overlap. */
export interface LeanMem extends BankVerbs {
  bank(name: string): Bank;
  banks: Verb<'banks'>;
  version(how?: How): Promise<VersionResult>;
  call<V extends keyof Verbs>(verb: V, request?: Verbs[V][0] | BankRequest, how?: How): Promise<Verbs[V][1]>;
  /** Refuses new calls, cancels those under way and closes the store. */
  close(): Promise<void>;
}
export const LeanMem: { readonly prototype: LeanMem; open(config: Config): Promise<LeanMem> };

export function memoryStore(): Store;
export function indexedDBStore(name?: string, more?: { factory?: IDBFactory }): Store;

/** What a key-value store needs of its backend. */
export interface Backend {
  get(name: string): Promise<Uint8Array | ArrayBuffer | null | undefined>;
  put(name: string, bytes: Uint8Array): Promise<unknown>;
  delete(name: string): Promise<unknown>;
  names(prefix: string): AsyncIterable<string> | Iterable<string> | Promise<Iterable<string>>;
  close?(): Promise<void> | void;
}
export function keyValueStore(backend: Backend, more?: { maxValue?: number; exclusive?: boolean }): Store;

/** The part of better-sqlite3, node:sqlite and bun:sqlite that is used. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): { get(...values: any[]): any; all(...values: any[]): any[]; run(...values: any[]): unknown; iterate(...values: any[]): Iterable<any> };
}
export function sqliteStore(db: Database): Store;

export interface EndpointOptions {
  model: string;
  /** With the version, such as https://api.openai.com/v1, the default. */
  baseURL?: string;
  key?: string;
  headers?: Record<string, string>;
  /** Milliseconds of one attempt: 90000. */
  timeout?: number;
  /** Requests at once over all callers: 8. */
  concurrency?: number;
  /** Bytes of a reply: 64 MB. */
  maxBody?: number;
  /** Further attempts: 4. */
  maxRetries?: number;
  /** Milliseconds of all waiting between attempts: 60000. */
  maxWait?: number;
  /** Milliseconds of the first wait: 500. */
  backoff?: number;
  fetch?: typeof fetch;
}
export function openAIModel(options: EndpointOptions & { temperature?: number; extra?: Record<string, unknown> }): LLM;
export function openAIEmbedder(options: EndpointOptions & {
  dimensions?: number; batchTexts?: number; batchTokens?: number; queryPrefix?: string; documentPrefix?: string;
}): Embedder;
