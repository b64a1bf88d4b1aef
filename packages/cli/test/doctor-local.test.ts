import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reportText } from '../src/commands/doctor.js';
import { createStyle } from '../src/output/style.js';
import { codesOf, diagnoseEntry } from './support/diagnose-server.js';
import { DUAL_SERVER } from './support/upstreams.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fittings-doctor-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A server whose whole program is this. */
const program = (source: string) => ({ command: process.execPath, args: ['-e', source] });

describe('a local server', () => {
  it('that works: every check in its order, and what was seen', async () => {
    const diagnosis = await diagnoseEntry({ command: process.execPath, args: [DUAL_SERVER] });
    expect(diagnosis).toMatchObject({ healthy: true, findings: [] });
    expect(diagnosis.checks.map(({ check, outcome }) => [check, outcome])).toEqual(
      ['config', 'approval', 'command', 'spawn', 'handshake'].map((check) => [check, 'passed']),
    );
    expect(diagnosis.checks.at(-1)?.summary).toBe('revision 2026-07-28, dual modern');
  });

  it.each([
    [undefined, process.execPath],
    ['login shell', `${process.execPath} (with the PATH of the login shell)`],
    ['known folders', expect.stringContaining('(with the folders of version managers')],
  ] as const)('says where its PATH comes from: %s', async (searchPath, summary) => {
    const { checks } = await diagnoseEntry(
      { command: process.execPath, args: [DUAL_SERVER] },
      { searchPath },
    );
    expect(checks.find(({ check }) => check === 'command')?.summary).toEqual(summary);
  });

  it('command not on the PATH', async () => {
    const diagnosis = await diagnoseEntry({ command: 'no-such-command-anywhere' });
    expect(codesOf(diagnosis)).toEqual(['command COMMAND_NOT_FOUND']);
    expect(diagnosis.findings[0]).toMatchObject({
      error: 'COMMAND_NOT_FOUND',
      message: expect.stringContaining('"no-such-command-anywhere"'),
      fix: expect.stringContaining('PATH'),
    });
    expect(diagnosis.checks.map(({ check }) => check)).toEqual(['config', 'approval', 'command']);
  });

  it('a shell line given as the command: the fix says where arguments go', async () => {
    const { findings } = await diagnoseEntry({ command: 'npx -y some-server' });
    expect(findings[0]).toMatchObject({ code: 'CONFIG_SUSPICIOUS', fix: expect.stringContaining('"args"') });
  });

  it('command that may not be executed', async () => {
    const command = join(folder, 'server');
    await writeFile(command, '#!/bin/sh\n');
    await chmod(command, 0o644);
    expect(codesOf(await diagnoseEntry({ command }))).toEqual(['command COMMAND_NOT_EXECUTABLE']);
  });

  it('working directory that does not exist', async () => {
    const entry = { command: process.execPath, args: [DUAL_SERVER], cwd: join(folder, 'gone') };
    expect(codesOf(await diagnoseEntry(entry))).toEqual(['command CWD_INVALID']);
  });

  it('exits at once: its last words are in the finding', async () => {
    const diagnosis = await diagnoseEntry(program('console.error("no license key"); process.exit(7)'));
    expect(codesOf(diagnosis)).toEqual(['spawn PROCESS_EXITED']);
    expect(diagnosis.findings[0]?.message).toContain('exited with code 7');
    expect(diagnosis.findings[0]?.message).toContain('no license key');
  });

  it('writes junk to stdout and works: a warning', async () => {
    const diagnosis = await diagnoseEntry({ command: process.execPath, args: [DUAL_SERVER, '--noisy'] });
    expect(codesOf(diagnosis)).toEqual(['spawn STDOUT_NOISE']);
    expect(diagnosis).toMatchObject({
      healthy: true,
      findings: [{ severity: 'warning', message: expect.stringContaining('starting up, please wait') }],
    });
  });

  it('writes junk to stdout in place of answers: the likely cause comes first', async () => {
    const chatty = program('console.log("listening on port 3000"); process.stdin.resume()');
    const diagnosis = await diagnoseEntry(chatty, { timeoutMs: 3_000 });
    expect(codesOf(diagnosis)).toEqual(['spawn STDOUT_NOISE', 'handshake HANDSHAKE_TIMEOUT']);
    expect(diagnosis).toMatchObject({ healthy: false, findings: [{ severity: 'error' }, {}] });
  });

  it('writes junk in place of an answer: what it wrote is shown', async () => {
    const confused = program('process.stdin.on("data", () => console.log("Usage: server [options]"))');
    const diagnosis = await diagnoseEntry(confused, { timeoutMs: 3_000 });
    expect(diagnosis.findings[0]).toMatchObject({
      code: 'STDOUT_NOISE',
      message: expect.stringContaining('Usage: server [options]'),
    });
  });

  it('never says a word', async () => {
    const silent = program('process.stdin.resume()');
    expect(codesOf(await diagnoseEntry(silent, { timeoutMs: 500 }))).toEqual(['handshake HANDSHAKE_TIMEOUT']);
  });

  it('speaks an unknown protocol revision', async () => {
    const old = program(`
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        const answer = method === 'initialize'
          ? { result: { protocolVersion: '1999-12-31', capabilities: {}, serverInfo: { name: 'old', version: '1' } } }
          : { error: { code: -32601, message: 'unknown' } };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      })`);
    expect(codesOf(await diagnoseEntry(old))).toEqual(['handshake VERSION_UNSUPPORTED']);
  });

  it('starts a server that fails once, and shows its stderr once', async () => {
    const started = join(folder, 'started');
    const source = `require('fs').appendFileSync(${JSON.stringify(started)}, 'x'); console.error('no license key'); process.exit(7)`;
    const diagnosis = await diagnoseEntry(program(source));
    expect(await readFile(started, 'utf8')).toBe('x');
    const text = reportText([diagnosis], [], createStyle(false));
    expect(text.match(/no license key/g)).toHaveLength(1);
  });

  it.each([
    ['HTTPS_PROXY', 'http://me:pw@proxy.example:3128', 'process.stdin.resume()'],
    ['npm_config_cafile', '/ca.pem', 'process.stdin.resume()'],
    ['AWS_CA_BUNDLE', '/ca.pem', 'process.exit(1)'],
  ])('%s of the environment is named if the server was not given it', async (name, value, source) => {
    vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { findings } = await diagnoseEntry(program(source), { timeoutMs: 500 });
    expect(findings[0]?.fix).toContain(`"${name}"`);
    expect(findings[0]?.fix).toContain('"inheritEnv": [');
    expect(JSON.stringify(findings)).not.toContain('me:pw');
    const given = { ...program(source), inheritEnv: [name] };
    expect((await diagnoseEntry(given, { timeoutMs: 500 })).findings[0]?.fix).not.toContain(`"${name}"`);
  });

  it('leaves no process behind', async () => {
    const pidFile = join(folder, 'pid');
    await diagnoseEntry({ command: process.execPath, args: [DUAL_SERVER], env: { PID_FILE: pidFile } });
    const { readdir } = await import('node:fs/promises');
    const pids = (await readdir(folder)).map((name) => Number(name.split('.')[1]));
    expect(pids).toHaveLength(1);
    expect(() => process.kill(pids[0] ?? 0, 0)).toThrow();
  });
});

describe('configuration and consent', () => {
  const good = { command: process.execPath, args: [DUAL_SERVER] };

  it('missing environment variable', async () => {
    const diagnosis = await diagnoseEntry({ ...good, env: { KEY: '${NOT_SET_ANYWHERE}' } });
    expect(codesOf(diagnosis)).toEqual(['config VARIABLE_MISSING']);
    expect(diagnosis.findings[0]?.message).toContain('NOT_SET_ANYWHERE');
  });

  it('unknown type', async () => {
    expect(codesOf(await diagnoseEntry({ type: 'carrier-pigeon', url: 'https://mcp.example' }))).toEqual([
      'config TYPE_UNKNOWN',
    ]);
  });

  it.each([
    [{ type: 'ws', url: 'ws://mcp.example/x', allowInsecure: true }, 'without encryption'],
    [{ type: 'ws', url: 'wss://mcp.example/x', allowInsecure: true }, 'not needed'],
  ])('names allowInsecure of %j', async (entry, words) => {
    const { findings } = await diagnoseEntry(entry, { timeoutMs: 300 });
    expect(findings[0]).toMatchObject({
      code: 'NOT_ENCRYPTED',
      severity: 'warning',
      message: expect.stringContaining(words),
    });
  });

  it('a field of the wrong kind', async () => {
    const diagnosis = await diagnoseEntry({ ...good, args: 'all of them' });
    expect(codesOf(diagnosis)).toEqual(['config CONFIG_INVALID']);
    expect(diagnosis.findings[0]?.message).toContain('args');
  });

  it('disabled', async () => {
    const diagnosis = await diagnoseEntry({ ...good, disabled: true });
    expect(codesOf(diagnosis)).toEqual(['config SERVER_DISABLED']);
    expect(diagnosis.findings[0]?.fix).toContain('fittings enable planted');
  });

  it('a name that is not configured', async () => {
    const diagnosis = await diagnoseEntry(good, { ask: 'plented' });
    expect(codesOf(diagnosis)).toEqual(['config SERVER_UNKNOWN']);
    expect(diagnosis.findings[0]?.fix).toContain('planted');
  });

  it('not approved: named, and not started', async () => {
    const project = join(folder, 'project');
    const pidFile = join(folder, 'started');
    await mkdir(project);
    const servers = { mcpServers: { planted: { ...good, env: { PID_FILE: pidFile } } } };
    await writeFile(join(project, '.mcp.json'), JSON.stringify(servers));
    const diagnosis = await diagnoseEntry(undefined, { cwd: project, home: folder });
    expect(codesOf(diagnosis)).toEqual(['approval APPROVAL_MISSING']);
    expect(diagnosis.findings[0]?.fix).toContain('fittings approve planted');
    const { readdir } = await import('node:fs/promises');
    expect(await readdir(folder)).toEqual(['project']);
  });
});
