import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { build } from 'esbuild';

import { lacks, path } from './fixtures.js';
import { compare, input } from './hosts/expected.js';

test('workerd', async (t) => {
  const miniflare = await import('miniflare').catch(() => null);
  if (lacks(t, 'miniflare', miniflare)) return;
  const { outputFiles } = await build({
    entryPoints: [path('test/hosts/worker.js')], bundle: true, format: 'esm', write: false, conditions: ['workerd'],
    // As wrangler does: the plugin stays a module of its own.
    plugins: [{ name: 'wasm', setup: (b) => b.onResolve({ filter: /\.wasm$/ }, () => ({ path: './leanmem-step.wasm', external: true })) }],
  });
  const host = new miniflare.Miniflare({
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: outputFiles[0].text },
      { type: 'CompiledWasm', path: 'leanmem-step.wasm', contents: readFileSync(path('dist/leanmem-step.wasm')) },
    ],
    compatibilityDate: '2025-06-01',
    durableObjects: { MEMORY: 'Memory' },
    kvNamespaces: ['KV'],
  });
  t.after(() => host.dispose());
  for (const store of ['memory', 'durable', 'kv']) {
    await t.test(`over ${store}`, async (sub) => {
      const response = await host.dispatchFetch(`http://x/${store}`, { method: 'POST', body: JSON.stringify(input) });
      const body = await response.text();
      assert.equal(response.status, 200, body);
      await compare(assert, sub, JSON.parse(body));
    });
  }
});
