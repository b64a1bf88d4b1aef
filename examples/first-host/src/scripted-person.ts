import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { loopback, type Interaction } from '@mcp-fittings/auth-oauth';

/**
 * The real loopback interaction, with a script in place of the user's browser: it follows the pages of the authorization server,
 * fills in each form, and loads the callback. Your host passes `loopback()`.
 */
export function scriptedPerson(): Interaction {
  return loopback({ open: browse });
}

/** Most pages of a sign-in. */
const MAX_PAGES = 20;

interface Visit {
  readonly url: URL;
  /** The form that the user submits. */
  readonly form?: URLSearchParams;
}

async function browse(start: URL): Promise<void> {
  const cookies = new Map<string, string>();
  let visit: Visit = { url: start };
  for (let page = 0; page < MAX_PAGES; page++) {
    const { url, form } = visit;
    // The callback of the loopback interaction, which accepts a page load and refuses a fetch.
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
  throw new Error(`The sign-in did not end within ${MAX_PAGES} pages.`);
}

async function load(url: URL): Promise<void> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
}

/** Fills in the form of a page. */
function filledIn(html: string, page: URL): Visit {
  const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`The page ${page.href} has no form.`);
  const form = new URLSearchParams({ login: 'ann', password: 'secret' });
  for (const [, name = '', value = ''] of html.matchAll(
    /<input type="hidden" name="([^"]+)" value="([^"]*)"/g,
  )) {
    form.set(name, value);
  }
  return { url: new URL(action, page), form };
}
