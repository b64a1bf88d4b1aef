import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdkV1 } from '@mcp-fittings/engine-sdk/v1';
import { sdkV2 } from '@mcp-fittings/engine-sdk/v2';
import { createHost, type ElicitationRequest, type Host } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio } from '@mcp-fittings/transport-stdio';
import { officialServer } from '../../../scripts/bundled.mjs';

const everything = await officialServer('everything');

describe.each([
  ['SDK v1', sdkV1],
  ['SDK v2', sdkV2],
])('a host on %s, with the real server-everything', (_name, engine) => {
  const asked: ElicitationRequest[] = [];
  const errors: unknown[] = [];
  let host: Host;

  beforeAll(async () => {
    host = createHost({
      name: 'smoke',
      version: '1.0.0',
      engine: engine(),
      transports: [stdio()],
      callbacks: {
        elicit: async (request) => {
          asked.push(request);
          return { action: 'accept', content: { name: 'Ann' } };
        },
        sample: async () => ({
          role: 'assistant',
          model: 'scripted',
          content: { type: 'text', text: 'a sample' },
        }),
        roots: async () => [{ uri: 'file:///work', name: 'work' }],
      },
    });
    host.on('error', ({ error }) => errors.push(error));
    await host.connect({ all: { command: process.execPath, args: [everything, 'stdio'] } });
  });
  afterAll(async () => {
    await host.close();
    expect(errors).toEqual([]);
  });

  const call = (tool: string, args: Record<string, unknown>) => host.callTool({ server: 'all', tool }, args);

  it('connects with initialize, and lists everything', () => {
    expect(host.server('all').state).toMatchObject({
      status: 'connected',
      connection: { protocolVersion: '2025-11-25' },
    });
    expect([host.tools(), host.prompts(), host.resources()].every(({ length }) => length > 0)).toBe(true);
  });

  it('calls tools, reports progress, and reads', async () => {
    const { content } = await call('echo', { message: 'hi' });
    expect(content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
    const progress: number[] = [];
    await host.callTool(
      { server: 'all', tool: 'trigger-long-running-operation' },
      { duration: 0.2, steps: 2 },
      { onProgress: (reported) => progress.push(reported.progress) },
    );
    expect(progress).toContain(2);
    const [resource] = host.resources();
    const { contents } = await host.readResource({ server: 'all', uri: resource?.uri ?? '' });
    expect(contents).not.toEqual([]);
  });

  it('calls a tool that its server runs only as a task', async () => {
    const { content } = await call('simulate-research-query', { topic: 'tea' });
    expect(JSON.stringify(content)).toContain('# Research Report: tea');
  });

  it('subscribes, sets the log level, and completes', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    await host.subscribe({ server: 'all', uri });
    await host.unsubscribe({ server: 'all', uri });
    await host.setLogLevel('all', 'debug');
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    const argument = { name: 'department', value: 'E' };
    const { values } = await host.complete({ server: 'all', ref, argument });
    expect(values).toContain('Engineering');
  });

  it('answers the server with the callbacks', async () => {
    await call('trigger-elicitation-request', {});
    expect(asked).toMatchObject([{ mode: 'form' }]);
    const sampled = await call('trigger-sampling-request', { prompt: 'think', maxTokens: 5 });
    expect(JSON.stringify(sampled.content)).toContain('a sample');
  });

  it('refuses headers of a call, which a local server cannot get', async () => {
    const echo = { server: 'all', tool: 'echo' };
    await expect(
      host.callTool(echo, { message: 'hi' }, { headers: { 'X-Tenant': 'a' } }),
    ).rejects.toMatchObject({ code: 'CAPABILITY_MISSING' });
  });
});

it.each([
  ['SDK v1', sdkV1],
  ['SDK v2', sdkV2],
])('on %s, what a server writes to stdout before it answers is reported once', async (_name, engine) => {
  const clock = createManualClock();
  const host = createHost({
    name: 'smoke',
    version: '1.0.0',
    clock,
    engine: engine(),
    transports: [stdio()],
    defaults: { reconnect: { maxAttempts: 0 } },
  });
  const reported: string[] = [];
  const event = new Promise<void>((resolve) => {
    host.on('error', ({ error }) => {
      reported.push(error.message);
      resolve();
    });
  });
  const args = [fileURLToPath(new URL('../../host/test/support/noisy-server.mjs', import.meta.url)), 'log'];
  const connecting = host.connect({ one: { command: process.execPath, args } });
  await event;
  await clock.advance(30_000);
  const [one] = await connecting;
  expect(reported).toEqual([expect.stringContaining('"listening"')]);
  expect(one?.lastError?.message).toContain('"listening"');
  await host.close();
});
