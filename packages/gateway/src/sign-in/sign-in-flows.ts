import { FittingsError } from '@mcp-fittings/client-core';
import { abortable } from '@mcp-fittings/toolbox/timing';
import type { Host } from '@mcp-fittings/host';
import type { WaitingBrowsers } from './gateway-interaction.js';

/** One `host.signIn()` that a page has started. */
export interface SignInFlow {
  /** Id of the page that has started it. */
  readonly page: string;
  /** Resolves with the next page of the browser: the page of the authorization server, or `'ended'` if the sign-in needs none. */
  readonly next: Promise<URL | 'ended'>;
  /** Passes on the redirect of the authorization server. Returns false if the sign-in does not wait for it any more. */
  answer(parameters: URLSearchParams): boolean;
}

/** The sign-ins under way: at most one for a person and a server. */
export type SignInFlows = ReturnType<typeof createSignInFlows>;

/** Options of {@link SignInFlows.start}. */
export interface FlowRequest {
  readonly page: string;
  readonly server: string;
  readonly principal: string | undefined;
  /** Ends the sign-in. */
  readonly signal: AbortSignal;
  /** Called when it has ended: with undefined if the server can be used, and with the reason otherwise. Must not throw. */
  readonly onEnd: (error: FittingsError | undefined) => void;
}

interface RunningFlow extends SignInFlow {
  send(url: URL, state: string): Promise<URLSearchParams>;
}

/** Creates the sign-ins of one gateway. */
export function createSignInFlows(host: Pick<Host, 'signIn'>) {
  const running = new Map<string, RunningFlow>();
  const states = new Map<string, RunningFlow>();

  const start = ({ page, server, principal, signal, onEnd }: FlowRequest): RunningFlow => {
    const key = keyOf({ server, principal });
    // A client that the authorization server has forgotten registers again, and asks the person again.
    let location = deferred<URL>();
    let waiting:
      { readonly state: string; readonly resolve: (parameters: URLSearchParams) => void } | undefined;
    const run = async (): Promise<'ended'> => {
      const error = await host.signIn(server, { principal, signal }).then(
        () => undefined,
        (cause: unknown) => (cause instanceof FittingsError ? cause : failed(server, cause)),
      );
      running.delete(key);
      if (waiting !== undefined) states.delete(waiting.state);
      waiting = undefined;
      onEnd(error);
      return 'ended';
    };
    const flow: RunningFlow = {
      page,
      get next() {
        return Promise.race([location.promise, end]);
      },
      answer(parameters) {
        if (waiting === undefined) return false;
        const { state, resolve } = waiting;
        states.delete(state);
        waiting = undefined;
        location = deferred();
        resolve(parameters);
        return true;
      },
      send(url, state) {
        const answer = deferred<URLSearchParams>();
        waiting = { state, resolve: answer.resolve };
        states.set(state, flow);
        location.resolve(url);
        return answer.promise;
      },
    };
    running.set(key, flow);
    const end = run();
    return flow;
  };

  return {
    /** Starts a sign-in, or returns the one that is under way, perhaps of another page. */
    start: (request: FlowRequest): SignInFlow => running.get(keyOf(request)) ?? start(request),
    /** Returns the sign-in whose authorization request has this `state`. */
    find: (state: string): SignInFlow | undefined => states.get(state),
    waits: (sought: Parameters<WaitingBrowsers['waits']>[0]) => running.has(keyOf(sought)),
    async send({ url, state, signal, ...sought }: Parameters<WaitingBrowsers['send']>[0]) {
      const flow = running.get(keyOf(sought));
      if (flow === undefined) throw failed(sought.server, undefined);
      const gone = (): FittingsError =>
        new FittingsError('ABORTED', `The sign-in to "${sought.server}" was aborted.`, {
          server: sought.server,
        });
      return abortable(flow.send(url, state), signal, gone);
    },
  };
}

function keyOf({ server, principal }: Parameters<WaitingBrowsers['waits']>[0]): string {
  return JSON.stringify([server, principal ?? null]);
}

function failed(server: string, cause: unknown): FittingsError {
  return new FittingsError('AUTH_FAILED', `The sign-in to "${server}" failed.`, { server, cause });
}

/** `Promise.withResolvers()`, which Node.js 20 lacks. */
export function deferred<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: Error) => void;
} {
  let settle: { resolve: (value: T) => void; reject: (reason: Error) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (reason) => settle?.reject(reason) };
}
