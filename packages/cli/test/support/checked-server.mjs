// A server whose tools are for calls that are repeated. It appends what happens to the file that its first argument names, and
// reads from the second one, if there is one, what it is to do otherwise.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [log, settings] = process.argv.slice(2);
const {
  description = 'Echoes.',
  instructions,
  more = [],
  before,
  exitAt,
} = existsSync(settings) ? JSON.parse(readFileSync(settings, 'utf8')) : {};
const note = (text) => appendFileSync(log, `${text}\n`);
const say = (value) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`);
const text = (value, rest) => ({ content: [{ type: 'text', text: String(value) }], ...rest });
note('started');

const waiting = new Map();
function ask(method, params) {
  const id = `ask-${waiting.size}`;
  say({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const tools = {
  echo: ({ text: value }) => text(value),
  cwd: () => text(process.cwd()),
  environment: () => text(Object.keys(process.env).toSorted().join(' ')),
  fail: () => text('no', { isError: true }),
  refuse: () => {
    throw Object.assign(new Error('Not today.'), { code: -32602 });
  },
  break: () => {
    throw Object.assign(new Error('It broke.'), { code: -32000 });
  },
  blocks: () => ({
    content: [
      { type: 'text', text: 'grüße \u001b[31m' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///x', text: 'inside' } },
      { type: 'strange', value: 1 },
    ],
    structuredContent: { n: 1 },
    _meta: { 'example.com/x': true },
  }),
  nothing: () => ({}),
  roots: async () => text(JSON.stringify(await ask('roots/list'))),
  elicit: async () =>
    text(
      JSON.stringify(
        await ask('elicitation/create', {
          message: 'Who?',
          requestedSchema: { type: 'object', properties: {} },
        }),
      ),
    ),
  die: () => process.exit(3),
  hang: () => {
    process.stderr.write('hanging\n');
    return new Promise(() => undefined);
  },
};

const methods = {
  ping: () => ({}),
  initialize: ({ protocolVersion, capabilities }) => {
    note(`capabilities ${JSON.stringify(capabilities)}`);
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'checked', version: '1.0.0' },
      ...(instructions !== undefined && { instructions }),
    };
  },
  'tools/list': () => ({
    tools: [...Object.keys(tools), ...more].map((name) => ({
      name,
      description: name === 'echo' ? description : name,
      inputSchema: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } },
    })),
  }),
  'tools/call': ({ name, arguments: args = {} }) => {
    note(`called ${name}`);
    return tools[name](args);
  },
};

createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', async (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { refused: error.code });
  note(method);
  if (exitAt === method) process.exit(7);
  if (id === undefined) return;
  if (before === method) say({ method: 'notifications/tools/list_changed' });
  if (!Object.hasOwn(methods, method))
    return say({ id, error: { code: -32601, message: 'Method not found' } });
  try {
    say({ id, result: await methods[method](params) });
  } catch (failure) {
    say({ id, error: { code: failure.code, message: failure.message } });
  }
});
