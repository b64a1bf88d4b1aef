import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@mcp-fittings/host';
import { createToolPolicy, createTools, type DeferOptions, type ToolHost } from '@mcp-fittings/tools';
import { stdio } from '@mcp-fittings/transport-stdio';
import { createAgent } from './agent.js';
import { scriptedModel } from './scripted-model.js';
import { realServers } from './servers.js';
import { tasksIn } from './tasks.js';
import { loadTokenizer } from './tokens.js';

const LEAST_SERVERS = 30;
const LEAST_TOOLS = 1_000;
/** Some servers take long to load, and all start at the same time. */
const CONNECT_MS = 180_000;
/** A server that no task needs soon ends again. Its tools stay in the list. */
const IDLE_MS = 5_000;

/** What the memory server knows. */
const TOM = { type: 'entity', name: 'Tom', entityType: 'person', observations: ['is allergic to peanuts'] };

const folder = await mkdtemp(join(tmpdir(), 'many-tools-'));
await writeFile(join(folder, 'note.txt'), 'remember the milk');
await writeFile(join(folder, 'plan.txt'), 'paint the fence');
await writeFile(join(folder, 'memory.jsonl'), JSON.stringify(TOM));
execFileSync('git', ['init', '--quiet', folder]);
const countTokens = await loadTokenizer();

try {
  const entries = await realServers(folder);
  await using host = createHost({
    name: 'many-tools',
    version: '1.0.0',
    transports: [stdio()],
    limits: { connectMs: CONNECT_MS, parallelConnects: 4 },
    idleMs: IDLE_MS,
  });
  await host.connect(entries);
  const servers = new Set(host.tools().map(({ server }) => server)).size;
  const count = host.tools().length;
  console.log(`${count} tools of ${servers} servers`);

  const all = await converse(host, 'never');
  const share = (await converse(host, 'auto')) / all;
  const nativeShare = (await converse(host, { native: 'anthropic' })) / all;
  console.log(
    `\nOf the tokens with all tools: ${percent(share)} with defer, ${percent(nativeShare)} in the form of Anthropic`,
  );
  if (servers < LEAST_SERVERS || count < LEAST_TOOLS || !(share < 0.1) || !(nativeShare < 0.1)) {
    process.exitCode = 1;
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Has the conversation, prints it, and returns the tokens of all its requests. */
async function converse(host: ToolHost, defer: DeferOptions['mode'] | DeferOptions): Promise<number> {
  console.log(`\ndefer: ${JSON.stringify(defer)}`);
  await using tools = createTools(host, {
    defer,
    policy: createToolPolicy({
      servers: {
        filesystem: { allowedTools: ['read_text_file'] },
        everything: { allowedTools: ['get-sum'] },
        memory: { allowedTools: ['search_nodes'] },
        git: { allowedTools: ['git_status'] },
      },
    }),
  });
  const tasks = tasksIn(folder);
  let tokens = 0;
  let requests = 0;
  const answer = createAgent({
    tools,
    model: scriptedModel(tasks),
    onRequest({ tools: offered, ...rest }) {
      requests++;
      tokens += countTokens(JSON.stringify(offered)) + countTokens(JSON.stringify(rest));
    },
    onCall: (name, text) => console.log(`  ${name}: ${oneLine(text)}`),
  });
  for (const { ask, expected } of tasks) {
    console.log(`  > ${ask}`);
    if (!expected.test(await answer(ask))) process.exitCode = 1;
  }
  console.log(`  ${requests} requests, ${tokens} tokens`);
  return tokens;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 110 ? `${line.slice(0, 109)}…` : line;
}
