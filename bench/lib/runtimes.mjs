/** The versions of Node.js that CI uses, which come from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The folder that has `npm ci` to run, and where the program is in it. */
const PROGRAMS = {
  22: ['test/reach', 'node_modules/node-22/bin/node'],
  24: ['test/conformance', 'node_modules/node/bin/node'],
  26: ['test/reach', 'node_modules/node-26/bin/node'],
};

/** The program of a major version, this one included. */
export function nodeProgram(major, { root = ROOT, exists = existsSync } = {}) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const known = PROGRAMS[major];
  if (known === undefined) {
    throw new Error(
      `There is no Node.js ${major} here: ${Object.keys(PROGRAMS).join(', ')}, or run that one itself.`,
    );
  }
  const [folder, path] = known;
  const program = `${root}${folder}/${path}`;
  if (exists(program)) return program;
  throw new Error(`Node.js ${major} is missing: npm ci --prefix ${folder} --ignore-scripts=false`);
}

/** This command, with another Node.js. @returns its exit code */
export function runOnNode(major) {
  const given = process.argv.slice(1).filter((argument) => !argument.startsWith('--node='));
  return spawnSync(nodeProgram(major), given, { stdio: 'inherit' }).status ?? 1;
}
