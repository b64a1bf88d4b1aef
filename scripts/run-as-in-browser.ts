import { createContext, runInContext } from 'node:vm';
import { rolldown } from 'rolldown';

/** What browsers and Workers have besides the language. */
// prettier-ignore
const WEB = [
  'AbortController', 'AbortSignal', 'atob', 'btoa', 'clearTimeout', 'crypto', 'CryptoKey', 'fetch', 'Headers', 'performance',
  'queueMicrotask', 'ReadableStream', 'Request', 'Response', 'setTimeout', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams',
] as const;

/** Of the language, and the same as those that the platform hands over. */
const SHARED = ['ArrayBuffer', 'Uint8Array'] as const;

/** Resolves with the exports of an entry point where there is nothing but the language and the web, and no `eval`. */
export async function runAsInBrowser(entryPoint: string) {
  const web = Object.fromEntries([...WEB, ...SHARED].map((name) => [name, Reflect.get(globalThis, name)]));
  const context = createContext({ ...web }, { codeGeneration: { strings: false, wasm: false } });
  return runInContext(`${await bundleForBrowser(entryPoint)}; bundled`, context);
}

/** Bundles an entry point for a browser. Rejects if it imports what a browser does not have. */
async function bundleForBrowser(entryPoint: string): Promise<string> {
  const built = await rolldown({
    input: 'bundled',
    platform: 'browser',
    transform: { target: 'es2022' },
    resolve: { conditionNames: ['@mcp-fittings/source', 'import'] },
    onLog(_level, { code, message }) {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
    plugins: [
      {
        name: 'bundled',
        resolveId: (id) => (id === 'bundled' ? id : undefined),
        load: (id) => (id === 'bundled' ? `export * from '${entryPoint}';` : undefined),
      },
    ],
  });
  const { output } = await built.generate({ format: 'iife', name: 'bundled' });
  await built.close();
  const [{ code, imports, dynamicImports }, ...chunks] = output;
  const others = [...imports, ...dynamicImports, ...chunks.map(({ fileName }) => fileName)];
  if (others.length > 0) throw new Error(`The bundle of ${entryPoint} needs ${others.join(', ')}.`);
  return code;
}
