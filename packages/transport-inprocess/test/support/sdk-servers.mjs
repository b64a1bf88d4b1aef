import { McpServer as ServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** @param {string} text */
const say = (text) => ({ content: [{ type: /** @type {const} */ ('text'), text }] });

/** A real server of `@modelcontextprotocol/sdk`. */
export function makeServerV1(name = 'v1') {
  const server = new ServerV1({ name, version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) =>
    say(String(a + b)),
  );
  server.registerTool('fail', {}, async () => {
    throw new Error('tool failed');
  });
  server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
    const progressToken = extra._meta?.progressToken ?? 0;
    for (let progress = 1; progress <= to; progress++) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: to },
      });
    }
    return say(`counted to ${to}`);
  });
  server.registerTool('roots', {}, async (extra) => {
    const { roots } = await extra.sendRequest({ method: 'roots/list' }, RootsResult);
    return say(roots.map(({ uri }) => uri).join());
  });
  server.registerTool('wait', {}, (extra) => untilAborted(extra.signal));
  return server;
}

/** The same of `@modelcontextprotocol/server`. */
export function makeServerV2(name = 'v2') {
  const server = new ServerV2({ name, version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) =>
    say(String(a + b)),
  );
  server.registerTool('fail', {}, async () => {
    throw new Error('tool failed');
  });
  server.registerTool('count', { inputSchema: z.object({ to: z.number() }) }, async ({ to }, context) => {
    const progressToken = context.mcpReq._meta?.progressToken ?? 0;
    for (let progress = 1; progress <= to; progress++) {
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: to },
      });
    }
    return say(`counted to ${to}`);
  });
  server.registerTool('roots', {}, async (context) => {
    const { roots } = await context.mcpReq.send({ method: 'roots/list' });
    return say(roots.map(({ uri }) => uri).join());
  });
  server.registerTool('wait', {}, (context) => untilAborted(context.mcpReq.signal));
  return server;
}

const RootsResult = z.object({ roots: z.array(z.object({ uri: z.string() })) });

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function untilAborted(signal) {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}
