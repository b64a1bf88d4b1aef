import type { ServerConfig } from '@mcp-fittings/client-core';
import type { LoadedConfig, ServerEntry } from '@mcp-fittings/config';
import type { ServerSnapshot } from '@mcp-fittings/host';
import { errorFacts, type ErrorFacts } from '../../output/error-report.js';

/** One server as `status` shows it. */
export interface ServerRow {
  readonly name: string;
  readonly type: string | undefined;
  readonly scope: string | undefined;
  readonly file: string | undefined;
  /** The state of the connection; or why there is none to expect: `needs-approval`, `rejected`, `denied`, `invalid`. */
  readonly status: string;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly resourceTemplates: number;
  /** Protocol revision, name and version as the server says them. */
  readonly protocolVersion?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** What it is busy with, or waits for. */
  readonly activity?: string | undefined;
  readonly error?: ErrorFacts | undefined;
}

const UNUSED_STATUS = {
  pending: 'needs-approval',
  rejected: 'rejected',
  denied: 'denied',
  invalid: 'invalid',
} as const;

/** Every configured server: those of the host, and those that it was not given, each with the reason. */
export function serverRows(loaded: LoadedConfig, snapshots: readonly ServerSnapshot[]): readonly ServerRow[] {
  const entries = loaded.entries.filter(({ status }) => status !== 'replaced');
  const known = new Set(snapshots.map(({ name }) => name));
  return [
    ...snapshots.map((snapshot) =>
      connectedRow(
        snapshot,
        entries.find(({ name }) => name === snapshot.name),
      ),
    ),
    ...entries.filter(({ name }) => !known.has(name)).map(unusedRow),
  ];
}

function connectedRow(snapshot: ServerSnapshot, entry: ServerEntry | undefined): ServerRow {
  const { name, type, state, lastError, counts } = snapshot;
  const connection = state.status === 'connected' ? state.connection : undefined;
  const error =
    state.status === 'connected'
      ? Object.values(snapshot.lists).find((list) => list.error !== undefined)?.error
      : (('error' in state ? state.error : undefined) ?? lastError);
  return {
    name,
    type: type ?? entry?.config?.type,
    scope: entry?.scope,
    file: entry?.file,
    status: state.status,
    ...counts,
    protocolVersion: connection?.protocolVersion,
    serverInfo: connection?.serverInfo,
    activity: activityOf(state),
    ...(error !== undefined && { error: errorFacts(error) }),
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

function unusedRow({ name, scope, file, status, definition, problems }: ServerEntry): ServerRow {
  const problem = problems.find(({ severity }) => severity === 'error') ?? problems[0];
  return {
    name,
    type: impliedType(definition ?? {}),
    scope,
    file,
    status: status === 'ready' || status === 'replaced' ? 'disconnected' : UNUSED_STATUS[status],
    tools: 0,
    prompts: 0,
    resources: 0,
    resourceTemplates: 0,
    ...(problem !== undefined && {
      error: { code: problem.code, message: problem.message, hint: problem.hint },
    }),
  };
}

/** As far as it can be said of a definition that is not used. */
function impliedType({ type, transportType, command, url }: ServerConfig): string | undefined {
  const said: unknown = type ?? transportType;
  if (typeof said === 'string') return said;
  if (command !== undefined) return 'stdio';
  return url === undefined ? undefined : 'http';
}
