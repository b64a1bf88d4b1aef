import { pathToFileURL } from 'node:url';
import { FittingsError } from '@mcp-fittings/client-core';
import { isRecent, systemClock, withTimeout } from '@mcp-fittings/client-core/timing';
import type { EngineSession, ToolDefinition, ToolResult } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { checkedArguments } from './arguments/checked-arguments.js';
import type { CallRequest } from './call-request.js';
import type { ListAtOnceIo } from './list-at-once.js';
import { watchProcessStop } from './process-end.js';
import { LOCAL_SHUTDOWN } from './session/local-shutdown.js';
import { areUnchanged } from './stored-lists/inputs.js';
import { CHECKED_MS, openServerStore, type StoredServerCalls } from './stored-lists/stored-servers.js';

/** A call that needs no further check, unless the server lists other tools than before. */
interface CheckedCall {
  readonly server: string;
  readonly definition: ToolDefinition;
  readonly args: Readonly<Record<string, unknown>>;
  readonly stored: StoredServerCalls;
}

/**
 * Starts a server and calls its tool, without a host, if an earlier run has called it and nothing has changed since that would
 * change the answer of a check: the configuration, approvals, pins, variables, and the tools of the server, which lists them again.
 * Resolves with false, without output and before the tool was called, if the call has to be made in the ordinary way.
 */
export async function callLocally(request: CallRequest, io: ListAtOnceIo): Promise<boolean> {
  const call = await findCall(request, io);
  if (call === undefined) return false;
  using stop = watchProcessStop();
  const { signal } = stop;
  let session: EngineSession | undefined;
  /** Whether the server may know of the call. */
  let wasSent = false;
  try {
    let listChanged = false;
    session = await connect(call, io, signal, () => (listChanged = true));
    const isSame = await offersTheSame(session, call, signal);
    signal.throwIfAborted();
    if (!isSame || listChanged) return false;
    wasSent = true;
    const result = await callTool(session, call, signal);
    const { createProcessOutput, printToolResult } = await import('./call-local-end.js');
    const { server, definition } = call;
    stop.end(printToolResult(createProcessOutput(io, request), { server, tool: definition.name }, result));
  } catch (error) {
    const isUnsent = !wasSent || (error instanceof FittingsError && error.delivery === 'not-sent');
    // The ordinary way starts the server again, or says why not.
    if (isUnsent && !signal.aborted) return false;
    const { createProcessOutput, reportFailedCall } = await import('./call-local-end.js');
    stop.end(
      await reportFailedCall(error, call.server, { signal, output: createProcessOutput(io, request) }),
    );
  } finally {
    await session?.close();
  }
  return true;
}

/** Finds the call of an earlier run. */
async function findCall(request: CallRequest, { env, cwd }: ListAtOnceIo): Promise<CheckedCall | undefined> {
  const slash = request.target.indexOf('/');
  const [server, tool] = [request.target.slice(0, slash), request.target.slice(slash + 1)];
  const stored = slash < 0 ? undefined : await openServerStore(server, { ...request, cwd }, env).read();
  if (stored === undefined || !isRecent(stored.checkedAt, CHECKED_MS, Date.now())) return undefined;
  const definition = stored.called.includes(tool)
    ? stored.tools.find(({ name }) => name === tool)
    : undefined;
  const args = definition === undefined ? undefined : checkedArguments(request, definition.inputSchema);
  if (definition === undefined || args === undefined) return undefined;
  return (await areUnchanged(stored.inputs, env)) ? { server, definition, args, stored } : undefined;
}

/** Starts the server as the host does. The rest of the program is loaded while it starts. */
function connect(
  { server, stored }: CheckedCall,
  { cwd }: ListAtOnceIo,
  signal: AbortSignal,
  onListChanged: () => void,
): Promise<EngineSession> {
  const clock = systemClock;
  const ms = stored.connectMs;
  const error = (): FittingsError =>
    new FittingsError('TIMEOUT', 'The server did not connect in time.', { server });
  return withTimeout({ ms, error, signal, clock }, async (within) => {
    const transport = stdio({ shutdown: LOCAL_SHUTDOWN }).create(stored.entry, {
      server,
      clock,
      signal: within,
    });
    const started = transport.start();
    // The engine starts it too, and rejects then.
    started.catch(() => undefined);
    transport.start = () => started;
    const { engine } = await import('./call-local-end.js');
    const ignore = (): void => undefined;
    return engine().connect(transport, {
      server,
      signal: within,
      timeoutMs: ms,
      clock,
      era: { kind: 'initialize' },
      callbacks: { roots: async () => [{ uri: pathToFileURL(cwd).href }] },
      // What the server reports has no reader: there is no terminal, and no `--verbose`.
      events: {
        log: ignore,
        resourceUpdated: ignore,
        error: ignore,
        closed: ignore,
        listChanged(kind) {
          if (kind === 'tools') onListChanged();
        },
      },
      observe: ignore,
    });
  });
}

const LIST_MS = 15_000;
const MOST_PAGES = 64;

/** Resolves with whether the server lists the same tools, and states the same instructions, as when they were checked. */
async function offersTheSame(
  session: EngineSession,
  { stored }: CheckedCall,
  signal: AbortSignal,
): Promise<boolean> {
  const limits = { timeoutMs: LIST_MS, maxPages: MOST_PAGES, maxItems: stored.tools.length + 1 };
  const { items, skipped } = await session.list('tools', { ...limits, signal });
  return (
    skipped.length === 0 &&
    (session.instructions ?? null) === stored.instructions &&
    JSON.stringify(items) === JSON.stringify(stored.tools)
  );
}

/** Longest time of a call, whatever progress the server reports, in milliseconds: that of the host. */
const CALL_TOTAL_MS = 3_600_000;

function callTool(
  session: EngineSession,
  { definition, args, stored: { callMs } }: CheckedCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  return session.callTool(definition.name, args, {
    definition,
    signal,
    timeoutMs: callMs,
    maxTotalMs: Math.max(CALL_TOTAL_MS, callMs),
    // Progress extends the time.
    onProgress: () => undefined,
  });
}
