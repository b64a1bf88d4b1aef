import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorDetails,
  type FittingsError,
  type RequestId,
  type TransportDescription,
  TransportError,
} from '@mcp-fittings/client-core';
import {
  count,
  entrySchema,
  listOf,
  mapOf,
  oneOf,
  readEntry,
  required,
  text,
} from '@mcp-fittings/toolbox/entries';
import { isRecord } from '@mcp-fittings/toolbox/messages';
import { sanitizeText } from '@mcp-fittings/toolbox/text';
import type { StdioLaunch } from '@mcp-fittings/transport-stdio';

/**
 * Version of what programs and the shared process say to each other. A change that an older peer would misread gets another
 * number, and with it another socket, so that both processes run side by side.
 */
export const WIRE_VERSION = 1;

/** Longest line, in bytes: the default limit of a message of a stdio server, and room for its envelope. */
export const MAX_LINE_BYTES = 65 * 1024 * 1024;

/** The server that a program asks for, as it would have started it itself. */
export interface SharedLaunch extends StdioLaunch {
  /** The person for whom the connection is. Programs of several people on one account do not share. */
  readonly principal?: string | undefined;
  /** Digest of the roots that the program answers `roots/list` with. Undefined: it has not said, so it shares with none. */
  readonly roots?: string | undefined;
}

/** The first line of a program: a server to start or to join. */
export interface Opening {
  readonly launch: SharedLaunch;
  readonly stderr: boolean;
  readonly server?: string | undefined;
}

/** An error as it crosses the socket. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly kind: FittingsError['kind'];
  readonly retryable: boolean;
  readonly delivery?: FittingsError['delivery'];
  readonly details?: ErrorDetails | undefined;
}

/** Carries what the shared process says besides the messages of the server. */
export type ControlEvent =
  /** The server runs; messages may follow. */
  | { readonly event: 'opened'; readonly description: TransportDescription }
  /** A request gets no response. */
  | { readonly event: 'failed'; readonly id: RequestId; readonly error: WireError }
  /** The server has ended, or could not be started. */
  | {
      readonly event: 'ended';
      readonly error: WireError;
      readonly description?: TransportDescription | undefined;
    }
  /** Something about the server that belongs to no request. */
  | { readonly event: 'report'; readonly error: WireError }
  /** A line that the server wrote to stderr, without secrets. */
  | { readonly event: 'stderr'; readonly line: string };

const ENVELOPE = 'mcp-fittings';

/** Returns the line of a control event or an opening. Both begin with the same key, which no message of MCP has. */
export function controlLine(
  value: ControlEvent | ({ readonly wire: number } & (Opening | { readonly version: string })),
): string {
  return `${JSON.stringify({ [ENVELOPE]: value })}\n`;
}

/** Returns the content of a control line; undefined for a message of MCP. */
export function controlOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const content = isRecord(value) ? value[ENVELOPE] : undefined;
  return isRecord(content) ? content : undefined;
}

const EVENTS: ReadonlySet<unknown> = new Set(['opened', 'failed', 'ended', 'report', 'stderr']);

/**
 * Returns whether this version knows the event of a control line of the shared process. Only its kind is checked: it was written by the
 * process behind a socket that only this user has access to.
 */
export function isControlEvent(content: object): content is ControlEvent {
  return 'event' in content && EVENTS.has(content.event);
}

const launchSchema = entrySchema({
  command: required(text({ minLength: 1 })),
  args: required(listOf(text())),
  cwd: required(text({ minLength: 1 })),
  env: required(mapOf(text())),
  parentEnv: required(mapOf(text())),
  framing: oneOf('newline', 'content-length'),
  maxMessageBytes: count({ min: 1 }),
  maxQueuedBytes: count({ min: 1 }),
  probeTimeoutMs: count(),
  secrets: listOf(text()),
  shutdown: mapOf(count()),
  principal: text(),
  roots: text(),
});

/**
 * Parses the first line of a program; undefined if it is not one of this version. Throws `CONFIG_INVALID` if a member has a wrong
 * type: the process would fail with it, for all programs.
 */
export function asOpening(content: Readonly<Record<string, unknown>> | undefined): Opening | undefined {
  if (content?.['wire'] !== WIRE_VERSION) return undefined;
  const server = typeof content['server'] === 'string' ? content['server'] : undefined;
  const launch: SharedLaunch = readEntry(launchSchema, content['launch'], {
    server: sanitizeText(server ?? '', { maxLength: 100 }),
  });
  return { launch, server, stderr: content['stderr'] === true };
}

export function toWireError(error: FittingsError): WireError {
  const { code, message, hint, kind, retryable, delivery, details } = error;
  return { code, message, hint, kind, retryable, delivery, details };
}

/** Restores an error of the shared process. A code that this version does not know is a lost connection. */
export function fromWireError(error: WireError, server: string | undefined): TransportError {
  const { message, hint, kind, retryable, delivery, details } = error;
  const code = Object.hasOwn(ERROR_CODES, error.code) ? error.code : 'CONNECTION_LOST';
  return new TransportError(code, message, { hint, kind, retryable, delivery, details, server });
}
