// The trial in Deno and Bun; the input comes on standard input.

import { readFileSync } from 'node:fs';

import { LeanMem, memoryStore, sqliteStore } from 'leanmem';
import { fileStore } from 'leanmem/file';

import { trial } from './trial.js';

const { input, folder } = JSON.parse(readFileSync(0, 'utf8'));
const results = { memory: await trial({ LeanMem, store: memoryStore(), ...input }) };
const files = await fileStore(`${folder}/files`);
results.file = await trial({ LeanMem, store: files, ...input });
await files.close();
const db = globalThis.Bun ? new (await import('bun:sqlite')).Database(':memory:') : new (await import('node:sqlite')).DatabaseSync(':memory:');
results.sqlite = await trial({ LeanMem, store: sqliteStore(db), ...input });
console.log(JSON.stringify(results));
