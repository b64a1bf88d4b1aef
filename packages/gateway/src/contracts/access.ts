import type { Caller } from './caller.js';

/** The part of a request that a scheme sees. A `Request` of the Fetch API is one. */
export interface AccessRequest {
  /** Method of HTTP, such as `POST`. */
  readonly method: string;
  /** Absolute URL, with the host of the header `Host`. */
  readonly url: string;
  /** Headers of the request, by names of any case. */
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** Decides who a request comes from. {@link Access.authenticate} is asked before the body of a request is read. */
export interface Access {
  /** Returns the caller, or the response that refuses the request (401 with a challenge, or 403). */
  authenticate(request: AccessRequest): Promise<AccessDecision>;
  /**
   * Answers a request to a page of the scheme itself, such as `/.well-known/oauth-protected-resource`, before {@link authenticate} is
   * asked. Returns `undefined` for any other path.
   */
  respond?(request: Request): Promise<Response | undefined>;
}

/** Answer of {@link Access.authenticate}. */
export type AccessDecision =
  | {
      readonly caller: Caller;
      /**
       * Until when this holds for an event stream, in milliseconds since the epoch: the end of the token. The access is then asked again
       * with the headers of the request, and the stream ends unless it admits the same caller. Default: it is asked every 30 seconds.
       */
      readonly expiresAt?: number | undefined;
    }
  | { readonly refusal: Response };

/** Pages of the gateway at which a caller signs in to a server of the host. */
export interface UpstreamSignIn {
  /**
   * Returns the page at which this caller signs in to the server. `completed` settles when the sign-in has ended: it resolves if the
   * server can be used now, and rejects with the reason otherwise. Returns `undefined` if the server can be used now without a page.
   */
  open(
    caller: Caller,
    server: string,
  ): Promise<
    | {
        /** Page of the gateway to open in the caller's browser. */
        readonly url: string;
        /** Identifies the page in an elicitation of mode `url`. */
        readonly elicitationId: string;
        /** Settles when the sign-in has ended. */
        readonly completed: Promise<void>;
      }
    | undefined
  >;
  /** Answers requests to these pages. Returns `undefined` for any other path. */
  respond(request: Request): Promise<Response | undefined>;
}

/** A sign-in that waits for the caller's browser. */
export type UpstreamSignInPage = NonNullable<Awaited<ReturnType<UpstreamSignIn['open']>>>;
