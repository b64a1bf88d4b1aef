/**
 * `npm run adapters`: the adapters with the frameworks that are installed here. Compiles all with each supported TypeScript, then
 * runs the suite, the examples and the code of the READMEs. On a Node.js that the newest frameworks do not support, uses Node.js 22.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (file) => fileURLToPath(new URL(file, import.meta.url));
const isSupported = Number(process.versions.node.split('.')[0]) >= 22;
const node = isSupported ? process.execPath : path('node_modules/node-22/bin/node');

for (const [program, ...args] of [
  ['typescript/bin/tsc', '-p', path('tsconfig.json')],
  ['typescript-5.9/bin/tsc', '-p', path('tsconfig.json')],
  ['vitest/vitest.mjs', 'run', '--config', path('vitest.config.ts'), ...process.argv.slice(2)],
]) {
  const { status } = spawnSync(node, [path(`../../node_modules/${program}`), ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
