import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio } from '@mcp-fittings/transport-stdio';
import { describe, expect, it } from 'vitest';
import { testHost } from './support/calculator.js';
import { lateServer, SLOW_STARTS } from './support/late-server.js';

describe('an official server over stdio that starts late', () => {
  it.each(SLOW_STARTS)('of %s, after %i s, is connected, and its question arrives', async (era, seconds) => {
    const clock = createManualClock();
    const server = await lateServer(era);
    const asked: string[] = [];
    await using host = testHost([stdio()], {
      clock,
      callbacks: {
        elicit: async ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { who: 'Ann' } };
        },
      },
    });
    const connecting = host.connect({ late: server.entry });
    await server.begin(clock, seconds);
    const [snapshot] = await connecting;
    expect(snapshot?.state).toMatchObject({ status: 'connected' });
    const { content } = await host.callTool({ server: 'late', tool: 'greet' }, {});
    const spoken = era === 'legacy' || (era === 'both' && seconds === 20) ? 'legacy' : 'modern';
    expect(content).toEqual([{ type: 'text', text: `hello Ann, ${spoken}` }]);
    expect(asked).toEqual(['Who?']);
  });
});
