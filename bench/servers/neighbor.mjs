/** A small MCP server on stdio without a library: `node neighbor.mjs [well|flood|hang]`. */
import { createInterface } from 'node:readline';

const mood = process.argv[2] ?? 'well';
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: 'neighbor', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'echo' }] }),
};

/** Small messages as fast as the pipe takes them, noise on stderr, and a message of 20 MB among every 5000. */
function flood() {
  const log = (data) => line({ method: 'notifications/message', params: { level: 'info', data } });
  const news = line({ method: 'notifications/tools/list_changed' });
  const small = (log('x'.repeat(200)) + news + line({ id: 'ask', method: 'roots/list' })).repeat(10);
  const huge = log('x'.repeat(20_000_000));
  let written = 0;
  const more = () => {
    process.stderr.write('noise\n');
    while (process.stdout.write(++written % 167 === 0 ? huge : small));
    process.stdout.once('drain', more);
  };
  more();
}

createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method, params = {} } = JSON.parse(text);
  if (method === 'notifications/initialized' && mood === 'flood') flood();
  if (id === undefined || method === undefined || mood === 'hang') return;
  const result = answers[method]?.(params);
  const error = { code: -32601, message: `no ${method}` };
  process.stdout.write(line(result === undefined ? { id, error } : { id, result }));
});
