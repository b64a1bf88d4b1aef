import type { FittingsError, Redactor } from '@mcp-fittings/client-core';
import {
  isErrorResponse,
  isMessage,
  RPC_CODES,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
} from '@mcp-fittings/client-core/transport';
import { isSafeToRepeat } from '@mcp-fittings/net-policy';
import { statusError, type ResponseHead } from '@mcp-fittings/network';

/** An answer whose status means failure. */
export interface Refusal {
  readonly head: ResponseHead;
  /** The beginning of its body. */
  readonly text: string;
  /** How the request was signed. */
  readonly signed: Readonly<Record<string, string>>;
}

export interface RefusalFacts {
  readonly server: string | undefined;
  readonly now: number;
  /** Takes out what a server may repeat of our secrets, and an error must not. */
  readonly redact: Redactor;
}

const HINT_AUTH = 'Check the configured credentials, or sign in.';

/** The error for a message that was refused. */
export function messageRefused(
  message: JSONRPCMessage,
  refusal: Refusal,
  facts: RefusalFacts,
): FittingsError {
  const { head } = refusal;
  return statusError(head, {
    ...common(refusal, facts),
    what: 'A message',
    safe: isSafeToRepeat(message),
    hint: head.status === 401 || head.status === 403 ? HINT_AUTH : undefined,
  });
}

/** What these say of a GET: there is no event stream, and perhaps something else. */
const NO_STREAM: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 415, 501]);

/** The error for a stream that was refused, or that is none. */
export function streamRefused(refusal: Refusal, facts: RefusalFacts): FittingsError {
  const { head } = refusal;
  const { status } = head;
  const none = NO_STREAM.has(status) || status < 300;
  return statusError(head, {
    ...common(refusal, facts),
    what: status < 300 ? 'The request for an event stream' : 'The event stream',
    code: none ? 'ENDPOINT_INCOMPATIBLE' : undefined,
    hint: none
      ? 'Check the URL. If the server speaks Streamable HTTP, use the type `http`.'
      : status === 401 || status === 403
        ? HINT_AUTH
        : undefined,
  });
}

function common({ text }: Refusal, { server, now, redact }: RefusalFacts) {
  return { server, now, body: text, redact };
}

/** The question with which an engine finds out whether a server is of the era of 2026-07-28. */
const PROBE = 'server/discover';

/**
 * The answer that a refused request got nevertheless: the JSON-RPC error in the body of the refusal. The probe for the
 * era is answered on any 4xx, since servers of this age refuse it in ways of their own; but a 401, a 403 and a 429 say
 * nothing about the era and stay failures, and so does a 5xx.
 */
export function inBandAnswer(message: JSONRPCMessage, refusal: Refusal): JSONRPCErrorResponse | undefined {
  if (!('method' in message && 'id' in message)) return undefined;
  const { id, method } = message;
  const { status } = refusal.head;
  if (status < 400 || status === 401 || status === 403 || status === 429) return undefined;
  const error = rpcErrorOf(refusal.text);
  if (error?.id === id) return error;
  if (method !== PROBE || status >= 500) return undefined;
  if (error !== undefined && (error.id ?? undefined) === undefined) return { ...error, id };
  return { jsonrpc: '2.0', id, error: { code: RPC_CODES.methodNotFound, message: `HTTP ${String(status)}` } };
}

function rpcErrorOf(text: string): JSONRPCErrorResponse | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(value) && isErrorResponse(value) ? value : undefined;
}
