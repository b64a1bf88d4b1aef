// A server that appends its process id to the file that its first argument names.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

appendFileSync(process.argv[2], `${process.pid}\n`);
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const properties = { text: { type: 'string' } };
const text = (value, isError) => ({ content: [{ type: 'text', text: value }], ...(isError && { isError }) });

const tools = {
  echo: ({ text: value }) => text(value),
  fail: () => text('no', true),
  die: () => process.exit(3),
};

const methods = {
  ping: () => ({}),
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'counted', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: name,
      inputSchema: { type: 'object', properties },
    })),
  }),
  'tools/call': ({ name, arguments: args = {} }) => tools[name](args),
};

createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  const known = Object.hasOwn(methods, method);
  if (known) say({ jsonrpc: '2.0', id, result: methods[method](params) });
  else say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
});
