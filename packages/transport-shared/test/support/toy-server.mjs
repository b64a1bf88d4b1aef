// A small MCP server of the `initialize` era for several programs at once. It appends its process id to the file START_LOG.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
if (process.env.START_LOG !== undefined) appendFileSync(process.env.START_LOG, `${process.pid}\n`);
const asked = new Map();
const held = [];
const cancelled = [];
const received = [];
let questions = 0;
let answers = 0;

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] });
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `question-${++questions}`;
    asked.set(id, resolve);
    say({ jsonrpc: '2.0', id, method, params });
  });

const tools = {
  echo: ({ value }) => text(value),
  pid: () => text(process.pid),
  env: ({ name }) => text(process.env[name]),
  /** Answers when `release` is called. */
  hold: ({ value }) => new Promise((resolve) => held.push(() => resolve(text(value)))),
  release: () => {
    const count = held.length;
    for (const answer of held.splice(0)) answer();
    return text(count);
  },
  held: () => text(held.length),
  cancelled: () => text(cancelled.length),
  received: () => text(received.join(' ')),
  die: () => process.exit(3),
  /** Asks the client, and answers with what it said. */
  ask: async ({ method, params = {} }) => text(JSON.stringify(await ask(method, params))),
  /** Asks the client, and withdraws the question at once. */
  withdraw: ({ method, params = {} }) => {
    const id = `question-${++questions}`;
    say({ jsonrpc: '2.0', id, method, params });
    say({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id, reason: 'not needed' },
    });
    return text(id);
  },
  answers: () => text(answers),
  progress: (_, token) => {
    say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: 1 } });
    return text('done');
  },
  announce: ({ method, params = {} }) => {
    say({ jsonrpc: '2.0', method, params });
    return text('announced');
  },
};

const methods = {
  ping: () => ({}),
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'toy', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
  'resources/list': () => ({ resources: [] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/subscribe': ({ uri }) => (uri === 'test://unanswered' ? new Promise(() => undefined) : {}),
  'resources/unsubscribe': () => ({}),
  'logging/setLevel': () => ({}),
  'tools/call': ({ name, arguments: args = {}, _meta }) => tools[name](args, _meta?.progressToken),
};

createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line);
  if (method === undefined) {
    answers++;
    asked.get(id)?.(result ?? { refused: error.message });
    asked.delete(id);
    return;
  }
  received.push(method);
  if (method === 'notifications/cancelled') cancelled.push(params.requestId);
  if (method === 'toy/release') tools.release();
  if (id === undefined) return;
  if (!Object.hasOwn(methods, method)) {
    say({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    return;
  }
  void Promise.resolve(methods[method](params)).then((answer) =>
    say({ jsonrpc: '2.0', id: process.argv.includes('--text-ids') ? String(id) : id, result: answer }),
  );
});
