// Writes src/verbs.d.ts from testdata/abi.json, which is itself held against the
// engine's code by a test. Run with --check it only compares.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const schema = JSON.parse(readFileSync(new URL('../testdata/abi.json', import.meta.url), 'utf8'));
const target = fileURLToPath(new URL('src/verbs.d.ts', import.meta.url));

/** Fields that the host fills in when a request leaves them out. */
const filled = new Set(['abi', 'bank', 'now']);

const choices = {
  'mem.Turn.role': 'Role', 'core.InputTurn.role': 'Role', 'mem.Part.type': "'text' | 'image' | 'tool_call' | 'tool_result'",
  'core.Entry.kind': 'Kind', 'mem.Item.kind': 'Kind', 'mem.Memory.kind': 'Kind', 'mem.Filter.kinds': 'Kind[]', 'effect.Error.code': 'ErrorCode',
  'core.ListRequest.status': "'' | 'current' | 'past'", 'mem.Options.embedder': "'' | 'none' | 'host'",
  'mem.Options.off': "('filter' | 'segmentation' | 'scheduling' | 'evolution' | 'planning')[]",
};

function nameOf(type) {
  const name = type.split('.').at(-1);
  return name.startsWith('PerKind') ? 'PerKind' : name.replace(/^Error$/, 'ErrorValue').replace(/^Record$/, 'RecordValue').replace(/^Call$/, 'BankRequest');
}

function typeOf(type, asked) {
  if (type.endsWith('[]')) return `${typeOf(type.slice(0, -2), asked)}[]`;
  if (type.startsWith('map of ')) return `Record<string, ${typeOf(type.slice('map of '.length), asked)}>`;
  if (type === 'integer') return 'number';
  if (type === 'any') return 'unknown';
  if (type === 'RFC 3339 time') return asked ? 'Time' : 'string';
  return type.includes('.') ? nameOf(type) : type;
}

const wanted = new Set();
const asked = new Set();

function want(type, isAsked) {
  const bare = type.replace(/^map of /, '').replace(/(\[\])+$/, '');
  if (!bare.includes('.') || (wanted.has(bare) && (asked.has(bare) || !isAsked))) return;
  wanted.add(bare);
  if (isAsked) asked.add(bare);
  for (const f of schema.types[bare]) want(f.type, isAsked);
}

for (const { request, result } of Object.values(schema.verbs)) {
  want(request, true);
  want(result, false);
}
for (const type of ['effect.Prompt', 'effect.Completion', 'effect.Entity', 'effect.Progress']) want(type, false);

function declare(type) {
  const isRequest = type.endsWith('Request') || type === 'core.Call';
  const lines = schema.types[type].map((f) => {
    const optional = f.optional || (isRequest && filled.has(f.name)) ? '?' : '';
    const about = f.about ? `  /** ${f.about} */\n` : '';
    return `${about}  ${f.name}${optional}: ${choices[`${type}.${f.name}`] ?? typeOf(f.type, asked.has(type))};`;
  });
  return `export interface ${nameOf(type)} {\n${lines.join('\n')}\n}`;
}

const once = new Map();
for (const type of [...wanted].sort()) if (!once.has(nameOf(type))) once.set(nameOf(type), declare(type));
const codes = schema.errors.map((e) => `${e.means ? `  // ${e.means}\n` : ''}  | '${e.code}'`);
const text = `// Written from testdata/abi.json by: node types.mjs

/** A moment: a Date, or a string of RFC 3339. */
export type Time = Date | string;
export type Kind = 'profile' | 'event' | 'record' | 'turn';
export type Role = 'peer' | 'user' | 'assistant' | 'tool' | 'system';
export type ErrorCode =
${codes.join('\n')};

${[...once.values()].join('\n\n')}

/** Request and result of each verb. */
export interface Verbs {
${Object.entries(schema.verbs).map(([verb, v]) => `  ${verb}: [${nameOf(v.request)}, ${nameOf(v.result)}];`).join('\n')}
}
`;

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) {
  console.error('src/verbs.d.ts is not what testdata/abi.json says: run node types.mjs');
  process.exit(1);
}
