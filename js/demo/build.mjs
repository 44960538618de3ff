// Builds the demo page into demo/dist, which any static server can serve; with
// --serve it is one itself.

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

export async function buildDemo() {
  mkdirSync(here('dist'), { recursive: true });
  await build({ entryPoints: [here('demo.js')], bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', outfile: here('dist/demo.js') });
  for (const name of ['index.html', 'demo.css']) cpSync(here(name), here(`dist/${name}`));
  cpSync(here('../dist/leanmem-step.wasm'), here('dist/leanmem-step.wasm'));
  const hash = createHash('sha256');
  for (const name of ['index.html', 'demo.css', 'demo.js', 'leanmem-step.wasm']) hash.update(readFileSync(here(`dist/${name}`)));
  writeFileSync(here('dist/sw.js'), readFileSync(here('sw.js'), 'utf8').replace('HASH', hash.digest('hex').slice(0, 16)));
  return here('dist');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildDemo();
  if (process.argv.includes('--serve')) {
    const server = createServer((request, response) => {
      const name = new URL(request.url, 'http://x').pathname.replace(/^\/$/, '/index.html');
      if (!/^\/[\w.-]+$/.test(name)) return response.writeHead(404).end();
      try {
        const body = readFileSync(here(`dist${name}`));
        return response.writeHead(200, { 'content-type': types[extname(name)] ?? 'text/plain' }).end(body);
      } catch {
        return response.writeHead(404).end();
      }
    });
    server.listen(8080, '127.0.0.1', () => console.log('http://127.0.0.1:8080'));
  }
}
