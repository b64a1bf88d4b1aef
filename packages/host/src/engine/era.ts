import { type ErrorCode, FittingsError, type Transport } from '@mcp-fittings/client-core';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import type { EngineRequestOptions, EngineSession } from '../contracts/engine.js';

/** Returns true if a transport runs a local program, which may take long to start and may stay silent. */
export function isLocal(transport: Transport): boolean {
  return 'pid' in transport && 'stderr' in transport;
}

/**
 * Share of the connect deadline in which a local server has to answer the probe. It may need most of that time to start; the
 * rest is for `initialize`. The stdio transport answers the probe for a server that is running and stays silent.
 */
const PROBE_SHARE_ON_STDIO = 2 / 3;

/** Returns the longest time for the probe of a local server, in milliseconds. */
export function probeTimeoutMs(timeoutMs: number): number {
  return Math.ceil(timeoutMs * PROBE_SHARE_ON_STDIO);
}

/** Reason in the error with which a transport answers the probe for a silent server; see `transport-stdio`. */
const SILENT = 'silent';

/** Returns true if the `data` of an error says that a transport answered the probe for a silent server. */
export function isSilence(data: unknown): boolean {
  return isRecord(data) && data['reason'] === SILENT;
}

/** Codes with which a server refuses the handshake of another era. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['RPC_ERROR', 'VERSION_UNSUPPORTED']);

/** Returns true if a handshake after an unanswered probe failed in a way that says nothing about the era. */
export function isEraUnknown({ code }: FittingsError): boolean {
  return REFUSALS.has(code);
}

/** The server was sent `initialize` only because it did not answer the probe; it may answer the probe next time. */
export function tooSlowForEra(server: string, cause: FittingsError): FittingsError {
  return new FittingsError(
    'TIMEOUT',
    `The server "${server}" did not answer in time which protocol revision it speaks: ${cause.message}`,
    { server, cause, hint: 'Increase connectTimeout if the server takes long to start.' },
  );
}

/** Makes one cheap round trip: `ping`, or `server/discover` for a stateless server. */
export async function ping(session: EngineSession, options: EngineRequestOptions): Promise<void> {
  await session.request(session.era.kind === 'stateless' ? 'server/discover' : 'ping', {}, options);
}
