import { describe, expect, it } from 'vitest';
import { childEnvironment } from '../src/process/environment.js';
import { planLaunch } from '../src/launch-plan.js';
import { startToy } from './support/toy-client.js';

const PARENT = {
  PATH: '/bin',
  HOME: '/home/me',
  AWS_SECRET_ACCESS_KEY: 'aws',
  NPM_TOKEN: 'npm',
  MCP_TOKEN: 'mcp',
  EDITOR: 'ed',
};

describe('the environment of the child', () => {
  it('has what a program needs, and what is configured', () => {
    expect(childEnvironment(PARENT, { A: '1' }, 'safe', 'linux')).toEqual({
      PATH: '/bin',
      HOME: '/home/me',
      A: '1',
    });
  });

  it('has all variables, or also the named ones, on request', () => {
    expect(childEnvironment(PARENT, {}, 'all', 'linux')).toEqual(PARENT);
    const named = childEnvironment(PARENT, {}, ['EDITOR', 'ABSENT'], 'linux');
    expect(named).toEqual({ PATH: '/bin', HOME: '/home/me', EDITOR: 'ed' });
  });

  it('never has an inherited value that begins like a shell function', () => {
    const parent = { PATH: '() { :; }; echo pwned', 'BASH_FUNC_x%%': '() { echo pwned; }', OK: 'a () { b' };
    for (const inherit of ['safe', 'all', ['PATH', 'BASH_FUNC_x%%', 'OK']] as const) {
      const env = childEnvironment(parent, {}, inherit, 'linux');
      expect(env).toEqual(inherit === 'safe' ? {} : { OK: 'a () { b' });
    }
  });

  it('prefers configured values, on Windows in any case', () => {
    expect(childEnvironment(PARENT, { PATH: '/own' }, 'safe', 'linux')).toMatchObject({ PATH: '/own' });
    const windows = { Path: 'C:\\', SystemRoot: 'C:\\Windows', Secret: 'x', ComSpec: 'cmd' };
    expect(childEnvironment(windows, { PATH: 'D:\\' }, ['secret'], 'win32')).toEqual({
      NoDefaultCurrentDirectoryInExePath: '1',
      PATH: 'D:\\',
      SystemRoot: 'C:\\Windows',
      Secret: 'x',
      ComSpec: 'cmd',
    });
    expect(childEnvironment({ path: 'lower' }, {}, 'safe', 'linux')).toEqual({});
  });

  it('is what a real child process gets', async () => {
    const before = { ...process.env };
    Object.assign(process.env, PARENT, {
      PATH: before['PATH'],
      HOME: before['HOME'] ?? '/',
      LANG: '() { :; }',
    });
    try {
      await using client = await startToy({ env: { OWN: 'ü=1' } });
      const { env } = await client.result('env');
      expect(env).toMatchObject({ PATH: before['PATH'], OWN: 'ü=1' });
      for (const name of ['AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN', 'MCP_TOKEN', 'EDITOR', 'LANG']) {
        expect(env).not.toHaveProperty(name);
      }
    } finally {
      for (const name of Object.keys(process.env)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });
});

describe('what counts as secret', () => {
  it('is every configured value except the address of a server, inherited ones by their name, and what the host names', () => {
    const { redact } = planLaunch({
      command: 'x',
      args: ['--password', 'of-arg'],
      env: { PLAIN: 'plain-value', API: 'https://api.example/' },
      parentEnv: { PATH: '/usr/bin', DB_PASSWORD: 'inherited' },
      inheritEnv: 'all',
      secrets: ['named-by-host'],
    });
    const text = 'https://api.example/ /usr/bin plain-value inherited named-by-host of-arg';
    expect(redact(text)).toBe(`https://api.example/ /usr/bin${' [redacted]'.repeat(4)}`);
  });
});
