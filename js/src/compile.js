import { LeanMemError, describe } from './error.js';

/**
 * Compiles the plugin from whatever holds it: a module, its bytes, a response,
 * or an address that `load` can read.
 */
export async function compileFrom(source, load) {
  if (source instanceof WebAssembly.Module) return source;
  try {
    if (typeof source === 'string' || source instanceof URL) source = await load(source);
    if (typeof Response === 'function' && source instanceof Response) return await compileResponse(source);
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return await WebAssembly.compile(source);
  } catch (e) {
    if (e instanceof LeanMemError) throw e;
    throw new LeanMemError('invalid_argument', `open the plugin: ${e.message}`, { cause: e });
  }
  throw new LeanMemError('invalid_argument', `open: wasm is ${describe(source)}; a WebAssembly.Module, bytes, a Response or an address is wanted`);
}

async function compileResponse(response) {
  if (!response.ok) throw new LeanMemError('invalid_argument', `open the plugin: the server answered ${response.status}`);
  // Compiling while it arrives needs the right type, which many servers do not send.
  const typed = response.headers.get('content-type')?.startsWith('application/wasm');
  return typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
