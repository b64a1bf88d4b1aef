import { configDefaults, defineConfig } from 'vitest/config';
import base, { SYSTEM_TESTS } from './vitest.config.js';

export default defineConfig({
  ...base,
  // Kept apart: the native libraries of a process remember the first session bus that they were shown.
  test: { ...base.test, include: [SYSTEM_TESTS], exclude: configDefaults.exclude, isolate: true },
});
