/** A small MCP server on stdio without a library: `node neighbor.mjs [well|flood|logs|news|requests|huge|stderr|hang]`. */
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

const log = (data) => line({ method: 'notifications/message', params: { level: 'info', data } });
const logs = () => log('x'.repeat(200)).repeat(30);
const news = () => line({ method: 'notifications/tools/list_changed' }).repeat(30);
const requests = () => line({ id: 'ask', method: 'roots/list' }).repeat(30);
const huge = () => log('x'.repeat(20_000_000));
const noise = () => 'noise on stderr\n'.repeat(300);

/** What is written again and again, as fast as the pipe takes it. */
const floods = {
  logs: () => [logs()],
  news: () => [news()],
  requests: () => [requests()],
  huge: () => [huge()],
  stderr: () => [noise()],
  // A message of 20 MB among every 5000, and noise.
  flood: () => [...Array.from({ length: 167 }, (_, n) => [logs(), news(), requests()][n % 3]), huge()],
};

function flood() {
  const texts = floods[mood]();
  const stream = mood === 'stderr' ? process.stderr : process.stdout;
  let written = 0;
  const more = () => {
    if (mood === 'flood') process.stderr.write('noise\n');
    while (stream.write(texts[written++ % texts.length]));
    stream.once('drain', more);
  };
  more();
}

createInterface({ input: process.stdin }).on('line', (text) => {
  const { id, method, params = {} } = JSON.parse(text);
  if (method === 'notifications/initialized' && mood in floods) flood();
  if (id === undefined || method === undefined || mood === 'hang') return;
  const result = answers[method]?.(params);
  const error = { code: -32601, message: `no ${method}` };
  process.stdout.write(line(result === undefined ? { id, error } : { id, result }));
});
