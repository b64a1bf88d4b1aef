import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { stdio } from '@mcp-fittings/transport-stdio';
import { expect, it, onTestFinished } from 'vitest';
import { isRunning } from '../../transport-stdio/test/support/processes.js';
import { testHost } from './support/calculator.js';

const SCRIPT = join(import.meta.dirname, 'support/stalling-server.mjs');

it.each<[string, string, number, object]>([
  ['the handshake', 'initialize', 30_000, {}],
  ['the handshake', 'initialize', 2000, { connectTimeout: 2000 }],
  ['a list', 'tools/list', 15_000, {}],
  ['a list', 'tools/list', 2000, { discoveryTimeout: 2000 }],
  ['a call', 'tools/call', 600_000, {}],
  ['a call', 'tools/call', 2000, { timeout: 2000 }],
])(
  '%s without an answer to %s ends after %i ms with %j, and leaves no timer',
  async (_phase, method, ms, entry) => {
    const folder = mkdtempSync(join(tmpdir(), 'host-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'pid');
    const clock = createManualClock();
    await using host = testHost([stdio()], { clock });
    const args = [SCRIPT, method, file];
    const reconnect = { maxAttempts: 0 };
    const connecting = host.connect({ one: { command: process.execPath, args, reconnect, ...entry } });
    let outcome: unknown;
    const work = async (): Promise<void> => {
      const [one] = await connecting;
      if (one?.lastError !== undefined) throw one.lastError;
      await host.callTool({ server: 'one', tool: 'one' }, {});
    };
    const ended = work().catch((error: unknown) => (outcome = error));
    while (!existsSync(file) || readFileSync(file, 'utf8') === '') await setImmediate();
    await clock.advance(ms - 1);
    expect(outcome).toBeUndefined();
    await clock.advance(1);
    await ended;
    expect(outcome).toMatchObject({ code: 'TIMEOUT', server: 'one' });
    const pid = Number(readFileSync(file, 'utf8'));
    const isConnected = method === 'tools/call';
    while (!isConnected && isRunning(pid)) await setImmediate();
    expect(host.server('one').state.status).toBe(isConnected ? 'connected' : 'failed');
    while (clock.pending > 0) await setImmediate();
    await host.close();
    expect(isRunning(pid)).toBe(false);
  },
);
