import type { ServerConfig } from '@mcp-fittings/client-core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { serverPermissions, type ServerPermissions } from '../src/entry/permissions.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import type { LoadedConfig } from '../src/load/loaded-config.js';
import { answering, scratch, servers } from './support/scratch.js';

const ALL = {
  trust: true,
  allowedTools: ['a', 'b*'],
  deniedTools: ['c'],
  allowedResources: ['file:///*'],
  readPermission: 'deny',
  writePermission: 'ask',
} as const;

describe('the permissions of entries', () => {
  it('serverPermissions returns the six fields of each server, and nothing else', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ all: { command: 'x', ...ALL }, none: { command: 'x' } }),
    });
    const permissions = serverPermissions(await place.load({ layout: layouts.claude }));
    expect({ ...permissions }).toEqual({ all: ALL, none: {} });
    expect(permissions['toString']).toBeUndefined();
  });

  it('a project cannot grant itself anything, but it can deny', async () => {
    const place = await scratch({ 'project/.mcp.json': servers({ s: { command: 'x', ...ALL } }) });
    const loaded = await place.load({ layout: layouts.mcpJson, approvals: answering('once') });
    const { deniedTools, readPermission, writePermission } = ALL;
    expect(serverPermissions(loaded)['s']).toEqual({ deniedTools, readPermission, writePermission });
  });

  it('loaded servers are assignable to permissions', () => {
    expectTypeOf<LoadedConfig['servers']>().toExtend<Readonly<Record<string, ServerPermissions>>>();
    expectTypeOf<LoadedConfig['servers']>().toExtend<Readonly<Record<string, ServerConfig>>>();
  });

  it('ignores fields of another type', () => {
    const odd = { allowedTools: 'all', deniedTools: [7], readPermission: 'yes', trust: 'true' };
    expect({ ...serverPermissions({ servers: { odd } }) }).toEqual({ odd: {} });
  });
});
