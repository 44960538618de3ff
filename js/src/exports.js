export { LeanMemError, codes } from './error.js';
export { Bank, verbs } from './leanmem.js';
export { memoryStore } from './stores/memory.js';
export { keyValueStore } from './stores/keyvalue.js';
export { indexedDBStore } from './stores/indexeddb.js';
export { sqliteStore } from './stores/sqlite.js';
export { openAIModel } from './chat.js';
export { openAIEmbedder } from './embeddings.js';
