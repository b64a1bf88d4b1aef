/** A program that uses nearly everything: the first example, with its own package.json, from the registry. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, install, installed, node } from '../project.mjs';

export async function runFullHost(example, folder, env) {
  mkdirSync(folder, { recursive: true });
  cpSync(join(example, 'src'), join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), readFileSync(join(example, 'package.json')));
  await install(folder, [], env);
  await compile(
    folder,
    readdirSync(join(folder, 'src')).map((file) => `src/${file}`),
  );
  await node(folder, ['out/src/main.js']);
  return `${installed(folder).length} packages`;
}
