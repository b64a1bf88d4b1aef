/** What grows, and how far. Each row has a picture, with a line for each load. */

const POWERS = [1, 10, 100, 1000, 10_000, 100_000];
const HALVES = [1, 3, 10, 30, 100, 300, 1000];
const BYTES = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8];
const REMOTE = { http: 'HTTP, JSON', 'http-sse': 'HTTP, event stream', sse: 'legacy SSE', ws: 'WebSocket' };
const WIRES = { stdio: 'stdio', ...REMOTE, inprocess: 'in-process' };

/** A line for each wire. */
const over = (load, names) => names.map((wire) => ({ id: wire, label: WIRES[wire], load, task: { wire } }));

export const ROWS = [
  {
    id: 'servers',
    label: 'A host connects servers',
    unit: 'servers',
    points: HALVES,
    about:
      'One host with SDK v1, default options. The HTTP servers are listeners of one Node.js process, each with a port of its own. The stdio servers are processes: a shell script of 15 lines, of which a thousand fit into memory. The memory of these processes is not counted.',
    lines: over('servers', ['stdio', 'http', 'inprocess']),
  },
  {
    id: 'calls',
    label: 'Calls, 64 in flight',
    unit: 'calls',
    points: POWERS,
    about: 'One connection, without an engine.',
    lines: over('calls', ['stdio', 'http', 'http-sse', 'sse', 'ws', 'inprocess']),
  },
  {
    id: 'pending',
    label: 'Calls, all at once',
    unit: 'calls',
    points: POWERS,
    about: 'All calls are sent before the first is answered, so that all are pending at the same time.',
    lines: over('pending', ['stdio', 'http', 'http-sse', 'sse', 'ws', 'inprocess']),
  },
  {
    id: 'notifications',
    label: 'Notifications',
    unit: 'notifications',
    points: POWERS,
    about: 'One call, with so many progress notifications before its answer.',
    lines: over('notifications', ['stdio', 'http-sse', 'sse', 'ws']),
  },
  {
    id: 'bytes',
    label: 'One large result',
    unit: 'bytes',
    points: BYTES,
    about:
      'One result of ASCII text, `maxMessageBytes` raised to 256 MiB. In-process, objects are passed on as they are.',
    lines: over('bytes', ['stdio', 'http', 'http-sse', 'sse', 'ws']),
  },
  {
    id: 'tools',
    label: 'Tools of one server',
    unit: 'tools',
    points: [10, 30, 100, 300, 1000, 3000, 10_000],
    about:
      'One in-process server whose list has up to 50 pages. `connect` reads the list, `snapshot` converts all tools for a model, `snapshot again` finds that nothing has changed, `anthropicTools` makes the tools of a request.',
    lines: [
      { id: 'connect', label: 'connect', load: 'toolList', task: {} },
      { id: 'snapshot', label: 'snapshot', load: 'snapshot', task: {} },
      { id: 'again', label: 'snapshot again', load: 'snapshot', task: { again: true } },
      { id: 'anthropic', label: 'anthropicTools', load: 'anthropic', task: {} },
    ],
  },
];
