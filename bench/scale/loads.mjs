/**
 * What is done at one point of a line. Each load is prepared for `n`, warmed up, and then run several times; `run` may return what
 * undoes it, which is not measured.
 */
import { fileURLToPath } from 'node:url';
import { ours } from '../contenders/ours.mjs';
import { callRaw, makeTransport, startHttpServer, urlOf } from '../lib/connection.mjs';
import { answer } from '../servers/answer.mjs';

const MOST_BYTES = 256 * 1024 * 1024;
const SMALL_SERVER = fileURLToPath(new URL('../servers/small.sh', import.meta.url));
const ECHO = { text: 'Sixty-four bytes of text are about what a small tool gives back.' };
const WARM_CALLS = 3000;
const WARM_TIMES = 30;
const WARM_SERVERS = 100;
const PAGES = 50;
const LEAST_PAGE = 200;

export const LOADS = {
  async servers({ wire }, n) {
    const { ports } = wire === 'http' ? await startHttpServer(n + WARM_SERVERS) : {};
    const entryOf = {
      stdio: () => ({ type: 'stdio', command: 'sh', args: [SMALL_SERVER] }),
      http: (index) => ({ type: 'http', url: urlOf(ports[index], 'http') }),
      inprocess: () => ({ type: 'inprocess' }),
    }[wire];
    const entries = (from, count) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`server${from + at}`, entryOf(from + at)]),
      );
    const warm = await newHost(await pluginOf(wire));
    await warm.connect(entries(0, WARM_SERVERS));
    await warm.close();
    return async () => {
      const host = await newHost(await pluginOf(wire));
      await host.connect(entries(WARM_SERVERS, n));
      if (host.statistics().connected !== n)
        throw new Error(`${host.statistics().connected} of ${n} connected.`);
      return () => host.close();
    };
  },

  async calls({ wire }, n) {
    const connection = await open(wire);
    const call = async (count) => {
      let left = count;
      const worker = async () => {
        while (left-- > 0) await connection.call('echo', ECHO);
      };
      await Promise.all(Array.from({ length: Math.min(64, count) }, worker));
    };
    await call(WARM_CALLS);
    return () => call(n);
  },

  async pending({ wire }, n) {
    const connection = await open(wire);
    const call = (count) => Promise.all(Array.from({ length: count }, () => connection.call('echo', ECHO)));
    for (let time = 0; time < 10; time++) await call(WARM_CALLS / 10);
    return async () => void (await call(n));
  },

  async notifications({ wire }, n) {
    const connection = await open(wire);
    await connection.call('flood', { count: WARM_CALLS });
    return async () => {
      const before = connection.notified;
      await connection.call('flood', { count: n });
      if (connection.notified - before !== n)
        throw new Error(`${connection.notified - before} of ${n} arrived.`);
    };
  },

  async bytes({ wire }, n) {
    const connection = await open(wire);
    for (let time = 0; time < 200; time++) await connection.call('large', { bytes: 1000 });
    // That the server makes its text is part of the first run only, and the memory of the first result is what counts.
    return async () => void (await connection.call('large', { bytes: n }));
  },

  async toolList(_task, n) {
    await warmUp(hostWithTools);
    return async () => {
      const host = await hostWithTools(n);
      if (host.tools().length !== n) throw new Error(`${host.tools().length} of ${n} tools.`);
      return () => host.close();
    };
  },

  async snapshot({ again = false }, n) {
    const { createTools } = await import('@mcp-fittings/tools');
    const warmHost = await hostWithTools(100);
    for (let time = 0; time < WARM_TIMES; time++) createTools(warmHost).snapshot();
    const host = await hostWithTools(n);
    let tools = createTools(host);
    if (again) tools.snapshot();
    return async () => {
      if (!again) tools = createTools(host);
      const { length } = tools.snapshot().tools;
      if (length !== n) throw new Error(`${length} of ${n} tools.`);
    };
  },

  async anthropic(_task, n) {
    const { anthropicTools, createTools } = await import('@mcp-fittings/tools');
    const { tools } = createTools(await hostWithTools(n)).snapshot();
    for (let time = 0; time < WARM_TIMES; time++) anthropicTools(tools.slice(0, 100));
    return async () => void anthropicTools(tools);
  },
};

/** A short list often enough that V8 has compiled what reads it. */
async function warmUp(connect) {
  for (let time = 0; time < WARM_TIMES; time++) await connect(100).then((host) => host.close());
}

async function open(wire) {
  if (wire === 'inprocess') return started(await makeTransport('ours', wire));
  const stdio = {
    command: process.execPath,
    args: [fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url))],
  };
  const where = wire === 'stdio' ? stdio : { url: urlOf((await startHttpServer()).ports[0], wire) };
  return started(await ours[wire]({ ...where, maxMessageBytes: MOST_BYTES }));
}

async function started(transport) {
  const connection = callRaw(transport);
  await transport.start();
  return connection;
}

async function newHost(plugin) {
  const { createHost } = await import('@mcp-fittings/host');
  return createHost({ name: 'bench', version: '1.0.0', transports: [plugin] });
}

async function pluginOf(wire) {
  if (wire === 'stdio') return (await import('@mcp-fittings/transport-stdio')).stdio();
  if (wire === 'http') return (await import('@mcp-fittings/transport-http')).http();
  return inProcessPlugin(answer);
}

/** Every server of it is the other end of a pair. */
async function inProcessPlugin(answerTo) {
  const { createLinkedPair } = await import('@mcp-fittings/transport-inprocess');
  return {
    specVersion: 1,
    type: 'inprocess',
    schema: { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } },
    create() {
      const [near, far] = createLinkedPair();
      far.onmessage = (message) => answerTo(message, (text) => void far.send(JSON.parse(text)));
      void far.start();
      return near;
    },
  };
}

/** A host with one server that has `n` tools, connected. */
async function hostWithTools(n) {
  const tools = Array.from({ length: n }, (_, index) => toolOf(index));
  const page = Math.max(LEAST_PAGE, Math.ceil(n / PAGES));
  const host = await newHost(
    await inProcessPlugin((message, write) => {
      if (message.method !== 'tools/list') return answer(message, write);
      const from = Number(message.params?.cursor ?? 0);
      const nextCursor = from + page < n ? { nextCursor: String(from + page) } : {};
      const result = { tools: tools.slice(from, from + page), ...nextCursor };
      return write(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    }),
  );
  await host.connect({ many: { type: 'inprocess' } });
  return host;
}

/** So small that ten thousand stay below the 200 000 values that a host keeps of one list. */
function toolOf(index) {
  return {
    name: `find_records_${index}`,
    description: `Finds the records of table ${index} that match a text.`,
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to look for.' },
        limit: { type: 'integer', minimum: 1, maximum: 1000, default: 20 },
      },
      required: ['text'],
      additionalProperties: false,
    },
  };
}
