import { configDefaults, defineConfig } from 'vitest/config';
import base, { SYSTEM_TESTS, PROGRAM_TESTS } from '../vitest.config.js';

/** `npm run test:programs`: what starts our programs or a compiler, which takes half of the time of all tests. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [PROGRAM_TESTS],
    exclude: [...configDefaults.exclude, SYSTEM_TESTS],
    // A compiler takes ten seconds on a quiet machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
