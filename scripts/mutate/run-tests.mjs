/**
 * Runs tests in the current folder, those next to a source file first, and writes which failed.
 *   node scripts/mutate/run-tests.mjs '{ "filters": [], "near": "packages/…/src/….ts", "related": false, "bail": 1, "result": "….json" }'
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, relative } from 'node:path';
import { BaseSequencer, startVitest } from 'vitest/node';

const { filters, near, related, bail, result } = JSON.parse(process.argv[2]);
const TIMEOUT_MS = 30_000;

class NearestFirst extends BaseSequencer {
  async sort(specifications) {
    return specifications
      .map((specification) => ({ specification, rank: rankOf(specification.moduleId) }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ specification }) => specification);
  }
}

/** Lower for tests that import the file or share words of its path, then for short ones. */
function rankOf(test) {
  const name = basename(near, '.ts');
  const imports = readFileSync(test, 'utf8').includes(`/${name}.js'`);
  const words = near.split('/src/')[1].split(/\W+/);
  const shared = words.filter((word) => word.length > 3 && basename(test).includes(word)).length;
  return (imports ? 0 : 100) - 10 * shared + Math.min(9, statSync(test).size / 10_000);
}

const vitest = await startVitest('test', filters, {
  run: true,
  bail,
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  ...(related ? { related: [near] } : {}),
  passWithNoTests: true,
  reporters: ['default'],
  ...(near ? { sequence: { sequencer: NearestFirst } } : {}),
});
const modules = vitest.state.getTestModules();
const failed = modules.flatMap((module) => {
  const file = relative('.', module.moduleId);
  const tests = [...module.children.allTests('failed')].map((test) => ({
    file,
    title: test.fullName,
    message: test.result().errors?.[0]?.message ?? '',
  }));
  const [error] = module.errors();
  return error && tests.length === 0 ? [{ file, title: 'the file itself', message: error.message }] : tests;
});
for (const error of vitest.state.getUnhandledErrors())
  failed.push({ title: 'an error that no test caught', message: String(error.message) });
writeFileSync(result, JSON.stringify({ files: modules.length, failed }));
// A test that failed may have left servers open.
process.exit(0);
