import { describe, expect, it } from 'vitest';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import type { HostEvents } from '@mcp-fittings/host';
import { Emitter } from '../src/events.js';
import { createEngineEvents } from '../src/server/engine-events.js';
import { DEFAULT_LIMITS } from '../src/setup/default-limits.js';

function engineEvents() {
  const clock = createManualClock({ now: 1_000_000 });
  const lines: string[] = [];
  const write = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  const emitter = new Emitter<HostEvents>(() => undefined);
  const told: unknown[] = [];
  emitter.on('log', (event) => told.push(event.data));
  emitter.on('resourceUpdated', (event) => told.push(event.uri));
  const events = createEngineEvents(
    { server: 'noisy', clock, logger, emitter, limits: DEFAULT_LIMITS },
    {
      isSubscribed: (uri) => uri === 'x:mine',
      onResourceUpdated: () => undefined,
      onListChanged: () => undefined,
      onNotification: () => undefined,
    },
  );
  return { events, lines, told };
}

describe('messages of a server that answer no request', () => {
  it('go to the logger with the name of the server, at their level', () => {
    const { events, lines } = engineEvents();
    for (const level of ['debug', 'notice', 'warning', 'emergency'] as const) {
      events.log({ level, logger: 'db', data: { level } });
    }
    expect(lines).toEqual([
      'debug: [noisy/db] {"level":"debug"}',
      'info: [noisy/db] {"level":"notice"}',
      'warn: [noisy/db] {"level":"warning"}',
      'error: [noisy/db] {"level":"emergency"}',
    ]);
  });

  it('reach the logger without control sequences, and shortened', () => {
    const { events, lines } = engineEvents();
    events.log({
      level: 'info',
      logger: 'a\u001b[2J',
      data: `\u001b]0;title\u0007${'x'.repeat(10_000)}\u202e`,
    });
    expect(lines[0]).toMatch(/^info: \[noisy\/a\] x+…$/);
    expect(lines[0]!.length).toBeLessThan(2100);
  });

  it('reports updates of subscribed resources only', () => {
    const { events, told } = engineEvents();
    events.resourceUpdated('x:other');
    events.resourceUpdated('x:mine');
    expect(told).toEqual(['x:mine']);
  });
});
