/** A small MCP server on stdio, without any library, that can misbehave: `node toy-server.mjs [hang|flood|crash]`. */
import { createInterface } from 'node:readline';

const mood = process.argv[2] ?? 'well';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'toy', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'pid', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: String(process.pid) }] }),
  'resources/list': () => ({ resources: [{ uri: 'toy://a', name: 'a' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/subscribe': ({ uri }) => {
    setImmediate(() => send({ method: 'notifications/resources/updated', params: { uri } }));
    return {};
  },
  'logging/setLevel': ({ level }) => {
    setImmediate(() => send({ method: 'notifications/message', params: { level, data: `level ${level}` } }));
    return {};
  },
};

function flood() {
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(500) } })}\n`;
  const more = () => {
    while (process.stdout.write(line));
    process.stdout.once('drain', more);
  };
  more();
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) {
    if (method === 'notifications/initialized' && mood === 'crash') process.exit(3);
    if (method === 'notifications/initialized' && mood === 'flood') flood();
    return;
  }
  if (mood === 'hang') return;
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  else send({ id, result: answer(params) });
});
