import type { Clock } from '@mcp-fittings/client-core';
import { RecentMap } from '@mcp-fittings/toolbox/base-transport';

/** Purpose of an ID-JAG: one resource, at one authorization server, used by one client. */
export interface IdJagTarget {
  /** Name of the MCP server, for messages. */
  readonly server: string;
  /** Issuer of the server's authorization server, which the ID-JAG is for (`aud`). */
  readonly audience: string;
  /** Identifier of the resource (RFC 9728). */
  readonly resource: string;
  /** Client id of this client at the server's authorization server (`client_id`). */
  readonly clientId: string;
  /** Scopes to request; empty for the default of the identity provider. */
  readonly scopes: readonly string[];
}

/**
 * An Identity Assertion JWT Authorization Grant (ID-JAG). Anyone who has it can get an access token, so it is sent to its
 * audience only and never stored.
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
export interface IdJag {
  /** The JWT, as the identity provider issued it. */
  readonly token: string;
  /** Time when it expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The scopes that the identity provider permits; undefined when it does not say. */
  readonly scopes: readonly string[] | undefined;
  /** Name for caches: the target, and the token that was exchanged. */
  readonly key: string;
  /** Id of the sign-in that it was issued for. */
  readonly sessionId: string;
  /** True if it was returned from the cache, so that it may have been used before. */
  readonly reused: boolean;
}

/** An ID-JAG that expires sooner is not used. */
const MARGIN_MS = 10_000;
/** Others are requested again. */
const MAX_CACHED = 1_000;

/** Keeps ID-JAGs that can be used again, in memory only. */
export class IdJagCache {
  readonly #clock: Clock;
  readonly #cached = new RecentMap<string, IdJag>(MAX_CACHED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): IdJag | undefined {
    const found = this.#cached.get(key);
    if (found !== undefined && this.#clock.now() < found.expiresAt - MARGIN_MS) return found;
    this.#cached.delete(key);
    return undefined;
  }

  put(idJag: IdJag): void {
    this.#cached.set(idJag.key, idJag);
  }

  drop({ key }: IdJag): void {
    this.#cached.delete(key);
  }

  clear(): void {
    this.#cached.clear();
  }
}
