import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, layouts, type LoadedConfig } from '@mcp-fittings/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ToolPermissions } from '../../src/permissions/tool-permissions.js';
import { createToolPolicy, type PolicyTool } from '../../src/permissions/tool-policy.js';

const tool = (name: string, server = 'github'): PolicyTool => ({ server, name, digest: 'd' });
const rule = (decision: string, name: string) => ({ decision, rule: name });

describe('createToolPolicy takes the servers of loadConfig', () => {
  let home = '';
  let loaded: LoadedConfig;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'fittings-policy-'));
    const github = {
      command: 'node',
      allowedTools: ['get_*'],
      deniedTools: ['get_secret'],
      allowedResources: ['file:///docs/*'],
      readPermission: 'deny',
    };
    const file = join(home, 'servers.json');
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: { github, mine: { command: 'node', trust: true }, plain: { command: 'node' } },
      }),
    );
    loaded = await loadConfig({
      layout: layouts.claude,
      home,
      cwd: home,
      cli: { configs: [file], strict: true },
    });
  });
  afterAll(() => rm(home, { recursive: true }));

  it('without a cast or a mapping', () => {
    const policy = createToolPolicy({ servers: loaded.servers, folderIsTrusted: true });
    expect(policy.forTool(tool('get_secret'))).toMatchObject(rule('deny', 'denied-tool'));
    expect(policy.forTool(tool('push'))).toMatchObject(rule('ask', 'not-listed'));
    expect(policy.forResource({ server: 'mine', uri: 'a:b' })).toMatchObject(rule('allow', 'trusted-server'));
    expect(policy.forTool(tool('x', 'plain'))).toMatchObject(rule('pass-through', 'no-rule'));
  });

  it.each([
    ['deniedTools', 'delete'],
    ['deniedTools', [1]],
    ['allowedTools', { '0': '*' }],
    ['writePermission', 'never'],
    ['readPermission', null],
    ['trust', 'false'],
  ])('does not ignore a permission that is malformed: %s', (field, value) => {
    expect(() => createToolPolicy({ servers: { github: { command: 'node', [field]: value } } })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(`"${field}"`) }),
    );
  });

  it.each([['allow'], [null], [false]])('does not ignore permissions that are no object: %j', (value) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a program without types may pass
    const servers = { github: value as unknown as ToolPermissions };
    expect(() => createToolPolicy({ servers })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('an object') }),
    );
  });
});
