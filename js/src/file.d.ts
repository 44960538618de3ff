import type { Store } from './index.js';

/** Keeps banks in a directory of this machine; one process at a time may hold it. */
export function fileStore(directory: string): Promise<Store>;
