/** The server of the suite, over stdio: `node suite-server.mjs <name>`. It keeps a log of what it received, which `log` returns. */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';

/** One transparent pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const LONG_NAME = `reports/${'quarterly-'.repeat(9)}näme`;

const name = process.argv[2] ?? 'suite';
const log = [];
let grown = false;
let description = 'Runs only after approval.';

const text = (...texts) => ({ content: texts.map((each) => ({ type: 'text', text: each })) });
const object = (properties = {}, required = []) => ({ type: 'object', properties, required });

const TOOLS = {
  echo: {
    description: 'Says the text again.',
    inputSchema: object({ text: { type: 'string', description: 'What to say' } }, ['text']),
    run: ({ text: said }) => text(`Echo: ${said}`),
  },
  add: {
    description: 'Adds two numbers.',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    run: ({ a, b }) => text(`Sum: ${a + b}`),
  },
  now: { inputSchema: { type: 'object' }, run: () => text('No arguments needed.') },
  who: { inputSchema: object(), run: () => text(`I am ${name}.`) },
  [LONG_NAME]: { inputSchema: object(), run: () => text('The long report.') },
  rows: {
    inputSchema: object({ rows: { type: 'array' } }),
    run: ({ rows }) => text(`${rows.length} rows`),
  },
  filter: {
    inputSchema: object({ '$filter by!': { type: 'string' } }, ['$filter by!']),
    run: (args) => text(JSON.stringify(args)),
  },
  blocks: {
    inputSchema: object(),
    run: () => ({
      content: [
        { type: 'text', text: 'first' },
        { type: 'resource', resource: { uri: 'file:///notes.txt', text: 'embedded notes' } },
        { type: 'resource_link', uri: 'file:///more.txt', name: 'more' },
        { type: 'text', text: 'last' },
      ],
    }),
  },
  structured: {
    inputSchema: object(),
    outputSchema: object({ celsius: { type: 'number' } }, ['celsius']),
    run: () => ({ content: [], structuredContent: { celsius: 21 } }),
  },
  image: {
    inputSchema: object(),
    run: () => ({
      content: [
        { type: 'text', text: 'A picture:' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
      ],
    }),
  },
  falseimage: {
    inputSchema: object(),
    run: () => ({
      content: [{ type: 'image', data: Buffer.from('<svg/>').toString('base64'), mimeType: 'image/png' }],
    }),
  },
  big: { inputSchema: object(), run: () => text(`start ${'x'.repeat(200_000)} end`) },
  empty: { inputSchema: object(), run: () => ({ content: [] }) },
  fail: { inputSchema: object(), run: () => ({ ...text('The disk is full.'), isError: true }) },
  refuse: {
    inputSchema: object(),
    run() {
      throw new McpError(-32050, 'The quota is used up');
    },
  },
  die: { inputSchema: object(), run: () => process.exit(3) },
  hang: { inputSchema: object(), run: () => new Promise(() => {}) },
  steps: {
    inputSchema: object(),
    async run(_, { _meta, sendNotification }) {
      for (const progress of [1, 2, 3])
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta.progressToken, progress, total: 3, message: `Step ${progress}` },
        });
      return text('All steps done.');
    },
  },
  ask: {
    inputSchema: object(),
    async run() {
      const message = 'What is your name?';
      const answer = await server.elicitInput({
        message,
        requestedSchema: object({ name: { type: 'string' } }, ['name']),
      });
      return text(`${answer.action}: ${String(answer.content?.name)}`);
    },
  },
  guarded: { inputSchema: object(), run: () => text('The guarded tool ran.') },
  denied: { inputSchema: object(), run: () => text('The denied tool ran.') },
  grow: {
    inputSchema: object(),
    async run() {
      grown = true;
      await server.sendToolListChanged();
      return text('There is a new tool.');
    },
  },
  change: {
    inputSchema: object(),
    async run() {
      description = 'Does something else now.';
      await server.sendToolListChanged();
      return text('The guarded tool has changed.');
    },
  },
  log: { inputSchema: object(), run: () => text(JSON.stringify(log)) },
};
const GROWN = { inputSchema: object(), run: () => text('I am new.') };

const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: Object.entries({ ...TOOLS, ...(grown && { grown: GROWN }) }).map(([tool, definition]) => ({
    ...definition,
    run: undefined,
    name: tool,
    ...(tool === 'guarded' && { description }),
  })),
}));
server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
  const tool = { ...TOOLS, grown: GROWN }[params.name];
  if (tool === undefined) throw new McpError(-32602, `Unknown tool ${params.name}`);
  if (params.name !== 'log') log.push({ called: params.name, tenant: params._meta?.['example.com/tenant'] });
  extra.signal.addEventListener('abort', () => log.push({ cancelled: params.name }));
  return tool.run(params.arguments ?? {}, extra);
});
await server.connect(new StdioServerTransport());
