import type { JSONRPCObject } from '@mcp-fittings/client-core';
import type { LogLevel } from '@mcp-fittings/toolbox/logging';

export type { LogLevel };

/** Describes the request of a server that a callback answers. */
export interface ServerRequestInfo {
  /** Name of the server that asks, as in the configuration. Show it to the user. */
  readonly server: string;
  /** `principal` of the calls that use this connection, who is to be asked. Absent for the connection of the host itself. */
  readonly principal?: string | undefined;
  /** Aborted when the server withdraws its request, the connection ends, or `limits.callbackMs` has passed. */
  readonly signal: AbortSignal;
  /**
   * Requests of this host that the server has not answered yet. The server's request belongs to one of them. Empty if the
   * server asks on its own, which revision 2026-07-28 forbids.
   */
  readonly calls: readonly CallInFlight[];
  /**
   * The request to which the server's request belongs, if that is certain: it came inside of a result (revision 2026-07-28), or as
   * a page to visit first. Otherwise it may belong to any of {@link calls}, or to one that was given up a moment ago.
   */
  readonly call?: CallInFlight | undefined;
}

/** A request to a server that waits for its response. */
export interface CallInFlight {
  /** Method of the request, such as `tools/call`. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource, if the method has one. */
  readonly target: string | undefined;
  /** {@link CallOptions.origin} of the call, if it was given. */
  readonly origin?: string | undefined;
}

/**
 * A server asks the user for input.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export type ElicitationRequest =
  /** A form to fill in. */
  | {
      readonly mode: 'form';
      /** Text of the server: what it needs, and why. Untrusted: show it with `escapeText()` of `@mcp-fittings/toolbox/text`. */
      readonly message: string;
      /**
       * JSON Schema of the values: a flat object of strings, numbers, booleans and choices.
       * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
       */
      readonly schema: JSONRPCObject;
      /** Reasons to distrust the request, for the user: a field that asks for a password, for example. */
      readonly warnings: readonly string[];
    }
  /** A page to visit. Show the URL in full, open it only after consent, and never fetch it before. */
  | {
      readonly mode: 'url';
      /** Text of the server: the purpose of the page. Untrusted: show it with `escapeText()` of `@mcp-fittings/toolbox/text`. */
      readonly message: string;
      /** Page to open in the user's browser; always `http:` or `https:`. */
      readonly url: string;
      /** Identifies the request in the server's `notifications/elicitation/complete`. */
      readonly elicitationId?: string | undefined;
      /** Reasons to distrust the page, for the user: an unencrypted connection, for example. */
      readonly warnings: readonly string[];
    };

/**
 * Answer to an elicitation. `accept`: the user agreed; `content` has the values of a form. `decline`: the user said no.
 * `cancel`: the user dismissed the question.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#response-actions
 */
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: Readonly<Record<string, unknown>> | undefined }
  | { readonly action: 'decline' | 'cancel' };

/**
 * A directory or file that servers may work in.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export interface Root {
  /** URI of the directory or file; begins with `file://`. */
  readonly uri: string;
  /** Name for display. */
  readonly name?: string | undefined;
}

/** A log message of a server. */
export interface LogEntry {
  /** Severity. */
  readonly level: LogLevel;
  /** Part of the server that logs, if it says so. */
  readonly logger?: string | undefined;
  /** The message: any JSON value. */
  readonly data: unknown;
}

/**
 * Callbacks with which the host answers requests of servers. A capability is declared only if its callback is present. A
 * callback that throws, or takes longer than `limits.callbackMs`, fails that one request with `CALLBACK_FAILED`.
 */
export interface HostCallbacks {
  /**
   * Asks the user for input. For a URL, return `accept` once the user is done with the page. `info.signal` is aborted if the
   * server reports completion first; the answer is then ignored. Missing values of a form are filled in with the schema's
   * defaults, and an answer that does not fit the schema is refused.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
   */
  readonly elicit?: (request: ElicitationRequest, info: ServerRequestInfo) => Promise<ElicitationAnswer>;
  /** Modes that {@link elicit} can show; only these are declared to servers. Default: `['form', 'url']`. */
  readonly elicitationModes?: readonly ElicitationRequest['mode'][] | undefined;
  /**
   * Asks a model on behalf of a server. Takes the parameters of `sampling/createMessage` and resolves with its result. The
   * revision 2026-07-28 deprecates sampling.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
   */
  readonly sample?: (params: JSONRPCObject, info: ServerRequestInfo) => Promise<JSONRPCObject>;
  /**
   * Returns the directories and files that the server may work in. Call `host.rootsChanged()` when they change. The revision
   * 2026-07-28 deprecates roots.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
   */
  readonly roots?: (info: ServerRequestInfo) => Promise<readonly Root[]>;
}
