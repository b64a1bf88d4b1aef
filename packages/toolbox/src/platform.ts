/**
 * Modules of Node.js where a browser may be instead.
 *
 * @packageDocumentation
 */

/**
 * Returns a module of Node.js, Deno, Bun or a Worker; `undefined` in a browser, also if a bundler has added a `process`. An import would keep a
 * bundle for a browser from being made.
 */
export const builtin: typeof process.getBuiltinModule = (name: string) =>
  typeof process === 'undefined' || !('getBuiltinModule' in process)
    ? undefined
    : process.getBuiltinModule(name);
