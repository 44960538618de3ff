// A question's evidence, with its token count, and its answer.

import { element } from './element.js';
import { kindBadge, sources } from './browse.js';

/** Asks and draws what came. */
export async function ask(bank, query, budget, hasModel) {
  const begun = performance.now();
  const found = await bank.search({ query, budget });
  const took = performance.now() - begun;
  const answer = hasModel ? await bank.answer({ query, budget }) : null;
  const count = element('p', { class: 'note', id: 'tokens' }, `Evidence: ${found.tokens} tokens of at most ${budget}, ${found.items.length} items, ${took.toFixed(0)} ms, confidence ${found.confidence.toFixed(2)}, planned by ${found.plan.path}.`);
  return element('div', {},
    answer && element('p', { class: 'answer', id: 'answer' }, answer.known ? answer.answer : 'The memory does not hold the answer.'),
    count,
    element('pre', { id: 'evidence', tabindex: '0', 'aria-label': 'Evidence as a model is given it' }, found.evidence || 'There is no evidence.'),
    element('details', {}, element('summary', {}, 'Items and their sources'),
      element('ul', { class: 'memories' }, ...found.items.map((item) => element('li', { class: `memory ${item.kind}${item.current === false ? ' past' : ''}` },
        kindBadge(item.kind), item.speaker ? `${item.speaker}: ${item.text}` : item.text, ' ', element('span', { class: 'when' }, `${item.date} · ${item.score.toFixed(3)}`),
        sources(bank, item.sources))))));
}
