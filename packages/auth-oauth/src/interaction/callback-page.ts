import { createHash } from 'node:crypto';
import { escapeHtml } from '@mcp-fittings/toolbox/text';

/** The outcome that a page of the callback listener shows. */
export type PageKind = 'success' | 'failure' | 'refused' | 'over';

const TEXTS: Readonly<
  Record<PageKind, { readonly mark: string; readonly title: string; readonly text: string }>
> = {
  success: {
    mark: '✓',
    title: 'You are signed in',
    text: 'You can close this tab and go back to the application.',
  },
  failure: {
    mark: '✕',
    title: 'Sign-in failed',
    text: 'Nothing was changed. The application shows the reason; you can close this tab.',
  },
  refused: {
    mark: '!',
    title: 'This page is not for you',
    text: 'It is part of a sign-in that this request does not belong to. Nothing was changed.',
  },
  over: {
    mark: '·',
    title: 'This sign-in has ended',
    text: 'You can close this tab. To sign in again, start from the application.',
  },
};

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --ink: #1c1f26; --quiet: #5c6370; --mark: #5c6370; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171c; --card: #20232b; --ink: #eceef2; --quiet: #a2a9b6; } }
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 27rem; width: 100%; padding: 2.75rem 2.25rem; border-radius: 1rem; background: var(--card); text-align: center;
  box-shadow: 0 1px 2px rgb(0 0 0 / .08), 0 12px 32px rgb(0 0 0 / .08); }
.mark { width: 3.5rem; height: 3.5rem; margin: 0 auto 1.5rem; border-radius: 50%; display: grid; place-items: center;
  font-size: 1.6rem; line-height: 1; color: #fff; background: var(--mark); }
.success { --mark: #1f8a4c; } .failure { --mark: #c0392b; }
h1 { font-size: 1.35rem; line-height: 1.3; font-weight: 650; margin-bottom: .6rem; }
p { color: var(--quiet); overflow-wrap: anywhere; }
.server { margin-top: 1.5rem; font-size: .85rem; }
`;

/**
 * Returns a page without scripts and without any text of the request. `server`, the name from the configuration, is
 * escaped.
 */
export function callbackPage(kind: PageKind, server: string): string {
  const { mark, title, text } = TEXTS[kind];
  // An unexpected visitor does not learn which server the person signs in to.
  const about = kind === 'success' || kind === 'failure' ? `<p class="server">${escape(server)}</p>` : '';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${STYLE}</style></head>
<body class="${kind}"><main><div class="mark" aria-hidden="true">${mark}</div><h1>${title}</h1><p>${text}</p>${about}</main></body></html>
`;
}

/** Returns the headers of every response of the listener: nothing is loaded, framed, cached or referred. */
export function callbackPageHeaders(): Readonly<Record<string, string>> {
  const style = createHash('sha256').update(STYLE).digest('base64');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    connection: 'close',
  };
}

function escape(text: string): string {
  return escapeHtml(text.slice(0, 200));
}
