import type { AuthProvider } from '@mcp-fittings/client-core';
import { authorizedFetch } from '@mcp-fittings/auth-oauth';
import { describe, expect, it } from 'vitest';

const provider: AuthProvider = {
  headers: () => Promise.resolve({ authorization: 'Bearer secret-token' }),
  onChallenge: () => Promise.reject(new Error('never asked')),
};

/** Whether a request of a fetch for `url` to `target` is signed. */
async function signs(url: string, target: string | URL, paths?: readonly string[]): Promise<boolean> {
  let sent: Headers | undefined;
  const fetch = authorizedFetch(provider, {
    url,
    paths,
    fetch: (_, init) => {
      sent = new Headers(init?.headers);
      return Promise.resolve(new Response());
    },
  });
  await fetch(target);
  return sent?.has('authorization') === true;
}

const BASE = 'https://mcp.example/team/mcp';

describe('authorizedFetch signs requests to the server, not to its origin', () => {
  it.each([
    BASE,
    `${BASE}/`,
    `${BASE}?session=1`,
    `${BASE}/sub/path`,
    'https://mcp.example:443/team/mcp',
    'https://MCP.example/team/mcp',
    'https://mcp.example/team/other/../mcp',
    'https://mcp.example/team/%6dcp',
    `${BASE}/a;version=1`,
  ])('%s is signed', async (target) => {
    expect(await signs(BASE, target)).toBe(true);
    expect(await signs(`${BASE}/`, new URL(target))).toBe(true);
  });

  it.each([
    'https://mcp.example/',
    'https://mcp.example/team/mcpx',
    'https://mcp.example/TEAM/mcp',
    `${BASE}/../admin`,
    `${BASE}/.%2E/admin`,
    `${BASE}/..%2fadmin`,
    `${BASE}/..%5cadmin`,
    `${BASE}/%252e%252e%252fadmin`,
    `${BASE}/..;/admin`,
    `${BASE}/%2e%2e%00/admin`,
    `${BASE}/%ff/..%2fadmin`,
    `${BASE}\\..\\admin`,
    'https://mcp.example/.well-known/oauth-protected-resource/team/mcp',
    'https://mcp.example:8443/team/mcp',
    'http://mcp.example/team/mcp',
    'https://mcp.example.evil.example/team/mcp',
  ])('%s is not signed', async (target) => {
    expect(await signs(BASE, target)).toBe(false);
  });

  it('signs further paths, and for a server at the root the whole origin', async () => {
    const sse = 'https://mcp.example/sse';
    expect(await signs(sse, 'https://mcp.example/messages?session=1')).toBe(false);
    expect(await signs(sse, 'https://mcp.example/messages?session=1', ['/messages'])).toBe(true);
    expect(await signs(sse, 'https://mcp.example/messages/../admin', ['/messages'])).toBe(false);
    expect(await signs('https://mcp.example', 'https://mcp.example/any/path')).toBe(true);
  });
});
