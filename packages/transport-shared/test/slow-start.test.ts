import { createHost } from '@mcp-fittings/host';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { serveShared } from '@mcp-fittings/transport-shared/server';
import { describe, expect, it } from 'vitest';
import { lateServer, SLOW_STARTS } from '../../host/test/support/late-server.js';
import { openSharedFolder } from './support/shared-folder.js';

describe('a shared server that starts late', () => {
  it.each(SLOW_STARTS)('of %s, after %i s, is connected, and its question arrives', async (era, seconds) => {
    const clock = createManualClock();
    const server = await lateServer(era);
    await using shared = await openSharedFolder();
    const { folder } = shared;
    await using _serving = await serveShared({ folder, clock });
    await using host = createHost({
      name: 'test',
      version: '1',
      clock,
      transports: [sharedStdio({ folder, start: false })],
      callbacks: { elicit: async () => ({ action: 'accept', content: { who: 'Ann' } }) },
    });
    const connecting = host.connect({ late: server.entry });
    await server.begin(clock, seconds);
    const [snapshot] = await connecting;
    expect(snapshot?.state).toMatchObject({ status: 'connected' });
    const { content } = await host.callTool({ server: 'late', tool: 'greet' }, {});
    const spoken = era === 'legacy' ? 'legacy' : 'modern';
    expect(content).toEqual([{ type: 'text', text: `hello Ann, ${spoken}` }]);
  });
});
