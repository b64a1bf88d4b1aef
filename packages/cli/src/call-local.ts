import type { Transport } from '@mcp-fittings/client-core/transport';
import { isRecent, systemClock } from '@mcp-fittings/client-core/timing';
import type { ToolDefinition } from '@mcp-fittings/host';
import { stdio } from '@mcp-fittings/transport-stdio';
import { checkedArguments } from './arguments/checked-arguments.js';
import type { CallRequest } from './call-request.js';
import { watchProcessStop } from './process-end.js';
import { isInteractive, type ProcessIo } from './process-io.js';
import { LOCAL_SHUTDOWN } from './session/local-shutdown.js';
import { areUnchanged } from './stored-lists/inputs.js';
import { CHECKED_MS, openServerStore, type StoredServerCalls } from './stored-lists/stored-servers.js';

/** A call that needs no further check, unless the server lists other tools than before. */
export interface CheckedCall {
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
export async function callLocally(request: CallRequest, io: Omit<ProcessIo, 'signal'>): Promise<boolean> {
  const call = await findCall(request, io);
  if (call === undefined) return false;
  using stop = watchProcessStop();
  const transport = startServer(call);
  try {
    stop.watchOutput();
    // The rest of the program is loaded while the server starts.
    const { callStarted } = await import('./call-started.js');
    return await callStarted(call, { transport, request, io, stop });
  } finally {
    await transport.close();
  }
}

/** Finds the call of an earlier run. */
async function findCall(
  request: CallRequest,
  io: Omit<ProcessIo, 'signal'>,
): Promise<CheckedCall | undefined> {
  const { env, cwd } = io;
  const slash = request.target.indexOf('/');
  if (slash < 0) return undefined;
  const [server, tool] = [request.target.slice(0, slash), request.target.slice(slash + 1)];
  const view = { ...request, cwd, interactive: isInteractive(io, request) };
  const stored = await openServerStore(server, view, env).read();
  if (stored === undefined || !isRecent(stored.checkedAt, CHECKED_MS, Date.now())) return undefined;
  const definition = stored.called.includes(tool)
    ? stored.tools.find(({ name }) => name === tool)
    : undefined;
  const args = definition === undefined ? undefined : checkedArguments(request, definition.inputSchema);
  if (definition === undefined || args === undefined) return undefined;
  return (await areUnchanged(stored.inputs, env)) ? { server, definition, args, stored } : undefined;
}

/** Starts the server as the host does. */
function startServer({ server, stored }: CheckedCall): Transport {
  const transport = stdio({ shutdown: LOCAL_SHUTDOWN }).create(stored.entry, { server, clock: systemClock });
  const started = transport.start();
  // The engine starts it too, and rejects then.
  started.catch(() => undefined);
  transport.start = () => started;
  return transport;
}
