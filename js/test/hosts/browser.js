// Chromium and a server of this package's files, for tests.

import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

import { executable, lacks, path } from '../fixtures.js';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.jsonl': 'text/plain' };
const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** Serves folders and pages; `isolated` adds the headers of cross-origin isolation. */
export async function serve(t, { folder = path(''), pages = {}, isolated = false } = {}) {
  const server = createServer((request, response) => {
    const pathname = new URL(request.url, 'http://x').pathname.replace(/\/$/, '/index.html');
    const headers = { 'content-type': types[extname(pathname)] ?? 'text/html', ...(isolated && isolation) };
    if (pages[pathname] !== undefined) return response.writeHead(200, headers).end(pages[pathname]);
    const file = join(folder, normalize(pathname));
    if (!existsSync(file)) return response.writeHead(404).end();
    createReadStream(file).pipe(response.writeHead(200, headers));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Starts Chromium, or skips the test. */
export async function chromium(t) {
  const { chromium: engine } = await import('playwright-core').catch(() => ({}));
  const executablePath = process.env.LEANMEM_CHROMIUM ?? executable('chromium', 'chromium-browser', 'google-chrome');
  if (lacks(t, 'Chromium and playwright-core', engine && executablePath)) return null;
  const browser = await engine.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
  t.after(() => browser.close());
  return browser;
}

/** Opens a page, and fails the test with what goes wrong in it. */
export async function visit(browser, url, { context } = {}) {
  const page = await (context ?? browser).newPage();
  page.setDefaultTimeout(120_000); // a busy machine is slow, not wrong
  page.errors = [];
  page.on('pageerror', (e) => page.errors.push(e.message));
  page.on('console', (m) => m.type() === 'error' && page.errors.push(m.text()));
  await page.goto(url);
  return page;
}

const imports = {
  '@bjorn3/browser_wasi_shim': '/node_modules/@bjorn3/browser_wasi_shim/dist/index.js',
  'eventsource-parser/stream': '/node_modules/eventsource-parser/dist/stream.js',
  leanmem: '/src/browser.js',
};

/** A page whose modules find each other without a bundler. */
export const plainPage = `<!doctype html><title>leanmem</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>`;
