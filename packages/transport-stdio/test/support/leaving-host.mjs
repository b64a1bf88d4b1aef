// A host that exits without closing anything, while its server and a grandchild ignore what is polite.
import { fileURLToPath } from 'node:url';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';

const server = fileURLToPath(new URL('toy-server.mjs', import.meta.url));
const args = [server, '--ignore-stdin-end', '--ignore-sigterm'];
const transport = createStdioTransport({ command: process.execPath, args });
transport.onmessage = ({ result }) => {
  process.stdout.write(`${transport.pid} ${result.pid}`, () => process.exit(0));
};
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'grandchild', params: {} });
