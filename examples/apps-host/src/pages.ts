import { randomBytes } from 'node:crypto';

/** A page and the headers that it needs. */
export interface Page {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
/** Tallest frame, in pixels. An app may ask for any height. */
const MAX_HEIGHT = 1_200;

/** The page of the host: a frame for the sandbox, and a script that passes messages on. */
export function hostPage({
  title,
  sandboxUrl,
  allow,
  border,
}: {
  readonly title: string;
  readonly sandboxUrl: URL;
  readonly allow: string;
  readonly border: boolean;
}): Page {
  const nonce = randomBytes(16).toString('base64');
  const settings = JSON.stringify({ sandbox: sandboxUrl.origin, maxHeight: MAX_HEIGHT });
  return {
    headers: {
      ...HEADERS,
      'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; frame-src ${sandboxUrl.origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    },
    html: `<!doctype html>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<style nonce="${nonce}">
  body { font: 16px system-ui; margin: 2rem }
  iframe { width: 100%; height: 300px; border: ${border ? '1px solid silver' : '0'} }
</style>
<h1>${escapeHtml(title)}</h1>
<iframe sandbox="allow-scripts allow-same-origin allow-forms" allow="${escapeHtml(allow)}" src="${escapeHtml(sandboxUrl.href)}"></iframe>
<script type="module" nonce="${nonce}">
  const { sandbox, maxHeight } = ${settings};
  const frame = document.querySelector('iframe');
  const messages = location.pathname + '/messages';
  new EventSource(messages).onmessage = ({ data }) => frame.contentWindow.postMessage(JSON.parse(data), sandbox);
  let last = Promise.resolve();
  addEventListener('message', ({ data, source, origin }) => {
    if (source !== frame.contentWindow || origin !== sandbox) return;
    if (data?.method === 'ui/notifications/size-changed' && data.params?.height > 0) {
      frame.style.height = Math.min(data.params.height, maxHeight) + 'px';
    }
    const body = JSON.stringify(data);
    last = last.then(() => fetch(messages, { method: 'POST', body })).catch(console.error);
  });
</script>`,
  };
}

/**
 * The sandbox proxy, on an origin of its own. It has the Content-Security-Policy of the app, and the document that it makes
 * inherits it. The app cannot leave its frame, because `frame-src` applies to that too.
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx (Sandbox proxy)
 */
export function sandboxPage({
  contentSecurityPolicy,
  allow,
  hostOrigin,
}: {
  readonly contentSecurityPolicy: string;
  readonly allow: string;
  readonly hostOrigin: string;
}): Page {
  return {
    headers: {
      ...HEADERS,
      'content-security-policy': `${contentSecurityPolicy}; frame-ancestors ${hostOrigin}`,
    },
    html: `<!doctype html>
<meta charset="utf-8">
<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block }</style>
<script>
  const host = ${JSON.stringify(hostOrigin)};
  const reserved = 'ui/notifications/sandbox-';
  let view;
  addEventListener('message', ({ data, source, origin }) => {
    const method = String(data?.method ?? '');
    if (source === parent && origin === host) {
      if (method === reserved + 'resource-ready') return show(data.params);
      if (!method.startsWith(reserved)) view?.contentWindow.postMessage(data, '*');
    } else if (source === view?.contentWindow && !method.startsWith(reserved)) {
      parent.postMessage(data, host);
    }
  });
  function show({ html, sandbox }) {
    if (view !== undefined) return;
    view = document.createElement('iframe');
    view.setAttribute('sandbox', sandbox);
    view.setAttribute('allow', ${JSON.stringify(allow)});
    view.srcdoc = html;
    document.body.append(view);
  }
  addEventListener('DOMContentLoaded', () => {
    parent.postMessage({ jsonrpc: '2.0', method: reserved + 'proxy-ready', params: {} }, host);
  });
</script>
<body></body>`,
  };
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
