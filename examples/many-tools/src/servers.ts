import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServerConfig } from '@mcp-fittings/client-core';

const CORPUS = join(import.meta.dirname, '../../../test/corpus');

/** The servers of `test/corpus/`, which has a lockfile of its own. */
interface Corpus {
  readonly SERVERS: Readonly<Record<string, unknown>>;
  readonly entryOf: (name: string) => { readonly entry: StdioEntry };
}

interface StdioEntry extends ServerConfig {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the entries of all servers of the corpus. What the tasks read and write is in `folder`. */
export async function realServers(folder: string): Promise<Readonly<Record<string, ServerConfig>>> {
  if (!existsSync(join(CORPUS, 'node_modules'))) {
    throw new Error('The servers are not installed. Run: npm ci --prefix test/corpus');
  }
  const load = async (file: string): Promise<unknown> => import(pathToFileURL(join(CORPUS, file)).href);
  const { SERVERS } = (await load('servers.mjs')) as Corpus;
  const { entryOf } = (await load('entry.mjs')) as Corpus;
  const entries = Object.keys(SERVERS).map((name) => {
    const { entry } = entryOf(name);
    return [name, inFolder(name, entry, folder)] as const;
  });
  return Object.fromEntries(entries);
}

function inFolder(name: string, entry: StdioEntry, folder: string): StdioEntry {
  if (name === 'filesystem') return { ...entry, args: [...entry.args.slice(0, 1), folder] };
  if (name === 'memory')
    return { ...entry, env: { ...entry.env, MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } };
  return entry;
}
