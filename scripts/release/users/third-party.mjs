/** The author of a transport, who has client-core, toolbox and testkit only: writes one, and runs the suite under `node --test`. */
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { addFile, compile, install, installed, node, startProject } from '../project.mjs';

export async function writeTransport(example, folder, env) {
  startProject(folder);
  await install(folder, ['@mcp-fittings/client-core', '@mcp-fittings/toolbox'], env);
  await install(folder, ['--save-dev', '@mcp-fittings/testkit'], env);
  const names = installed(folder).map(({ name }) => name);
  if (names.length !== 3) throw new Error(`An author gets ${names.join(', ')}.`);

  cpSync(join(example, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(example, 'test/support'), join(folder, 'test/support'), { recursive: true });
  const suite = readFileSync(join(example, 'test/contract.test.ts'), 'utf8');
  addFile(folder, 'test/contract.test.ts', suite.replace("from 'vitest'", "from 'node:test'"));
  const sources = readdirSync(join(folder, 'src')).map((file) => `src/${file}`);
  await compile(folder, [...sources, 'test/contract.test.ts']);
  const report = await node(folder, ['--test', '--test-reporter=tap', 'out/test/contract.test.js']);
  const passed = Number(/^# pass (\d+)$/m.exec(report)?.[1] ?? 0);
  if (passed < 40 || !/^# fail 0$/m.test(report)) throw new Error(`The suite did not pass.\n${report}`);
  return `${names.length} packages, ${passed} cases of the suite passed`;
}
