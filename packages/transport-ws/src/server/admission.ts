import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Logger } from '@mcp-fittings/client-core';
import { withTimeout } from '@mcp-fittings/toolbox/timing';
import type { AccessControl } from './access-control.js';
import type { UpgradeRefusal } from './refuse-upgrade.js';

export const CLOSING: UpgradeRefusal = { status: 503, reason: 'The server is closing' };
const BUSY: UpgradeRefusal = { status: 503, reason: 'There are too many connections' };
const LATE: UpgradeRefusal = { status: 503, reason: 'The check of the credentials timed out' };
const BROKEN: UpgradeRefusal = { status: 500, reason: 'The check of the credentials failed' };

export interface AdmissionOptions {
  readonly access: AccessControl;
  /** Connections at a time, including those that are being checked. */
  readonly maxConnections: number;
  readonly maxHandshakes: number;
  readonly handshakeMs: number;
  readonly connections: () => number;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger | undefined;
}

/** Resolves with undefined if a request is accepted, or with the refusal. Limits the number of requests and the time. */
export type Admission = (request: IncomingMessage, socket: Socket) => Promise<UpgradeRefusal | undefined>;

export function createAdmission(options: AdmissionOptions): Admission {
  const { access, maxConnections, maxHandshakes, handshakeMs, closing, clock, logger } = options;
  let handshakes = 0;

  const checkCredentials = async (
    request: IncomingMessage,
    signal: AbortSignal,
  ): Promise<UpgradeRefusal | undefined> => {
    let late = false;
    const error = (): Error => {
      late = true;
      return new Error(LATE.reason);
    };
    try {
      return await withTimeout({ ms: handshakeMs, clock, signal, error }, (inner) =>
        access.checkCredentials(request, inner),
      );
    } catch (cause) {
      if (closing.aborted) return CLOSING;
      if (late) return LATE;
      if (!signal.aborted) logger?.error('The check of the credentials threw an error.', { cause });
      return BROKEN;
    }
  };

  return async (request, socket) => {
    const refusal = access.checkSource(request);
    if (refusal !== undefined) return refusal;
    if (handshakes >= maxHandshakes || options.connections() + handshakes >= maxConnections) return BUSY;
    const gone = new AbortController();
    const giveUp = (): void => gone.abort();
    socket.once('close', giveUp);
    closing.addEventListener('abort', giveUp, { once: true });
    handshakes += 1;
    try {
      return await checkCredentials(request, gone.signal);
    } finally {
      handshakes -= 1;
      socket.off('close', giveUp);
      closing.removeEventListener('abort', giveUp);
    }
  };
}
