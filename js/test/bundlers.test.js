import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { build as esbuild } from 'esbuild';

import { lacks, path } from './fixtures.js';
import { chromium, serve, visit } from './hosts/browser.js';
import { compare, input } from './hosts/expected.js';

const mb = 1e6;

/** An empty project with the packed package installed in it. */
let project;
function installed(t) {
  if (project) return project;
  const folder = mkdtempSync(join(tmpdir(), 'leanmem-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], { cwd: path(''), encoding: 'utf8' });
  assert.equal(packed.status, 0, packed.stderr);
  const report = JSON.parse(packed.stdout);
  const [{ filename, files }] = Array.isArray(report) ? report : Object.values(report);
  const size = statSync(join(folder, filename)).size;
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  // The package as npm unpacks it, and its dependencies from here: no registry is asked.
  const target = join(folder, 'node_modules/leanmem');
  mkdirSync(target, { recursive: true });
  assert.equal(spawnSync('tar', ['xzf', join(folder, filename), '-C', target, '--strip-components=1']).status, 0);
  const { dependencies } = JSON.parse(readFileSync(path('package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) cpSync(path(`node_modules/${name}`), join(folder, 'node_modules', name), { recursive: true });
  cpSync(path('test/hosts/trial.js'), join(folder, 'trial.js'));
  writeFileSync(join(folder, 'input.js'), `export default ${JSON.stringify(input)};`);
  project = { folder, size, files: files.map((f) => f.path) };
  return project;
}

test('the package holds what it needs and no more, in 4 MiB', (t) => {
  const { size, files } = installed(t);
  t.diagnostic(`packed: ${(size / mb).toFixed(2)} MB`);
  assert.ok(size <= 4 << 20, `${size} bytes`);
  assert.ok(files.includes('dist/leanmem-step.wasm') && files.includes('src/index.d.ts') && files.includes('README.md') && files.includes('LICENSE'));
  assert.deepEqual(files.filter((f) => !/^(src\/|dist\/leanmem-step.wasm$|package.json$|README.md$|LICENSE$)/.test(f)), []);
});

const program = (open) => `
import { LeanMem, memoryStore } from 'leanmem';
${open.imports ?? ''}
import { trial } from './trial.js';
import input from './input.js';
const result = await trial({ LeanMem, store: memoryStore(), ${open.wasm ? `wasm: ${open.wasm},` : ''} ...input });
globalThis.document ? (globalThis.result = result) : console.log(JSON.stringify(result));
`;

test('installed in an empty project it runs on Node as it is', async (t) => {
  const { folder } = installed(t);
  writeFileSync(join(folder, 'plain.js'), program({}));
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'plain.js')], { encoding: 'utf8', maxBuffer: 64 << 20 });
  assert.equal(status, 0, stderr);
  await compare(assert, t, JSON.parse(stdout));
});

test('the example of README.md runs as it stands there', (t) => {
  const { folder } = installed(t);
  const [, example] = /```js\n([\s\S]*?)```/.exec(readFileSync(path('README.md'), 'utf8'));
  assert.ok(example.trim().split('\n').length <= 11, 'it is longer than ten lines');
  writeFileSync(join(folder, 'example.js'), example);
  const { stdout, stderr, status } = spawnSync(process.execPath, ['example.js'], { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /Lisbon[\s\S]*\(\d+ tokens\)/);
});

test('bundled by esbuild it runs on Node', async (t) => {
  const { folder } = installed(t);
  writeFileSync(join(folder, 'node.js'), program({ imports: "import wasm from 'leanmem/leanmem-step.wasm';", wasm: 'new URL(wasm, import.meta.url)' }));
  await esbuild({ entryPoints: [join(folder, 'node.js')], bundle: true, format: 'esm', platform: 'node', outdir: join(folder, 'out-node'), loader: { '.wasm': 'file' } });
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'out-node/node.js')], { encoding: 'utf8', maxBuffer: 64 << 20 });
  assert.equal(status, 0, stderr);
  await compare(assert, t, JSON.parse(stdout));
});

test('bundled by esbuild it runs in Chromium', async (t) => {
  const browser = await chromium(t);
  if (!browser) return;
  const { folder } = installed(t);
  writeFileSync(join(folder, 'page.js'), program({ imports: "import wasm from 'leanmem/leanmem-step.wasm';", wasm: 'new URL(wasm, import.meta.url)' }));
  await esbuild({ entryPoints: [join(folder, 'page.js')], bundle: true, format: 'esm', platform: 'browser', outdir: join(folder, 'out-page'), loader: { '.wasm': 'file' } });
  await runPage(t, browser, join(folder, 'out-page'), { '/index.html': page('/page.js') });
});

test('bundled by Vite it runs in Chromium, the plugin found by itself', async (t) => {
  const vite = await import('vite').catch(() => null);
  if (lacks(t, 'vite', vite)) return;
  const browser = await chromium(t);
  if (!browser) return;
  const { folder } = installed(t);
  writeFileSync(join(folder, 'vite.js'), program({}));
  writeFileSync(join(folder, 'index.html'), page('/vite.js'));
  await vite.build({ root: folder, logLevel: 'error', configFile: false, build: { outDir: 'out-vite', target: 'es2022' } });
  await runPage(t, browser, join(folder, 'out-vite'), {});
});

function page(script) {
  return `<!doctype html><title>leanmem</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
}

async function runPage(t, browser, folder, pages) {
  const { origin } = await serve(t, { folder, pages });
  const opened = await visit(browser, `${origin}/index.html`);
  await opened.waitForFunction(() => globalThis.result, null, { timeout: 60_000 }).catch((e) => assert.fail(`${e.message}: ${opened.errors}`));
  await compare(assert, t, await opened.evaluate(() => globalThis.result));
}
