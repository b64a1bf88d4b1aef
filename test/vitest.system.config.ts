import { configDefaults, defineConfig } from 'vitest/config';
import { OWN_CRASH } from '../packages/store-keychain/test/support/secret-service.js';
import base, { SYSTEM_TESTS } from '../vitest.config.js';

export default defineConfig({
  ...base,
  // Kept apart: the native libraries of a process remember the first session bus that they were shown.
  test: {
    ...base.test,
    include: [SYSTEM_TESTS],
    exclude: configDefaults.exclude,
    isolate: true,
    // What a test shows in which the keyring's daemon crashed by its own defect does not count.
    retry: { count: 2, condition: new RegExp(`^${OWN_CRASH}$`) },
  },
});
