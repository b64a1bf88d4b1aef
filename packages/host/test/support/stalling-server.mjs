/**
 * A server of the `initialize` era on stdio that does not answer one method: `node stalling-server.mjs <method> <file>`. It writes its
 * process id to the file when that request arrives.
 */
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , stalled, file] = process.argv;
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'stalling', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'one', inputSchema: { type: 'object' } }] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === stalled) writeFileSync(file, String(process.pid));
  if (id === undefined || method === stalled) return;
  const result = answers[method]?.(params);
  const body = result === undefined ? { error: { code: -32601, message: `no ${method}` } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
});
