import { readdir, rm, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ToolDefinition } from '@mcp-fittings/host';
import type { StdioEntry } from '@mcp-fittings/transport-stdio';
import type { Inputs } from './inputs.js';
import { cacheFolder, openViewStore, type View, type ViewStore } from './stored-lists.js';

/** A stdio server that an earlier run has started, and of which it has called tools, after all checks. */
export interface StoredServerCalls {
  readonly inputs: Inputs;
  /** What starts it. Variables are never a part of it. */
  readonly entry: Omit<StdioEntry, 'env'>;
  /** Longest time for the handshake, in milliseconds. */
  readonly connectMs: number;
  /** Longest time of a call without a response or progress, in milliseconds. */
  readonly callMs: number;
  /** All tools, as the server listed them when they were checked: against pins, permissions and the user's filters. */
  readonly tools: readonly ToolDefinition[];
  /** Its instructions, which are pinned too. */
  readonly instructions: string | null;
  /** Names of the tools that were called. */
  readonly called: readonly string[];
  /** Milliseconds since the Unix epoch. */
  readonly checkedAt: number;
}

/** How long a server is started as it was checked. What the checks depend on is compared each time. Milliseconds. */
export const CHECKED_MS = 24 * 60 * 60 * 1000;

/**
 * Opens what is kept of one server. A record says which program to run, so it lies in the account's own home directory, whatever `HOME`
 * says: a project can set `HOME` to a folder of its own, and bring records with it.
 */
export function openServerStore(
  server: string,
  view: View & {
    /** Whether the server is told that the user can be asked, which its tools may depend on. */
    readonly interactive: boolean;
  },
  env: Readonly<Record<string, string | undefined>>,
): ViewStore<StoredServerCalls> {
  const kind = JSON.stringify(['calls of', server, homedir(), view.interactive]);
  return openViewStore(kind, view, env, serverFolder());
}

/** Removes the records that no run uses any more. A record was written when it was checked. */
export async function removeExpiredServers(now: number): Promise<void> {
  const folder = serverFolder();
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another run may have removed or renamed it meanwhile.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < now - CHECKED_MS) await rm(path, { force: true });
  }
}

/** The folder of the records of all servers. */
function serverFolder(): string {
  return join(cacheFolder(accountHome()), 'calls');
}

function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // The account has no entry.
    return homedir();
  }
}
