/**
 * What is measured, and what is to be met: `floor` and `sdk` are ratios to the floor and to the better SDK,
 * any other name is that of a contender.
 *   throughput  the processes of a contender work at the same time, not in turns; it is compared with more slack
 *   fresh       new processes for each round
 *   timeless    no measurement of time: a turn that was disturbed counts
 *   together    all contenders at the same time
 *   once        contenders that take part in the first round only
 *   similar     left out of --quick, but not of --quick --check
 *   slow        left out of both
 */
import { CLI_WORKLOADS } from './cli-measures.mjs';
import { hasCorpus } from './corpus.mjs';

const ALL = ['floor', 'ours', 'sdk1', 'sdk2'];
const WITHOUT_V2 = ['floor', 'ours', 'sdk1'];

/**
 * So long everybody makes calls before it counts: until then V8 compiles, and a call of undici or `fetch` takes several times
 * as long as later.
 */
const warmMs = (wire) => (/http|sse/.test(wire) ? 5000 : 1500);

const oneCall = (wire, goal, contenders = ALL) => ({
  id: `one-${wire}`,
  label: `one call at a time: ${NAMES[wire]}`,
  measure: 'calls',
  task: { wire, warmMs: warmMs(wire) },
  unit: 'µs',
  contenders,
  goal,
});

const NAMES = {
  stdio: 'stdio',
  ws: 'WebSocket',
  http: 'HTTP, JSON',
  'http-sse': 'HTTP, event stream',
  sse: 'legacy SSE',
  inprocess: 'in-process',
};

const underClient = (wire, client, goal) => ({
  id: `client${client}-${wire}`,
  label: `one call under the Client of SDK v${client}: ${NAMES[wire]}`,
  measure: 'calls',
  task: { wire, client, warmMs: warmMs(wire) },
  unit: 'µs',
  contenders: ['floor', 'ours', `sdk${client}`],
  goal,
});

const inFlight = (wire, count, goal, contenders = ALL) => ({
  id: `flight${count}-${wire}`,
  label: `${count} in flight: ${NAMES[wire]}`,
  measure: 'calls',
  task: { wire, inFlight: count, warmMs: warmMs(wire) },
  unit: 'µs',
  throughput: true,
  contenders,
  goal,
});

const large = (wire, mb, goal) => ({
  id: `large${mb}-${wire}`,
  label: `one result of ${mb} MB: ${NAMES[wire]}`,
  measure: 'large',
  task: { wire, bytes: mb * 1_000_000, warmMs: 500 },
  unit: 'ms',
  throughput: true,
  contenders: ALL,
  goal,
});

const notifications = (wire, goal, contenders = ALL) => ({
  id: `notifications-${wire}`,
  label: `100k notifications: ${NAMES[wire]}`,
  measure: 'notifications',
  task: { wire, count: 100_000 },
  unit: 'ms',
  throughput: true,
  contenders,
  goal,
  limits: [{ metric: 'lost', most: 0, unit: 'lost' }],
});

const importOf = (wire, ours, sdk1, sdk2) => ({
  id: `import-${wire}`,
  label: `import above bare Node: ${NAMES[wire]}`,
  measure: 'import',
  task: { modules: { ours, ...(sdk1 && { sdk1 }), ...(sdk2 && { sdk2 }) } },
  unit: 'ms',
  contenders: ['ours', ...(sdk1 ? ['sdk1'] : []), ...(sdk2 ? ['sdk2'] : [])],
  goal: { sdk: sdk1 || sdk2 ? 0.125 : undefined },
  limits: [{ metric: 'value', most: 10, unit: 'ms' }],
});

/** Fresh processes: `series` has a row for each of what the measure gives. */
const cold = (wire, goal) => ({
  id: `cold-${wire}`,
  measure: 'coldCalls',
  task: { wire },
  unit: 'ms',
  fresh: true,
  contenders: ALL,
  series: [
    { metric: 'answer', label: `cold, from the import to the first answer: ${NAMES[wire]}`, goal: {} },
    { metric: 'first1', label: `cold, first call of a process: ${NAMES[wire]}`, goal: {} },
    { metric: 'first10', label: `cold, first 10 calls: ${NAMES[wire]}`, goal: {} },
    { metric: 'first100', label: `cold, first 100 calls: ${NAMES[wire]}`, goal: {} },
    { metric: 'first500', label: `cold, first 500 calls: ${NAMES[wire]}`, goal },
  ],
});

/** The floor connects `concurrency` servers at a time: as many as the host (16), or all of them, which is faster on Node 20. */
const startOfHost = (suffix, concurrency, more) => ({
  id: `host100${suffix}`,
  label: `host with 40 stdio and 60 HTTP servers, all connected; floor with ${concurrency} at a time`,
  measure: 'hostStart',
  task: { stdio: 40, http: 60, concurrency },
  unit: 'ms',
  throughput: true,
  fresh: true,
  contenders: ['floor', 'ours'],
  goal: { floor: 1.05 },
  ...more,
});

const CLIENT2 = '@modelcontextprotocol/client';

/** Without the corpus, which `node test/corpus/gather.mjs` writes, they are left out. */
const TOOLS = !hasCorpus
  ? []
  : [
      {
        id: 'tools-convert',
        label: '1000 real tools: convert all, check a call of each; floor: z.fromJSONSchema',
        measure: 'convertTools',
        task: { tools: 1000 },
        unit: 'ms',
        contenders: ['floor', 'ours'],
        goal: { floor: 1.3 },
        limits: [{ metric: 'skipped', most: 50, unit: 'left out' }],
      },
      {
        id: 'tools-convert-check',
        label: '1000 real tools: convert all, check a call of each; floor: the same with bare Zod',
        measure: 'convertTools',
        task: { tools: 1000, parses: true },
        unit: 'ms',
        contenders: ['floor', 'ours'],
        goal: { floor: 1.3 },
        similar: true,
      },
      {
        id: 'tools-change',
        label: '1000 real tools: snapshot after one changed',
        measure: 'changeOneTool',
        task: { tools: 1000 },
        unit: 'ms',
        contenders: ['ours'],
        goal: {},
        limits: [{ metric: 'share', most: 5, unit: '% of all' }],
      },
      {
        id: 'tools-linear',
        label: '10 000 real tools beside ten times 1000',
        measure: 'toolsLinear',
        task: { tools: 1000, times: 10 },
        unit: '×',
        contenders: ['ours'],
        goal: {},
        limits: [{ metric: 'value', most: 1.3, unit: '× linear' }],
        rounds: 0.4,
        similar: true,
      },
    ];

/** CPU of the process in the middle, beside a bare reverse proxy in front of the same server. */
const throughGateway = (id, what, floor, task) => ({
  id: `gateway-${id}`,
  label: `CPU of the gateway for ${what}; floor: a bare reverse proxy`,
  measure: 'gatewayCalls',
  task: { inFlight: 1, warmMs: 5000, ...task },
  unit: 'µs',
  throughput: true,
  contenders: ['floor', 'ours'],
  goal: floor === undefined ? {} : { floor },
  slow: true,
});

/** The same code as another workload runs, with another size, Client or wire. */
const similar = (workload) => ({ ...workload, similar: true });

export const WORKLOADS = [
  ...TOOLS,
  oneCall('stdio', { floor: 1.05, sdk: 0.87 }),
  oneCall('ws', { floor: 1.05, sdk: 0.95 }, WITHOUT_V2),
  oneCall('http', { floor: 1.2, sdk: 0.25 }),
  similar(oneCall('http-sse', { floor: 1.2, sdk: 0.2 })),
  oneCall('sse', { floor: 1.2, sdk: 0.27 }),
  { ...oneCall('inprocess', { floor: 1 }), limits: [{ metric: 'value', most: 1.5, unit: 'µs' }] },
  underClient('stdio', 1, { floor: 1.05, sdk: 0.93 }),
  similar(underClient('stdio', 2, { floor: 1.05, sdk: 0.93 })),
  underClient('http', 1, { floor: 1.15, sdk: 0.32 }),
  similar(underClient('http', 2, { floor: 1.15, sdk: 0.32 })),
  {
    ...underClient('inprocess', 1, { sdk: 1 }),
    contenders: ['ours', 'sdk1'],
  },
  {
    ...similar(underClient('inprocess', 2, { sdk: 1 })),
    contenders: ['ours', 'sdk2'],
  },
  {
    id: 'host',
    label: 'through our host instead of a bare Client: µs a call on top',
    measure: 'calls',
    task: { wire: 'inprocess', client: 1, warmMs: warmMs('inprocess') },
    unit: 'µs',
    contenders: ['ours', 'host'],
    goal: {},
    difference: { of: 'host', over: 'ours', most: 5 },
  },
  inFlight('stdio', 64, { floor: 1, sdk: 0.65 }),
  inFlight('stdio', 1000, { floor: 0.55, sdk: 0.45 }),
  inFlight('http', 64, { floor: 1.15, sdk: 0.125 }),
  similar(inFlight('http-sse', 64, { floor: 1.15, sdk: 0.125 })),
  {
    id: 'burst-http',
    label: 'burst of 1000, the first of a process: HTTP, JSON',
    measure: 'firstBurst',
    task: { wire: 'http', calls: 1000 },
    unit: 'ms',
    throughput: true,
    fresh: true,
    contenders: ALL,
    goal: { floor: 0.7, sdk: 0.25 },
    limits: [
      { metric: 'mib', most: 20, unit: 'MiB' },
      { metric: 'longest', most: 1000, unit: 'ms', worst: true },
    ],
  },
  similar(inFlight('sse', 64, { floor: 1.2, sdk: 0.15 })),
  inFlight('ws', 64, { floor: 0.95, sdk: 0.85 }, WITHOUT_V2),
  {
    id: 'large50-stdio',
    label: 'one result of 50 MB: stdio',
    measure: 'largeOnce',
    task: { wire: 'stdio', bytes: 50_000_000 },
    unit: 'ms',
    throughput: true,
    fresh: true,
    contenders: ALL,
    once: ['sdk1', 'sdk2'],
    goal: { floor: 1.1, sdk: 1 / 60 },
    limits: [{ metric: 'payloads', most: 2.9, unit: '× payload' }],
  },
  {
    similar: true,
    id: 'linear-stdio',
    label: 'one result of 50 MB beside five of 10 MB: stdio',
    measure: 'linear',
    task: { wire: 'stdio', bytes: 10_000_000, times: 5 },
    unit: '×',
    throughput: true,
    contenders: ['floor', 'ours'],
    goal: {},
    limits: [{ metric: 'value', most: 1.3, unit: '× linear' }],
  },
  large('http', 1, { floor: 1.1, sdk: 0.85 }),
  similar(large('http', 10, { floor: 1.1, sdk: 0.85 })),
  large('http-sse', 1, { floor: 1.1, sdk: 0.85 }),
  similar(large('http-sse', 10, { floor: 1.1, sdk: 0.85 })),
  cold('http', { floor: 1.1 }),
  { ...cold('http-sse', { floor: 1.1 }), slow: true },
  { ...cold('stdio', {}), slow: true },
  notifications('stdio', { floor: 1.2, sdk: 1 / 3 }),
  notifications('ws', { floor: 1.2, sdk: 0.53 }, WITHOUT_V2),
  notifications('http-sse', { floor: 1.25, sdk: 0.25 }),
  similar(notifications('sse', { floor: 1.25, sdk: 0.5 })),
  {
    similar: true,
    id: 'connect200-http',
    label: 'connect 200 HTTP servers, each with a Client',
    measure: 'connectMany',
    task: { wire: 'http', client: 1, servers: 200 },
    unit: 'ms',
    fresh: true,
    throughput: true,
    contenders: ['floor', 'ours', 'sdk1'],
    goal: { floor: 1.15, sdk: 0.7 },
  },
  startOfHost('', 16, { slow: true, limits: [{ metric: 'first', most: 30, unit: 'ms' }] }),
  startOfHost('-best', 100, { slow: true }),
  {
    id: 'idle-heap-http',
    label: 'live heap of one idle HTTP connection',
    measure: 'idleHeap',
    task: { connections: 200 },
    unit: 'KiB',
    fresh: true,
    contenders: ALL,
    goal: { floor: 1.2, sdk: 0.4 },
    timeless: true,
  },
  {
    id: 'idle-rss-http',
    label: 'resident memory of one idle HTTP connection',
    measure: 'idleRss',
    task: { connections: 200 },
    unit: 'KiB',
    fresh: true,
    contenders: ALL,
    goal: { sdk: 0.8 },
    timeless: true,
    slow: true,
  },
  {
    id: 'idle-cpu-http',
    label: 'CPU of 100 idle HTTP connections, a minute',
    measure: 'idleCpu',
    task: { connections: 100, seconds: 6 },
    unit: 'ms',
    together: true,
    timeless: true,
    contenders: ['none', 'ours', 'sdk1', 'sdk2'],
    goal: {},
    difference: { of: 'ours', over: 'none', most: 3 },
    slow: true,
  },
  importOf(
    'stdio',
    '@mcp-fittings/transport-stdio',
    '@modelcontextprotocol/sdk/client/stdio.js',
    `${CLIENT2}/stdio`,
  ),
  importOf(
    'http',
    '@mcp-fittings/transport-http',
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
    CLIENT2,
  ),
  similar(importOf('sse', '@mcp-fittings/transport-sse', '@modelcontextprotocol/sdk/client/sse.js', CLIENT2)),
  importOf('ws', '@mcp-fittings/transport-ws', '@modelcontextprotocol/sdk/client/websocket.js'),
  {
    ...similar(
      importOf(
        'inprocess',
        '@mcp-fittings/transport-inprocess',
        '@modelcontextprotocol/sdk/inMemory.js',
        CLIENT2,
      ),
    ),
    // One file without imports: 2 to 4 ms from run to run, of which a ratio would be noise.
    printedOnly: ['sdk1'],
  },
  {
    id: 'signed-http',
    label: 'a valid OAuth token: µs a call on top; floor: its header with bare undici',
    measure: 'signedCalls',
    task: { warmMs: 5000 },
    unit: 'µs',
    contenders: ['ours', 'floor'],
    // The difference of two calls: its share of the floor is noise.
    printedOnly: ['floor'],
    goal: {},
    limits: [{ metric: 'value', most: 3, unit: 'µs' }],
    slow: true,
  },
  throughGateway('1', 'a call, 1 in flight', 2.2, {}),
  throughGateway('64', 'a call, 64 in flight', 3, { inFlight: 64 }),
  throughGateway('1-large', 'a result of 100 KB, 1 in flight', undefined, { bytes: 100_000 }),
  throughGateway('64-large', 'a result of 100 KB, 64 in flight', undefined, { inFlight: 64, bytes: 100_000 }),
  throughGateway('10-tools', 'a call of one of 10 tools of all servers', 2.2, { whole: true, tools: 10 }),
  throughGateway('5000-tools', 'a call of one of 5000 tools, with a policy', 2.4, {
    whole: true,
    tools: 5000,
    policy: true,
  }),
  ...CLI_WORKLOADS,
];
