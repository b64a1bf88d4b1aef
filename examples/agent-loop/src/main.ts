import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy, createTools } from '@mcp-fittings/tools';
import { stdio } from '@mcp-fittings/transport-stdio';
import { runAgent } from './agent.js';
import { hosts } from './hosts.js';
import { scriptedModel } from './scripted-model.js';

const folder = await mkdtemp(join(tmpdir(), 'agent-loop-'));
await writeFile(join(folder, 'note.txt'), 'remember the milk');

try {
  await using host = createHost({
    name: 'agent-loop',
    version: '1.0.0',
    transports: [stdio()],
  });
  // Two servers with the same tools, so that names collide.
  await host.connect({
    demo: npx('@modelcontextprotocol/server-everything'),
    notes: npx('@modelcontextprotocol/server-filesystem', folder),
    archive: npx('@modelcontextprotocol/server-filesystem', tmpdir()),
  });

  for (const { title, api, answer, ...names } of hosts) {
    console.log(`\n${title}`);
    await using tools = createTools(host, {
      ...names,
      policy: createToolPolicy({
        servers: { notes: { allowedTools: ['read_*'], deniedTools: ['write_file'] } },
      }),
      confirm: async ({ tool, verdict }) => {
        console.log(`  may ${tool.name} run? ${verdict.reason} → ${answer}`);
        return Promise.resolve(answer);
      },
    });
    const said = await runAgent({
      tools,
      api,
      model: scriptedModel(folder),
      onCall: (call, outcome) => console.log(`  ${call.name}: ${firstLine(outcome)}`),
    });
    console.log(`  → ${said}`);
    if (!said.includes('remember the milk') || !said.includes('may not')) process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Creates the entry of a server from npm, as in an `.mcp.json` file. */
function npx(name: string, ...args: readonly string[]): { command: string; args: string[]; cwd: string } {
  return { command: 'npx', args: ['--no', name, ...args], cwd: import.meta.dirname };
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}
