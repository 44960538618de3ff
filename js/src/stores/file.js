// Banks as files in a directory of this machine, over the key-value store: a
// rename is the commit, and everything is synchronised before and after it.

import { readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { LeanMemError } from '../error.js';
import { KeyValueStore } from './keyvalue.js';

const opened = new Map(); // real path → {backend, users}

/**
 * Keeps banks in a directory, which is made when it is missing. One process at
 * a time may hold it; within a process it may be opened often.
 */
export async function fileStore(directory) {
  await mkdir(directory, { recursive: true });
  const path = await realpath(directory);
  let entry = opened.get(path);
  if (!entry) {
    entry = { users: 0, backend: claim(path) };
    opened.set(path, entry);
    entry.backend.catch(() => opened.delete(path));
  }
  entry.users++;
  return new FileStore(await entry.backend, () => (--entry.users === 0 ? release(path) : undefined));
}

class FileStore extends KeyValueStore {
  #release;

  constructor(backend, release) {
    super(backend, { maxValue: Infinity, exclusive: true });
    this.#release = release;
  }

  async close() {
    const release = this.#release;
    this.#release = () => {};
    await release();
  }
}

async function claim(path) {
  const lock = join(path, 'lock');
  const own = `${process.pid} ${startOf(process.pid)}`;
  for (let n = 0; n < 3; n++) {
    try {
      const file = await open(lock, 'wx');
      await file.writeFile(own);
      await file.close();
      await sweep(path);
      return new Files(path);
    } catch (e) {
      if (e.code !== 'EEXIST') throw new LeanMemError('store_failed', `open the directory of a file store: ${e.code}`, { cause: e });
    }
    const holder = await readFile(lock, 'utf8').catch(() => '');
    if (isAlive(holder)) break;
    await rm(lock, { force: true });
  }
  throw new LeanMemError('store_failed', 'open the directory of a file store: another process holds it', { retryable: true });
}

async function release(path) {
  opened.delete(path);
  await rm(join(path, 'lock'), { force: true });
}

/** A process number is given again after a while, so its start counts as well where it can be told. */
function isAlive(holder) {
  const [pid, start] = holder.split(' ');
  if (!/^\d+$/.test(pid ?? '')) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (e) {
    if (e.code !== 'EPERM') return false;
  }
  return start === startOf(pid);
}

function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return '-';
  }
}

/** Deletes the half-written files of a killed process, and values of banks without a root. */
async function sweep(path) {
  await mkdir(join(path, 'root'), { recursive: true });
  await mkdir(join(path, 'data'), { recursive: true });
  const roots = new Set(await readdir(join(path, 'root')));
  for (const name of roots) if (name.endsWith('.part')) await rm(join(path, 'root', name), { force: true });
  for (const bank of await readdir(join(path, 'data'))) {
    if (!roots.has(bank)) await rm(join(path, 'data', bank), { recursive: true, force: true });
  }
}

/** The backend: a file for each name. */
class Files {
  #path;

  constructor(path) {
    this.#path = path;
  }

  async get(name) {
    try {
      return await readFile(join(this.#path, name));
    } catch (e) {
      if (e.code === 'ENOENT') return null;
      throw e;
    }
  }

  async put(name, bytes) {
    const path = join(this.#path, name);
    const part = `${path}.part`;
    const write = async () => {
      const file = await open(part, 'w');
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    };
    await write().catch(async (e) => {
      if (e.code !== 'ENOENT') throw e;
      await mkdir(dirname(path), { recursive: true });
      await write();
    });
    await rename(part, path);
    await syncDirectory(dirname(path));
  }

  async delete(name) {
    await unlink(join(this.#path, name)).catch((e) => {
      if (e.code !== 'ENOENT') throw e;
    });
  }

  async names(prefix) {
    const folder = prefix.slice(0, prefix.lastIndexOf('/'));
    const names = await readdir(join(this.#path, folder)).catch((e) => {
      if (e.code === 'ENOENT') return [];
      throw e;
    });
    return names.map((n) => `${folder}/${n}`).filter((n) => n.startsWith(prefix) && !(folder === 'root' && n.endsWith('.part')));
  }
}

/** A rename lasts once its directory is written; Windows knows no such thing. */
async function syncDirectory(path) {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
