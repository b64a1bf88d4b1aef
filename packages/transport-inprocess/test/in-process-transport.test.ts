import { createManualClock } from '@mcp-fittings/testkit/clock';
import { AuthRequiredError, type Transport } from '@mcp-fittings/client-core';
import { createInProcessTransport, type ConnectableServer } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it, vi } from 'vitest';
import { failureOf } from '../../client-core/test/support/failure-of.js';
import { makeServerV1 } from './support/sdk-servers.mjs';

const never = (): Promise<never> => new Promise(() => undefined);

/** A server that notes what is done to it. */
function recordingServer(): ConnectableServer & { readonly log: string[] } {
  const log: string[] = [];
  let side: Transport | undefined;
  return {
    log,
    async connect(transport) {
      log.push('connect');
      side = transport;
      await transport.start();
    },
    async close() {
      log.push('close');
      await side?.close();
    },
  };
}

describe('createInProcessTransport', () => {
  it('creates its server when it starts, not before, and closes it with the connection', async () => {
    const server = recordingServer();
    const createServer = vi.fn(() => server);
    const transport = createInProcessTransport({ createServer });
    expect(createServer).not.toHaveBeenCalled();
    await transport.start();
    expect(createServer).toHaveBeenCalledOnce();
    await transport.close();
    expect(server.log).toEqual(['connect', 'close']);
  });

  it('quotes what the factory threw, and keeps it as the cause', async () => {
    const cause = new Error('no \u001b[31mdatabase');
    const transport = createInProcessTransport({
      server: 'notes',
      createServer: () => {
        throw cause;
      },
    });
    const error = await failureOf(transport.start());
    expect(error).toMatchObject({ code: 'CALLBACK_FAILED', server: 'notes', cause });
    expect(error.message).toBe('The factory of the in-process server failed: no database');
  });

  it('passes on a FittingsError that the factory throws', async () => {
    const error = new AuthRequiredError('Sign in first.');
    const transport = createInProcessTransport({ createServer: () => Promise.reject(error) });
    await expect(transport.start()).rejects.toBe(error);
  });

  it('gives a hint when the factory returns the same server twice', async () => {
    const server = makeServerV1();
    const first = createInProcessTransport({ createServer: () => server });
    await first.start();
    const second = createInProcessTransport({ createServer: () => server });
    const error = await failureOf(second.start());
    expect(error).toMatchObject({
      code: 'CALLBACK_FAILED',
      hint: 'Return a new server from every call of the factory: a server has one client.',
    });
    expect(error.message).toMatch(/Already connected/);
    await first.close();
  });

  it('times out on a factory that never resolves, and closes the server it creates later', async () => {
    const clock = createManualClock();
    const server = recordingServer();
    let finish: (server: ConnectableServer) => void = () => undefined;
    const transport = createInProcessTransport({
      clock,
      startTimeoutMs: 2000,
      createServer: () => new Promise((resolve) => (finish = resolve)),
    });
    const started = failureOf(transport.start());
    await clock.advance(1999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await started).toMatchObject({ code: 'TIMEOUT' });
    finish(server);
    await clock.advance(0);
    expect(server.log).toEqual(['close']);
    expect(clock.pending).toBe(0);
  });

  it('close() during start(): both settle, a server created later is closed, no timer is left', async () => {
    const clock = createManualClock();
    const server = recordingServer();
    let finish: (server: ConnectableServer) => void = () => undefined;
    const transport = createInProcessTransport({
      clock,
      createServer: () => new Promise((resolve) => (finish = resolve)),
    });
    const started = failureOf(transport.start());
    await clock.advance(0);
    await transport.close();
    expect(await started).toMatchObject({ code: 'TRANSPORT_CLOSED' });
    finish(server);
    await clock.advance(0);
    expect(server.log).toEqual(['close']);
    expect(clock.pending).toBe(0);
  });

  it('close() while the server connects closes that server', async () => {
    const server = { ...recordingServer(), connect: never };
    const transport = createInProcessTransport({ createServer: () => server });
    const started = failureOf(transport.start());
    await Promise.resolve();
    await transport.close();
    expect(await started).toMatchObject({ code: 'TRANSPORT_CLOSED' });
    expect(server.log).toEqual(['close']);
  });

  it('ends although the close() of the server never settles, and reports it', async () => {
    const clock = createManualClock();
    const errors: Error[] = [];
    const transport = createInProcessTransport({
      clock,
      createServer: () => ({ connect: (side) => side.start(), close: never }),
    });
    transport.onerror = (error) => errors.push(error);
    await transport.start();
    const closed = transport.close();
    await clock.advance(5000);
    await closed;
    expect(errors).toMatchObject([{ code: 'TIMEOUT' }]);
    expect(clock.pending).toBe(0);
  });

  it('ends although the close() of the server throws, and reports it', async () => {
    const errors: Error[] = [];
    const transport = createInProcessTransport({
      createServer: () => ({
        connect: (side) => side.start(),
        close: () => {
          throw new Error('not now');
        },
      }),
    });
    transport.onerror = (error) => errors.push(error);
    await transport.start();
    await transport.close();
    expect(errors).toMatchObject([
      { code: 'CALLBACK_FAILED', message: 'Could not close the in-process server: not now' },
    ]);
  });

  it('describes itself', () => {
    const transport = createInProcessTransport({ server: 'notes', createServer: recordingServer });
    expect(transport.describe?.()).toEqual({ transport: 'inprocess', cloned: false, server: 'notes' });
  });
});
