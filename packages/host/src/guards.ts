import type { Clock } from '@mcp-fittings/client-core';
import type { JSONRPCObject, Transport } from '@mcp-fittings/client-core/transport';
import { createCallRecovery } from './calls/call-recovery.js';
import { createUrlElicitations } from './calls/url-elicitations.js';
import { createInboundLimit } from './connection/inbound-limit.js';
import { observeTransport } from './connection/observe-transport.js';
import type { EngineCallbacks, EngineConnectOptions } from './contracts/engine.js';
import type { HostCallbacks } from './contracts/server-requests.js';
import { DEFAULT_LIMITS } from './setup/default-limits.js';

export { DEFAULT_LIMITS };
export type { HostLimits } from './contracts/host-options.js';

/** Options of {@link guardServer}. */
export interface ServerGuardOptions {
  /** Name of the server, for error messages. */
  readonly server: string;
  /** Clock for deadlines and rates. */
  readonly clock: Clock;
  /** Answers requests of the server. Only those that are there are declared as capabilities. */
  readonly callbacks: HostCallbacks;
  /** Called for each change of a list that is not passed on, because there are too many. */
  readonly onListChanged: (kind: 'tools' | 'prompts' | 'resources') => void;
}

/** What stands between one server and the callbacks of a program. */
export interface ServerGuard {
  /** Callbacks for {@link EngineConnectOptions}: each has a deadline, and questions to the user are inspected, as are their answers. */
  readonly callbacks: EngineCallbacks;
  /** Bounds what the server may send on its own. Returns `observe` of {@link EngineConnectOptions}. Call it before the engine connects. */
  watch(transport: Transport): EngineConnectOptions['observe'];
  /** Call it with each notification of the server, in `notification` of its events. */
  readonly notified: (method: string, params: JSONRPCObject) => void;
  /**
   * Sends a call. If the server refuses it until the user has visited a page, asks the user, and sends it once more. Rejects with the
   * last failure.
   */
  send<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

/**
 * Creates for one server the guards that a host has, with its default limits: for a program that uses an engine without a host.
 * @example
 * const guard = guardServer({ server: 'files', clock: systemClock, callbacks: { elicit }, onListChanged });
 * const session = await engine.connect(transport, {
 *   ...options,
 *   callbacks: guard.callbacks,
 *   observe: guard.watch(transport),
 * });
 * const result = await guard.send(() => session.callTool('read', { path: '/a' }, { timeoutMs: 60_000 }), signal);
 */
export function guardServer(options: ServerGuardOptions): ServerGuard {
  const { server, clock, onListChanged } = options;
  const callbacks = guardedWhenAsked(options.callbacks, clock);
  const ignore = (): void => undefined;
  const inbound = createInboundLimit(
    { server, clock, limits: DEFAULT_LIMITS },
    { onListChanged, onFlood: ignore },
  );
  // Why a page was not visited is not reported: the call fails with the refusal of the server.
  const pages = createUrlElicitations({ server, clock }, { callbacks, onError: ignore });
  return {
    callbacks,
    watch(transport) {
      const observe = observeTransport(transport);
      observe(inbound.observe(transport));
      return observe;
    },
    notified: pages.notified,
    async send(call, signal) {
      const recovery = createCallRecovery(
        { clock, random: undefined },
        { mayRetry: () => false, visitPages: (refusal, within) => pages.visitPages(refusal, within) },
        { repeatable: false, end: 0, signal },
      );
      for (;;) {
        try {
          return await call();
        } catch (failure) {
          await recovery.recover(failure);
        }
      }
    },
  };
}

/** Loads what guards the callbacks for the first request of the server, because most servers have none. */
function guardedWhenAsked(callbacks: HostCallbacks, clock: Clock): EngineCallbacks {
  const { elicit, elicitationModes, sample, roots } = callbacks;
  let loaded: Promise<EngineCallbacks> | undefined;
  const guarded = (): Promise<EngineCallbacks> =>
    (loaded ??= import('./server-requests/guard-callbacks.js').then(({ guardCallbacks }) =>
      guardCallbacks(callbacks, { clock, callbackMs: DEFAULT_LIMITS.callbackMs }),
    ));
  /** The same callbacks are guarded as are there. */
  const through = async <Name extends 'elicit' | 'sample' | 'roots'>(
    name: Name,
  ): Promise<NonNullable<EngineCallbacks[Name]>> => {
    const callback = (await guarded())[name];
    if (callback === undefined) throw new TypeError(`The callback ${name} is missing.`);
    return callback;
  };
  return {
    ...(elicitationModes !== undefined && { elicitationModes }),
    ...(elicit && { elicit: async (...given) => (await through('elicit'))(...given) }),
    ...(sample && { sample: async (...given) => (await through('sample'))(...given) }),
    ...(roots && { roots: async (...given) => (await through('roots'))(...given) }),
  };
}
