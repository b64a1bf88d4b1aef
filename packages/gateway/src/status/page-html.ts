/** The page itself. It has no data: the script reads `/status` and writes it as text, so that nothing in it is read as HTML. */
export function statusHtml({ signOut }: { readonly signOut: boolean }): string {
  return page(
    'Gateway status',
    `<header>
<h1>Gateway</h1>
<p class="meta" id="meta"></p>
<p class="live" id="live" data-state="connecting"><span aria-hidden="true" class="dot"></span><span id="live-text">Connecting</span></p>
${signOut ? '<form method="post" action="/status/sign-out"><button>Sign out</button></form>' : ''}
</header>
<main>
<noscript><p class="note">This page needs JavaScript. <a href="/status">The status as JSON</a> has the same content.</p></noscript>
<p class="visually-hidden" id="announcement" aria-live="polite"></p>
<dl class="totals" id="totals" hidden></dl>
<section aria-labelledby="servers-title">
<h2 id="servers-title">Servers</h2>
<p class="empty" id="no-servers" hidden>You may not use any server of this gateway.</p>
<table id="servers" role="table" aria-labelledby="servers-title" hidden>
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col">Server</th>
<th role="columnheader" scope="col">State</th>
<th role="columnheader" scope="col" class="number">Tools</th>
<th role="columnheader" scope="col" class="number">Prompts</th>
<th role="columnheader" scope="col" class="number">Resources</th>
<th role="columnheader" scope="col" class="number">Your requests</th>
<th role="columnheader" scope="col">Latency</th>
</tr></thead>
<tbody role="rowgroup"></tbody>
</table>
</section>
<section aria-labelledby="errors-title">
<h2 id="errors-title">Recent errors</h2>
<p class="empty" id="no-errors" hidden>None since the gateway started.</p>
<table id="errors" role="table" aria-labelledby="errors-title" hidden>
<thead role="rowgroup"><tr role="row">
<th role="columnheader" scope="col">Time</th>
<th role="columnheader" scope="col">Server</th>
<th role="columnheader" scope="col">Request</th>
<th role="columnheader" scope="col">Error</th>
</tr></thead>
<tbody role="rowgroup"></tbody>
</table>
</section>
</main>
<script src="/status/page.js"></script>`,
  );
}

/** The form that asks for the token. `problem` is a sentence of ours. */
export function signInHtml(problem?: string): string {
  const message = problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${problem}</p>`;
  const describedBy = problem === undefined ? 'hint' : 'problem hint';
  return page(
    'Sign in to the gateway',
    `<main class="sign-in">
<h1>Gateway</h1>
<form method="post" action="/status/sign-in">
<label for="token">Access token</label>
<input id="token" name="token" type="password" required autofocus autocomplete="off" spellcheck="false" aria-describedby="${describedBy}">
${message}
<button>Show the status</button>
<p class="hint" id="hint">The token that your MCP client sends to this gateway. This browser does not keep it.</p>
</form>
</main>`,
  );
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="/status/page.css">
</head>
<body>
${body}
</body>
</html>
`;
}
