import { resolveStdioEntry } from '@mcp-fittings/transport-stdio';
import type { Inputs } from './inputs.js';
import { openViewStore, shortHash, type View, type ViewStore } from './stored-lists.js';

/** A tool that an earlier run has called through the shared process, after all checks. */
export interface StoredCall {
  readonly server: string;
  readonly tool: string;
  readonly inputSchema: unknown;
  /** Lets this program join the session with the server. It ends when the server lists other tools. */
  readonly ticket: string;
  /** When the pins and the permissions were checked, in milliseconds since the Unix epoch. */
  readonly checkedAt: number;
}

/** What is kept of calls between runs for one folder and the same global options. */
export interface StoredCalls {
  readonly inputs: Inputs;
  /** Of the variables that servers inherit. */
  readonly environment: string;
  /** By `server/tool`. */
  readonly calls: Readonly<Record<string, StoredCall>>;
}

export function openCallStore(
  view: View,
  env: Readonly<Record<string, string | undefined>>,
): ViewStore<StoredCalls> {
  return openViewStore('calls', view, env);
}

/** Returns a text that differs if a server would inherit other variables. */
export function inheritedMark(): string {
  const { parentEnv, cwd } = resolveStdioEntry({ command: '' });
  return shortHash(JSON.stringify([cwd, Object.entries(parentEnv).toSorted(([a], [b]) => (a < b ? -1 : 1))]));
}
