import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { http } from '@mcp-fittings/transport-http';
import { stdio } from '@mcp-fittings/transport-stdio';
import { testHost } from './support/calculator.js';
import { jsonRpcServer } from './support/json-rpc-server.js';
import { recordStates } from './support/recorder.js';

const toy = join(import.meta.dirname, 'support/toy-server.mjs');
const local = (mood: string) => ({
  command: process.execPath,
  args: [toy, mood],
  reconnect: { maxAttempts: 0 },
});

describe('what is reported besides', () => {
  function hostOf() {
    const host = testHost([stdio(), http()]);
    onTestFinished(() => host.close());
    const errors: string[] = [];
    host.on('error', ({ error }) => errors.push(`${error.code} ${error.message}`));
    return { host, errors };
  }

  it('nothing about the cancellation that follows a timeout', async () => {
    let cancelled: (() => void) | undefined;
    const told = new Promise<void>((resolve) => (cancelled = resolve));
    let answer: ((value: object) => void) | undefined;
    await using server = await jsonRpcServer(
      {
        'tools/list': () => ({ tools: [{ name: 'late', inputSchema: { type: 'object' } }] }),
        'tools/call': () => new Promise<object>((resolve) => (answer = resolve)),
      },
      ({ method }, response) => {
        if (method !== 'notifications/cancelled') return false;
        response.writeHead(400).end();
        cancelled?.();
        return true;
      },
    );
    const { host, errors } = hostOf();
    await host.connect({ one: { url: server.url } });
    await expect(host.callTool({ server: 'one', tool: 'late' }, {}, { timeoutMs: 30 })).rejects.toMatchObject(
      { code: 'TIMEOUT' },
    );
    await told;
    answer?.({ content: [] });
    await host.request({ server: 'one', method: 'ping' });
    expect(errors).toEqual([]);
  });

  it('nothing about a list that a server declares and does not have', async () => {
    await using server = await jsonRpcServer({
      initialize: ({ params }) => ({
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {}, prompts: {}, resources: {} },
        serverInfo: { name: 'half', version: '1.0.0' },
      }),
    });
    const { host, errors } = hostOf();
    const [one] = await host.connect({ one: { url: server.url } });
    expect(one?.state.status).toBe('connected');
    expect(errors).toEqual([]);
  });

  it('a server that exits while connected changes its state once', async () => {
    const { host, errors } = hostOf();
    const states = recordStates(host, 'one');
    const [one] = await host.connect({ one: local('crash') });
    expect(states.filter((state) => state === 'failed')).toHaveLength(1);
    expect(one?.lastError?.code).toBe('PROCESS_EXITED');
    expect(errors).toEqual([]);
  });

  it('the exit code of a process that the host ended is not reported', async () => {
    const { host, errors } = hostOf();
    const [one] = await host.connect({ one: { ...local('hang'), connectTimeout: 300 } });
    expect(one?.lastError).toMatchObject({
      code: 'TIMEOUT',
      message: 'The server "one" did not connect within 300 ms.',
    });
    expect(one?.lastError?.details).toMatchObject({ pid: expect.any(Number) as number });
    expect(one?.lastError?.details).not.toMatchObject({ exitCode: expect.anything() as unknown });
    expect(one?.lastError?.details).not.toMatchObject({ signal: expect.anything() as unknown });
    expect(errors).toEqual([]);
  });

  it.each([
    [
      'precedes its messages with other text',
      'precedes-with-text',
      /other text .* JSON-RPC message: "\[INFO\] \{/,
    ],
    ['frames its messages as in LSP', 'content-length', /"Content-Length: \d+"/],
    ['writes only its log to stdout', 'log', /not a JSON-RPC message: "listening"/],
  ])('a server that %s: an event and the time-out have what it wrote', async (_what, habit, expected) => {
    const clock = createManualClock();
    await using host = testHost([stdio()], { clock });
    const event = new Promise<string>((resolve) => host.on('error', ({ error }) => resolve(error.message)));
    const args = [join(import.meta.dirname, 'support/noisy-server.mjs'), habit];
    const connecting = host.connect({
      one: { command: process.execPath, args, reconnect: { maxAttempts: 0 } },
    });
    expect(await event).toMatch(expected);
    await clock.advance(30_000);
    const [one] = await connecting;
    expect(one?.lastError).toMatchObject({ code: 'TIMEOUT', message: expect.stringMatching(expected) });
  });
});
