import type { Clock, FittingsError, Logger } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import type { NamingStrategy, ToolPolicy } from '@mcp-fittings/tools';
import type { CallbackRouter } from '../callbacks/callback-router.js';
import type { ExposeOptions } from '../catalog/exposure.js';
import type { UpstreamSignIn } from '../contracts/access.js';
import type { Caller } from '../contracts/caller.js';
import type { ReplicaLink } from '../contracts/replica-link.js';
import type { RequestObserver } from '../contracts/request-event.js';

/** Options of {@link createSurface}. */
export interface SurfaceOptions {
  /** The servers. Its callbacks should be those of {@link callbacks}. */
  readonly host: Host;
  /** How tools and prompts are named at the address of all servers. Default `naming.serverPrefixed`: `server__tool`. */
  readonly naming?: NamingStrategy | undefined;
  /** Which tools clients see and may call. A tool that it denies is not listed; one that it asks for asks the client. Default: all. */
  readonly policy?: ToolPolicy | undefined;
  /**
   * What happens at the address of one server to a call of a tool that is not listed there: `refuse` answers that it is unknown; `send`
   * lets the server answer, also for a tool that an interceptor has left out of the list. Default `refuse`.
   */
  readonly unlisted?: 'refuse' | 'send' | undefined;
  /** Which servers are served, and what of them. Default: everything. */
  readonly expose?: ExposeOptions | undefined;
  /** Passes questions of servers on to clients. Default: servers cannot ask. */
  readonly callbacks?: CallbackRouter | undefined;
  /** Pages at which callers sign in to servers. Default: a server that requires a sign-in refuses calls. */
  readonly signIn?: UpstreamSignIn | undefined;
  /** Told of each request that has ended. Default: none. */
  readonly observe?: RequestObserver | undefined;
  /** Asked before each request is passed on, which fails if it rejects. Default: none is refused. */
  readonly admit?: ((caller: Caller, server: string) => Promise<void>) | undefined;
  /** Returns the error with which `admit` rejects now, if that is known without asking it: see `RateLimiter`. Default: nothing is known. */
  readonly refusal?:
    ((caller: Caller, find: () => string | undefined) => FittingsError | undefined) | undefined;
  /** The other replicas, one of which may hold the call that a client continues here. Default: there are none. */
  readonly replicas?: ReplicaLink | undefined;
  /** Name and version of the gateway, for clients. Default: `mcp-fittings`. */
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives diagnostics. Default: none. */
  readonly logger?: Logger | undefined;
  /** Deadlines and bounds; each member has a default. */
  readonly limits?: Partial<SurfaceLimits> | undefined;
}

/** Deadlines in milliseconds, and bounds. */
export interface SurfaceLimits {
  /** Longest time that a list waits for servers that are not connected yet. Default 10 000. */
  readonly listMs: number;
  /** Longest time that a handshake waits for them, for its capabilities and instructions. Default 3000. */
  readonly handshakeMs: number;
  /** Longest time that a call waits for an answer of its client. Default 600 000. */
  readonly answerMs: number;
  /** Most calls that wait for answers. Default 1000. */
  readonly heldCalls: number;
  /** Most calls of one caller that wait for answers. Default 32. */
  readonly heldCallsPerCaller: number;
  /** Items on a page of a list. Default 200. */
  readonly pageItems: number;
  /** How many servers are started for people at the same time. Default 16. */
  readonly parallelStarts: number;
  /** Time after which a server that could not be started for a person is tried again. Default 30 000. */
  readonly retryMs: number;
  /** Longest instructions of one server among those of all, in characters. Default 4000. */
  readonly instructionsLength: number;
  /** Longest instructions of all servers together, in characters. Default 16 000. */
  readonly allInstructionsLength: number;
  /** Most resources that one connection subscribes to. Default 1000. */
  readonly subscriptions: number;
  /** Time for which changes of lists are collected before they are reported. Default 50. */
  readonly changeMs: number;
}

/** Default of each member of {@link SurfaceLimits}. */
export const DEFAULT_LIMITS: SurfaceLimits = {
  listMs: 10_000,
  handshakeMs: 3000,
  answerMs: 600_000,
  heldCalls: 1000,
  heldCallsPerCaller: 32,
  pageItems: 200,
  parallelStarts: 16,
  retryMs: 30_000,
  instructionsLength: 4000,
  allInstructionsLength: 16_000,
  subscriptions: 1000,
  changeMs: 50,
};
