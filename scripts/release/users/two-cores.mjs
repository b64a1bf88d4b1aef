/** An old and a new client-core in one program: a plugin of last year in the host of today. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addFile, install, installed, node, startProject } from '../project.mjs';

const CORE = '@mcp-fittings/client-core';

export async function meetTwoCores({ before, host }, folder, env) {
  startProject(folder);
  await install(folder, ['--save-exact', `${CORE}@${before}`], env);
  await install(folder, [`@mcp-fittings/host@${host}`, '@modelcontextprotocol/sdk'], env);
  const cores = installed(folder).filter(({ name }) => name === CORE);
  const versions = new Set(cores.map(({ version }) => version));
  if (versions.size < 2) throw new Error(`There is one core only: ${[...versions].join(', ')}.`);
  addFile(folder, 'program.mjs', readFileSync(join(import.meta.dirname, 'two-cores-program.mjs'), 'utf8'));
  await node(folder, ['program.mjs']);
  return `client-core ${cores.map(({ version, place }) => `${version} in ${place}`).join(', ')}`;
}
