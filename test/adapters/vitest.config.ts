import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

/** Ours from source, as in the root; the frameworks as they are installed here. */
const conditions = ['@mcp-fittings/source', ...defaultServerConditions.filter((name) => name !== 'module')];

export default defineConfig({
  root: import.meta.dirname,
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
