/** Follows a README from an empty folder: every `npm install` above the first example, word for word, then the example. */
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { addFile, compile, install, installed, node, startProject } from '../project.mjs';

/** What must not be installed with a transport alone. */
const HEAVY = /^(zod|ajv|@modelcontextprotocol\/.+)$/;

/**
 * @param {{ name: string, readme: string, bins?: readonly string[], program?: string }} subject `program` is the Node.js of the reader.
 * @returns {Promise<string>} what the first command brought
 */
export async function followReadme({ name, readme, bins = [], program = process.execPath }, folder, env) {
  const { commands, example, helpers } = readReadme(readFileSync(readme, 'utf8'));
  if (commands.length === 0) throw new Error(`The README of ${name} does not say how to install it.`);
  startProject(folder);
  // What is meant for the whole machine stays in the folder too.
  const machine = join(folder, 'machine');
  const path = [dirname(program), process.env.PATH].join(delimiter);
  const isGlobal = (words) => words.includes('-g');
  let brought;
  for (const words of commands) {
    await install(folder, words, { ...env, PATH: path, npm_config_prefix: machine });
    if (!isGlobal(words)) brought ??= installed(folder);
  }
  const programs = commands.some(isGlobal) ? join(machine, 'bin') : join(folder, 'node_modules/.bin');
  for (const bin of bins) await node(folder, [join(programs, bin), '--help'], program);
  brought ??= [];
  const heavy = brought.filter((one) => HEAVY.test(one.name));
  if (name.startsWith('transport-') && heavy.length > 0) {
    throw new Error(`${name} brings ${heavy.map((one) => one.name).join(', ')}.`);
  }
  if (example !== undefined) {
    addFile(folder, 'example.mts', `export {};\n${example}`);
    for (const { file, code } of helpers) addFile(folder, file, code);
    await compile(folder, ['example.mts']);
    await node(folder, ['out/example.mjs'], program);
  }
  const ours = brought.filter((one) => one.name.startsWith('@mcp-fittings/')).length;
  return `${String(brought.length).padStart(3)} packages, ${ours} of them ours`;
}

function readReadme(text) {
  const start = /```ts\n/.exec(text);
  const above = start === null ? text : text.slice(0, start.index);
  const commands = [...above.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block]) => block.split('\n'))
    .map((line) => /^npm (?:install|i) ([^#]+)/.exec(line)?.[1].trim().split(/\s+/))
    .filter((words) => words !== undefined);
  // Files of the reader's own that the example imports, such as a server to try it with.
  const helpers = [...text.matchAll(/```ts imported file=([\w-]+\.ts)\n([\s\S]*?)```/g)].map(
    ([, file, code]) => ({ file, code }),
  );
  return { commands, example: /```ts\n([\s\S]*?)```/.exec(text)?.[1], helpers };
}
