// A server whose tools test what a call shows and asks. It appends what happens to the file that its first argument names, and
// reads from the second one, if there is one, what it is to do otherwise.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const [log, settings] = process.argv.slice(2);
const {
  description = 'Echoes.',
  before,
  exitAt,
  startsWhen,
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

const FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, password: { type: 'string', default: 'none' } },
    required: ['name'],
  },
};
/** It is not opened, because it is not encrypted. */
const PAGE = { url: 'http://192.0.2.1/pay', elicitationId: 'order-1', message: 'Pay first' };
let purchases = 0;

const tools = {
  echo: ({ text: value }) => text(value),
  fail: () => text('no', { isError: true }),
  refuse: () => {
    throw Object.assign(new Error('Not today.'), { code: -32602 });
  },
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
  form: async () => text(JSON.stringify(await ask('elicitation/create', FORM))),
  page: async () => text(JSON.stringify(await ask('elicitation/create', { mode: 'url', ...PAGE }))),
  buy: () => {
    if (++purchases > 1) return text(`bought at call ${purchases}`);
    throw Object.assign(new Error('Pay first.'), {
      code: -32042,
      data: { elicitations: [{ mode: 'url', ...PAGE }] },
    });
  },
  work: (_args, { progressToken }) => {
    const report = (params) =>
      say({ method: 'notifications/progress', params: { progressToken, total: 4, ...params } });
    report({ progress: 1, message: 'first \u001b[31mstep' });
    report({ progress: 2 });
    return new Promise(() => undefined);
  },
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
    };
  },
  'tools/list': () => ({
    tools: Object.keys(tools).map((name) => ({
      name,
      description: name === 'echo' ? description : name,
      inputSchema: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } },
    })),
  }),
  'tools/call': ({ name, arguments: args = {}, _meta = {} }) => {
    note(`called ${name}`);
    return tools[name](args, _meta);
  },
};

createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', async (line) => {
  const { id, method, params = {}, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { refused: error.code });
  note(method);
  if (exitAt === method) process.exit(7);
  if (method === 'initialize')
    while (startsWhen !== undefined && !existsSync(startsWhen)) await setTimeout(20);
  if (id === undefined) return;
  if (before === method) say({ method: 'notifications/tools/list_changed' });
  if (!Object.hasOwn(methods, method))
    return say({ id, error: { code: -32601, message: 'Method not found' } });
  try {
    say({ id, result: await methods[method](params) });
  } catch (failure) {
    const { code, message, data } = failure;
    say({ id, error: { code, message, data } });
  }
});
