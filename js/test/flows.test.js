import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';

import { Instance } from '../src/instance.js';
import { plugin, root } from './fixtures.js';
import { FlowWorld, outcome, readFlow } from './flows.js';

const start = async () => Instance.start(await plugin(), { recycleBytes: 256 << 20 });
const names = readdirSync(`${root}testdata/flows`).filter((n) => n.endsWith('.txt')).map((n) => n.slice(0, -4));
assert.ok(names.length > 0, 'no transcripts');

for (const name of names) {
  test(`transcript ${name}: cold, every byte`, async () => {
    const world = new FlowWorld();
    for (const call of readFlow(name)) {
      assert.equal(await world.call(await start(), call), call.output, `${call.verb} ${JSON.stringify(call.request).slice(0, 200)}`);
    }
  });

  test(`transcript ${name}: warm, every result`, async () => {
    const world = new FlowWorld();
    const instance = await start();
    for (const call of readFlow(name)) {
      assert.equal(outcome(await world.call(instance, call)), outcome(call.output), call.verb);
    }
  });
}
