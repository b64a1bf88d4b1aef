import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { OpenHostOptions } from '@mcp-fittings/preset';
import { createConfiguredHost, loadServers, type LoadServersOptions } from '@mcp-fittings/preset/toolkit';
import { officialServer } from '../../../../scripts/bundled.mjs';

export const everything = {
  command: process.execPath,
  args: [await officialServer('everything')],
};

/** An empty project and home directory. */
export interface Workspace extends AsyncDisposable {
  /** Options that keep a host in here. */
  readonly at: {
    readonly cwd: string;
    readonly home: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly store: 'memory';
  };
  /** Writes servers to the file of the project. */
  writeProject(servers: unknown): Promise<string>;
  /** Writes servers to the file of the user, and what stands beside them. */
  writeOwn(servers: unknown, more?: object): Promise<string>;
}

export async function openWorkspace(): Promise<Workspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'fittings-preset-')));
  const [cwd, home] = [join(root, 'project'), join(root, 'home')];
  await Promise.all([mkdir(join(cwd, '.git'), { recursive: true }), mkdir(home)]);
  const write = async (file: string, servers: unknown, more: object = {}): Promise<string> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify({ ...more, mcpServers: servers }, undefined, 2));
    return file;
  };
  return {
    at: { cwd, home, env: {}, store: 'memory' },
    writeProject: (servers) => write(join(cwd, '.mcp.json'), servers),
    writeOwn: (servers, more) => write(join(home, '.config/mcp-fittings/servers.json'), servers, more),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** Takes the steps of `openHost()` up to the connecting. */
export async function openConfigured(options: LoadServersOptions & Partial<OpenHostOptions>) {
  const servers = await loadServers(options);
  const configured = await createConfiguredHost(servers, { ...options, name: 'test', version: '1.0.0' });
  return { ...servers, ...configured, [Symbol.asyncDispose]: () => configured.close() };
}
