import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { createStdioTransport, type StdioTransport } from '@mcp-fittings/transport-stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { officialServer } from '../../../scripts/bundled.mjs';
import { isRunning, watchResources, until } from './support/processes.js';

const EVERYTHING = await officialServer('everything');
const INFO = { name: 'test', version: '1.0.0' };

const everything = (): StdioTransport =>
  createStdioTransport({ command: process.execPath, args: [EVERYTHING, 'stdio'], server: 'everything' });

const clients = {
  'SDK v1': () => new ClientV1(INFO),
  'SDK v2': () => new ClientV2(INFO),
  'SDK v2, auto': () => new ClientV2(INFO, { versionNegotiation: { mode: 'auto' } }),
};

describe.each(Object.entries(clients))('%s over our transport, with the everything server', (_, create) => {
  it('connects, lists, calls, receives progress, and leaves nothing behind', async () => {
    const surplus = watchResources();
    const client = create();
    const transport = everything();
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('echo');
    const echoed = await client.callTool({ name: 'echo', arguments: { message: 'grüße 😀' } });
    expect(echoed).toMatchObject({ content: [{ type: 'text', text: 'Echo: grüße 😀' }] });
    const sums = await Promise.all(
      Array.from({ length: 20 }, (__, a) => client.callTool({ name: 'get-sum', arguments: { a, b: 1 } })),
    );
    expect(JSON.stringify(sums[19])).toContain('20');
    const steps: number[] = [];
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.1, steps: 5 } },
      ...(client instanceof ClientV1 ? [undefined] : []),
      { onprogress: ({ progress }: { progress: number }) => void steps.push(progress) },
    );
    expect(steps).toEqual([1, 2, 3, 4, 5]);
    const pid = transport.pid ?? 0;
    expect(isRunning(pid)).toBe(true);
    await client.close();
    expect(isRunning(pid)).toBe(false);
    await until(() => surplus().length === 0);
  });

  it('learns at once why when the server dies during a call', async () => {
    const client = create();
    onTestFinished(() => client.close());
    const transport = everything();
    await client.connect(transport);
    let closed = 0;
    client.onclose = () => void closed++;
    const args = { duration: 60, steps: 60 };
    const call = client.callTool({ name: 'trigger-long-running-operation', arguments: args });
    process.kill(transport.pid ?? 0, 'SIGKILL');
    // On Windows a process that is killed exits with a code.
    const isWindows = process.platform === 'win32';
    const how = isWindows ? 'exited with code 1' : 'was terminated by the signal SIGKILL';
    await expect(call).rejects.toThrow(new RegExp(`Server "everything": .* ${how}`));
    await until(() => closed === 1);
    const details = isWindows ? { exitCode: 1 } : { signal: 'SIGKILL' };
    expect(transport.closeReason).toMatchObject({ code: 'PROCESS_EXITED', details });
  });
});
