import { fileURLToPath } from 'node:url';
import type { Logger } from '@mcp-fittings/client-core';
import { loadServers } from '@mcp-fittings/preset/toolkit';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { bundled } from '../../../../scripts/bundled.mjs';
import { createOpenUpstream, type OpenUpstreamOptions } from '../../src/bridge/upstream.js';
import type { OpenUpstream } from '../../src/bridge/upstream.js';

const { transports } = await loadServers({ layout: false });
export const DUAL_SERVER = await bundled(fileURLToPath(new URL('./dual-server.mjs', import.meta.url)));

/** What a logger was told at `warn` and `error`. */
export function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string): void => void lines.push(message);
  return { lines, debug: () => undefined, info: () => undefined, warn: keep, error: keep };
}

/** Opens connections to the stdio server of both eras, or to another entry. */
export function upstreamTo(options: Partial<OpenUpstreamOptions> = {}): OpenUpstream {
  return createOpenUpstream({
    server: 'dual',
    config: { type: 'stdio', command: process.execPath, args: [DUAL_SERVER] },
    transports,
    auth: undefined,
    signIn: (refusal) => Promise.reject(refusal),
    heldBack: async () => new Map(),
    clock: systemClock,
    signal: new AbortController().signal,
    ...options,
  });
}
