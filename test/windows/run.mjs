/**
 * `npm run windows [-- arguments of vitest]`: the tests of the platforms on Node.js 22 for Windows, and some of them on 20, under
 * Wine. With `--prepare` it only makes what they need. A missing Wine is a failure.
 */
import { preparedPrefix, runNode } from './wine.mjs';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.platforms.config.ts'];
/** What depends most on Node.js: processes, files and pipes. */
const ON_NODE_20 = ['replace-file', 'process-exit', 'program.test', 'config-editor'];

const given = process.argv.slice(2);
const isOwn = given.some((argument) => !argument.startsWith('-'));
if (given.includes('--prepare')) preparedPrefix();
else {
  process.exitCode = await runNode('22', [...VITEST, ...given]);
  if (process.exitCode === 0 && !isOwn) {
    console.log('\nNode.js 20 for Windows');
    process.exitCode = await runNode('20', [...VITEST, ...ON_NODE_20]);
  }
}
