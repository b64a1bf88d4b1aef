import { fileURLToPath } from 'node:url';
import type { Logger } from '@mcp-fittings/client-core';
import { loadServers } from '@mcp-fittings/preset/toolkit';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import { onTestFinished } from 'vitest';
import { bundled } from '../../../../scripts/bundled.mjs';
import {
  serveWebSocket,
  type ServeWebSocketOptions,
  type WebSocketBridge,
} from '../../src/bridge/serve-websocket.js';
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

/** The token of the clients of {@link bridge}. */
export const TOKEN = 'a token that is not guessed';

/** Serves the server over WebSocket until the test ends. */
export async function bridge(options: Partial<ServeWebSocketOptions> = {}): Promise<WebSocketBridge> {
  const served = await serveWebSocket({
    open: upstreamTo(),
    address: { host: '127.0.0.1', port: 0 },
    token: TOKEN,
    clock: systemClock,
    ...options,
  });
  onTestFinished(() => served.close());
  return served;
}

/** The texts in the result of a tool. */
export const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join();
