import type { TransportPlugin } from '@mcp-fittings/client-core';
import { SDK_ONLY_OPTIONS } from '@mcp-fittings/toolbox/connect';
import { described, text } from '@mcp-fittings/toolbox/entries';
import {
  type CheckedRemoteOptions,
  checkRemoteOptions,
  type RemoteOptions,
} from '@mcp-fittings/toolbox/refusal';

/**
 * Options of a Streamable HTTP transport on any platform. Only `url` is required; times are in milliseconds. Proxies, certificates, name
 * resolution and the time to connect are those of the platform.
 */
export interface FetchTransportOptions extends RemoteOptions {
  /**
   * URL of the MCP endpoint: `http:` or `https:`, without user name, password and fragment. On Node.js also `unix:///path/to/server.sock#/mcp`,
   * or `pipe:///pipe/server#/mcp` on Windows, with the path of the endpoint as the fragment.
   */
  readonly url: string | URL;
  /** Waits and limits for reopening event streams that ended. */
  readonly reconnect?:
    | {
        /** Wait before the first attempt, unless the server sent `retry:`. It doubles with each attempt. Default 1000. */
        readonly initialMs?: number | undefined;
        /** Longest wait, unless the server asks for more. Default 30 000. */
        readonly maxMs?: number | undefined;
        /** Attempts without an event before the stream counts as lost. Default 5. */
        readonly maxAttempts?: number | undefined;
        /**
         * Silence, without even a comment, after which the event stream of the server counts as half-open and is reopened. The stream of
         * `subscriptions/listen` (2026-07-28) ends with `STREAM_LOST` instead, and its caller subscribes again. Default 120 000; 0 turns
         * the check off.
         */
        readonly silenceMs?: number | undefined;
      }
    | undefined;
  /** Time that `close()` waits for the server to end the session. Default 1000; 0 does not tell the server. */
  readonly closeTimeoutMs?: number | undefined;
}

/** Options that apply to all servers of a plugin. */
export type HttpPluginOptions = Pick<
  FetchTransportOptions,
  'maxMessageBytes' | 'reconnect' | 'retryLater' | 'closeTimeoutMs'
> & {
  /** Plugin that the host switches to if the server refuses `initialize` as only an older server does. Default: none. */
  readonly fallback?: TransportPlugin | undefined;
};

/** Names the transport in configuration entries. */
export const HTTP_TYPE = {
  specVersion: 1,
  type: 'http',
  aliases: ['streamable-http', 'streamableHttp'],
} as const;

/** Field of configuration entries. */
export const apiKeyField = described('Token to send as `Authorization: Bearer …`', text({ minLength: 1 }));

/** Valid options with their defaults. */
export interface CheckedOptions extends CheckedRemoteOptions {
  readonly reconnect: NonNullable<FetchTransportOptions['reconnect']>;
  /** Silence after which an event stream counts as half-open, in milliseconds; 0 for never. */
  readonly silenceMs: number;
  readonly closeTimeoutMs: number;
}

/** Headers that this transport or the auth provider sets, and that neither a message nor the configuration may override. */
export const OWNED_HEADERS: readonly string[] = [
  'accept',
  'content-type',
  'dpop',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
];

const CLOSE_TIMEOUT_MS = 1000;
const SILENCE_MS = 120_000;

const SDK_ONLY: Readonly<Record<string, string>> = {
  ...SDK_ONLY_OPTIONS,
  reconnectionOptions:
    'Pass `reconnect`: { initialMs, maxMs, maxAttempts }. Each delay is twice the previous one.',
  reconnectionScheduler: 'Leave it out: `reconnect` sets the delays.',
  sessionId:
    'Leave it out: a session belongs to one transport, which opens a new one if the server has forgotten it.',
  protocolVersion: 'Leave it out: the clients call `setProtocolVersion` themselves.',
  onInsufficientScope: 'Leave it out: `auth` decides what to do about a 403 that asks for more scopes.',
  maxStepUpRetries: 'Leave it out: `auth` is asked about a 403 at most twice per request.',
};

/** Throws `CONFIG_INVALID` or `HEADER_INVALID`. */
export function checkOptions(options: FetchTransportOptions): CheckedOptions {
  const { reconnect = {} } = options;
  return {
    ...checkRemoteOptions(options, { reserved: OWNED_HEADERS, sdkOnly: SDK_ONLY }),
    reconnect,
    silenceMs: reconnect.silenceMs ?? SILENCE_MS,
    closeTimeoutMs: options.closeTimeoutMs ?? CLOSE_TIMEOUT_MS,
  };
}
