import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';

/** What a browser shows after it has followed all redirects. */
export interface ShownPage {
  readonly url: URL;
  readonly status: number;
  readonly html: string;
  readonly headers: IncomingMessage['headers'];
}

/** A browser with its cookies, and the person at it: signs in where an `oidc-provider` asks, and confirms nothing by itself. */
export interface Browser {
  /** Addresses that it went to. */
  readonly visited: URL[];
  open(url: string | URL, options?: { readonly until?: (url: URL) => boolean }): Promise<ShownPage>;
  /** Follows the link of a page. */
  follow(
    page: ShownPage,
    change?: (parameters: URLSearchParams) => void,
    until?: (url: URL) => boolean,
  ): Promise<ShownPage>;
}

interface Step {
  readonly url: URL;
  readonly body?: string | undefined;
}

/** `login` is the account that the person uses everywhere. */
export function createBrowser(login: string): Browser {
  const jars = new Map<string, Map<string, string>>();
  const visited: URL[] = [];

  const send = async ({ url, body }: Step): Promise<ShownPage> => {
    const jar = jars.get(url.origin) ?? new Map<string, string>();
    jars.set(url.origin, jar);
    const request = httpRequest(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          origin: url.origin,
        }),
      },
    });
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage]; // as Node.js documents the event
    let html = '';
    for await (const chunk of response) html += String(chunk);
    for (const cookie of response.headers['set-cookie'] ?? []) {
      const [name = '', ...value] = (cookie.split(';')[0] ?? '').split('=');
      if (value.join('=') === '') jar.delete(name);
      else jar.set(name, value.join('='));
    }
    return { url, status: response.statusCode ?? 0, html, headers: response.headers };
  };

  const follow = async (first: Step, until: (url: URL) => boolean): Promise<ShownPage> => {
    let step = first;
    for (let hop = 0; hop < 40; hop++) {
      visited.push(step.url);
      const page = await send(step);
      const { location } = page.headers;
      if (location !== undefined) {
        const url = new URL(location, page.url);
        if (until(url)) return { ...page, url };
        step = { url };
        continue;
      }
      const form = formOf(page);
      if (form === undefined) return page;
      if (form.fields.has('login')) form.fields.set('login', login);
      if (form.fields.has('password')) form.fields.set('password', 'word');
      step = { url: form.action, body: form.fields.toString() };
    }
    throw new Error('The browser is sent in circles.');
  };

  return {
    visited,
    open: (url, { until = () => false } = {}) => follow({ url: new URL(url) }, until),
    follow(page, change = () => undefined, until = () => false) {
      const link = /<a href="([^"]+)"/.exec(page.html)?.[1];
      if (link === undefined) throw new Error('The page has no link.');
      const url = new URL(link.replaceAll('&amp;', '&'));
      change(url.searchParams);
      return follow({ url }, until);
    },
  };
}

function formOf({
  html,
  url,
  status,
}: ShownPage): { readonly action: URL; readonly fields: URLSearchParams } | undefined {
  const [form, action] = /<form[^>]*action="([^"]+)"[\s\S]*?<\/form>/.exec(html) ?? [];
  if (form === undefined || action === undefined || status >= 400) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1];
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? 'person');
  }
  return { action: new URL(action.replaceAll('&amp;', '&'), url), fields };
}
