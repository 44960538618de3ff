// The wire form of a message is
//
//   uint32 (little endian) length of the header ‖ header (JSON) ‖ raw bytes
//
// Whatever is binary stands in the raw bytes and is named in the header by the
// span [offset, length]; [-1, 0] is no value.

import { LeanMemError } from './error.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const absent = [-1, 0];

export const utf8 = (text) => encoder.encode(text);

/** Gathers raw bytes and hands out their spans. */
class Body {
  chunks = [];
  size = 0;

  put(bytes) {
    if (bytes == null) return absent;
    const span = [this.size, bytes.byteLength];
    this.chunks.push(bytes);
    this.size += bytes.byteLength;
    return span;
  }
}

/** Joins a header and raw bytes to a message. */
function seal(header, body) {
  const head = encoder.encode(JSON.stringify(header));
  const message = new Uint8Array(4 + head.length + body.size);
  new DataView(message.buffer).setUint32(0, head.length, true);
  message.set(head, 4);
  let at = 4 + head.length;
  for (const chunk of body.chunks) {
    message.set(chunk, at);
    at += chunk.byteLength;
  }
  return message;
}

/** Splits a message into its header and raw bytes, which alias it. */
function open(message) {
  if (message.length < 4) throw malformed(`${message.length} bytes are too short for a header length`);
  const size = new DataView(message.buffer, message.byteOffset).getUint32(0, true);
  if (size > message.length - 4) throw malformed(`a header of ${size} bytes in a message of ${message.length}`);
  let header;
  try {
    header = JSON.parse(decoder.decode(message.subarray(4, 4 + size)));
  } catch {
    throw new LeanMemError('invalid_json', 'decode message: the header is not JSON');
  }
  if (header === null || typeof header !== 'object') throw malformed('the header is no object');
  return { header, raw: message.subarray(4 + size) };
}

function malformed(what) {
  return new LeanMemError('invalid_argument', `decode message: ${what}`);
}

function take(raw, span) {
  if (!Array.isArray(span) || span.length !== 2 || !span.every(Number.isSafeInteger)) throw malformed('a span is not two integers');
  const [at, size] = span;
  if (at === -1 && size === 0) return null;
  if (at < 0 || size < 0 || at + size > raw.length) throw malformed(`span [${at}, ${size}] lies outside the ${raw.length} raw bytes`);
  return raw.subarray(at, at + size);
}

/** Encodes what a host says: begin, resume or cancel. */
export function encodeStep({ replies, ...header }) {
  const body = new Body();
  if (replies) header.replies = replies.map((r) => packReply(body, r));
  return seal(header, body);
}

/** Decodes what the plugin answers: the effects it wants, or the verb's result. */
export function decodeAnswer(message) {
  const { header, raw } = open(message);
  return { flow: header.flow, want: (header.want ?? []).map((r) => unpackRequest(raw, r)), done: header.done };
}

function unpackRequest(raw, h) {
  const r = { ...h };
  if (h.keys) r.keys = h.keys.map((s) => take(raw, s));
  if (h.prefix) r.prefix = take(raw, h.prefix);
  if (h.after) r.after = take(raw, h.after);
  if (h.writes) r.writes = h.writes.map((w) => ({ key: take(raw, w.key), value: w.value ? take(raw, w.value) : null }));
  return r;
}

function packReply(body, r) {
  const h = { ...r };
  if (r.values) h.values = r.values.map((v) => body.put(v));
  if (r.entries) h.entries = r.entries.map((e) => ({ key: body.put(e.key), value: body.put(e.value) }));
  if (r.vectors) h.vectors = { model: r.vectors.model, dims: r.vectors.dims, data: body.put(littleEndian(r.vectors.data)) };
  return h;
}

const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function littleEndian(floats) {
  if (hostIsLittle) return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
  const view = new DataView(new ArrayBuffer(floats.byteLength));
  floats.forEach((f, i) => view.setFloat32(4 * i, f, true));
  return new Uint8Array(view.buffer);
}
