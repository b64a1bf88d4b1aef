// A host that runs in a folder which a stranger has filled. Its entry, as JSON, is the first argument.
import { stdio } from '@mcp-fittings/transport-stdio';

const transport = stdio().create(JSON.parse(process.argv[2]), { server: 'own' });
const said = (text) => process.stdout.write(`${text}\n`);
transport.onmessage = (message) => said(JSON.stringify(message));
try {
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'cwd', params: {} });
} catch (error) {
  said(`failed: ${error.message}`);
}
await transport.close();
