import { pathToFileURL } from 'node:url';
import { FittingsError, isRecord } from '@mcp-fittings/client-core';
import { sanitizeText } from '@mcp-fittings/client-core/text';
import { RPC_CODES } from '@mcp-fittings/client-core/transport';
import type { ToolResult } from '@mcp-fittings/host';
import { renderForPerson } from '@mcp-fittings/tools';
import { callSharedTool } from '@mcp-fittings/transport-shared';
import { missingArguments } from './arguments/argument-text.js';
import { buildArguments } from './arguments/build-arguments.js';
import { matchesPlainSchema } from './arguments/plain-schema.js';
import type { CallRequest } from './call-request.js';
import { EXIT } from './exit-codes.js';
import type { ListAtOnceIo } from './list-at-once.js';
import { createProcessOutput } from './output/process-output.js';
import { areUnchanged } from './stored-lists/inputs.js';
import { inheritedMark, openCallStore, type StoredCall } from './stored-lists/stored-calls.js';
import { FRESH_MS } from './stored-lists/stored-lists.js';

/**
 * Calls a tool through the shared process if an earlier run has called it a short time ago and nothing has changed since that
 * would change the answer of a check: the configuration, approvals, pins, variables, and the tools of the server. Resolves with
 * false, without output and before anything was sent, if the call has to be made in the ordinary way.
 */
export async function callAtOnce(request: CallRequest, io: ListAtOnceIo): Promise<boolean> {
  const { env, cwd } = io;
  const now = Date.now();
  const stored = await openCallStore({ ...request, cwd }, env).read();
  const call = stored?.calls[request.target];
  if (stored === undefined || call === undefined || !isFresh(call, now)) return false;
  const args = checkedArguments(request, call);
  if (args === undefined || stored.environment !== inheritedMark()) return false;
  if (!(await areUnchanged(stored.inputs, env))) return false;
  const abort = new AbortController();
  const interrupt = (): void => abort.abort(new Error('SIGINT'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, interrupt);
  try {
    const roots = [pathToFileURL(cwd).href];
    const { server, tool, ticket } = call;
    const response = await callSharedTool({ ticket, server, tool, args, roots, signal: abort.signal });
    if ('error' in response) throw rpcError(call, response.error);
    print(call, response.result, createProcessOutput(io, request));
  } catch (error) {
    // The server has not seen the call: the ordinary way starts it, or says why not.
    const wasSent =
      error instanceof FittingsError && (error.delivery === 'unknown' || error.code === 'RPC_ERROR');
    if (!wasSent && !abort.signal.aborted) return false;
    const { exitCodeOf, reportError, unlessInterrupted } = await import('./output/error-report.js');
    const failure = unlessInterrupted(error, abort.signal);
    reportError(failure, createProcessOutput(io, request));
    process.exitCode = abort.signal.aborted ? EXIT.interrupted : exitCodeOf(failure);
  }
  return true;
}

function isFresh({ checkedAt }: StoredCall, now: number): boolean {
  return checkedAt <= now && now - checkedAt < FRESH_MS;
}

/** Returns the arguments; undefined if they are invalid, which the ordinary way explains, or need its validator. */
function checkedArguments(
  { pairs, args: json }: CallRequest,
  { inputSchema }: StoredCall,
): Record<string, unknown> | undefined {
  try {
    const args = buildArguments({ pairs, json }, inputSchema);
    if (missingArguments(args, inputSchema).length > 0) return undefined;
    return matchesPlainSchema(args, inputSchema) === true ? args : undefined;
  } catch {
    return undefined;
  }
}

function print(
  { server, tool }: StoredCall,
  result: object,
  output: ReturnType<typeof createProcessOutput>,
): void {
  if (!isToolResult(result)) {
    throw new FittingsError('PROTOCOL_VIOLATION', 'The result of the tool has no content.', {
      server,
      delivery: 'unknown',
    });
  }
  output.result({ server, tool, ...result }, () => renderForPerson(result));
  if (result.isError === true) process.exitCode = EXIT.failed;
}

/** The blocks themselves are read with care when they are shown. */
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
