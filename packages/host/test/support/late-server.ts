import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ManualClock } from '@mcp-fittings/testkit/clock';
import { onTestFinished } from 'vitest';
import { bundled } from '../../../../scripts/bundled.mjs';

const SCRIPT = fileURLToPath(new URL('late-server.mjs', import.meta.url));

/** Eras of the server, and seconds that it takes to start: less, and more, than the host waits for the answer to its probe. */
export const SLOW_STARTS = [
  ['modern', 20],
  ['both', 6],
  ['both', 20],
  ['legacy', 20],
] as const;

export interface LateServer {
  /** Its entry. */
  readonly entry: { readonly command: string; readonly args: string[] };
  /** Waits until a request has reached the process, lets so many seconds pass, and has it serve. */
  begin(clock: ManualClock, seconds: number): Promise<void>;
}

/** A server of the official SDKs that begins to serve when it is told to. */
export async function lateServer(era: 'modern' | 'both' | 'legacy'): Promise<LateServer> {
  const folder = mkdtempSync(join(tmpdir(), 'late-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return {
    entry: { command: process.execPath, args: [await bundled(SCRIPT), era, folder] },
    async begin(clock, seconds) {
      while (!existsSync(join(folder, 'waiting'))) await setImmediate();
      for (let second = 0; second < seconds; second++) await clock.advance(1000);
      writeFileSync(join(folder, 'go'), '');
    },
  };
}
