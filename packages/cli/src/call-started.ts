import { FittingsError } from '@mcp-fittings/client-core';
import type { Transport } from '@mcp-fittings/client-core/transport';
import { withTimeout } from '@mcp-fittings/client-core/timing';
import type { EngineSession, ToolResult } from '@mcp-fittings/host';
import { DEFAULT_LIMITS, guardServer, type ServerGuard } from '@mcp-fittings/host/guards';
import { native } from '@mcp-fittings/host/native';
import { progressEvents } from '@mcp-fittings/tools';
import type { CheckedCall } from './call-local.js';
import type { CallRequest } from './call-request.js';
import { createCommandRun, type CommandDeps } from './command-deps.js';
import { interruptedCall, printToolResult } from './output/call-output.js';
import { openProgress, type ProgressView } from './output/progress.js';
import { openSpinner } from './output/spinner.js';
import type { ProcessStop } from './process-end.js';
import type { ProcessIo } from './process-io.js';
import { hostCallbacks } from './prompts/host-callbacks.js';
import { reportFailure } from './report-failure.js';
import { packageVersion } from './version.js';

interface StartedCall {
  /** To the server, which is starting. */
  readonly transport: Transport;
  readonly request: CallRequest;
  readonly io: Omit<ProcessIo, 'signal'>;
  readonly stop: ProcessStop;
}

/**
 * Calls the tool of a server that was started, and prints the result, or why the call has failed. Resolves with false, without output
 * and before the tool was called, if the server does not offer what was checked.
 */
export async function callStarted(
  call: CheckedCall,
  { transport, request, io, stop }: StartedCall,
): Promise<boolean> {
  const { stdout, stderr, env, cwd } = io;
  const { signal } = stop;
  const run = createCommandRun(
    {
      // To open it costs a call that asks nothing its time.
      get stdin() {
        return io.stdin;
      },
      stdout,
      stderr,
      env,
      cwd,
      signal,
    },
    () => ({ ...request, plugin: [] }),
  );
  await run.prepare();
  const { deps } = run;
  using progress = openProgress(deps);
  const { server, definition } = call;
  /** Whether the server may know of the call. */
  let wasSent = false;
  try {
    let listChanged = false;
    const onListChanged = (kind: string): void => {
      if (kind === 'tools') listChanged = true;
    };
    const callbacks = hostCallbacks(deps, progress);
    const guard = guardServer({ server, clock: deps.clock, callbacks, onListChanged });
    const session = await connect(call, { deps, transport, guard, onListChanged });
    if (session === undefined || listChanged) return false;
    wasSent = true;
    const result = await guard.send(() => callTool(session, call, { deps, progress }), signal);
    progress.done();
    stop.end(printToolResult(deps.output, { server, tool: definition.name }, result));
  } catch (error) {
    const isUnsent = !wasSent || (error instanceof FittingsError && error.delivery === 'not-sent');
    // The ordinary way starts the server again, or says why not.
    if (isUnsent && !signal.aborted) return false;
    progress.done();
    const interrupted =
      signal.aborted && error instanceof FittingsError ? interruptedCall(error, server) : undefined;
    stop.end(await reportFailure(interrupted ?? error, deps));
  }
  return true;
}

interface ConnectOptions {
  readonly deps: CommandDeps;
  readonly transport: Transport;
  readonly guard: ServerGuard;
  readonly onListChanged: (kind: string) => void;
}

/** Connects as the host does. Resolves with undefined if the server does not offer what was checked. */
async function connect(
  call: CheckedCall,
  { deps, transport, guard, onListChanged }: ConnectOptions,
): Promise<EngineSession | undefined> {
  const { server, stored } = call;
  const { signal, clock } = deps;
  const ms = stored.connectMs;
  const error = (): FittingsError =>
    new FittingsError('TIMEOUT', 'The server did not connect in time.', { server });
  const ignore = (): void => undefined;
  const { callbacks, notified: notification } = guard;
  const observe = guard.watch(transport);
  using _waiting = openSpinner(deps, () => [server]);
  const session = await withTimeout({ ms, error, signal, clock }, (within) =>
    native({ name: 'fittings', version: packageVersion() }).connect(transport, {
      server,
      signal: within,
      timeoutMs: ms,
      clock,
      era: { kind: 'initialize' },
      callbacks,
      // What else the server reports has no reader without `--verbose`.
      events: {
        notification,
        listChanged: onListChanged,
        log: ignore,
        resourceUpdated: ignore,
        error: ignore,
        closed: ignore,
      },
      observe,
    }),
  );
  return (await offersTheSame(session, call, signal)) ? session : undefined;
}

/** Resolves with whether the server lists the same tools, and states the same instructions, as when they were checked. */
async function offersTheSame(
  session: EngineSession,
  { stored }: CheckedCall,
  signal: AbortSignal,
): Promise<boolean> {
  const { discoveryMs: timeoutMs, listPages: maxPages } = DEFAULT_LIMITS;
  const limits = { timeoutMs, maxPages, maxItems: stored.tools.length + 1, signal };
  const { items, skipped } = await session.list('tools', limits);
  signal.throwIfAborted();
  return (
    skipped.length === 0 &&
    (session.instructions ?? null) === stored.instructions &&
    JSON.stringify(items) === JSON.stringify(stored.tools)
  );
}

function callTool(
  session: EngineSession,
  { definition, args, stored: { callMs } }: CheckedCall,
  { deps: { signal }, progress }: { readonly deps: CommandDeps; readonly progress: ProgressView },
): Promise<ToolResult> {
  return session.callTool(definition.name, args, {
    definition,
    signal,
    timeoutMs: callMs,
    // Whatever progress the server reports: it extends the time.
    maxTotalMs: Math.max(DEFAULT_LIMITS.callTotalMs, callMs),
    onProgress(reported) {
      for (const event of progressEvents(reported)) progress.show(event);
    },
  });
}
