import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { loopback, type Interaction } from '@mcp-fittings/auth-oauth';

/**
 * The real loopback interaction, with a script where the person's browser would be: it follows the pages of the authorization
 * server, fills in each form, and arrives at the callback. A host of yours says `loopback()` and is done.
 */
export function scriptedPerson(): Interaction {
  return loopback({ open: browse });
}

/** More pages than any sign-in has. */
const MAX_PAGES = 20;

interface Visit {
  readonly url: URL;
  /** What the person filled in. */
  readonly form?: URLSearchParams;
}

async function browse(start: URL): Promise<void> {
  const cookies = new Map<string, string>();
  let visit: Visit = { url: start };
  for (let page = 0; page < MAX_PAGES; page++) {
    const { url, form } = visit;
    // Back where we came from: the callback of the loopback interaction, which only a page load reaches, not a script's fetch.
    if (url.origin !== start.origin) return load(url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const header of response.headers.getSetCookie()) {
      const [name = '', ...value] = header.split(';', 1)[0]?.split('=') ?? [];
      cookies.set(name, value.join('='));
    }
    const location = response.headers.get('location');
    visit = location === null ? filledIn(await response.text(), url) : { url: new URL(location, url) };
  }
  throw new Error('The sign-in has no end.');
}

async function load(url: URL): Promise<void> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
}

/** The form of a page, answered. */
function filledIn(html: string, page: URL): Visit {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`There is no form at ${page.href}.`);
  const form = new URLSearchParams({ login: 'ann', password: 'secret' });
  for (const [, name = '', value = ''] of html.matchAll(
    /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
  )) {
    form.set(name, value);
  }
  return { url: new URL(action, page), form };
}
