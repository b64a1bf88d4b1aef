import { createHash } from 'node:crypto';
import { sanitizeText } from '@mcp-fittings/client-core/text';

/** A page of the gateway. Its texts are shown as they are: markup in them has no effect. */
export interface Page {
  readonly status: number;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** A button that sends a form to `action`, with one hidden field `confirmation`. */
  readonly form?:
    { readonly action: string; readonly confirmation: string; readonly button: string } | undefined;
  /** Where the browser goes next, without a script. */
  readonly next?: URL | undefined;
  /** `Set-Cookie` header. */
  readonly cookie?: string | undefined;
}

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 32rem; margin: 4rem auto; padding: 0 1.5rem; font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; } button { font: inherit; padding: .5rem 1.5rem; }
`;

/** Creates the response: no script, nothing loaded, framed, cached or referred. */
export function renderPage({ status, title, paragraphs, form, next, cookie }: Page): Response {
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    form === undefined
      ? ''
      : `<form method="post" action="${escapeHtml(form.action)}"><input type="hidden" name="confirmation" value="${escapeHtml(form.confirmation)}"><button>${escapeHtml(form.button)}</button></form>`,
    next === undefined ? '' : `<p><a rel="noreferrer" href="${escapeAttribute(next.href)}">Continue</a></p>`,
  ].join('\n');
  const refresh =
    next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escapeAttribute(next.href)}">`;
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body></html>
`;
  return new Response(html, {
    status,
    headers: pageHeaders(form === undefined ? "'none'" : "'self'", cookie),
  });
}

/** Creates a redirect with the headers of a page. `url` is an http or https URL. */
export function redirectTo(url: URL, cookie?: string): Response {
  const headers = pageHeaders("'none'", cookie);
  headers.set('location', url.href);
  return new Response(null, { status: 303, headers });
}

function pageHeaders(formAction: string, cookie: string | undefined): Headers {
  const style = createHash('sha256').update(STYLE).digest('base64');
  const headers = new Headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return escapeAttribute(sanitizeText(text, { maxLength: 1000 }));
}

/** For a normalized URL, which may be long and has nothing to sanitize. */
function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
