import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { executable, lacks, path } from './fixtures.js';
import { compare, input } from './hosts/expected.js';

const runtimes = { Deno: ['deno', ['run', '--no-prompt', '--allow-read', '--allow-write', '--allow-sys', '--allow-env', '--allow-run']], Bun: ['bun', ['run']] };

for (const [name, [program, args]] of Object.entries(runtimes)) {
  test(name, async (t) => {
    const found = executable(program);
    if (lacks(t, name, found && spawnSync(found, ['--version']).status === 0)) return;
    const folder = mkdtempSync(join(tmpdir(), 'leanmem-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const { stdout, stderr, status } = spawnSync(found, [...args, path('test/hosts/runtime.js')], { cwd: path(''), input: JSON.stringify({ input, folder }), encoding: 'utf8', maxBuffer: 64 << 20 });
    assert.equal(status, 0, stderr);
    for (const [store, result] of Object.entries(JSON.parse(stdout))) {
      await t.test(`over ${store}`, (sub) => compare(assert, sub, result));
    }
  });
}
