import { describe, expect, it } from 'vitest';
import { DUAL_SERVER } from './support/upstreams.js';
import { only, openWorkspace } from './support/workspace.js';

const good = { command: process.execPath, args: [DUAL_SERVER] };
const missing = { command: 'no-such-command' };
const dying = {
  command: process.execPath,
  args: ['-e', 'console.error("\\u001b[31mno disk\\u001b[0m"); process.exit(1)'],
};

describe('fittings doctor', () => {
  it('says in words what is wrong with each server, and what to do', async () => {
    await using workspace = await openWorkspace({ here: true });
    const { code, stdout } = await workspace.fittings([...only({ good, missing, dying }), 'doctor']);
    expect(code).toBe(1);
    expect(stdout).toContain('good: healthy');
    expect(stdout).toContain('missing: not usable');
    expect(stdout).toMatch(/fail  command[^\n]*\n {8}COMMAND_NOT_FOUND [^\n]*\n {8}fix: Install it/);
    expect(stdout).toMatch(/PROCESS_EXITED [\s\S]*no disk/);
    // Neither our own colors nor those of a server: it is not a terminal.
    expect(stdout).not.toContain('\u001b');
  });

  it('says how to add a server if none is configured', async () => {
    await using workspace = await openWorkspace({ here: true });
    const { code, stdout } = await workspace.fittings(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toContain('Add one: fittings add --help');
  });

  it('is 0 when all is well, and one JSON document with --json', async () => {
    await using workspace = await openWorkspace({ here: true });
    const { code, value, stderr } = await workspace.json([...only({ good }), 'doctor', 'good']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(value).toMatchObject({
      problems: [],
      servers: [
        {
          server: 'good',
          healthy: true,
          findings: [],
          checks: [{ check: 'config', outcome: 'passed' }, {}, {}, {}, {}],
        },
      ],
    });
  });

  it('names findings by code in JSON', async () => {
    await using workspace = await openWorkspace({ here: true });
    const { code, value } = await workspace.json([...only({ missing }), 'doctor']);
    expect(code).toBe(1);
    expect(value).toMatchObject({
      servers: [
        {
          server: 'missing',
          healthy: false,
          findings: [{ code: 'COMMAND_NOT_FOUND', severity: 'error', error: 'COMMAND_NOT_FOUND' }],
        },
      ],
    });
  });

  it('shows no configured secret', async () => {
    await using workspace = await openWorkspace({ here: true });
    const canary = 'canary-token-0123456789';
    const leaking = {
      command: process.execPath,
      args: ['-e', 'console.error(process.env.API_TOKEN); process.exit(1)'],
      env: { API_TOKEN: canary },
    };
    const args = [...only({ leaking }), '--verbose', 'doctor'];
    const text = await workspace.fittings(args);
    const json = await workspace.fittings([...args, '--json']);
    expect(text.stdout).toContain('PROCESS_EXITED');
    expect([text.stdout, text.stderr, json.stdout, json.stderr].join()).not.toContain(canary);
  });

  it('refuses a timeout that is not a number', async () => {
    await using workspace = await openWorkspace({ here: true });
    expect((await workspace.fittings(['doctor', '--timeout', 'soon'])).code).toBe(2);
  });
});
