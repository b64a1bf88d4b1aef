import type { AuthProvider, Clock } from '@mcp-fittings/client-core';
import { TransportError } from '@mcp-fittings/client-core';
import { createRequestRedactor, type TlsOptions } from '@mcp-fittings/net-policy';
import { loadTls, type TlsContexts } from '@mcp-fittings/net-policy/tls';
import type { WebSocket } from 'ws';
import { connectSocket } from '../network/connect-socket.js';
import type { OpenSocket } from '../socket/open-socket.js';
import { withDeadline } from '../wait.js';
import { dialError } from './dial-error.js';
import { createCredentials } from './credentials.js';
import { httpUrlOf } from './http-url.js';
import { meaningOfRefusal } from './refusal.js';
import { upgrade, type UpgradeRefusal, type UpgradeRequest } from './upgrade.js';

export interface DialOptions extends TlsOptions {
  readonly url: URL;
  readonly server: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthProvider | undefined;
  /** `headers` hold credentials. */
  readonly hasCredentials: boolean;
  readonly protocols: readonly string[];
  readonly proxy: URL | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly maxPayload: number;
  readonly perMessageDeflate: boolean;
  readonly connectMs: number;
  readonly upgradeMs: number;
  readonly closeMs: number;
  readonly clock: Clock;
}

/**
 * Opens the connection; a refusal that the `AuthProvider` can mend is taken to it, within bounds. Rejects with a
 * `TransportError`, or with what the provider rejects with.
 */
export async function dial(options: DialOptions, signal: AbortSignal): Promise<OpenSocket> {
  const { server, clock, hasCredentials } = options;
  const url = httpUrlOf(options.url);
  const [{ WebSocket }, tls] = await Promise.all([import('ws'), loadTls(options)]);
  const credentials = createCredentials({ url, provider: options.auth, configured: hasCredentials, server });
  for (;;) {
    // The provider's headers win over configured ones of the same name.
    const headers = { ...options.headers, ...(await credentials.headers(signal)) };
    signal.throwIfAborted();
    const onAnswer: UpgradeRequest['onAnswer'] = (header) => credentials.observe(header);
    const answer = await attempt({ ...options, WebSocket, tls, headers, onAnswer }, signal);
    const { redact } = createRequestRedactor(headers, url);
    if ('webSocket' in answer) return { ...answer, redact };
    const request = { url, origin: options.url.origin, headers, redact, now: clock.now() };
    if (await credentials.recover(answer, request, signal)) continue;
    const [code, message, details] = meaningOfRefusal(answer, request);
    throw new TransportError(code, message, { server, ...details });
  }
}

interface AttemptOptions extends DialOptions {
  readonly WebSocket: typeof WebSocket;
  readonly tls: TlsContexts;
  readonly onAnswer: UpgradeRequest['onAnswer'];
}

async function attempt(options: AttemptOptions, signal: AbortSignal): Promise<OpenSocket | UpgradeRefusal> {
  const { url, server, clock, connectMs, upgradeMs } = options;
  const late = (ms: number, what: string) => ({
    ms,
    clock,
    signal,
    error: () =>
      new TransportError('TIMEOUT', `${what} ${url.origin} within ${ms} ms.`, {
        server,
        details: { url: url.origin },
      }),
  });
  try {
    const socket = await withDeadline(late(connectMs, 'No connection to'), (inner) =>
      connectSocket(options, inner),
    );
    return await withDeadline(late(upgradeMs, 'No answer to the upgrade from'), (inner) =>
      upgrade(socket, options, inner),
    );
  } catch (cause) {
    throw dialError(cause, url, server);
  }
}
