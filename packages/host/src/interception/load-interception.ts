import type { Host } from '../contracts/host.js';
import type { Interceptor } from '../contracts/interceptor.js';
import type { HostCallbacks } from '../contracts/server-requests.js';
import type { Interception, InterceptionDeps } from './interception.js';

/** Loads what runs interceptors, once. A host without interceptors does not load it. */
export type LoadInterception = () => Promise<Interception>;

/** Returns `undefined` if there are no interceptors. */
export function interceptionLoader(
  interceptors: readonly Interceptor[] | undefined,
  deps: InterceptionDeps,
): LoadInterception | undefined {
  if (interceptors === undefined || interceptors.length === 0) return undefined;
  let loaded: Promise<Interception> | undefined;
  return () =>
    (loaded ??= import('./interception.js').then(
      ({ Interception }) => new Interception([...interceptors], deps),
    ));
}

/** Returns a host whose calls are intercepted. */
export function withInterception(host: Host, load: LoadInterception | undefined): Host {
  if (load === undefined) return host;
  let made: Promise<ReturnType<Interception['host']>> | undefined;
  const intercepted = (): Promise<ReturnType<Interception['host']>> =>
    (made ??= load().then((interception) => interception.host(host)));
  return {
    ...host,
    callTool: async (...given) => (await intercepted()).callTool(...given),
    getPrompt: async (...given) => (await intercepted()).getPrompt(...given),
    readResource: async (...given) => (await intercepted()).readResource(...given),
    complete: async (...given) => (await intercepted()).complete(...given),
    request: async (...given) => (await intercepted()).request(...given),
    notify: async (...given) => (await intercepted()).notify(...given),
    subscribe: async (...given) => (await intercepted()).subscribe(...given),
    unsubscribe: async (...given) => (await intercepted()).unsubscribe(...given),
    setLogLevel: async (...given) => (await intercepted()).setLogLevel(...given),
  };
}

/** Returns callbacks whose requests are intercepted; only those that are there, so that the same capabilities are declared. */
export function interceptedCallbacks(
  callbacks: HostCallbacks,
  callbackMs: number,
  load: LoadInterception | undefined,
): HostCallbacks {
  if (load === undefined) return callbacks;
  const { elicit, sample, roots } = callbacks;
  const through = async (): Promise<HostCallbacks> => (await load()).callbacks(callbacks, callbackMs);
  return {
    ...callbacks,
    ...(elicit && { elicit: async (...given) => ((await through()).elicit ?? elicit)(...given) }),
    ...(sample && { sample: async (...given) => ((await through()).sample ?? sample)(...given) }),
    ...(roots && { roots: async (...given) => ((await through()).roots ?? roots)(...given) }),
  };
}
