import { createHash } from 'node:crypto';
import { escapeHtml, sanitizeText } from '@mcp-fittings/toolbox/text';

/** A page of the gateway. Its texts are shown as they are: markup in them has no effect. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /**
   * Link with which the person goes on. Not a form: it would need `form-action` for each redirect, and send an `Origin` that gates refuse.
   */
  readonly link?: { readonly url: URL; readonly text: string } | undefined;
  /** `Set-Cookie` header. */
  readonly cookie?: string | undefined;
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 32rem; margin: 4rem auto; padding: 0 1.5rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; }
`;

/** Creates the response: no script, nothing loaded, framed, cached or referred. */
export function renderPage({ status, title, paragraphs, link, cookie }: Page): Response {
  const body = [
    `<h1>${shown(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${shown(text)}</p>`),
    ...(link === undefined ? [] : [`<p><a href="${escapeHtml(link.url.href)}">${shown(link.text)}</a></p>`]),
  ].join('\n');
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shown(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>
`;
  return new Response(html, { status, headers: pageHeaders(cookie) });
}

/** Creates a redirect with the headers of a page. `url` is an http or https URL. */
export function redirectTo(url: URL, cookie?: string): Response {
  const headers = pageHeaders(cookie);
  headers.set('location', url.href);
  return new Response(null, { status: 303, headers });
}

function pageHeaders(cookie: string | undefined): Headers {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
  if (cookie !== undefined) headers.append('set-cookie', cookie);
  return headers;
}

function shown(text: string): string {
  return escapeHtml(sanitizeText(text, { maxLength: 1000 }));
}
