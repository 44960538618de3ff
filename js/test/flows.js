// Reads and replays the transcripts of testdata/flows; their README.md describes
// the form.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { memoryStore } from 'leanmem';

import { abi } from '../src/drive.js';
import { perform, defaultTimeouts } from '../src/effects.js';
import { root } from './fixtures.js';

/** The calls of a transcript: {verb, brief, request, script, output}. */
export function readFlow(name) {
  const calls = [];
  let defaults = {};
  let script = [];
  let text = null;
  for (const line of readFileSync(`${root}testdata/flows/${name}.txt`, 'utf8').split('\n')) {
    const rest = line.slice(2);
    if (line === '' || line[0] === '#') continue;
    if ('?=<! }'.includes(line[0])) calls.at(-1).output += `${line}\n`;
    else if (line[0] === '@') defaults = JSON.parse(rest);
    else if (line[0] === '%') script.push((text = readScript(rest)));
    else if (line[0] === '|') text.text = text.text === '' ? rest : `${text.text}\n${rest}`;
    else if (line[0] === '>') {
      const [, brief, verb, request] = /^>(>?) *(\S+) *(.*)$/.exec(line);
      calls.push({ verb, brief: brief !== '', request: { ...defaults, ...JSON.parse(request || '{}') }, script, output: '' });
      script = [];
    } else throw new Error(`${name}: a line begins with ${line[0]}`);
  }
  return calls;
}

function readScript(line) {
  const [fields, failure] = line.split(/ error (.*)/s);
  const [op, ...settings] = fields.split(/\s+/).filter(Boolean);
  const s = { op, text: '', after: 0, finish: 'stop', error: failure && JSON.parse(failure) };
  for (const setting of settings) {
    const [key, value] = setting.split('=');
    s[key] = key === 'after' ? Number(value) : value;
  }
  return s;
}

/** Replaces "@…" by turns of a dialogue and "$…" by part of an earlier result. */
function expand(value, results) {
  if (Array.isArray(value)) return value.map((v) => expand(v, results));
  if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, expand(v, results)]));
  if (typeof value !== 'string') return value;
  if (value.startsWith('$')) return value.slice(1).split('.').reduce((at, part) => at[part], results);
  return value.startsWith('@') ? excerpt(value.slice(1)) : value;
}

function excerpt(what) {
  const [, name, run, session] = /^([^/#]+)(?:\/([^#]+))?(?:#(.+))?$/.exec(what);
  const [first, last = first] = (run ?? '').split('..');
  const sessions = [];
  let within = false;
  for (const line of readFileSync(`${root}testdata/dialogues/${name}.jsonl`, 'utf8').trim().split('\n')) {
    const { session: id, ...turn } = JSON.parse(line);
    within ||= turn.id === first;
    if ((run && !within) || (session && id !== session)) continue;
    if (sessions.at(-1)?.id !== id) sessions.push({ id, turns: [], ...(!run && { close: true }) });
    sessions.at(-1).turns.push(turn);
    within &&= turn.id !== last;
  }
  return sessions;
}

/** The world behind a transcript: a store in memory, and models that follow the script. */
export class FlowWorld {
  #world = { store: memoryStore(), timeouts: defaultTimeouts, prompts: 1, embed: lengths, llm: (prompt) => this.#complete(prompt) };
  #script = [];
  #seen = {};
  lines = [];
  results = {};

  /** Performs a call of a transcript on an instance and gives what it makes. */
  async call(instance, { verb, brief, request, script }) {
    this.#script = [...script];
    this.#seen = {};
    this.lines = [];
    try {
      let answer = instance.begin({ abi, verb, request: expand(request, this.results) });
      while (answer.done === undefined) {
        const replies = [];
        for (const r of answer.want) replies.push(await this.#perform(r));
        answer = instance.resume({ flow: answer.flow, replies });
      }
      this.results[verb] = answer.done;
      this.lines.push(`< ${brief ? digest(escaped(JSON.stringify(answer.done))) : escaped(JSON.stringify(answer.done, null, 2))}`);
    } catch (e) {
      if (!e.toWire) throw e;
      this.lines.push(`! ${JSON.stringify(e.toWire())}`);
    }
    if (this.#script.length > 0) throw new Error(`${verb}: the script line for ${this.#script[0].op} was not used`);
    return this.lines.map((l) => `${l}\n`).join('');
  }

  async #perform(request) {
    this.lines.push(...requestLines(request));
    const n = this.#seen[request.op] ?? 0;
    this.#seen[request.op] = n + 1;
    const at = this.#script.findIndex((s) => s.op === request.op && s.error && s.after === n);
    const reply = at >= 0 ? { error: this.#script.splice(at, 1)[0].error } : await perform(this.#world, { signal: new AbortController().signal }, request);
    this.lines.push(...replyLines(request, reply));
    return reply;
  }

  #complete(prompt) {
    const at = this.#script.findIndex((s) => s.op === prompt.stage);
    if (at < 0) throw Object.assign(new Error(`the script has no reply for stage ${prompt.stage}`), { code: 'model_failed' });
    const [s] = this.#script.splice(at, 1);
    if (s.error) throw Object.assign(new Error(s.error.message), s.error);
    return { text: s.text, finish: s.finish };
  }
}

/** Points each text in the direction of its number of bytes modulo 8. */
function lengths(texts) {
  return { model: 'lengths', vectors: texts.map((t) => Array.from({ length: 8 }, (_, i) => (Buffer.byteLength(t) % 8 === i ? 1 : 0))) };
}

function requestLines(r) {
  const bank = r.op !== 'store_banks' && r.bank ? ` bank=${printable(r.bank)}` : '';
  const head = `? ${r.op}${bank}`;
  switch (r.op) {
    case 'store_get': return [`${head}${(r.keys ?? []).map((k) => ` ${printable(k)}`).join('')}`];
    case 'store_scan': return [`${head} prefix=${printable(r.prefix)} after=${printable(r.after)} limit=${r.limit ?? 0}`];
    case 'store_commit': return [`${head} expected=${r.expected || '-'} version=${r.version || '-'}`,
      ...(r.writes ?? []).map((w) => `  ${printable(w.key)} ${w.value === null ? 'deleted' : digest(w.value)}`)];
    case 'store_banks': return [`${head} after=${printable(r.after_bank)} limit=${r.limit ?? 0}`];
    case 'progress': return [`${head} ${r.progress.stage} ${r.progress.done}/${r.progress.total}`];
    case 'embed': return [`${head} ${r.purpose} ${r.texts.length} ${digest(r.texts.join('\0'))}`];
    case 'tag': return [`${head} ${r.texts.length} ${digest(r.texts.join('\0'))}`];
    case 'llm_complete': return [head, ...r.prompts.flatMap((p) => [
      `  ${p.stage} system=${digest(p.system)} schema=${p.schema_name || '-'}:${p.schema ? digest(JSON.stringify(p.schema)) : '-'} max_tokens=${p.max_tokens ?? 0} stream=${p.stream ?? false}`,
      ...textLines(p.user)])];
  }
  return [head];
}

function replyLines(r, reply) {
  if (reply.error) return [`= error ${JSON.stringify(reply.error)}`];
  switch (r.op) {
    case 'store_get': return [`= version=${reply.current || '-'}${reply.values.map((v) => ` ${v === null ? '-' : digest(v)}`).join('')}`];
    case 'store_scan': return [`= version=${reply.current || '-'} more=${reply.more}`, ...reply.entries.map((e) => `  ${printable(e.key)} ${digest(e.value)}`)];
    case 'store_commit': return [`= ${reply.conflict ? 'conflict' : 'ok'} version=${reply.current || '-'}`];
    case 'store_banks': return [`= more=${reply.more}${reply.banks.map((n) => ` ${printable(n)}`).join('')}`];
    case 'embed': return [`= ${reply.vectors.model} ${r.texts.length}×${reply.vectors.dims}`];
    case 'llm_complete': return ['=', ...reply.completions.flatMap((c) => (c.error ? [`  error ${JSON.stringify(c.error)}`] : [`  ${c.finish}`, ...textLines(c.text)]))];
  }
  return ['='];
}

function textLines(text) {
  return text.replace(/\n$/, '').split('\n').map((l) => `  | ${l}`.replace(/ +$/, ''));
}

/** The size of a value and the begin of its SHA-256. */
function digest(value) {
  return `${Buffer.byteLength(value)}:${createHash('sha256').update(value).digest('hex').slice(0, 8)}`;
}

/** Bytes as they are, except blanks, backslashes and controls. */
function printable(value) {
  const text = typeof value === 'string' ? value : new TextDecoder().decode(value ?? new Uint8Array(0));
  return text === '' ? '-' : text.replace(/[\0-\x20\\\x7f]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** JSON as the core writes it: these five are escaped. */
function escaped(json) {
  return json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What remains of an output when it does not matter how much was loaded. */
export function outcome(output) {
  const at = Math.max(output.lastIndexOf('\n< '), output.lastIndexOf('\n! '));
  return at < 0 ? output : output.slice(at + 1);
}
