import { LeanMem, indexedDBStore, memoryStore, openAIModel } from 'leanmem';

import { ask } from './ask.js';
import { browse } from './browse.js';
import { readDialogue } from './dialogue.js';
import { byId, element } from './element.js';
import { sessionFlow } from './flow.js';
import { sample } from './sample.js';

const kinds = ['profile', 'event', 'record', 'turn'];
const wasm = new URL('leanmem-step.wasm', import.meta.url);
let memory;
let bank;
let model = null;
let shown = 'profile';

/** Says what is going on; errors are said in red. */
function say(text, failed = false) {
  byId('state').textContent = text;
  byId('state').className = failed ? 'error' : '';
}

/** Runs an action with its controls disabled and says what went wrong. */
function guarded(action) {
  return async (event) => {
    event?.preventDefault();
    busy(true);
    try {
      await action(event);
    } catch (e) {
      say(e.code ? `${e.message} (${e.code})` : e.message, true);
    } finally {
      busy(false);
    }
  };
}

function busy(on) {
  for (const id of ['remember', 'forget', 'go']) byId(id).disabled = on;
}

/** Opens the memory, anew when the model changes: the store stays. */
async function open() {
  const store = globalThis.indexedDB ? indexedDBStore('leanmem-demo') : memoryStore();
  const previous = memory;
  memory = await LeanMem.open({ store, wasm, ...(model && { llm: model }) });
  await previous?.close();
  bank = memory.bank('demo');
}

async function remember() {
  const sessions = readDialogue(byId('text').value);
  const progress = byId('progress');
  Object.assign(progress, { hidden: false, max: sessions.length, value: 0 });
  const flow = byId('flow');
  flow.replaceChildren();
  let added = 0;
  for (const session of sessions) {
    say(`Remembering session ${session.id}…`);
    const result = await bank.add([session], { onProgress: (p) => say(`Session ${session.id}: ${p.stage} ${p.done} of ${p.total}`) });
    added += result.added;
    flow.append(sessionFlow(session, await memoriesOf(session.id), result));
    if (result.stopped) throw Object.assign(new Error(`The turns are stored, but deriving stopped: ${result.stopped.message}`), { code: result.stopped.code });
    progress.value++;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  progress.hidden = true;
  await refresh();
  say(`${added} new turns are remembered${added === 0 ? ': all of them were known' : ''}.`);
}

async function memoriesOf(session) {
  const { entries } = await bank.list({ filter: { sessions: [session], kinds: ['profile', 'event', 'record'] }, limit: 200 });
  return entries;
}

async function forget() {
  await bank.drop().catch((e) => {
    if (e.code !== 'bank_not_found') throw e;
  });
  byId('flow').replaceChildren(element('p', { class: 'empty' }, 'Nothing yet.'));
  byId('result').replaceChildren();
  await refresh();
  say('Everything is forgotten.');
}

async function refresh() {
  byId('panel').setAttribute('aria-labelledby', `tab-${shown}`);
  byId('panel').replaceChildren(await browse(bank, shown).catch((e) => {
    if (e.code === 'bank_not_found') return element('p', { class: 'empty' }, 'Nothing yet.');
    throw e;
  }));
}

async function answer() {
  const query = byId('question').value.trim();
  if (query === '') throw new Error('Type a question first.');
  byId('result').replaceChildren(await ask(bank, query, Number(byId('budget').value) || 400, model !== null));
  say(' ');
}

async function useModel() {
  const options = { baseURL: byId('url').value.trim(), model: byId('name').value.trim(), ...(byId('key').value && { key: byId('key').value }) };
  model = openAIModel(options);
  await open();
  byId('using').textContent = `Using ${options.model}.`;
  say('The model is used from now on.');
}

async function goWithout() {
  model = null;
  byId('model').reset();
  await open();
  byId('using').textContent = 'No model is used.';
}

function select(kind) {
  shown = kind;
  for (const k of kinds) {
    const tab = byId(`tab-${k}`);
    tab.setAttribute('aria-selected', String(k === kind));
    tab.tabIndex = k === kind ? 0 : -1;
  }
  return refresh();
}

function wire() {
  byId('dialogue').addEventListener('submit', guarded(remember));
  byId('sample').addEventListener('click', () => { byId('text').value = sample; });
  byId('forget').addEventListener('click', guarded(forget));
  byId('ask').addEventListener('submit', guarded(answer));
  byId('model').addEventListener('submit', guarded(useModel));
  byId('without').addEventListener('click', guarded(goWithout));
  byId('file').addEventListener('change', guarded(async ({ target }) => {
    if (target.files[0]) byId('text').value = await target.files[0].text();
    target.value = '';
  }));
  for (const kind of kinds) byId(`tab-${kind}`).addEventListener('click', guarded(() => select(kind)));
  byId('tabs').addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = kinds[(kinds.indexOf(shown) + step + kinds.length) % kinds.length];
    byId(`tab-${next}`).focus();
    guarded(() => select(next))();
  });
}

async function start() {
  wire();
  // Keeps the page's files, so that it opens without a network next time.
  const offline = globalThis.navigator.serviceWorker?.register('sw.js').catch(() => {});
  await open();
  await refresh();
  await offline;
  const { version } = await memory.version();
  say(`leanmem ${version} is ready.`);
}

guarded(start)();
