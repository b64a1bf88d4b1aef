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

/** Logs, news of changed lists, requests, and noise on stderr, as fast as the pipe takes them. */
function flood() {
  const params = { level: 'info', data: 'x'.repeat(500) };
  const lines = [
    { method: 'notifications/message', params },
    { method: 'notifications/tools/list_changed' },
    { id: 'ask', method: 'roots/list' },
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    .join('');
  const more = () => {
    process.stderr.write('noise\n');
    while (process.stdout.write(lines));
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
  if (mood === 'hang' || method === undefined) return;
  const answer = answers[method];
  if (answer === undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  else send({ id, result: answer(params) });
});
