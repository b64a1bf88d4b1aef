import type { ServerConfig } from '@mcp-fittings/client-core';
import type { ConfigProblem, LoadedConfig, ServerEntry } from '@mcp-fittings/config';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { type ErrorJson, errorJson } from '../output/error-report.js';
import { statusOf } from '../session/resolve-server.js';
import { refusalWithoutSignIn } from '../session/sign-in-errors.js';

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

/** The states of servers that are not in the host. */
const UNUSED_STATUS: Readonly<Record<ServerEntry['status'], string>> = {
  ready: 'disconnected',
  replaced: 'disconnected',
  pending: 'needs-approval',
  rejected: 'rejected',
  denied: 'denied',
  invalid: 'invalid',
};

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
  const refused =
    state.status === 'needs-auth' ? refusalWithoutSignIn(name, entry?.config, state.error) : undefined;
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
  const problem =
    problems.find(({ severity }) => severity === 'error') ?? problems.find((each) => !isQuiet(each));
  return {
    name,
    type: impliedType(definition ?? {}),
    scope,
    file,
    // Whatever else is wrong.
    status: isDisabled(entry) ? 'disabled' : UNUSED_STATUS[statusOf(entry)],
    tools: 0,
    prompts: 0,
    resources: 0,
    resourceTemplates: 0,
    ...(problem !== undefined && {
      error: { code: problem.code, message: problem.message, hint: problem.hint },
    }),
  };
}

/** Returns whether a server is switched off, by itself or by a word of another program. */
export function isDisabled({ config, definition, problems }: ServerEntry): boolean {
  return (config ?? definition)?.disabled === true || problems.some(isQuiet);
}

/** Returns whether a problem is that a server is not approved, which does not matter before it is enabled. */
function isQuiet({ code, severity }: ConfigProblem): boolean {
  return code === 'APPROVAL_REQUIRED' && severity === 'info';
}

/** Returns the transport of a definition that is not used, as far as it is clear. */
function impliedType({ type, transportType, command, url }: ServerConfig): string | undefined {
  const said: unknown = type ?? transportType;
  if (typeof said === 'string') return said;
  if (command !== undefined) return 'stdio';
  if (url === undefined) return undefined;
  return /^wss?:/i.test(String(url)) ? 'ws' : 'http';
}
