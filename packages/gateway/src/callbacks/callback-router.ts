import { type Clock, FittingsError } from '@mcp-fittings/client-core';
import { InFlight, RecentMap } from '@mcp-fittings/toolbox/base-transport';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { ElicitationRequest, HostCallbacks, ServerRequestInfo } from '@mcp-fittings/host';
import {
  elicitationInput,
  missingCapability,
  readElicitationAnswer,
  readRoots,
  readSample,
  type Question,
} from './client-input.js';
import type { OpenCall } from './open-call.js';

/** Options of {@link createCallbackRouter}. */
export interface CallbackRouterOptions {
  /** Modes of elicitation that the host declares to servers. Default: `['form', 'url']`. */
  readonly elicitationModes?: readonly ElicitationRequest['mode'][] | undefined;
  /** If true, the host declares `sampling` to servers. Default `true`. */
  readonly sampling?: boolean | undefined;
  /** If true, the host declares `roots` to servers. Default `true`. */
  readonly roots?: boolean | undefined;
  /** Answers servers while none of their calls belongs to a client of the gateway. Default: they are refused. */
  readonly otherwise?: Pick<HostCallbacks, 'elicit' | 'sample' | 'roots'> | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Passes requests of servers on to the client whose call caused them: questions for the user (elicitation), for the model (sampling),
 * and for folders (roots). Create it before the host, and give it to both.
 */
export interface CallbackRouter {
  /** Option `callbacks` of `createHost()`. */
  readonly hostCallbacks: HostCallbacks;
}

/** Requests during which a server may ask. */
const ASKING: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Milliseconds for which questions may still belong to a call that was given up: the server may not have stopped its work yet. */
const LINGER_MS = 60_000;
/** Most calls that are remembered for that. */
const MAX_LINGERING = 1000;

/**
 * Creates the router. A question goes to one client or to none: if calls of several clients wait for the server, and the server does
 * not say to which of them its question belongs, it is refused.
 * @example
 * const callbacks = createCallbackRouter();
 * const host = createHost({ name, version, transports, callbacks: callbacks.hostCallbacks });
 * const gateway = createGateway(host, { callbacks });
 */
export function createCallbackRouter(options: CallbackRouterOptions = {}): CallbackRouter {
  return new OpenCallRouter(options);
}

/** Knows the calls that are open, which the surface of the gateway adds. */
export class OpenCallRouter implements CallbackRouter {
  readonly hostCallbacks: HostCallbacks;
  readonly #clock: Clock;
  readonly #open = new InFlight<OpenCall>();
  /** Calls that were given up, while their server may still work on them. */
  readonly #lingering = new RecentMap<OpenCall, number>(MAX_LINGERING);

  constructor(options: CallbackRouterOptions) {
    const { otherwise = {}, clock = systemClock } = options;
    this.#clock = clock;
    this.hostCallbacks = {
      elicitationModes: options.elicitationModes ?? ['form', 'url'],
      elicit: async (request, info) => {
        const call = this.#callOf(info);
        if (call !== undefined)
          return readElicitationAnswer(await ask(call, elicitationInput(request), info));
        if (otherwise.elicit !== undefined) return otherwise.elicit(request, info);
        throw noClient(info);
      },
      ...(options.sampling !== false && {
        sample: async (params, info) => {
          const call = this.#callOf(info);
          if (call !== undefined)
            return readSample(await ask(call, { method: 'sampling/createMessage', params }, info));
          if (otherwise.sample !== undefined) return otherwise.sample(params, info);
          throw noClient(info);
        },
      }),
      ...(options.roots !== false && {
        roots: async (info) => {
          const call = this.#callOf(info);
          if (call === undefined) return (await otherwise.roots?.(info)) ?? [];
          // A client without roots has none.
          if (missingCapability({ method: 'roots/list' }, call.exchange.capabilities) !== undefined)
            return [];
          return readRoots(await ask(call, { method: 'roots/list' }, info));
        },
      }),
    };
  }

  /** Adds a call that may be asked until it has ended. */
  add(call: OpenCall): void {
    this.#open.set(call.origin, call);
    void call.ended.then(() => {
      this.#open.delete(call.origin);
      this.#linger(call);
    });
  }

  #linger(call: OpenCall): void {
    const { error } = call;
    if (!call.signal.aborted && !(error instanceof FittingsError && error.code === 'TIMEOUT')) return;
    this.#lingering.set(call, this.#clock.now() + LINGER_MS);
  }

  #lingeringFor(server: string, principal: string | undefined): readonly OpenCall[] {
    const now = this.#clock.now();
    for (const [call, until] of this.#lingering) if (until < now) this.#lingering.delete(call);
    return [...this.#lingering.keys()].filter(
      (call) => call.server === server && call.principal === principal,
    );
  }

  /** Returns the call that a server's request belongs to; `undefined` if it does not belong to any client of the gateway. */
  #callOf({ server, principal, calls, call }: ServerRequestInfo): OpenCall | undefined {
    const candidates = call === undefined ? calls.filter(({ method }) => ASKING.has(method)) : [call];
    const known = candidates.map(({ origin }) => (origin === undefined ? undefined : this.#open.get(origin)));
    const [first] = known;
    const other = call === undefined ? this.#lingeringFor(server, principal) : [];
    const all = [...known, ...other];
    if (all.every((each) => each === undefined)) return undefined;
    if (
      first === undefined ||
      first.principal !== principal ||
      all.some((each) => !isSameClient(each, first))
    ) {
      throw new FittingsError(
        'CALLBACK_FAILED',
        `It is not known which client the request of the server "${server}" is for: several of them wait for it.`,
        { server, hint: 'Retry while no other client calls the server, or give each person a connection.' },
      );
    }
    return first;
  }
}

/** Returns the router of a gateway, to which calls can be added. Throws `CONFIG_INVALID` for any other object. */
export function openCallRouter(callbacks: CallbackRouter | undefined): OpenCallRouter | undefined {
  if (callbacks === undefined || callbacks instanceof OpenCallRouter) return callbacks;
  throw new FittingsError('CONFIG_INVALID', '`callbacks` was not created by createCallbackRouter().', {
    hint: 'Pass its result, whose `hostCallbacks` the host has.',
  });
}

async function ask(call: OpenCall, request: Question, info: ServerRequestInfo): Promise<unknown> {
  const missing = missingCapability(request, call.exchange.capabilities);
  if (missing === undefined) return call.ask(request, info.signal);
  throw new FittingsError(
    'CAPABILITY_MISSING',
    `The client does not have the capability "${missing}", which ${request.method} of the server "${info.server}" requires.`,
    { server: info.server, details: { clientCapability: missing } },
  );
}

function noClient({ server }: ServerRequestInfo): FittingsError {
  return new FittingsError(
    'CALLBACK_FAILED',
    `No client waits for the server "${server}", so that no one can answer.`,
    { server },
  );
}

function isSameClient(call: OpenCall | undefined, other: OpenCall): boolean {
  return (
    call !== undefined && call.exchange.client === other.exchange.client && call.callerId === other.callerId
  );
}
