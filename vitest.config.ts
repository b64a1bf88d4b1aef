import { availableParallelism } from 'node:os';
import { defaultServerConditions } from 'vite';
import { configDefaults, defineConfig } from 'vitest/config';

/** As Node resolves; `module` is a bundler's condition and leads to files that Node can't load. */
const conditions = ['@mcp-fittings/source', ...defaultServerConditions.filter((name) => name !== 'module')];
const FOLDERS = '{packages/*,examples/*,bench,test/compat}/test';
/** Tests that run our programs, the programs of pages, or a compiler. `npm run test:programs` runs them. */
export const PROGRAM_TESTS = `${FOLDERS}/**/*.program.test.ts`;
/** Tests that talk to programs of the system: a keyring, a browser, Redis. `npm run test:system` runs them. */
export const SYSTEM_TESTS = `${FOLDERS}/**/*.system.test.ts`;

export default defineConfig({
  // Tests run from source, without a build; the processes that they start run what was built.
  ssr: { resolve: { conditions } },
  // All in one project: what many of them import is compiled once.
  test: {
    include: [`${FOLDERS}/**/*.test.ts`],
    exclude: [...configDefaults.exclude, PROGRAM_TESTS, SYSTEM_TESTS],
    // Only what hangs takes that long: a busy machine is twenty times as slow as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The default of a second is short for a process that starts on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // In CI as at a desk: a test that depends on what another file left behind fails in both.
    isolate: false,
    // Many tests wait, for a process to start or for a server to be missed, so that there is room for one more than the cores;
    // with two more they all take longer.
    maxWorkers: availableParallelism() + 1,
  },
});
