import { noopObserve } from '@mastra/core/tools';
import { MCPClient } from '@mastra/mcp';
import { authorizedFetch, createOAuthProvider, loopback } from '@mcp-fittings/auth-oauth';
import { memoryStore } from '@mcp-fittings/store-file';
import { expect, it, vi } from 'vitest';
import { startThreeServers } from '../servers/three-servers.mjs';

it('MCPClient of @mastra/mcp lists and calls the tools of a server that needs a sign-in, with authorizedFetch in its definition', async () => {
  // Mastra logs that the server cannot be connected yet.
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  await using servers = await startThreeServers();
  const url = new URL(servers.entries.vault.url);
  const provider = createOAuthProvider({
    url,
    clientName: 'Test',
    store: memoryStore(),
    interaction: loopback({ open: (page) => servers.openPage(page) }),
  });
  const client = new MCPClient({
    id: 'signed-in',
    servers: { vault: { url, fetch: authorizedFetch(provider, { url }) } },
  });
  try {
    expect((await client.listToolsWithErrors()).errors).toMatchObject({
      vault: expect.stringContaining('sign') as string,
    });
    await provider.signIn?.({});
    const { vault = {} } = await client.listToolsets();
    expect(Object.keys(vault)).toEqual(['secret']);
    const result: unknown = await vault['secret']?.execute?.({}, { observe: noopObserve });
    expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/is 42\.$/) as string }] });
  } finally {
    await client.disconnect();
    logged.mockRestore();
  }
});

it('MCPClient sends a call again that broke off, which the README warns of', async () => {
  const logged = vi.spyOn(console, 'error').mockReturnValue();
  await using servers = await startThreeServers();
  const { command, args } = servers.entries.flaky;
  const client = new MCPClient({ id: 'flaky', servers: { flaky: { command, args } } });
  try {
    const { flaky = {} } = await client.listToolsets();
    // The server exited during the first call.
    expect(await flaky['measure']?.execute?.({}, { observe: noopObserve })).toMatchObject({
      content: [{ text: 'It is 21 degrees.' }],
    });
  } finally {
    await client.disconnect();
    logged.mockRestore();
  }
});
