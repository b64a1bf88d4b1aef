/**
 * `node test/corpus/gather.mjs [server …]`: starts every server of servers.mjs over stdio, and writes its tools to test/corpus/tools.json
 * in an order that does not depend on the run. Prints a row for each server, also for one that did not start.
 *
 * The servers run with a home directory of their own and made-up tokens. None of them is called.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { entryOf } from './entry.mjs';
import { SERVERS } from './servers.mjs';

/** What the corpus must have. With less, the script fails. */
const LEAST_SERVERS = 30;
const LEAST_TOOLS = 1000;
/** The machine may have two cores, on which some servers need 20 s to load. */
const START_MS = 60_000;
const AT_A_TIME = 3;

const here = import.meta.dirname;
const wanted = process.argv.slice(2);

if (!existsSync(join(here, 'node_modules'))) {
  console.error('The servers are not installed: run "npm ci --prefix test/corpus".');
  process.exit(2);
}

const started = performance.now();
const names = Object.keys(SERVERS)
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .toSorted();
const gathered = await readAll(names);
const seconds = ((performance.now() - started) / 1000).toFixed(0);

for (const { name, version, tools, error } of gathered) {
  console.log(
    `${name.padEnd(18)} ${version.padEnd(12)} ${error === undefined ? `${tools.length} tools` : `FAILED: ${error}`}`,
  );
}
const servers = gathered.filter(({ tools }) => tools.length > 0);
const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
console.log(`\n${count} tools of ${servers.length} servers (${gathered.length} tried) in ${seconds} s`);
if (wanted.length === 0) {
  writeFileSync(join(here, 'tools.json'), `${JSON.stringify({ servers }, undefined, 1)}\n`);
  if (servers.length < LEAST_SERVERS || count < LEAST_TOOLS) {
    console.error(`The corpus needs ${LEAST_TOOLS} tools of ${LEAST_SERVERS} servers.`);
    process.exitCode = 1;
  }
}

async function readAll(some) {
  const rows = new Map();
  const open = [...some];
  const worker = async () => {
    for (let name = open.shift(); name !== undefined; name = open.shift())
      rows.set(name, await readOne(name));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return some.map((name) => rows.get(name));
}

/** The tools of one server as it lists them, ordered by name, and its instructions, or why there are none. */
async function readOne(name) {
  const row = { name, package: SERVERS[name].package, version: '?', tools: [] };
  try {
    const { version, entry } = entryOf(name);
    row.version = version;
    const host = createHost({
      name: 'mcp-fittings-corpus',
      version: '1.0.0',
      transports: [stdio()],
      limits: { connectMs: START_MS },
      defaults: { reconnect: { maxAttempts: 0 } },
    });
    try {
      const [server] = await host.connect({ [name]: entry });
      if (server.state.status !== 'connected') throw server.state.error ?? new Error(server.state.status);
      row.instructions = server.state.connection.instructions;
      row.tools = host
        .tools()
        .map(({ server: _server, digest: _digest, ...definition }) => definition)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
      if (row.tools.length === 0) throw new Error('It lists no tools.');
    } finally {
      await host.close();
    }
  } catch (error) {
    row.error = String(error?.message ?? error)
      .replaceAll('\n', ' ')
      .slice(0, 300);
  }
  return row;
}
