import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installedFile, ownProgram } from '@mcp-fittings/toolbox/own-program';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

const run = promisify(execFile);
const REQUEST = {
  package: '@scope/part',
  script: 'helper.js',
  what: 'the helper',
  hint: 'Install it.',
} as const;
let folder: string;

/** A part that is installed in a folder, with a script that writes its arguments. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'own-program-'));
  const part = join(folder, 'node_modules/@scope/part');
  await mkdir(part, { recursive: true });
  const manifest = { name: '@scope/part', version: '1.0.0', exports: { './package.json': './package.json' } };
  await writeFile(join(part, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(part, 'helper.js'), 'console.log(JSON.stringify(process.argv.slice(2)))');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a program of an installed package', () => {
  it('runs with its arguments', async () => {
    const program = ownProgram({ ...REQUEST, importer: join(folder, 'main.js'), args: ['one', 'two'] });
    const { stdout } = await run(program.command, [...program.args], { env: program.env });
    expect(JSON.parse(stdout)).toEqual(['one', 'two']);
  });

  it('is found beside the program when the module that needs it is in a bundle elsewhere', () => {
    vi.spyOn(process, 'argv', 'get').mockReturnValue([process.execPath, join(folder, 'dist/main.cjs')]);
    const path = join(folder, 'node_modules/@scope/part/package.json');
    for (const importer of [undefined, 'file:///$bunfs/root/main'])
      expect(installedFile('@scope/part/package.json', importer)).toBe(path);
  });

  it('is found beside the executable', () => {
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['program']);
    vi.spyOn(process, 'execPath', 'get').mockReturnValue(join(folder, 'program'));
    expect(installedFile('@scope/part/package.json', undefined)).toContain(folder);
  });

  it('that is missing is an error with the part and the page', () => {
    const missing = { code: 'COMMAND_NOT_FOUND', retryable: false };
    expect(() => ownProgram({ ...REQUEST, importer: undefined })).toThrow(
      expect.objectContaining({
        ...missing,
        message: 'Cannot start the helper: @scope/part is not installed beside this program.',
        hint: expect.stringMatching(/^Install it\. See https:.*docs\/bundling\.md$/) as string,
      }),
    );
  });
});

describe('the runtime of a program', () => {
  const found = (): ReturnType<typeof ownProgram> =>
    ownProgram({ ...REQUEST, importer: join(folder, 'main.js') });
  const versions = (more: Record<string, string>): void =>
    void vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, ...more });
  const execPath = (path: string): void => void vi.spyOn(process, 'execPath', 'get').mockReturnValue(path);
  const single = expect.objectContaining({
    code: 'COMMAND_NOT_FOUND',
    message: 'Cannot start the helper: this program is a single executable without Node.js.',
  }) as Error;

  it('is this Node.js, Bun or Deno', () => {
    expect(found()).toMatchObject({ command: process.execPath, env: { MCP_FITTINGS_OWN_PROGRAM: '1' } });
    versions({ bun: '1.4.5' });
    execPath('/usr/bin/bun');
    expect(found()).toMatchObject({ command: '/usr/bin/bun', env: { MCP_FITTINGS_OWN_PROGRAM: '1' } });
    expect(found().env).not.toHaveProperty('BUN_BE_BUN');
  });

  it('is Electron, which has to act as Node.js', () => {
    versions({ electron: '40.0.0' });
    execPath('/opt/app/app');
    expect(found()).toMatchObject({ command: '/opt/app/app', env: { ELECTRON_RUN_AS_NODE: '1' } });
  });

  it('is a program that Bun has compiled, which has to act as Bun', () => {
    versions({ bun: '1.4.5' });
    execPath('/opt/app/app');
    expect(found()).toMatchObject({ command: '/opt/app/app', env: { BUN_BE_BUN: '1' } });
  });

  it('does not exist in a single executable of Node.js or Deno', () => {
    const isSea = vi.spyOn(process.getBuiltinModule('node:sea'), 'isSea').mockReturnValue(true);
    expect(found).toThrow(single);
    isSea.mockReturnValue(false);
    versions({ deno: '2.9.5' });
    execPath('/opt/app/app');
    expect(found).toThrow(single);
  });

  it('is what the host names', () => {
    const request = { ...REQUEST, importer: join(folder, 'main.js'), execPath: '/opt/node/bin/node' };
    vi.spyOn(process.getBuiltinModule('node:sea'), 'isSea').mockReturnValue(true);
    expect(ownProgram(request).command).toBe('/opt/node/bin/node');
  });

  it('is not this program when it was started in place of Node.js', () => {
    vi.stubEnv('MCP_FITTINGS_OWN_PROGRAM', '1');
    expect(found).toThrow(single);
  });
});
