import type { Clock } from '@mcp-fittings/client-core';
import type { Host } from '@mcp-fittings/host';
import type { Access } from '../contracts/access.js';
import type { Caller, Mount } from '../contracts/caller.js';
import type { GatewayOptions } from '../contracts/gateway-options.js';
import type { RequestEvent } from '../contracts/request-event.js';
import { BrowserAccess } from './browser-access.js';
import { createStatus } from './create-status.js';
import type { GatewayStatus } from './gateway-status.js';
import { PAGE_SCRIPT, PAGE_STYLE, SIGN_IN_HTML, STATUS_HTML } from './page-files.js';
import { RequestLog } from './request-log.js';
import { createEntryRedactor } from './shown-text.js';

/** Options of the status page. */
type StatusOptions = Exclude<NonNullable<GatewayOptions['status']>, boolean>;

/** Options of {@link createStatusPage}. */
export interface StatusPageOptions extends StatusOptions {
  /** Host whose servers are shown. */
  readonly host: Host;
  /** Returns whether the caller reaches a server through the gateway. */
  readonly serves: (caller: Caller, mount: Mount) => boolean;
  /** Clock of snapshots and sessions. */
  readonly clock: Clock;
}

/** No script but ours runs, whatever a server sends; and no other site shows this page in a frame. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  // Without a referrer a browser would send `Origin: null` with the forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const SIGN_OUT = '<form method="post" action="/status/sign-out"><button>Sign out</button></form>';
const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

type Route = (request: Request, authenticate: Access['authenticate']) => Response | Promise<Response>;

/**
 * Creates the page at `/` that shows the state of the gateway. It is read-only, and shows each caller what this caller may use and has done.
 * Dispose of it to stop listening to the host.
 */
export function createStatusPage(options: StatusPageOptions) {
  const { host, serves, clock, version } = options;
  const { maxSessions = 1000, sessionMs = 28_800_000 } = options;
  const redact = createEntryRedactor();
  const browser = new BrowserAccess(clock, maxSessions, sessionMs);
  const log = new RequestLog({ host, clock, redact });
  const createdAt = clock.now();
  const status = (caller: Caller): GatewayStatus =>
    createStatus({ host, serves, log, clock, redact, version, createdAt }, caller);

  /** The page, or the form if the caller is not known. */
  const respondPage: Route = async (request, authenticate) => {
    const decision = await browser.authenticate(request, authenticate);
    if ('caller' in decision) {
      return respond(
        STATUS_HTML.replace('<!-- sign-out -->', browser.hasSession(request) ? SIGN_OUT : ''),
        HTML,
      );
    }
    const { status: code, headers } = decision.refusal;
    const challenge = headers.get('www-authenticate');
    return respond(SIGN_IN_HTML, HTML, code, challenge === null ? {} : { 'www-authenticate': challenge });
  };

  const respondStatus: Route = async (request, authenticate) => {
    const decision = await browser.authenticate(request, authenticate);
    if ('refusal' in decision) return decision.refusal;
    return respond(JSON.stringify(status(decision.caller)), 'application/json');
  };

  const signIn: Route = async (request, authenticate) => {
    const result = await browser.signIn(request, authenticate);
    if ('cookie' in result) return redirect(result.cookie);
    const problem = `<p class="problem" id="problem" role="alert">${result.refused}</p>`;
    return respond(SIGN_IN_HTML.replace('<!-- problem -->', problem), HTML, result.status);
  };

  const signOut: Route = (request) => {
    const cookie = browser.signOut(request);
    return cookie === undefined ? respond('The form was sent by another site.', TEXT, 403) : redirect(cookie);
  };

  const routes: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
    '/': { GET: respondPage },
    '/status': { GET: respondStatus },
    '/status/sign-in': { POST: signIn },
    '/status/sign-out': { POST: signOut },
    '/status/page.css': { GET: () => respond(PAGE_STYLE, 'text/css; charset=utf-8') },
    '/status/page.js': { GET: () => respond(PAGE_SCRIPT, 'text/javascript; charset=utf-8') },
  };

  return {
    /**
     * Answers `/`, `/status`, `/status/sign-in`, `/status/sign-out` and the two files of the page. Returns `undefined` for
     * any other path. `authenticate` decides who reads the page, with the token of a browser that has signed in.
     */
    async respond(request: Request, authenticate: Access['authenticate']): Promise<Response | undefined> {
      const { pathname } = new URL(request.url);
      const methods = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
      if (methods === undefined) return undefined;
      const serve = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
      if (serve !== undefined) return serve(request, authenticate);
      const allow = Object.keys(methods).join(', ');
      return respond('Method not allowed.', TEXT, 405, { allow });
    },
    /** Counts a request for the page. */
    observe: (event: RequestEvent) => log.observe(event),
    [Symbol.dispose]: () => log[Symbol.dispose](),
  };
}

function respond(
  body: string,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, { status, headers: { ...HEADERS, ...headers, 'content-type': type } });
}

/** To the page, after a form. */
function redirect(cookie: string): Response {
  return new Response(null, { status: 303, headers: { ...HEADERS, location: '/', 'set-cookie': cookie } });
}
