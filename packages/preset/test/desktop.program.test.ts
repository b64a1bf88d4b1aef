import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { HostProblem } from '@mcp-fittings/preset';
import { everything, openWorkspace } from './support/workspace.js';

const OPENS_HOST = fileURLToPath(new URL('./support/opens-host.mjs', import.meta.url));

/** Opens a host as a desktop starts programs, without a terminal, and returns its problems. */
async function openedByDesktop(
  options: object,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly HostProblem[]> {
  const running = promisify(execFile)(process.execPath, [OPENS_HOST, JSON.stringify(options)], {
    env: { PATH: '/usr/bin:/bin', ...env },
  });
  running.child.stdin?.end();
  const { stdout } = await running;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the program prints them
  return JSON.parse(stdout) as readonly HostProblem[];
}

it('a program that a desktop started finds what the login shell finds, and nothing in the project', async () => {
  await using workspace = await openWorkspace();
  const { home, cwd } = workspace.at;
  const startup = 'export PATH="$HOME/tools:$HOME/../project/bin:$PATH"';
  // The account has one of these shells.
  for (const name of ['.profile', '.bash_profile', '.zprofile']) await writeFile(join(home, name), startup);
  const script = `#!/bin/sh\nexec "${everything.command}" "${everything.args.join('" "')}"\n`;
  for (const file of [join(home, 'tools/my-npx'), join(cwd, 'bin/their-npx')]) {
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, script);
    await chmod(file, 0o755);
  }
  const patient = { connectTimeout: 240_000 };
  const servers = { mine: { command: 'my-npx', ...patient }, theirs: { command: 'their-npx', ...patient } };
  const options = { cwd, home, servers };
  const notFound = { code: 'COMMAND_NOT_FOUND' };
  expect(await openedByDesktop(options)).toMatchObject([{ ...notFound, server: 'theirs' }]);
  expect(await openedByDesktop(options, { TERM: 'xterm' })).toMatchObject([
    { ...notFound, server: 'mine' },
    { ...notFound, server: 'theirs' },
  ]);
});
