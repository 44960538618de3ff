// Written from testdata/abi.json by: node types.mjs

/** A moment: a Date, or a string of RFC 3339. */
export type Time = Date | string;
export type Kind = 'profile' | 'event' | 'record' | 'turn';
export type Role = 'peer' | 'user' | 'assistant' | 'tool' | 'system';
export type ErrorCode =
  // the request is not JSON
  | 'invalid_json'
  // a field is missing, of the wrong type or out of range
  | 'invalid_argument'
  | 'unknown_verb'
  // the caller speaks a newer major version
  | 'unsupported_abi'
  | 'bank_not_found'
  // no memory or turn of that id
  | 'not_found'
  // import into a bank that is not empty
  | 'bank_exists'
  // the host does not let the caller touch that bank
  | 'forbidden'
  // other writers won every attempt; nothing was written
  | 'conflict'
  // a value or a request is over its limit
  | 'too_large'
  | 'store_failed'
  | 'store_full'
  // stored bytes do not match their checksum or form
  | 'store_corrupt'
  // the bank was written by a newer release
  | 'format_too_new'
  | 'model_failed'
  | 'model_timeout'
  | 'rate_limited'
  // bad or missing key
  | 'unauthorized'
  // the prompt does not fit the model
  | 'context_length'
  // refusal or content filter
  | 'model_refused'
  | 'embed_failed'
  // the bank was built with another embedder
  | 'embedder_mismatch'
  | 'tag_failed'
  // the caller's own limit of tokens or calls
  | 'limit_reached'
  | 'canceled'
  | 'deadline'
  // too many flows or waiting requests
  | 'busy'
  // never begun, finished, cancelled or expired
  | 'unknown_flow'
  // the host does not supply this effect
  | 'unavailable'
  // a fault of leanmem's own
  | 'internal';

export interface AddRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  sessions: InputSession[];
  expires_at?: Time;
  /** store now, derive at the next write or flush */
  defer?: boolean;
}

export interface AddResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  added: number;
  /** already stored: nothing was done */
  known: number;
  /** deleted earlier and not restored: stay deleted */
  deleted: number;
  /** turns of which memories were made, or seen to need none */
  settled: number;
  /** new memories by kind */
  derived: Record<string, number>;
  /** turns not yet turned into memory, open tails included */
  pending: number;
  /** why deriving stopped early */
  stopped?: ErrorValue;
}

export interface AnswerRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  query: string;
  /** when it is asked; zero: the request's now */
  time?: Time;
  /** tokens of evidence; 0: 2000 */
  budget?: number;
  filter?: Filter;
}

export interface AnswerResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  query: string;
  answer: string;
  /** ids of the evidence items it cites */
  sources: string[];
  /** false: the evidence does not hold the answer */
  known: boolean;
  path: string;
  evidence: Evidence;
  plan: Plan;
}

export interface BanksRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  after?: string;
  limit?: number;
}

export interface BanksResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  banks: string[];
  more: boolean;
}

export interface BankRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
}

export interface DeleteRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  filter: Filter;
  dry_run?: boolean;
}

export interface DeleteResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  dry_run: boolean;
  entries: Entry[];
  turns: number;
  memories: number;
}

export interface Entry {
  id: string;
  kind: Kind;
  text: string;
  subject?: string;
  speaker?: string;
  session?: string;
  date?: string;
  /** the caller's turn ids */
  sources?: string[];
  labels?: Record<string, string>;
  expires_at?: string;
  profile?: Profile;
  event?: Event;
  record?: RecordValue;
  /** of profiles and events: whether it still holds */
  current?: boolean;
  /** the interval in which it held */
  from?: string;
  until?: string;
  /** id of the earlier memory that says the same */
  repeats?: string;
  path?: string;
  parts?: Part[];
  revisions?: Revision[];
}

export interface EvolveRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
}

export interface EvolveResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  relations: Record<string, number>;
  /** still waiting */
  buffered: number;
  stopped?: ErrorValue;
}

export interface ExpireRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
}

export interface ExpireResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  purged: number;
}

export interface ExportHeader {
  /** 1 */
  format: number;
}

export interface ExportLine {
  header?: ExportHeader;
  turn?: Turn;
  memory?: Memory;
  session?: SessionLine;
}

export interface ExportRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  after?: string;
  /** 0: 1000 */
  limit?: number;
}

export interface ExportResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  lines: ExportLine[];
  next?: string;
}

export interface FlushRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  sessions?: string[];
}

export interface GetRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  ids: string[];
}

export interface GetResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  entries: Entry[];
  missing?: string[];
}

export interface HistoryRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  id?: string;
  subject?: string;
  /** or topic words */
  attribute?: string;
}

export interface HistoryResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  entries: Entry[];
}

export interface ImportRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  lines: ExportLine[];
}

export interface ImportResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  turns: number;
  memories: number;
  known: number;
}

export interface InputSession {
  id: string;
  /** when it began */
  time?: string;
  turns: InputTurn[];
  /** nothing more will come: turn all of it into memory */
  close?: boolean;
  labels?: Record<string, string>;
}

export interface InputTurn {
  /** the caller's own id; recommended */
  id?: string;
  /** its place in the session, where there is no id */
  index?: number;
  speaker?: string;
  role?: Role;
  /** any form text.ParseStamp reads; empty: the session's */
  time?: string;
  text?: string;
  parts?: Part[];
  labels?: Record<string, string>;
}

export interface ListRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  filter?: Filter;
  /** "": all; "current", "past" */
  status?: '' | 'current' | 'past';
  /** the Next of the page before */
  after?: string;
  /** 0: 100 */
  limit?: number;
}

export interface ListResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  entries: Entry[];
  next?: string;
  total: number;
}

export interface Outcome {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
}

export interface ReindexRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
}

export interface ReindexResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  embedder: string;
  done: number;
  total: number;
  stopped?: ErrorValue;
}

export interface ReprocessRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  sessions?: string[];
}

export interface RestoreRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  ids?: string[];
  sessions?: string[];
}

export interface RestoreResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  lifted: number;
}

export interface SearchRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  query: string;
  /** when it is asked; zero: the request's now */
  time?: Time;
  /** tokens of evidence; 0: 2000 */
  budget?: number;
  filter?: Filter;
}

export interface SearchResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  query: string;
  evidence: string;
  /** estimated on the safe side */
  tokens: number;
  items: Item[];
  /** in [0,1] that the answer is in the evidence */
  confidence: number;
  /** Confidence reaches the threshold */
  sufficient: boolean;
  plan: Plan;
}

export interface SessionLine {
  name: string;
  next: number;
  derived: number;
  closed: boolean;
  last?: Time;
}

export interface StatsResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  /** turn, profile, event, record, sessions, buffered, pending */
  counts: Record<string, number>;
  embedder: string;
  dims: number;
  blocks: number;
  bytes: number;
  totals: Record<string, Usage>;
  /** dates of the first and last turn */
  first?: string;
  last?: string;
}

export interface UpdateRequest {
  abi?: string;
  bank?: string;
  /** the caller's clock; core has none */
  now?: Time;
  options?: Options;
  id: string;
  /** a profile's value */
  value?: string;
  /** an event's state */
  state?: string;
  /** a record's gist */
  gist?: string;
  labels?: Record<string, string>;
  expires_at?: Time;
}

export interface UpdateResult {
  bank?: string;
  /** of the bank, after the call */
  version?: string;
  paths: Record<string, string>;
  usage: Record<string, Usage>;
  reports?: string[];
  entry: Entry;
}

export interface VersionResult {
  version: string;
  abi: string;
  /** of blocks */
  format: number;
  embedder: string;
  verbs: string[];
  strategies: string[];
}

export interface Completion {
  text: string;
  /** stop, length, content_filter, refusal, … */
  finish?: string;
  prompt_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  /** the provider reported no usage */
  estimated?: boolean;
  error?: ErrorValue;
}

export interface Entity {
  text: string;
  label?: string;
  start: number;
  end: number;
}

export interface ErrorValue {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  /** RetryAfter is how many milliseconds the provider asked to wait; 0 when it did not say. */
  retry_after_ms?: number;
}

export interface Progress {
  stage: string;
  done: number;
  total: number;
}

export interface Prompt {
  /** schedule, event, gist, evolve, plan, answer */
  stage: string;
  system: string;
  user: string;
  /** JSON schema of the reply; nil for free text */
  schema?: unknown;
  schema_name?: string;
  max_tokens?: number;
  /** the host may show the text as it arrives */
  stream?: boolean;
}

export interface Anchor {
  from?: string;
  to?: string;
  phrase?: string;
}

export interface Constraints {
  entities?: string[];
  attributes?: string[];
  times?: Interval[];
  relations?: string[];
}

export interface Demand {
  scope: string;
  /** the answer is a time, or depends on the order of states */
  temporal?: boolean;
  /** details are wanted: records are expanded */
  fidelity?: boolean;
  /** asks for what the assistant said */
  assistant?: boolean;
}

export interface Event {
  subject?: string;
  topic: string;
  anchor?: Anchor;
  state: string;
  /** id of the event that opened it; empty: its own */
  timeline?: string;
  relation?: string;
  /** id of the event that Relation refers to */
  target?: string;
  /** still waits in the event buffer */
  buffered?: boolean;
}

export interface Evidence {
  evidence: string;
  /** estimated on the safe side */
  tokens: number;
  items: Item[];
  /** in [0,1] that the answer is in the evidence */
  confidence: number;
  /** Confidence reaches the threshold */
  sufficient: boolean;
}

export interface Filter {
  ids?: string[];
  kinds?: Kind[];
  subjects?: string[];
  speakers?: string[];
  sessions?: string[];
  /** names or words: everything that mentions all of them */
  about?: string;
  /** said at or after */
  after?: Time;
  /** said before */
  before?: Time;
  /** each must be equal */
  labels?: Record<string, string>;
}

export interface Interval {
  from?: string;
  to?: string;
}

export interface Item {
  id: string;
  kind: Kind;
  text: string;
  /** the caller's turn ids */
  sources: string[];
  /** ISO date it was said or holds from; empty when unknown */
  date: string;
  speaker: string;
  score: number;
  /** of a state: whether it still holds */
  current?: boolean;
  /** of a superseded state: the date it ended */
  until?: string;
  /** of a state: whether it held at the time that the question asks about; absent where it asks about none */
  asked?: boolean;
  /** ISO date on which a user changed its wording */
  corrected?: string;
}

export interface Memory {
  /** MemoryID; the kind's letter + 24 hex digits */
  id: string;
  kind: Kind;
  profile?: Profile;
  event?: Event;
  record?: RecordValue;
  /** ids of every turn it was derived from, in order */
  sources: string[];
  /** of its first source */
  session: string;
  /** when its last source was said */
  time?: Time;
  /** Seq of its last source: orders memories of one time */
  seq?: number;
  labels?: Record<string, string>;
  expires_at?: Time;
  /** of the pipeline that made it */
  fingerprint?: string;
  path?: string;
  /** earlier wordings, oldest first, kept by update */
  revisions?: Revision[];
}

export interface Options {
  /** "" means leanmem */
  strategy?: string;
  /** the host supplies a language model */
  llm?: boolean;
  /** its name, for the fingerprint only */
  model?: string;
  /** the host supplies an entity tagger */
  tagger?: boolean;
  /** "": built in; "none"; "host": ask the host */
  embedder?: '' | 'none' | 'host';
  /** nil or true: schedule and materialise in one batched call; false: the paper's protocol */
  fused?: boolean;
  /** Off switches stages and retrieval terms off, for ablations: the constants Off…. */
  off?: ('filter' | 'segmentation' | 'scheduling' | 'evolution' | 'planning')[];
  /** model calls in one request; 0: no limit */
  max_calls?: number;
  /** model tokens in one request; 0: no limit */
  budget_tokens?: number;
  /** event buffer; 0: 8 */
  buffer_capacity?: number;
  /** a session is closed by a turn of another session said so much later; 0: 60 */
  idle_minutes?: number;
  /** nil: records are expanded when the demand asks */
  expand?: boolean;
}

export interface Part {
  type: 'text' | 'image' | 'tool_call' | 'tool_result';
  text?: string;
  /** of an image */
  caption?: string;
  url?: string;
  /** of a tool */
  name?: string;
  /** arguments or result of a tool, verbatim */
  data?: string;
}

export interface PerKind {
  profile: number;
  event: number;
  record: number;
  turn: number;
}

export interface Plan {
  constraints: Constraints;
  demand: Demand;
  /** of the derived pools, summing to 1; Turn is weighed beside them */
  weights: PerKind;
  depth: PerKind;
  path: string;
  /** whether the rules were sure */
  sure: boolean;
}

export interface Profile {
  /** who the fact is about */
  subject: string;
  /** "occupation", "hobby", "likes", … */
  attribute: string;
  value: string;
  polarity?: string;
  /** the attribute holds one value at a time: a newer one succeeds */
  single?: boolean;
  /** when it began to hold, where that was said ("moved on 3 May"); else it holds from when it was said */
  since?: Anchor;
}

export interface RecordValue {
  gist: string;
  keywords?: string[];
}

export interface Revision {
  text: string;
  until?: Time;
}

export interface Turn {
  /** TurnID; "t" + 24 hex digits */
  id: string;
  /** the caller's session id */
  session: string;
  /** the caller's turn id, quoted back in evidence */
  source?: string;
  /** place within the session, from 0 */
  seq: number;
  speaker: string;
  role?: Role;
  /** with the offset it was said in; zero when unknown */
  time?: Time;
  text: string;
  parts?: Part[];
  /** such as user, agent, run */
  labels?: Record<string, string>;
  /** reads at or after this instant do not see the turn */
  expires_at?: Time;
}

export interface Usage {
  calls: number;
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens?: number;
  /** of Prompt+Completion, how many were estimated, not reported */
  estimated_tokens?: number;
  /** replies given up, where rules took over */
  fallbacks?: number;
}

/** Request and result of each verb. */
export interface Verbs {
  add: [AddRequest, AddResult];
  answer: [AnswerRequest, AnswerResult];
  banks: [BanksRequest, BanksResult];
  delete: [DeleteRequest, DeleteResult];
  drop: [BankRequest, Outcome];
  evolve: [EvolveRequest, EvolveResult];
  expire: [ExpireRequest, ExpireResult];
  export: [ExportRequest, ExportResult];
  flush: [FlushRequest, AddResult];
  get: [GetRequest, GetResult];
  history: [HistoryRequest, HistoryResult];
  import: [ImportRequest, ImportResult];
  list: [ListRequest, ListResult];
  reindex: [ReindexRequest, ReindexResult];
  reprocess: [ReprocessRequest, AddResult];
  restore: [RestoreRequest, RestoreResult];
  search: [SearchRequest, SearchResult];
  stats: [BankRequest, StatsResult];
  update: [UpdateRequest, UpdateResult];
  version: [BankRequest, VersionResult];
}
