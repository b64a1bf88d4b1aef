/** A stdio server that appends each call to a ledger: `node stdio-server.mjs <name> <ledger>`. Small, because replicas start many. */
import { openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [name, file] = process.argv.slice(2);
const ledger = openSync(file, 'a');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer(method, params) })}\n`);
});

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name, version: '1.0.0' },
        },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [{ name: 'mark', inputSchema: { type: 'object' } }] } };
    case 'tools/call': {
      const { number, as } = params.arguments;
      writeSync(ledger, `${JSON.stringify([name, number, as, as])}\n`);
      return { result: { content: [{ type: 'text', text: `${number} for ${as}` }] } };
    }
    default:
      return { error: { code: -32601, message: 'Method not found' } };
  }
}
