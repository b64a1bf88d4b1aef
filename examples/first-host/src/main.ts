import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oauth } from '@mcp-fittings/auth-oauth';
import { createHost, type ServerSnapshot, type ToolResult } from '@mcp-fittings/host';
import { inprocess } from '@mcp-fittings/transport-inprocess';
import { memoryStore } from '@mcp-fittings/store-file';
import { http } from '@mcp-fittings/transport-http';
import { sse } from '@mcp-fittings/transport-sse';
import { stdio } from '@mcp-fittings/transport-stdio';
import { ws } from '@mcp-fittings/transport-ws';
import { clockServer } from './clock-server.js';
import { startGuardedServer } from './guarded-server.js';
import { startRemoteServers } from './remote-servers.js';
import { scriptedPerson } from './scripted-person.js';
import { localServers } from './servers.js';
import { table } from './table.js';

const folder = await mkdtemp(join(tmpdir(), 'first-host-'));
await writeFile(join(folder, 'hello.txt'), 'Hello from a file.\n');

try {
  await using remote = await startRemoteServers();
  await using guarded = await startGuardedServer();
  await using host = createHost({
    name: 'first-host',
    version: '1.0.0',
    transports: [
      stdio(),
      inprocess({ servers: { clock: clockServer } }),
      http({ fallback: sse() }),
      sse(),
      ws(),
    ],
    auth: [oauth({ clientName: 'first-host', store: memoryStore(), interaction: scriptedPerson() })],
  });
  const guardedEntry = { url: guarded.url };
  await host.connect({ ...localServers(folder), ...remote.entries, guarded: guardedEntry });
  console.log(`guarded is ${host.server('guarded').state.status}; signing in…\n`);
  await host.signIn('guarded');
  const servers = host.servers();

  console.log(
    `${table(['server', 'transport', 'state', 'tools', 'prompts', 'resources'], servers.map(statusRow))}\n`,
  );
  console.log(`${host.tools().length} tools:`);
  for (const { server, name } of host.tools()) console.log(`  ${server} / ${name}`);

  console.log('\nA call to each:');
  await show('everything', 'echo', { message: 'hi' });
  await show('filesystem', 'read_text_file', { path: join(folder, 'hello.txt') });
  await show('memory', 'create_entities', {
    entities: [{ name: 'fittings', entityType: 'project', observations: [] }],
  });
  await show('clock', 'time');
  await show('remote-http', 'echo', { message: 'over HTTP' });
  await show('remote-sse', 'echo', { message: 'over SSE' });
  await show('remote-ws', 'time');
  await show('guarded', 'time');

  process.exitCode = servers.every(({ state }) => state.status === 'connected') ? 0 : 1;

  async function show(server: string, tool: string, args: Record<string, unknown> = {}): Promise<void> {
    const result = await host.callTool({ server, tool }, args);
    console.log(`  ${server} / ${tool}: ${firstText(result)}`);
  }
} finally {
  await rm(folder, { recursive: true });
}

function statusRow({ name, type, state, counts }: ServerSnapshot): readonly string[] {
  const why = state.status === 'failed' ? `: ${state.error.message}` : '';
  return [
    name,
    type ?? '',
    state.status + why,
    String(counts.tools),
    String(counts.prompts),
    String(counts.resources),
  ];
}

function firstText({ content }: ToolResult): string {
  const text = content.find((block) => block.type === 'text')?.text ?? '(no text)';
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 80);
}
