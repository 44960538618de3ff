// Shows what became of a session, read back from what its memories cite.

import { element } from './element.js';
import { kindBadge, memoryText } from './browse.js';

/** Draws one session: its turns in their segments, and the memories made of them. */
export function sessionFlow(session, memories, result) {
  const cited = new Set(memories.flatMap((m) => m.sources ?? []));
  const aside = session.turns.filter((t) => !cited.has(t.id));
  const title = [session.id, session.turns[0]?.time].filter(Boolean).join(' · ');
  return element('div', { class: 'session' },
    element('h3', {}, title),
    element('p', { class: 'note' }, summary(session, aside, memories, result)),
    element('div', { class: 'stages' },
      element('div', {}, element('h4', {}, 'Filter and segments'), ...segmentsOf(session, memories).map(drawSegment(cited))),
      element('div', {}, element('h4', {}, 'Memories'), element('ul', { class: 'memories' }, ...memories.map(drawMemory)))));
}

function summary(session, aside, memories, result) {
  const number = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const count = (kind) => number(memories.filter((m) => m.kind === kind).length, kind);
  const path = Object.values(result.paths ?? {}).includes('llm') ? 'with the model' : 'by rules';
  return `${number(session.turns.length, 'turn')} stored → filter: ${aside.length} set aside → ${number(segmentsOf(session, memories).length, 'segment')} → routed ${path}: ${count('profile')}, ${count('event')}, ${count('record')}`;
}

/** Runs of turns that one record points at, or that no record does. */
function segmentsOf(session, memories) {
  const records = memories.filter((m) => m.kind === 'record');
  const segments = [];
  for (const turn of session.turns) {
    const key = records.findIndex((r) => r.sources?.includes(turn.id));
    if (segments.length === 0 || segments.at(-1).key !== key) segments.push({ key, turns: [], routes: new Set() });
    segments.at(-1).turns.push(turn);
    for (const m of memories) if (m.sources?.includes(turn.id)) segments.at(-1).routes.add(m.kind);
  }
  return segments;
}

function drawSegment(cited) {
  return ({ turns, routes }) => element('div', { class: 'segment' },
    element('div', {}, ...(routes.size > 0 ? [...routes].map(kindBadge) : [kindBadge('turn')])),
    element('ol', {}, ...turns.map((t) => element('li', { class: cited.has(t.id) ? 'said' : 'said aside' }, element('b', {}, `${t.speaker}: `), t.text))));
}

function drawMemory(m) {
  return element('li', { class: `memory ${m.kind}` }, kindBadge(m.kind), memoryText(m));
}
