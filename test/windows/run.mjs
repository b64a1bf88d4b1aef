/**
 * `npm run windows [-- arguments of vitest]`: the tests of the platforms on Node.js 22 and 20 for Windows, under Wine; `--node=20` is
 * one of them. With `--prepare` it only makes what they need. A missing Wine is a failure.
 */
import { preparedPrefix, runNode } from './wine.mjs';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.platforms.config.ts'];

const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--node='));
const versions = ['22', '20'].filter((version) => {
  const asked = process.argv.find((argument) => argument.startsWith('--node='));
  return asked === undefined || asked === `--node=${version}`;
});
if (given.includes('--prepare')) preparedPrefix();
else {
  for (const version of versions) {
    console.log(`\nNode.js ${version} for Windows`);
    process.exitCode ||= await runNode(version, [...VITEST, ...given]);
  }
}
