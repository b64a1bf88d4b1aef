/** Runs in the runtime that is tried: the contract suite of one transport, with a runner of a few lines. */
import { transportSuite } from '@mcp-fittings/testkit/transport';

const LONGEST_MS = 30_000;
const tests = (path) => import(new URL(`../../packages/${path}`, import.meta.url).href);
const SUITES = {
  async stdio() {
    const { kitOptions } = await tests('transport-stdio/test/support/kit-options.mjs');
    const { createStdioTransport } = await import('@mcp-fittings/transport-stdio');
    return ['newline', 'content-length'].map((framing) => kitOptions(createStdioTransport, framing));
  },
  async http() {
    const { kitOptions } = await tests('transport-http/test/support/kit-options.mjs');
    const { createHttpTransport } = await import('@mcp-fittings/transport-http');
    return ['json', 'sse'].map((replies) => kitOptions(createHttpTransport, replies));
  },
  async sse() {
    const { kitOptions } = await tests('transport-sse/test/support/kit-options.mjs');
    const { createSseTransport } = await import('@mcp-fittings/transport-sse');
    return [kitOptions(createSseTransport)];
  },
  ws: async () => (await tests('transport-ws/test/support/contracts.mjs')).contracts(),
  inprocess: async () => (await tests('transport-inprocess/test/support/contracts.mjs')).contracts,
};

const [kind] = process.argv.slice(2);
const cases = [];
let path = [];
const runner = {
  describe(name, define) {
    path = [...path, name];
    define();
    path = path.slice(0, -1);
  },
  it: (name, run) => void cases.push({ name: [...path, name].join(' > '), run }),
};
for (const options of await SUITES[kind]()) transportSuite(runner, options);

let passed = 0;
for (const { name, run } of cases) {
  try {
    await inTime(run());
    passed++;
  } catch (error) {
    console.log(
      `fails ${name}: ${String(error?.stack ?? error)
        .slice(0, 400)
        .replaceAll('\n', ' ')}`,
    );
  }
}
console.log(`passed ${passed} of ${cases.length}`);
process.exit(0);

function inTime(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${LONGEST_MS} ms`)), LONGEST_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
