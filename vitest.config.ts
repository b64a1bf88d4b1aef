import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slow-first.js';

const inside = (folder: string): readonly string[] => readdirSync(folder).map((name) => `${folder}/${name}`);

/** One project a folder with tests, so that `npx vitest run --project host` runs one of them. */
const projects = [...inside('packages'), ...inside('examples'), 'bench', 'compat', 'scripts']
  .filter((root) => existsSync(join(root, 'test')))
  .map((root) => ({
    extends: true as const,
    root,
    test: { name: root.replace(/^packages\//, ''), include: ['test/**/*.test.ts'] },
  }));

/** As Node resolves; `module` is a bundler's condition and leads to files that Node can't load. */
const conditions = ['@mcp-fittings/source', ...defaultServerConditions.filter((name) => name !== 'module')];

export default defineConfig({
  // Tests run from source, without a build; the processes that they start run what was built.
  ssr: { resolve: { conditions } },
  test: {
    projects,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Many tests wait, for a process to start or for a server to be missed, so that there is room for more than the cores.
    // CI has time, and shows more of each test when fewer compete.
    maxWorkers: availableParallelism() + (process.env['CI'] === 'true' ? 0 : 2),
    sequence: { sequencer: SlowFirst },
  },
});
