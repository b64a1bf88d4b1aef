import { randomUUID } from 'node:crypto';
import { type Clock, FittingsError, type Logger } from '@mcp-fittings/client-core';
import { systemClock } from '@mcp-fittings/toolbox/timing';
import type { Host } from '@mcp-fittings/host';
import type { UpstreamSignIn } from '../contracts/access.js';
import type { Caller } from '../contracts/caller.js';
import { RecentValues } from '../state/recent-values.js';
import { createBrowserCookie, randomSecret } from './browser-cookie.js';
import type { BrowserCheck } from './browser-sign-in.js';
import type { GatewayInteraction } from './gateway-interaction.js';
import { createSignInFlows, deferred } from './sign-in-flows.js';
import { createSignInRequests, type SignInPage } from './sign-in-requests.js';

/** Options of {@link createUpstreamSignIn}. */
export interface UpstreamSignInOptions {
  /** The host whose servers callers sign in to. */
  readonly host: Pick<Host, 'signIn'>;
  /** The interaction that `oauth()` of this host has. */
  readonly interaction: GatewayInteraction;
  /**
   * Checks that the browser at a page belongs to the caller. {@link browserSignIn} compares the person in the browser with the caller.
   * `unverified` asks the person to confirm, which does not protect against a caller who sends the page to another person and then uses
   * that person's account: choose it only if all callers are one person.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#phishing
   */
  readonly browser: BrowserCheck | 'unverified';
  /** Returns the name of a caller for the page, if `browser` is `unverified`. Default: the principal. */
  readonly describe?: ((caller: Caller) => string) | undefined;
  /** Milliseconds for which a page is valid. Default 600 000. */
  readonly lifeMs?: number | undefined;
  /** Most pages of one caller within `lifeMs`, and most pages that wait at a time. Default 16 and 1000. */
  readonly limits?:
    { readonly perCaller?: number | undefined; readonly all?: number | undefined } | undefined;
  /** Source of time. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Told why sign-ins fail. Default: none. */
  readonly logger?: Logger | undefined;
}

/** Browsers that one page sends to the issuer at a time: reloads, and people who are not the caller. */
const MAX_ATTEMPTS = 8;

/**
 * Creates the pages at which callers sign in to servers: `{publicUrl}/sign-in/{id}`. A page makes sure that the browser belongs to the
 * caller, starts `host.signIn()` for the caller's principal, sends the browser to the authorization server of the server, and receives
 * it at `{publicUrl}/oauth/callback`.
 *
 * `open()` rejects with `RATE_LIMITED` if too many pages are open, and with `AUTH_FAILED` if `browserSignIn()` is set and the caller
 * has no principal to compare with. `completed` rejects with `TIMEOUT` after `lifeMs`, `ABORTED`, or what `host.signIn()` rejects with.
 * `close()` ends all sign-ins under way, whose `completed` rejects with `ABORTED`: close them with the gateway.
 * @example
 * ```ts
 * const interaction = gatewayInteraction({ publicUrl: 'https://gateway.example' });
 * const host = createHost({ name, version, transports: [http()], auth: [oauth({ clientName: 'Gateway', store, interaction })] });
 * const browser = browserSignIn({ issuer: 'https://login.example', clientId: 'gateway-pages' });
 * const signIn = createUpstreamSignIn({ host, interaction, browser });
 * ```
 */
export function createUpstreamSignIn(options: UpstreamSignInOptions): {
  open(caller: Caller, server: string): Promise<NonNullable<Awaited<ReturnType<UpstreamSignIn['open']>>>>;
  close(): Promise<void>;
} & UpstreamSignIn &
  AsyncDisposable {
  const { host, interaction, browser, limits, logger } = options;
  const { clock = systemClock, lifeMs = 600_000 } = options;
  const { perCaller = 16, all = 1000 } = limits ?? {};
  const { publicUrl } = interaction;
  const pages = new Map<string, SignInPage>();
  const flows = createSignInFlows(host);
  interaction.connect(flows);

  const open = (): readonly SignInPage[] =>
    [...pages.values()].filter(({ outcome }) => outcome === undefined);

  /** A sign-in that has succeeded is one for every caller of the person. */
  const conclude = (page: SignInPage, error: FittingsError | undefined): void => {
    const { server, caller } = page;
    if (page.outcome !== undefined) return;
    const concluded =
      error === undefined
        ? open().filter((each) => each.server === server && each.caller.principal === caller.principal)
        : [page];
    for (const each of concluded) each.end(error);
    if (error !== undefined) logger?.warn(`A sign-in to "${server}" failed.`, { code: error.code });
  };

  const createPage = (caller: Caller, server: string): SignInPage => {
    const id = randomSecret();
    const settled = deferred<void>();
    // The gateway may not wait for it any more.
    settled.promise.catch(() => undefined);
    const controller = new AbortController();
    const page: SignInPage = {
      id,
      caller,
      server,
      url: `${publicUrl}/sign-in/${id}`,
      elicitationId: randomUUID(),
      completed: settled.promise,
      signal: controller.signal,
      browser: undefined,
      attempts: new RecentValues(MAX_ATTEMPTS, clock),
      outcome: undefined,
      end(error) {
        if (page.outcome !== undefined) return;
        page.outcome = error === undefined ? 'success' : 'failure';
        if (error === undefined) settled.resolve();
        else settled.reject(error);
      },
      forget(error) {
        timer[Symbol.dispose]();
        pages.delete(id);
        page.end(error);
        controller.abort(error);
      },
    };
    const timer = clock.schedule(() => page.forget(tooLate(server, lifeMs)), lifeMs, { unref: true });
    pages.set(id, page);
    return page;
  };

  const respond = createSignInRequests({
    publicUrl,
    pages,
    flows,
    conclude,
    cookie: createBrowserCookie(publicUrl, lifeMs),
    browser,
    describe: options.describe ?? (({ principal }) => principal ?? 'everyone who uses this gateway'),
    logger,
  });

  return {
    async open(caller, server) {
      if (browser !== 'unverified' && caller.principal === undefined) throw noPrincipal(server);
      const waiting = open();
      const own = [...pages.values()].filter((page) => page.caller.id === caller.id);
      const same = own.find(
        (page) =>
          page.outcome === undefined && page.server === server && page.caller.principal === caller.principal,
      );
      if (same !== undefined) return same;
      if (own.length >= perCaller || waiting.length >= all) throw tooMany(server);
      return createPage(caller, server);
    },
    respond,
    async close() {
      for (const page of pages.values()) page.forget(closed(page.server));
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}

function noPrincipal(server: string): FittingsError {
  return new FittingsError('AUTH_FAILED', `Cannot sign in to "${server}": the caller is not a person.`, {
    server,
    hint: 'Use oauthResource(), whose callers have a principal, or set "browser" to "unverified".',
  });
}

function tooMany(server: string): FittingsError {
  return new FittingsError(
    'RATE_LIMITED',
    `Cannot open a page to sign in to "${server}": too many are open.`,
    {
      server,
      hint: 'Sign in at one of them, or retry when they have expired.',
    },
  );
}

function tooLate(server: string, ms: number): FittingsError {
  return new FittingsError('TIMEOUT', `The sign-in to "${server}" was not completed within ${ms} ms.`, {
    server,
  });
}

function closed(server: string): FittingsError {
  return new FittingsError('ABORTED', `The sign-in to "${server}" was aborted: the gateway closes.`, {
    server,
  });
}
