/**
 * Runs tests in the current folder, those next to a source file first, and writes which failed.
 *   node scripts/mutate/run-tests.mjs '{ "filters": [], "near": "packages/…/src/….ts", "related": false, "bail": true, "result": "….json" }'
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

/** Ends at a failure. A time-out may be the machine's fault: the tests after it are run too, in case one says more. */
const ENDS_AT_FAILURE = {
  onTestCaseResult(test) {
    const { state, errors } = test.result();
    if (bail && state === 'failed' && !isTimeout(errors)) end(failuresOf([test.module]));
  },
};

const vitest = await startVitest('test', filters, {
  run: true,
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  ...(related ? { related: [near] } : {}),
  passWithNoTests: true,
  reporters: ['default', ENDS_AT_FAILURE],
  ...(near ? { sequence: { sequencer: NearestFirst } } : {}),
});
const uncaught = vitest.state.getUnhandledErrors().map(({ message }) => ({
  title: `an error that no test caught: ${message}`,
  timedOut: false,
}));
end([...failuresOf(vitest.state.getTestModules()), ...uncaught]);

function failuresOf(modules) {
  return modules.flatMap((module) => {
    const tests = [...module.children.allTests('failed')].map((test) => [
      test.fullName,
      test.result().errors,
    ]);
    const suites = [...module.children.allSuites()].map((suite) => [suite.fullName, suite.errors()]);
    return [...tests, ...suites, ['the file itself', module.errors()]]
      .filter(([, errors]) => errors.length > 0)
      .map(([title, errors]) => ({
        file: relative('.', module.moduleId),
        title,
        timedOut: isTimeout(errors),
      }));
  });
}

function isTimeout(errors) {
  return errors.every(({ message }) => /timed out in \d+ms/.test(message));
}

/** Ends at once: a test that failed may have left workers and servers, which the caller ends. */
function end(failed) {
  failed.sort((a, b) => Number(a.timedOut) - Number(b.timedOut));
  writeFileSync(result, JSON.stringify({ failed }));
  process.exit(0);
}
