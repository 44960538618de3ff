// Messages of providers, fit to be shown: a server that echoes a prompt does not
// put it into a log.

/** How long a shared run of characters counts as a quotation. */
const quoted = 8;
/** Texts below this length are not masked: it would make every message unreadable. */
const shortest = 4;
const longest = 300;

/** Gives a message that is short, on one line, and quotes none of the texts. */
export function redact(message, texts) {
  let out = message.split(/\s+/).filter(Boolean).join(' ');
  if (out.length > longest) out = `${out.slice(0, longest)}…`;
  const mask = new Array(out.length).fill(false);
  for (const text of texts) maskQuotes(mask, out, text.split(/\s+/).filter(Boolean).join(' '));
  let shown = '';
  for (let i = 0; i < out.length; i++) {
    if (!mask[i]) shown += out[i];
    else if (i === 0 || !mask[i - 1]) shown += '…';
  }
  return shown;
}

function maskQuotes(mask, message, text) {
  if (text.length < shortest) return;
  const n = Math.min(quoted, text.length);
  for (let i = 0; i + n <= message.length; i++) {
    if (text.includes(message.slice(i, i + n))) mask.fill(true, i, i + n);
  }
}
