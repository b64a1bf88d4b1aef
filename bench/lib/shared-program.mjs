// One program of shared-servers.mjs: a host with so many servers, until stdin ends.
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createHost } from '@mcp-fittings/host';
import { sharedStdio } from '@mcp-fittings/transport-shared';
import { stdio } from '@mcp-fittings/transport-stdio';

const [kind, count, folder] = process.argv.slice(2);
const server = fileURLToPath(new URL('../servers/stdio.mjs', import.meta.url));
const transport = kind === 'shared' ? sharedStdio({ folder, startTimeoutMs: 60_000 }) : stdio();
const host = createHost({ name: 'bench', version: '1', transports: [transport] });
const entries = Array.from({ length: Number(count) }, (_, index) => [
  `server${index}`,
  { command: process.execPath, args: [server, `--n=${index}`], connectTimeout: 120_000 },
]);
await host.connect(Object.fromEntries(entries));
const waiting = host.servers().filter(({ state }) => state.status !== 'connected');
if (waiting.length > 0)
  throw new Error(`Not connected: ${waiting.map(({ name, state }) => `${name} ${state.status}`).join(', ')}`);
process.stdout.write('connected\n');
process.stdin.resume();
await once(process.stdin, 'end');
await host.close();
