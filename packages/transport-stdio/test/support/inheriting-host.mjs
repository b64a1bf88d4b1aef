// A host whose server shares its stderr.
import { fileURLToPath } from 'node:url';
import { createStdioTransport } from '@mcp-fittings/transport-stdio';

const server = fileURLToPath(new URL('toy-server.mjs', import.meta.url));
const transport = createStdioTransport({ command: process.execPath, args: [server], stderr: 'inherit' });
await transport.start();
await transport.send({ jsonrpc: '2.0', id: 1, method: 'stderr', params: { text: 'from the server\n' } });
await transport.close();
