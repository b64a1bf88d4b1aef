import { join } from 'node:path';
import { oauth } from '@mcp-fittings/auth-oauth';
import { loadServers } from '@mcp-fittings/preset/toolkit';
import { fileStore } from '@mcp-fittings/store-file';
import { expect, it } from 'vitest';
import { scripted } from '../../auth-oauth/test/support/world.js';
import { startProtectedServer } from './support/protected-server.js';
import { openWorkspace } from './support/workspace.js';

it('the question about a server of a project names an existing sign-in at its address', async () => {
  await using workspace = await openWorkspace({ here: true });
  await using guarded = await startProtectedServer();
  const { home, project } = workspace;
  await workspace.fittings(['add', 'mine', guarded.url]);
  const theirs = `${new URL(guarded.url).origin}/other`;
  await workspace.write('.mcp.json', {
    mcpServers: { same: { url: theirs }, else: { url: 'http://127.0.0.1:1/mcp' } },
  });
  const approve = async (): Promise<unknown> => (await workspace.json(['approve', '--store', 'file'])).value;
  const asked = (isSignedIn: boolean) => ({
    servers: [
      { name: 'same', hasSignIn: isSignedIn },
      { name: 'else', hasSignIn: false },
    ],
  });
  expect(await approve()).toMatchObject(asked(false));

  const { loaded } = await loadServers({ cwd: project, home, env: {}, store: 'memory' });
  const [entry] = loaded.entries.filter(({ name }) => name === 'mine');
  const path = join(home, '.local/state/mcp-fittings/credentials');
  const store = fileStore({ path, consent: () => true });
  const plugin = oauth({ store, clientName: 'x', interaction: scripted() });
  const config = { type: 'http', url: guarded.url };
  await plugin.create({ name: 'mine', config, identity: entry?.identity }, {})?.signIn?.({});

  expect(await approve()).toMatchObject(asked(true));
  // The prompt contacted no server.
  expect(loaded.entries.find(({ name }) => name === 'same')?.approval?.hasSignIn).toBe(false);
});
