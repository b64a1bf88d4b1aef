import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AuthRequiredError,
  type ErrorCode,
  FittingsError,
  type TransportPlugin,
} from '@mcp-fittings/client-core';
import { calculator, testHost } from './support/calculator.js';
import { testServers } from './support/in-process.js';

describe('the fallback of a plugin', () => {
  const failing = (error: FittingsError) => testServers(() => ({ connect: () => Promise.reject(error) }));

  /** A host whose plugin of type `test` has the other one as its fallback. */
  async function connect(first: TransportPlugin, older: TransportPlugin) {
    const host = testHost([{ ...first, fallback: { ...older, type: 'older' } }]);
    onTestFinished(() => host.close());
    const [server] = await host.connect({ a: { type: 'test', reconnect: { maxAttempts: 0 } } });
    return { host, server };
  }

  it('is used when the endpoint is of an older kind', async () => {
    const first = failing(new FittingsError('ENDPOINT_INCOMPATIBLE', 'older'));
    const older = testServers(calculator);
    const { host, server } = await connect(first.plugin, older.plugin);
    expect([server?.state.status, first.created, older.created]).toEqual(['connected', 1, 1]);
    await host.close();
    expect([first.open, older.open]).toEqual([0, 0]);
  });

  it.each<ErrorCode>(['CONNECT_FAILED', 'SERVER_ERROR', 'VERSION_UNSUPPORTED'])(
    'is not used after %s',
    async (code) => {
      const older = testServers(calculator);
      const { host, server } = await connect(failing(new FittingsError(code, 'x')).plugin, older.plugin);
      expect(server?.state).toMatchObject({ error: { code } });
      expect(older.created).toBe(0);
      await host.close();
    },
  );

  it('names both transports when neither works, and keeps both errors', async () => {
    const incompatible = new FittingsError('ENDPOINT_INCOMPATIBLE', 'older');
    const down = new FittingsError('SERVER_ERROR', 'down');
    const { server } = await connect(failing(incompatible).plugin, failing(down).plugin);
    const { lastError } = server!;
    expect(lastError).toMatchObject({ code: 'SERVER_ERROR' });
    expect(lastError?.message).toContain('over test or older');
    expect(lastError?.cause).toMatchObject({ errors: [incompatible, { code: 'SERVER_ERROR' }] });
  });

  it('asks for the sign-in that the fallback needs', async () => {
    const first = failing(new FittingsError('ENDPOINT_INCOMPATIBLE', 'older'));
    const { server } = await connect(first.plugin, failing(new AuthRequiredError('sign in')).plugin);
    expect(server?.state.status).toBe('needs-auth');
  });
});
