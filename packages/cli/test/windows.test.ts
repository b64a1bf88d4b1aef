import { execFile } from 'node:child_process';
import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseListenAddress, socketUrl } from '../src/bridge/listen-address.js';
import { runCli } from '../src/main.js';
import { diagnoseEntry } from './support/diagnose-server.js';

const BIN = fileURLToPath(new URL('../dist/bin.js', import.meta.url));

describe.runIf(process.platform === 'win32')('on Windows', () => {
  let folder: string;
  beforeAll(async () => {
    folder = join(await realpath(await mkdtemp(join(tmpdir(), 'fittings-'))), 'OneDrive - Ünï 日本');
    await mkdir(folder);
    await writeFile(join(folder, 'server.ps1'), 'Write-Host x');
    await writeFile(join(folder, 'server.js'), 'console.log(1)');
    await writeFile(join(folder, 'tool.cmd'), '@echo off\r\nexit /b 3\r\n');
    await writeFile(join(folder, 'server'), '#!/bin/sh\n');
  });
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => rm(join(folder, '..'), { recursive: true, force: true, maxRetries: 5 }));

  const broken: readonly [name: string, entry: () => object, code: string, fix: RegExp][] = [
    [
      'npx and its arguments in one string',
      () => ({ command: 'npx -y @scope/x' }),
      'COMMAND_NOT_FOUND',
      /"?args/,
    ],
    [
      'a path and its arguments in one string',
      () => ({ command: String.raw`C:\node\node.exe x.js` }),
      'COMMAND_NOT_FOUND',
      /"?args/,
    ],
    [
      'a program that is not installed',
      () => ({ command: 'uvx', env: { PATH: folder } }),
      'COMMAND_NOT_FOUND',
      /Install uv/,
    ],
    [
      'python where only py is',
      () => ({ command: 'python3', env: { PATH: folder } }),
      'COMMAND_NOT_FOUND',
      /`py`/,
    ],
    [
      'a script of PowerShell',
      () => ({ command: join(folder, 'server.ps1') }),
      'COMMAND_NOT_EXECUTABLE',
      /powershell/,
    ],
    [
      'a script of Node.js',
      () => ({ command: join(folder, 'server.js') }),
      'COMMAND_NOT_EXECUTABLE',
      /its interpreter \(node/,
    ],
    [
      'a file without extension',
      () => ({ command: join(folder, 'server') }),
      'COMMAND_NOT_EXECUTABLE',
      /\.exe/,
    ],
    ['a folder', () => ({ command: folder }), 'COMMAND_NOT_EXECUTABLE', /\.exe/],
    [
      'a variable of cmd',
      () => ({ command: String.raw`%SystemRoot%\system32\cmd.exe` }),
      'COMMAND_NOT_FOUND',
      /./,
    ],
    [
      'a quote for a batch file',
      () => ({ command: join(folder, 'tool.cmd'), args: ['{"a":1}'] }),
      'CONFIG_INVALID',
      /\.exe/,
    ],
    ['a batch file that fails', () => ({ command: join(folder, 'tool.cmd') }), 'PROCESS_EXITED', /./],
    [
      'a working directory that is missing',
      () => ({ command: process.execPath, cwd: String.raw`C:\nowhere` }),
      'CWD_INVALID',
      /cwd/,
    ],
  ];
  it.each(broken)('doctor explains %s', async (_, entry, code, fix) => {
    const { healthy, findings } = await diagnoseEntry(entry());
    expect(healthy).toBe(false);
    const finding = findings.find(({ error }) => error === code);
    expect(finding?.fix).toMatch(fix);
    expect(finding?.fix).not.toMatch(/chmod|nvm|Homebrew|execute permission/);
  });

  it('listens on a named pipe, which an entry names as VS Code does', () => {
    const socketPath = String.raw`\\.\pipe\bridge`;
    expect(parseListenAddress(socketPath)).toEqual({ socketPath });
    expect(socketUrl(socketPath, '/mcp')).toBe('pipe:///pipe/bridge#/mcp');
  });

  it('shows paths as they are, in notes, tables and problems', async () => {
    const project = join(folder, 'tools');
    await mkdir(join(project, '.vscode'), { recursive: true });
    const entry = { command: String.raw`C:\tools\none.exe`, args: ['${workspaceFolder}\\src'] };
    const text = JSON.stringify({ servers: { s: entry } }, undefined, 2).replaceAll('\n', '\r\n');
    await writeFile(join(project, '.vscode/mcp.json'), `\uFEFF${text}`);
    vi.stubEnv('USERPROFILE', folder);
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    let shown = '';
    for (const stream of [streams.stdout, streams.stderr])
      stream.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const io = { ...streams, env: process.env, cwd: project, signal: new AbortController().signal };
    const importing = ['import', '--from', 'vscode', '--project', '--all'];
    for (const args of [[...importing, '--dry-run'], importing, ['list']]) await runCli(args, io);
    expect(shown).toContain(`"\${workspaceFolder}" was replaced by "${project}"`);
    expect(shown).toContain(String.raw`command = "C:\tools\none.exe"`);
    expect(shown).toContain(join(project, '.mcp.json'));
    expect(shown).not.toContain(String.raw`\\`);
  });

  it('reads files with byte order marks and CRLF, in a profile with spaces and Unicode', async () => {
    const entry = { mcpServers: { here: { command: 'node', args: ['-e', ''], cwd: '${workspaceFolder}' } } };
    const text = JSON.stringify(entry, undefined, 2).replaceAll('\n', '\r\n');
    await writeFile(join(folder, 'servers.json'), `\uFEFF${text}\r\n`);
    const args = ['--strict-mcp-config', '--mcp-config', 'servers.json', 'list', '--json'];
    const env = { ...process.env, USERPROFILE: folder, APPDATA: folder, LOCALAPPDATA: folder };
    const listing = promisify(execFile)(process.execPath, [BIN, ...args], { cwd: folder, env });
    const { stdout } = await listing.catch((error: { stdout: string }) => error);
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: 'here' }] });
  });
});
