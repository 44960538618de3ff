// Profiles, event timelines, records and turns, each with the turns it rests on.

import { element } from './element.js';

const limit = 500;

export function kindBadge(kind) {
  return element('span', { class: `kind ${kind}` }, kind);
}

export function memoryText(m) {
  if (m.profile) return `${m.profile.subject}: ${m.profile.polarity === 'not' ? 'not ' : ''}${m.profile.attribute} – ${m.profile.value}`;
  if (m.event) return m.event.state || m.event.topic;
  return m.text;
}

/** Draws the memories of one kind. */
export async function browse(bank, kind) {
  const { entries, total } = await bank.list({ filter: { kinds: [kind] }, limit });
  if (total === 0) return element('p', { class: 'empty' }, 'Nothing yet.');
  const more = total > entries.length ? [element('p', { class: 'note' }, `The first ${entries.length} of ${total}.`)] : [];
  return element('div', {}, ...more, ...({ profile: profiles, event: timelines, record: list, turn: list })[kind](bank, entries));
}

function grouped(entries, keyOf) {
  const groups = new Map();
  for (const e of entries) {
    const key = keyOf(e);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(e);
  }
  return groups;
}

function profiles(bank, entries) {
  return [...grouped(entries, (e) => e.subject)].flatMap(([subject, ofSubject]) => [
    element('h3', {}, subject || 'Somebody'),
    element('ul', { class: 'memories' }, ...ofSubject.map((e) => entry(bank, e))),
  ]);
}

function timelines(bank, entries) {
  const lines = [...grouped(entries, (e) => e.event.timeline || e.id).values()];
  for (const line of lines) line.sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1));
  return lines.map((line) => element('div', { class: 'timeline' },
    element('h3', {}, [line[0].subject, line[0].event.topic].filter(Boolean).join(' · ')),
    element('ul', { class: 'memories' }, ...line.map((e) => entry(bank, e)))));
}

function list(bank, entries) {
  return [element('ul', { class: 'memories' }, ...entries.map((e) => entry(bank, e)))];
}

function entry(bank, e) {
  const past = e.current === false;
  const interval = e.from ? `${e.from}${past ? ` until ${e.until || '?'}` : e.current ? ' – now' : ''}` : e.date ?? '';
  return element('li', { class: `memory ${e.kind}${past ? ' past' : ''}` },
    kindBadge(e.kind), e.kind === 'turn' ? `${e.speaker}: ${e.text}` : memoryText(e), ' ', element('span', { class: 'when' }, interval),
    e.kind === 'turn' ? null : sources(bank, e.sources ?? []));
}

/** The source turns, read when they are asked for. */
export function sources(bank, ids) {
  const details = element('details', {}, element('summary', {}, `${ids.length} source turn${ids.length === 1 ? '' : 's'}`));
  details.addEventListener('toggle', async () => {
    if (!details.open || details.childElementCount > 1) return;
    const { entries } = await bank.get(ids);
    details.append(...entries.map((t) => element('div', { class: 'said' }, element('b', {}, `${t.speaker}: `), t.text, ' ', element('span', { class: 'when' }, `${t.date ?? ''} ${t.sources?.[0] ?? ''}`))));
  });
  return details;
}
