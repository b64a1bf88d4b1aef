/** A server on stdio that remembers for whom it was called: `node people-stdio.mjs`. */
import { createInterface } from 'node:readline';

const callers = new Set();
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const reply = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...message })}\n`);
  switch (method) {
    case 'initialize':
      return reply({
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'people', version: '1.0.0' },
        },
      });
    case 'tools/list':
      return reply({ result: { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] } });
    case 'tools/call': {
      callers.add(params.arguments.as);
      const text = JSON.stringify({ server: process.pid, callers: [...callers] });
      return reply({ result: { content: [{ type: 'text', text }] } });
    }
    default:
      return reply({ error: { code: -32601, message: 'Method not found' } });
  }
});
