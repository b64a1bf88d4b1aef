import { fileURLToPath } from 'node:url';
import { createHost, type Host, type ElicitationAnswer } from '@mcp-fittings/host';
import { createToolPolicy } from '@mcp-fittings/tools';
import { stdio } from '@mcp-fittings/transport-stdio';
import type { AdapterAgent, AdapterDriver } from './driver.js';

const SERVER = fileURLToPath(new URL('../servers/suite-server.mjs', import.meta.url));

/** Two real servers, `one` and `two`, a host, and an agent of the framework. */
export interface World extends AsyncDisposable {
  readonly host: Host;
  readonly agent: AdapterAgent;
  /** The questions that the user was asked. */
  readonly questions: string[];
  /** What the user answers to the next questions. */
  answer: (question: string) => Promise<boolean>;
  /** What the server `one` has received since it started. */
  log(): Promise<readonly LogEntry[]>;
}

/** An entry of the log of a server. */
export interface LogEntry {
  readonly called?: string;
  readonly cancelled?: string;
}

/** Connects the servers and opens the agent. */
export async function createWorld(
  driver: AdapterDriver,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Promise<World> {
  const host = createHost({
    name: 'suite',
    version: '1.0.0',
    transports: [stdio()],
    callbacks: {
      elicit: async (): Promise<ElicitationAnswer> => ({ action: 'accept', content: { name: 'Ann' } }),
    },
  });
  const entry = (name: string) => ({
    command: process.execPath,
    args: [SERVER, name],
    reconnect: { delayMs: 1 },
  });
  const entries = { one: entry('one'), two: entry('two') };
  const states = await host.connect(entries);
  for (const { name, state } of states)
    if (state.status !== 'connected') throw new Error(`${name} is ${state.status}`);
  const permissions = { deniedTools: ['denied'], allowedTools: ALLOWED };
  const policy = createToolPolicy({ servers: { one: permissions, two: permissions } });
  const world: World = {
    host,
    questions: [],
    answer: async () => true,
    agent: await driver.open(host, {
      policy,
      timeoutMs,
      async approve(question) {
        world.questions.push(question);
        return world.answer(question);
      },
    }),
    async log() {
      const { content } = await host.callTool({ server: 'one', tool: 'log' });
      const [block] = content;
      return JSON.parse(block?.type === 'text' ? block.text : '[]') as LogEntry[];
    },
    async [Symbol.asyncDispose]() {
      await world.agent[Symbol.asyncDispose]();
      await host.close();
    },
  };
  return world;
}

/** All but `guarded`, which asks, and `denied`. */
const ALLOWED = (
  'echo add now who reports/* rows filter blocks structured image falseimage big empty fail refuse die hang steps ask ' +
  'grow grown change log'
).split(' ');
