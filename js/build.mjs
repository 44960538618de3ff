// Brings the plugin into js/dist: built when Go and the source are here, else
// copied from where ./build.sh build put it.

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = fileURLToPath(new URL('dist/leanmem-step.wasm', import.meta.url));
const beside = `${root}dist/leanmem-step.wasm`;

mkdirSync(fileURLToPath(new URL('dist', import.meta.url)), { recursive: true });

const given = process.env.LEANMEM_WASM;
if (given) copyFileSync(given, built);
else if (existsSync(`${root}plugin`) && spawnSync('go', ['version']).status === 0) compile();
else if (existsSync(beside)) copyFileSync(beside, built);
else if (!existsSync(built)) fail('neither Go nor a built leanmem-step.wasm is here');
console.log(`js/dist/leanmem-step.wasm: ${statSync(built).size} bytes`);

function compile() {
  const args = ['build', '-trimpath', '-buildmode=c-shared', '-ldflags=-s -w', '-tags=step', '-o', built, './plugin'];
  const { status } = spawnSync('go', args, { cwd: root, stdio: 'inherit', env: { ...process.env, GOOS: 'wasip1', GOARCH: 'wasm', CGO_ENABLED: '0' } });
  if (status !== 0) fail('go build failed');
}

function fail(why) {
  console.error(`build the plugin: ${why}`);
  process.exit(1);
}
