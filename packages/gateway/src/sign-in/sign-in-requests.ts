import type { FittingsError, Logger } from '@mcp-fittings/client-core';
import { hashText } from '@mcp-fittings/toolbox/text';
import type { UpstreamSignInPage } from '../contracts/access.js';
import type { Caller } from '../contracts/caller.js';
import type { RecentValues } from '../state/recent-values.js';
import { digestSecret, matchesSecret, randomSecret, type BrowserCookie } from './browser-cookie.js';
import type { BrowserCheck } from './browser-sign-in.js';
import { redirectTo, renderPage } from './page.js';
import type { SignInFlow, SignInFlows } from './sign-in-flows.js';

/** A page that waits for the browser of its caller, or that shows how it ended. */
export interface SignInPage extends UpstreamSignInPage {
  readonly id: string;
  readonly caller: Caller;
  readonly server: string;
  /** Ends the sign-in of this page. */
  readonly signal: AbortSignal;
  /** Digest of the secret of the browser that belongs to the caller; undefined before one has proved it. */
  browser: Buffer | undefined;
  /** Browsers that are at the issuer, by `state`. */
  readonly attempts: RecentValues<BrowserAttempt>;
  outcome: 'success' | 'failure' | undefined;
  /** Settles `completed`, once. */
  end(error: FittingsError | undefined): void;
  /** Removes the page. */
  forget(error: FittingsError): void;
}

/** Dependencies of {@link createSignInRequests}. */
export interface SignInRequestsDeps {
  readonly publicUrl: string;
  readonly pages: ReadonlyMap<string, SignInPage>;
  readonly flows: SignInFlows;
  readonly cookie: BrowserCookie;
  readonly browser: BrowserCheck | 'unverified';
  readonly describe: (caller: Caller) => string;
  readonly logger: Logger | undefined;
  /** Called when the sign-in of a page has ended. */
  readonly conclude: (page: SignInPage, error: FittingsError | undefined) => void;
}

/** A browser that is at the issuer, to prove whose it is. */
export interface BrowserAttempt {
  readonly secret: Buffer;
  readonly finish: (parameters: URLSearchParams) => Promise<string>;
}

/** Creates the function that answers requests to the pages. It returns undefined for paths of others. */
export function createSignInRequests(
  deps: SignInRequestsDeps,
): (request: Request) => Promise<Response | undefined> {
  const { publicUrl, pages, flows, cookie, browser, describe, logger, conclude } = deps;
  const { pathname: prefix } = new URL(publicUrl);

  /** Starts the sign-in, or joins the one of this page, and sends the browser on. */
  const goOn = async (page: SignInPage): Promise<Response> => {
    if (page.outcome !== undefined) return ended(page);
    const { server, caller, signal } = page;
    const { principal } = caller;
    const onEnd = (error: FittingsError | undefined): void => conclude(page, error);
    const known = flows.start({ page: page.id, server, principal, signal, onEnd });
    if (known.page !== page.id) return OTHER_PAGE();
    return nextOf(page, known);
  };

  const nextOf = async (page: SignInPage, flow: SignInFlow): Promise<Response> => {
    const next = await flow.next;
    return next === 'ended' ? ended(page) : redirectTo(next);
  };

  const show = async (request: Request, page: SignInPage, confirmed: string | null): Promise<Response> => {
    if (page.outcome !== undefined) return ended(page);
    const known = cookie.read(request, page.id);
    if (matchesSecret(known, page.browser)) return goOn(page);
    if (browser === 'unverified') return confirmed === null ? ask(page) : confirm(page, known, confirmed);
    const { secret, header } = cookie.issue(page.id);
    const state = `${page.elicitationId}.${randomSecret()}`;
    const attempt = await browser.start({ redirectUri: `${publicUrl}/sign-in/callback`, state });
    page.attempts.set(state, { secret: digestSecret(secret), ...attempt }, Infinity);
    return redirectTo(attempt.url, header);
  };

  /** Asks the person to confirm with a link that works in this browser only. */
  const ask = (page: SignInPage): Response => {
    const { secret, header } = cookie.issue(page.id);
    const url = new URL(page.url);
    url.searchParams.set('confirmation', confirmationOf(secret, page.id));
    return confirmation(page, describe(page.caller), url, header);
  };

  const confirm = (
    page: SignInPage,
    secret: string | undefined,
    confirmed: string,
  ): Response | Promise<Response> => {
    const isOwn = secret !== undefined && confirmed === confirmationOf(secret, page.id);
    // The first browser that confirms keeps the page.
    if (!isOwn || page.browser !== undefined) return NOT_YOURS();
    page.browser = digestSecret(secret);
    return goOn(page);
  };

  /** The issuer has sent the browser back. */
  const identified = async (request: Request, parameters: URLSearchParams): Promise<Response> => {
    const state = parameters.get('state') ?? '';
    const page = [...pages.values()].find(({ elicitationId }) => state.startsWith(`${elicitationId}.`));
    const attempt = page?.attempts.take(state);
    if (page === undefined || attempt === undefined) return OVER();
    const { secret } = attempt;
    if (!matchesSecret(cookie.read(request, page.id), secret)) return NOT_YOURS();
    const principal = await attempt.finish(parameters);
    if (principal !== page.caller.principal) {
      logger?.warn(`Another person has opened the page to sign in to "${page.server}".`);
      return OTHER_PERSON();
    }
    if (page.outcome === undefined) page.browser = secret;
    return goOn(page);
  };

  /** The authorization server of a server has sent the browser back. */
  const answered = async (request: Request, parameters: URLSearchParams): Promise<Response> => {
    const states = parameters.getAll('state');
    const flow = states.length === 1 ? flows.find(states[0] ?? '') : undefined;
    const page = pages.get(flow?.page ?? '');
    if (flow === undefined || page === undefined) return OVER();
    if (!matchesSecret(cookie.read(request, page.id), page.browser)) return NOT_YOURS();
    return flow.answer(parameters) ? nextOf(page, flow) : OVER();
  };

  const route = async (request: Request, path: string, parameters: URLSearchParams): Promise<Response> => {
    if (!isNavigation(request.headers)) return NOT_YOURS();
    const page = pages.get(path.slice('/sign-in/'.length));
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: { allow: 'GET' } });
    if (path === '/oauth/callback') return answered(request, parameters);
    if (path === '/sign-in/callback') return identified(request, parameters);
    return page === undefined ? OVER() : show(request, page, parameters.get('confirmation'));
  };

  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const path =
      prefix !== '/' && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
    if (path !== '/oauth/callback' && !path.startsWith('/sign-in/')) return undefined;
    try {
      return await route(request, path, searchParams);
    } catch (error) {
      logger?.warn('A browser could not sign in to the gateway.', { error });
      return FAILED();
    }
  };
}

function confirmation(page: SignInPage, account: string, url: URL, cookie: string): Response {
  return renderPage({
    status: 200,
    title: `Sign in to ${page.server}?`,
    paragraphs: [
      `A program asks you to sign in to "${page.server}" for: ${account}.`,
      'Continue only if this is you, and if you have asked for it in a program of yours a moment ago. If you got this link from someone else, close this page: they could use your account.',
    ],
    link: { url, text: 'Continue' },
    cookie,
  });
}

/** Proves that the link comes from the page that the browser with this secret was shown. */
function confirmationOf(secret: string, page: string): string {
  return hashText(`${secret} ${page}`);
}

/** Returns true if a person goes to a page, and not a script, a frame or a prefetch. Older browsers send none of these headers. */
function isNavigation(headers: Headers): boolean {
  if (headers.has('sec-purpose') || headers.has('purpose')) return false;
  const mode = headers.get('sec-fetch-mode') ?? 'navigate';
  const destination = headers.get('sec-fetch-dest') ?? 'document';
  return mode === 'navigate' && destination === 'document';
}

function ended({ outcome, server }: SignInPage): Response {
  if (outcome === 'success') {
    return renderPage({ status: 200, title: `You are signed in to ${server}`, paragraphs: [CLOSE] });
  }
  const paragraphs = ['Nothing was changed. Your program shows the reason.', CLOSE];
  return renderPage({ status: 200, title: `The sign-in to ${server} failed`, paragraphs });
}

const CLOSE = 'You can close this page.';

// They do not say which server or account a page is for.
const OVER = (): Response =>
  renderPage({
    status: 404,
    title: 'This sign-in has ended',
    paragraphs: ['To sign in again, start from your program.', CLOSE],
  });
const NOT_YOURS = (): Response =>
  renderPage({
    status: 403,
    title: 'This page is not for you',
    paragraphs: ['It is part of a sign-in that began in another browser. Nothing was changed.', CLOSE],
  });
const OTHER_PERSON = (): Response =>
  renderPage({
    status: 403,
    title: 'You are signed in as another person',
    paragraphs: ['The link was made for someone else. Nothing was changed.', CLOSE],
  });
const OTHER_PAGE = (): Response =>
  renderPage({
    status: 409,
    title: 'Another sign-in is under way',
    paragraphs: ['You sign in to this server on another page. Complete it there, or reload this page later.'],
  });
const FAILED = (): Response =>
  renderPage({
    status: 502,
    title: 'The sign-in did not work',
    paragraphs: ['Nothing was changed. Reload this page, or start again from your program.'],
  });
