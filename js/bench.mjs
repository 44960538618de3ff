// Measures what README.md tells of this host: cold start, the cost of a call,
// and search in a large bank. node bench.mjs [MEMORIES]; with --chromium it
// measures in Chromium.

import { createServer } from 'node:http';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const wanted = Number(process.argv.find((a) => /^\d+$/.test(a)) ?? 10_000);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Runs in Node and, as source text, in a page. */
async function measure({ LeanMem, memoryStore }, memories) {
  const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
  const timed = async (n, work) => {
    const times = [];
    for (let i = 0; i < n; i++) {
      const begun = performance.now();
      await work(i);
      times.push(performance.now() - begun);
    }
    return times;
  };
  const opened = await timed(3, () => LeanMem.open({ store: memoryStore() }));
  const memory = await LeanMem.open({ store: memoryStore() });
  const calls = await timed(500, () => memory.call('version'));
  const things = ['kite', 'ladder', 'violin', 'kettle', 'lantern', 'saddle', 'compass', 'anvil', 'bicycle', 'telescope'];
  const towns = ['Bergen', 'Trieste', 'Graz', 'Leiden', 'Porto', 'Cork', 'Turku', 'Gent', 'Split', 'Riga', 'Lugano'];
  let count = 0;
  const adding = performance.now();
  for (let s = 0; count < memories && s < memories; s++) {
    const turns = Array.from({ length: 24 }, (_, i) => {
      const n = s * 24 + i;
      return { id: `${n}`, speaker: `Person ${n % 97}`, text: `I bought a ${things[n % 10]} number ${n} in ${towns[n % 11]} last week. My neighbour ${n % 89} works as a painter.` };
    });
    await memory.add([{ id: `s${s}`, time: new Date(1.7e12 + s * 86_400_000).toISOString(), turns, close: true }]);
    if (s % 20 === 19) {
      const { counts } = await memory.stats();
      count = counts.profile + counts.event + counts.record;
    }
  }
  const added = performance.now() - adding;
  await memory.search('warm up');
  const searches = await timed(60, (i) => memory.search(`Who bought a ${things[i % 10]} in ${towns[i % 11]}?`));
  return { open: Math.min(...opened), call: median(calls), memories: count, turns: (await memory.stats()).counts.turn, added, p50: median(searches), p95: searches.sort((a, b) => a - b)[Math.floor(searches.length * 0.95)] };
}

async function inChromium() {
  const { chromium } = await import('playwright-core');
  const server = createServer((request, response) => {
    const file = here(`.${new URL(request.url, 'http://x').pathname}`);
    const type = { '.js': 'text/javascript', '.wasm': 'application/wasm' }[extname(file)];
    if (!type || !existsSync(file)) return response.writeHead(200, { 'content-type': 'text/html' }).end('<script type="importmap">{"imports": {"@bjorn3/browser_wasi_shim": "/node_modules/@bjorn3/browser_wasi_shim/dist/index.js"}}</script>');
    createReadStream(file).pipe(response.writeHead(200, { 'content-type': type }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath: process.env.LEANMEM_CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    return await page.evaluate(`(async () => (${measure})(await import('/src/browser.js'), ${wanted}))()`);
  } finally {
    await browser.close();
    server.close();
  }
}

const result = process.argv.includes('--chromium') ? await inChromium() : await measure(await import('./src/node.js'), wanted);
console.log(JSON.stringify({ cpu: cpus()[0].model, wasm: statSync(here('dist/leanmem-step.wasm')).size, ...result }, (_, v) => (typeof v === 'number' ? Math.round(v * 1000) / 1000 : v), 1));
