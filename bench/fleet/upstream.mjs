/**
 * The servers behind the gateways, and the authorization server of their tokens, in one process on one port. Every server writes down which
 * call it has carried out for whose token. `node upstream.mjs <servers> <seconds that a token lives>`; prints its port.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [count = '16', lifeS = '20'] = process.argv.slice(2);
const names = Array.from({ length: Number(count) }, (_, at) => `s${String(at).padStart(2, '0')}`);

/** What the tokens of one sign-in to one server are. A refresh token is used once, except while the answer to its use has been lost. */
const families = new Map();
const accessTokens = new Map();
const refreshTokens = new Map();
const codes = new Map();
/** One line for each call: server, number, the person of the token, and the one for whom the call is. */
const ledger = [];
const counts = { refreshes: 0, lostAnswers: 0, invalidGrant: 0, signIns: 0 };

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().once('end', () => process.exit());

async function serve(request, response) {
  const origin = `http://127.0.0.1:${server.address().port}`;
  const url = new URL(request.url, origin);
  let text = '';
  for await (const chunk of request) text += chunk;
  const json = (value, status = 200, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  if (url.pathname === '/ledger') return json({ ledger, counts });
  if (url.pathname === '/authorize') return authorize(url, json);
  if (url.pathname === '/token') return token(new URLSearchParams(text), json);
  if (url.pathname === '/.well-known/oauth-authorization-server') return json(metadata(origin));
  const [, described] = /^\/\.well-known\/oauth-protected-resource\/(\w+)$/.exec(url.pathname) ?? [];
  if (names.includes(described)) {
    return json({ resource: `${origin}/${described}`, authorization_servers: [origin] });
  }
  const name = url.pathname.slice(1);
  if (!names.includes(name)) return response.writeHead(404).end();
  if (request.method !== 'POST') return response.writeHead(405).end();
  const family = familyOf(request.headers.authorization, name);
  if (family === undefined) {
    const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/${name}"`;
    return response.writeHead(401, { 'www-authenticate': challenge }).end();
  }
  const answered = answer(JSON.parse(text), name, family);
  if (answered === undefined) return response.writeHead(202).end();
  return json(answered);
}

function metadata(issuer) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** A person who consents at once: `person` is the one who sits at the browser. */
function authorize({ searchParams }, json) {
  const code = randomUUID();
  const [person, resource, challenge] = ['person', 'resource', 'code_challenge'].map((name) =>
    searchParams.get(name),
  );
  codes.set(code, { person, server: new URL(resource).pathname.slice(1), challenge });
  return json({ code });
}

function token(form, json) {
  const grant = form.get('grant_type');
  if (grant === 'authorization_code') {
    const code = codes.get(form.get('code'));
    codes.delete(form.get('code'));
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (code === undefined || code.challenge !== proof) return refuse(json);
    counts.signIns++;
    const family = { person: code.person, server: code.server, isRevoked: false, current: undefined };
    families.set(`${code.person} ${code.server}`, family);
    return json(issue(family));
  }
  const given = form.get('refresh_token');
  const family = refreshTokens.get(given);
  if (grant !== 'refresh_token' || family === undefined || family.isRevoked) return refuse(json);
  counts.refreshes++;
  if (family.current.refresh === given) return json(issue(family, given));
  // The last answer never arrived: its tokens were not used, and the token before them comes again.
  if (family.current.replaced === given && !family.current.isUsed) {
    counts.lostAnswers++;
    return json(issue(family, given));
  }
  family.isRevoked = true;
  return refuse(json);
}

function refuse(json) {
  counts.invalidGrant++;
  return json({ error: 'invalid_grant' }, 400);
}

function issue(family, replaced) {
  const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
  family.current = { access, refresh, replaced, isUsed: false };
  accessTokens.set(access, { family, until: Date.now() + Number(lifeS) * 1000 });
  refreshTokens.set(refresh, family);
  return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: Number(lifeS) };
}

function familyOf(header = '', name) {
  const access = header.split(' ')[1];
  const known = accessTokens.get(access);
  if (known === undefined || known.until < Date.now() || known.family.server !== name) return undefined;
  if (known.family.current.access === access) known.family.current.isUsed = true;
  return known.family;
}

/** @returns the response to a message; nothing to a notification */
function answer({ id, method, params = {} }, name, { person }) {
  if (id === undefined) return undefined;
  const result = (value) => ({ jsonrpc: '2.0', id, result: value });
  switch (method) {
    case 'initialize':
      return result({
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name, version: '1.0.0' },
      });
    case 'ping':
      return result({});
    case 'tools/list':
      return result({ tools: [{ name: 'mark', inputSchema: { type: 'object' } }] });
    case 'tools/call': {
      const { number, as } = params.arguments;
      ledger.push([name, number, person, as]);
      return result({ content: [{ type: 'text', text: `${number} for ${person}` }] });
    }
    default:
      return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  }
}
