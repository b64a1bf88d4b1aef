import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runAgent } from './agent.js';
import { openAgent } from './open-agent.js';
import { scriptedModel } from './scripted-model.js';

const require = createRequire(import.meta.url);
const node = (name: string, ...args: readonly string[]): object => ({
  command: process.execPath,
  args: [require.resolve(`${name}/dist/index.js`), ...args],
});

// A home directory and a project with configuration files.
const root = await realpath(await mkdtemp(join(tmpdir(), 'config-to-model-')));
const home = join(root, 'home');
const cwd = join(root, 'project');
await mkdir(home);
await mkdir(join(cwd, '.git'), { recursive: true });
await writeFile(join(cwd, 'note.txt'), 'remember the milk');
await writeFile(
  join(home, '.claude.json'),
  JSON.stringify({
    mcpServers: {
      demo: { ...node('@modelcontextprotocol/server-everything'), allowedTools: ['get-*'] },
    },
  }),
);
await writeFile(
  join(cwd, '.mcp.json'),
  JSON.stringify({
    mcpServers: {
      files: { ...node('@modelcontextprotocol/server-filesystem', cwd), deniedTools: ['write_file'] },
    },
  }),
);

try {
  const agent = await openAgent({
    cwd,
    home,
    approve: async ({ name, text }) => {
      console.log(`The project configures the server "${name}":\n${text}\n`);
      return 'always';
    },
    confirm: async ({ tool, verdict }) => {
      console.log(`May ${tool.name} run? ${verdict.reason}`);
      return 'once';
    },
  });
  try {
    const tools = await agent.tools();
    for (const { name, state } of agent.host.servers()) console.log(`${name}: ${state.status}`);
    for (const { ref, error } of tools.snapshot().skipped)
      console.log(`skipped: ${ref.tool}: ${error.message}`);
    console.log(await runAgent(tools, scriptedModel(join(cwd, 'note.txt')), 'What does the note say?'));
    console.log(`note.txt: ${await readFile(join(cwd, 'note.txt'), 'utf8')}`);
  } finally {
    await agent.close();
  }
} finally {
  await rm(root, { recursive: true });
}
