/**
 * A server on stdio for the look for an era: `node slow-server.mjs <era> <milliseconds to start> [log of starts]`. `era` is
 * `modern` (2026-07-28 only), `both`, `legacy`, `mute` (legacy, ignores server/discover), `dies` (legacy, exits at it),
 * or `fails` (cannot start).
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , era, startMs, log] = process.argv;
if (log !== undefined) appendFileSync(log, `${process.pid}\n`);
process.stderr.write('starting\n');

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const isModern = era === 'modern' || era === 'both';
const tools = [{ name: 'one', inputSchema: { type: 'object' } }];

const answers = {
  ping: () => ({}),
  'tools/list': () => ({ ...fresh, tools }),
  ...(isModern && {
    'server/discover': () => ({ ...fresh, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }),
  }),
  ...(era !== 'modern' && {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: era, version: '1.0.0' },
    }),
  }),
};

function answer(line) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  if (era === 'mute' && method === 'server/discover') return;
  if (era === 'dies' && method === 'server/discover') process.exit(1);
  const result = answers[method]?.(params);
  send(result === undefined ? { id, error: { code: -32601, message: `no ${method}` } } : { id, result });
}

setTimeout(() => {
  if (era === 'fails') {
    process.stderr.write('boom\n');
    process.exit(1);
  }
  createInterface({ input: process.stdin }).on('line', answer);
}, Number(startMs));
