/** Uses what Node.js, Deno, Bun or a Worker has, and what a browser has instead. Bundles for a browser need no option. */
import type { TracingChannel } from 'node:diagnostics_channel';
import { builtin } from '@mcp-fittings/toolbox/platform';

/** A value that follows the asynchronous work of a program, as an `AsyncLocalStorage` has it. */
export interface AsyncContext<T> {
  run<R>(value: T, work: () => R): R;
  exit<R>(work: () => R): R;
  getStore(): T | undefined;
}

/** Creates a context. In a browser, none follows the work: it never has a value. */
export function createAsyncContext<T>(): AsyncContext<T> {
  const hooks = builtin('node:async_hooks');
  if (hooks !== undefined) return new hooks.AsyncLocalStorage<T>();
  return { run: (_value, work) => work(), exit: (work) => work(), getStore: () => undefined };
}

/** Returns a tracing channel; `undefined` in a browser, where no one can subscribe to it. */
export function tracingChannelOf<T extends object>(name: string): TracingChannel<T> | undefined {
  return builtin('node:diagnostics_channel')?.tracingChannel<T>(name);
}

/** Returns the absolute path of a folder. Only programs that start others have folders. */
export function absolutePath(folder: string): string {
  return builtin('node:path')?.resolve(folder) ?? folder;
}
