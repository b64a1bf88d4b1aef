import { pathToFileURL } from 'node:url';
import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { RPC_CODES } from '@mcp-fittings/client-core/transport';
import type { ToolResult } from '@mcp-fittings/host';
import { callSharedTool } from '@mcp-fittings/transport-shared';
import { checkedArguments } from './arguments/checked-arguments.js';
import type { CallRequest } from './call-request.js';
import type { DirectIo } from './output/direct-output.js';
import { interruptedCall, printToolResult } from './output/call-output.js';
import { createProcessOutput } from './output/process-output.js';
import { watchProcessStop } from './process-end.js';
import { areUnchanged } from './stored-lists/inputs.js';
import { inheritedMark, openCallStore, type StoredCall } from './stored-lists/stored-calls.js';
import { FRESH_MS } from './stored-lists/stored-lists.js';

/**
 * Calls a tool through the shared process if an earlier run has called it a short time ago and nothing has changed since that
 * would change the answer of a check: the configuration, approvals, pins, variables, and the tools of the server. Resolves with
 * false, without output and before anything was sent, if the call has to be made in the ordinary way.
 */
export async function callShared(request: CallRequest, io: DirectIo): Promise<boolean> {
  const { env, cwd } = io;
  const stored = await openCallStore({ ...request, cwd }, env).read();
  const call = stored?.calls[request.target];
  if (stored === undefined || call === undefined || !isFresh(call, Date.now())) return false;
  const args = checkedArguments(request, call.inputSchema);
  if (args === undefined || stored.environment !== inheritedMark()) return false;
  if (!(await areUnchanged(stored.inputs, env))) return false;
  using stop = watchProcessStop();
  const { signal } = stop;
  const output = createProcessOutput(io, request);
  const { server, tool, ticket } = call;
  try {
    const response = await callSharedTool({
      ticket,
      server,
      tool,
      args,
      get roots() {
        return [pathToFileURL(cwd).href];
      },
      signal,
    });
    // A signal ends the process from here on: a write to a reader that does not read would keep it from being handled.
    stop[Symbol.dispose]();
    if ('error' in response) throw rpcError(call, response.error);
    stop.end(printToolResult(output, { server, tool }, toolResult(server, response.result)));
  } catch (error) {
    // The server has not seen the call: the ordinary way starts it, or says why not.
    const wasSent =
      error instanceof FittingsError && (error.delivery === 'unknown' || error.code === 'RPC_ERROR');
    if (!wasSent && !signal.aborted) return false;
    stop[Symbol.dispose]();
    const { reportFailure } = await import('./report-failure.js');
    const interrupted =
      signal.aborted && error instanceof FittingsError ? interruptedCall(error, server) : undefined;
    stop.end(await reportFailure(interrupted ?? error, { signal, output }));
  }
  return true;
}

function isFresh({ checkedAt }: StoredCall, now: number): boolean {
  return checkedAt <= now && now - checkedAt < FRESH_MS;
}

/** The blocks themselves are read with care when they are shown. */
function toolResult(server: string, result: object): ToolResult {
  if (isToolResult(result)) return result;
  throw new FittingsError('PROTOCOL_VIOLATION', 'The result of the tool has no content.', {
    server,
    delivery: 'unknown',
  });
}

function isToolResult(result: object): result is ToolResult {
  return 'content' in result && Array.isArray(result.content) && result.content.every(isRecord);
}

/** What a server has refused it has not done. */
const REFUSED = new Set<number>([
  RPC_CODES.invalidRequest,
  RPC_CODES.methodNotFound,
  RPC_CODES.invalidParams,
]);

function rpcError(
  { server, tool }: StoredCall,
  { code, message }: { readonly code: number; readonly message: string },
): FittingsError {
  const text = `The server "${server}" answered tools/call of "${tool}" with an error: ${sanitizeText(message)}`;
  return new FittingsError('RPC_ERROR', text, {
    server,
    delivery: REFUSED.has(code) ? 'rejected' : 'unknown',
    details: { rpcCode: code },
  });
}
