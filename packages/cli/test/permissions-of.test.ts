import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layouts, loadConfig, serverPermissions } from '@mcp-fittings/config';
import { createToolPolicy } from '@mcp-fittings/tools';
import { expect, it, onTestFinished } from 'vitest';

it("createToolPolicy takes loadConfig's servers as they are, and those of serverPermissions", async () => {
  const home = await mkdtemp(join(tmpdir(), 'fittings-permissions-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const loaded = await loadConfig({
    layout: layouts.mcpJson,
    cwd: home,
    home,
    dynamic: {
      s: { command: 'x', deniedTools: ['drop'], readPermission: 'deny', allowedResources: ['file:///ok'] },
    },
  });
  for (const servers of [loaded.servers, serverPermissions(loaded)]) {
    const policy = createToolPolicy({ servers });
    const tool = { server: 's', name: 'drop', annotations: undefined, digest: '' };
    expect(policy.forTool(tool).decision).toBe('deny');
    expect(policy.forResource({ server: 's', uri: 'file:///secret' }).decision).toBe('deny');
    expect(policy.forResource({ server: 's', uri: 'file:///ok' }).decision).toBe('allow');
  }
});
