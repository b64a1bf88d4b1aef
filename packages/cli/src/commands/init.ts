import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '@mcp-fittings/toolbox/errors';
import type { CommandDeps } from '../command-deps.js';
import type { ModelApi } from '../options.js';
import { CommandError } from '../output/hints.js';
import { printable } from '../output/printable.js';
import { wrapWords } from '../output/text-width.js';
import { hostProgram, MODELS } from './host-program.js';

export interface InitOptions {
  readonly model: ModelApi;
  readonly typescript: boolean;
}

/** Writes a host program into the current directory, and says how to install what it needs and how to run it. */
export async function init({ cwd, output }: CommandDeps, { model, typescript }: InitOptions): Promise<void> {
  const { sdk, variable } = MODELS[model];
  const name = typescript ? 'agent.mts' : 'agent.mjs';
  const program = join(cwd, name);
  const manifest = join(cwd, 'package.json');
  if (!(await createFile(program, hostProgram(model, typescript)))) {
    throw new CommandError(
      'CONFIG_READ_ONLY',
      `The file ${printable(program)} exists, and is not replaced.`,
      {
        hint: 'Rename it, or use another folder.',
      },
    );
  }
  const isNew = await createFile(manifest, '{\n  "private": true,\n  "type": "module"\n}\n');
  const files = [program, ...(isNew ? [manifest] : [])];
  // Node.js from 22.18 on runs TypeScript itself.
  const runsIt = !typescript || Reflect.get(process.features, 'typescript') !== undefined;
  const runner = runsIt ? 'node' : 'npx tsx';
  const install = [
    `npm install @mcp-fittings/preset @mcp-fittings/tools ${sdk}`,
    ...(typescript ? ['npm install --save-dev typescript @types/node'] : []),
    // Without it, an editor does not find the types of Node.js.
    ...(typescript && isNew ? ['npx tsc --init --types node'] : []),
  ];
  const run = `${runner} ${name} "What is 40 + 2?"`;
  output.result({ files, install, run, variable }, () =>
    [
      ...files.map((file) => `Wrote ${printable(file)}.`),
      '',
      ...[...install, run].map((line) => `  ${line}`),
      '',
      ...wrapWords(
        `It lists the tools of your servers. With ${variable}, a model answers the question with them.`,
        output.columns,
      ),
    ].join('\n'),
  );
}

/** Writes a file that does not exist yet. Resolves to false if it exists; rejects with `CONFIG_READ_ONLY`. */
async function createFile(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' });
    return true;
  } catch (cause) {
    if (systemErrorCode(cause) === 'EEXIST') return false;
    throw new CommandError('CONFIG_READ_ONLY', `Cannot write the file ${printable(file)}.`, { cause });
  }
}
