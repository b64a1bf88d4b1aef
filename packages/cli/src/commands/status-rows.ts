import type { ServerConfig } from '@mcp-fittings/client-core';
import type { LoadedConfig, ServerEntry } from '@mcp-fittings/config';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { type ErrorJson, errorJson } from '../output/error-report.js';
import { statusOf } from '../session/resolve-server.js';
import { refusedHeader } from '../session/sign-in-errors.js';

/** One server as `status` shows it. */
export interface ServerRow {
  readonly name: string;
  readonly type: string | undefined;
  readonly scope: string | undefined;
  readonly file: string | undefined;
  /** The state of the connection, or why it is not used: `needs-approval`, `rejected`, `denied`, `invalid`. */
  readonly status: string;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly resourceTemplates: number;
  /** Protocol revision that was negotiated. */
  readonly protocolVersion?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Says what the connection is doing, such as the attempt that it is in. */
  readonly activity?: string | undefined;
  readonly error?: ErrorJson | undefined;
  /** The command that fixes the problem. */
  readonly fix?: string | undefined;
}

const UNUSED_STATUS = {
  pending: 'needs-approval',
  rejected: 'rejected',
  denied: 'denied',
} as const;

/**
 * Returns a row for every configured server: those in the host, and those that are not used, with the reason.
 *
 * @param wanted Names of the servers. Default: all.
 */
export function serverRows(
  loaded: LoadedConfig,
  snapshots: readonly ServerSnapshot[],
  wanted?: readonly string[],
  loginCommand?: (server: string) => string,
): readonly ServerRow[] {
  const entries = loaded.entries.filter(({ status }) => status !== 'replaced');
  const known = new Set(snapshots.map(({ name }) => name));
  const rows = [
    ...snapshots.map((snapshot) => {
      const entry = entries.find(({ name }) => name === snapshot.name);
      return connectedRow(snapshot, entry, loginCommand);
    }),
    ...entries.filter(({ name }) => !known.has(name)).map(unusedRow),
  ];
  return rows.filter(({ name }) => wanted?.includes(name) ?? true);
}

function connectedRow(
  snapshot: ServerSnapshot,
  entry: ServerEntry | undefined,
  loginCommand: ((server: string) => string) | undefined,
): ServerRow {
  const { name, type, state, lastError, counts } = snapshot;
  const connection = state.status === 'connected' ? state.connection : undefined;
  const refused = state.status === 'needs-auth' ? refusedHeader(name, entry?.config, state.error) : undefined;
  const error =
    refused !== undefined
      ? refused
      : state.status === 'connected'
        ? Object.values(snapshot.lists).find((list) => list.error !== undefined)?.error
        : (('error' in state ? state.error : undefined) ?? lastError);
  // A user who looks for `disabled` in the file does not find it.
  const why =
    state.status === 'disabled' ? entry?.problems.find(({ code }) => code === 'RESTRICTED') : undefined;
  return {
    name,
    type: type ?? entry?.config?.type,
    scope: entry?.scope,
    file: entry?.file,
    // A sign-in would not help.
    status: refused === undefined ? state.status : 'failed',
    ...counts,
    protocolVersion: connection?.protocolVersion,
    serverInfo: connection?.serverInfo,
    activity: activityOf(state),
    ...(state.status === 'needs-auth' &&
      refused === undefined &&
      loginCommand !== undefined && { fix: loginCommand(name) }),
    ...(error !== undefined && { error: errorJson(error) }),
    ...(why !== undefined && { error: { code: why.code, message: why.message, hint: why.hint } }),
  };
}

function activityOf(state: ServerSnapshot['state']): string | undefined {
  switch (state.status) {
    case 'connecting':
      return state.phase;
    case 'pending':
      return state.attempt > 1 ? `attempt ${state.attempt} of ${state.maxAttempts}` : undefined;
    default:
      return undefined;
  }
}

function unusedRow(entry: ServerEntry): ServerRow {
  const { name, scope, file, definition, problems } = entry;
  const problem = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  return {
    name,
    type: impliedType(definition ?? {}),
    scope,
    file,
    status: unusedStatus(entry),
    tools: 0,
    prompts: 0,
    resources: 0,
    resourceTemplates: 0,
    ...(problem !== undefined && {
      error: { code: problem.code, message: problem.message, hint: problem.hint },
    }),
  };
}

/**
 * Returns the status of a server that is not in the host. A disabled server is shown as disabled, whatever else is
 * wrong.
 */
function unusedStatus(entry: ServerEntry): string {
  const { config, definition } = entry;
  const status = statusOf(entry);
  const isOn = (config ?? definition)?.disabled !== true;
  if (status === 'invalid') return isOn ? 'invalid' : 'disabled';
  if (status !== 'ready' && status !== 'replaced') return UNUSED_STATUS[status];
  return isOn ? 'disconnected' : 'disabled';
}

/** Returns the transport of a definition that is not used, as far as it is clear. */
function impliedType({ type, transportType, command, url }: ServerConfig): string | undefined {
  const said: unknown = type ?? transportType;
  if (typeof said === 'string') return said;
  if (command !== undefined) return 'stdio';
  return url === undefined ? undefined : 'http';
}
