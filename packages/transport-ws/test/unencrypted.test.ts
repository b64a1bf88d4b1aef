import { ws, createWebSocketTransport } from '@mcp-fittings/transport-ws';
import type { AuthProvider } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { describe, expect, it } from 'vitest';

const ELSEWHERE = [
  'ws://mcp.example.com/mcp',
  'ws://MCP.Example.COM:8080/',
  'ws://mcp.example.com./mcp',
  'ws://192.168.1.5/mcp',
  'ws://10.0.0.1:9000',
  'ws://169.254.169.254/',
  'ws://0.0.0.0/',
  'ws://[2001:db8::1]/mcp',
  'ws://[fd00::1]/mcp',
  'ws://[::]/mcp',
  'ws://localhost.example.com/',
  'ws://127.0.0.1.example.com/',
  'ws://mylocalhost/',
];

const HERE = [
  'ws://localhost/',
  'ws://localhost./',
  'ws://127.0.0.1/',
  'ws://127.8.8.8/',
  'ws://[::1]/',
  'ws://0x7f.1/',
];

const provider: AuthProvider = {
  headers: () => Promise.reject(new Error('never asked')),
  onChallenge: () => Promise.reject(new Error('never asked')),
};
const refusal = { code: 'POLICY_DENIED', kind: 'config', server: 'ide', delivery: 'not-sent' };

describe('ws: to another machine', () => {
  const credentials = [
    ['a header', { headers: { Authorization: 'Bearer secret-token' } }],
    ['another header', { headers: { 'X-Api-Key': 'secret-token' } }],
    ['an API key', { apiKey: 'secret-token' }],
    ['a provider', { auth: provider }],
    ['a proxy', { network: { proxy: 'http://127.0.0.1:9' } }],
  ] as const;

  const cases = [
    ...ELSEWHERE.map((url) => [url, 'no credential', {}] as const),
    ...credentials.map(([what, options]) => ['ws://mcp.example.com/mcp', what, options] as const),
  ];

  it.each(cases)('is refused before anything is sent: %s with %s', (url, _, options) => {
    expect(() => createWebSocketTransport({ url, server: 'ide', network: { env: {} }, ...options })).toThrow(
      expect.objectContaining({
        ...refusal,
        hint: expect.stringContaining('allowInsecure') as unknown,
      }) as Error,
    );
  });

  it('is warned of where it is allowed', () => {
    const warnings: string[] = [];
    const ignore = (): void => undefined;
    const warn = (message: string): void => void warnings.push(message);
    const logger = { debug: ignore, info: ignore, warn, error: ignore };
    createWebSocketTransport({ url: 'ws://mcp.example/', allowInsecure: true, network: { env: {} }, logger });
    expect(warnings).toEqual([expect.stringContaining('mcp.example is not encrypted')]);
  });

  it.each([...ELSEWHERE, ...HERE])('is allowed with allowInsecure: %s', (url) => {
    expect(() => createWebSocketTransport({ url, allowInsecure: true, network: { env: {} } })).not.toThrow();
  });

  it.each(HERE)('is allowed on this machine: %s', (url) => {
    expect(() =>
      createWebSocketTransport({ url, apiKey: 'secret-token', network: { env: {} } }),
    ).not.toThrow();
  });

  it('is refused for an entry without allowInsecure, and only with the value true allowed', async () => {
    const plugin = ws();
    const context = {
      server: 'ide',
      auth: undefined,
      logger: undefined,
      clock: systemClock,
      signal: new AbortController().signal,
    };
    const created = async (more: object): Promise<unknown> => {
      const read = await plugin.schema['~standard'].validate({
        type: 'ws',
        url: 'ws://mcp.example.com',
        ...more,
      });
      if (read.issues !== undefined) throw new Error(read.issues[0]?.message);
      return plugin.create(read.value, context);
    };
    await expect(created({})).rejects.toMatchObject(refusal);
    await expect(created({ allowInsecure: false })).rejects.toMatchObject(refusal);
    await expect(created({ type: 'ws-ide', authToken: 'secret-token' })).rejects.toMatchObject(refusal);
    await expect(created({ allowInsecure: 'true' })).rejects.toThrow(/true or false/);
    await expect(created({ allowInsecure: true })).resolves.toBeDefined();
  });
});
