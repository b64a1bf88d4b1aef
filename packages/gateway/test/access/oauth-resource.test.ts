import { createHmac, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oauthResource, type OAuthResourceOptions } from '@mcp-fittings/gateway';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { createProofs, startTestIssuer } from './support/test-issuer.js';

const RESOURCE = 'https://gateway.example/mcp';
const METADATA = 'https://gateway.example/.well-known/oauth-protected-resource/mcp';

async function open(options: Partial<OAuthResourceOptions> = {}) {
  const clock = createManualClock({ now: 1_800_000_000_000 });
  const issuer = await startTestIssuer({ resource: RESOURCE, now: () => clock.now() });
  const access = oauthResource({ resource: RESOURCE, issuers: [issuer.origin], clock, ...options });
  const send = (path: string, headers: Record<string, string>) =>
    access.authenticate(new Request(`http://127.0.0.1:8080${path}`, { method: 'POST', headers }));
  const present = (token: string, path = '/mcp') => send(path, { authorization: `Bearer ${token}` });
  return {
    clock,
    issuer,
    access,
    send,
    present,
    /** The principal, or the status and challenge of the refusal. */
    async verdict(token: string, path?: string): Promise<string> {
      const decision = await present(token, path);
      if ('caller' in decision) return decision.caller.principal ?? 'anonymous';
      const { status, headers } = decision.refusal;
      return `${status} ${/error="(\w+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? ''}`;
    },
    [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose](),
  };
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('the gateway is an OAuth protected resource', () => {
  it('describes the address of all servers and of each one', async () => {
    await using world = await open({
      scopes: { read: [{ server: 'github', tools: ['get_*'] }], all: '*' },
      name: 'Ours',
    });
    const read = async (path: string) =>
      (await world.access.respond?.(new Request(`http://127.0.0.1${path}`)))?.json();
    expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [world.issuer.origin],
      scopes_supported: ['read', 'all'],
      bearer_methods_supported: ['header'],
      resource_name: 'Ours',
    });
    expect(await read('/.well-known/oauth-protected-resource/mcp/github')).toMatchObject({
      resource: `${RESOURCE}/github`,
      scopes_supported: ['read'],
    });
    expect(await read('/.well-known/oauth-protected-resource/mcp/other')).toMatchObject({
      scopes_supported: ['all'],
    });
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/mcp',
      '/.well-known/oauth-protected-resource/mcp/a/b',
    ]) {
      expect(await read(path)).toBeUndefined();
    }
  });

  it('refuses a request without a token, and says where the metadata is', async () => {
    await using world = await open({ scopes: { read: [{ server: 'github' }], all: '*' } });
    const challengeAt = async (path: string) => {
      const decision = await world.send(path, {});
      if (!('refusal' in decision)) throw new Error('not refused');
      expect(decision.refusal.status).toBe(401);
      return decision.refusal.headers.get('www-authenticate');
    };
    expect(await challengeAt('/mcp')).toBe(`Bearer resource_metadata="${METADATA}", scope="read all"`);
    expect(await challengeAt('/mcp/github')).toBe(
      `Bearer resource_metadata="${METADATA}/github", scope="read"`,
    );
    expect(world.issuer.requests).toEqual([]);
  });

  it('accepts a token in the header only', async () => {
    await using world = await open();
    const decision = await world.send(`/mcp?access_token=${world.issuer.token()}`, {});
    expect(decision).toHaveProperty('refusal.status', 401);
  });
});

describe('only tokens of a trusted issuer for this resource are accepted', () => {
  it('accepts a valid token, for the gateway and for one server', async () => {
    await using world = await open();
    const { issuer } = world;
    const ann = `${encodeURIComponent(issuer.origin)}|ann`;
    expect(await world.verdict(issuer.token())).toBe(ann);
    expect(await world.verdict(issuer.token(), '/mcp/github')).toBe(ann);
    expect(await world.verdict(issuer.token({ aud: ['x', `${RESOURCE}/github`] }), '/mcp/github')).toBe(ann);
  });

  const cases: readonly (readonly [
    string,
    Readonly<Record<string, unknown>>,
    Readonly<Record<string, unknown>>?,
  ])[] = [
    ['for another resource', { aud: 'https://other.example/mcp' }],
    ['for a resource that begins alike', { aud: `${RESOURCE}.evil.example` }],
    ['without an audience', { aud: undefined }],
    ['for one server', { aud: `${RESOURCE}/github` }],
    ['of an unknown issuer', { iss: 'https://evil.example' }],
    ['without an issuer', { iss: undefined }],
    ['without a subject', { sub: undefined }],
    ['whose subject is not a text', { sub: { admin: true } }],
    ['that has expired', { exp: 1_799_999_980 }],
    ['without an expiry', { exp: undefined }],
    ['whose time has not come', { nbf: 1_800_000_060 }],
    ['that is an ID token', {}, { typ: 'JWT' }],
    ['that is a proof', {}, { typ: 'dpop+jwt' }],
    ['without a type', {}, { typ: undefined }],
    ['with critical extensions', {}, { crit: ['b64'], b64: true }],
    ['of an algorithm that it was not signed with', {}, { alg: 'RS256' }],
    ['without an algorithm', {}, { alg: 'none' }],
    ['of an unknown key', {}, { kid: 'key-9' }],
    ['that is bound to a certificate', { cnf: { 'x5t#S256': 'x' } }],
    ['that is bound to a key, without its proof', { cnf: { jkt: 'x' } }],
  ];
  it.each(cases.map(([name, claims, header]) => ({ name, claims, header })))(
    'refuses a token $name',
    async ({ claims, header }) => {
      await using world = await open();
      expect(await world.verdict(world.issuer.token(claims, header))).toBe('401 invalid_token');
    },
  );

  it('refuses a token for one server elsewhere, also after it was accepted there', async () => {
    await using world = await open();
    const token = world.issuer.token({ aud: `${RESOURCE}/github` });
    expect(await world.verdict(token, '/mcp/github')).toContain('ann');
    expect(await world.verdict(token, '/mcp')).toBe('401 invalid_token');
    expect(await world.verdict(token, '/mcp/other')).toBe('401 invalid_token');
  });

  it('refuses a changed token, and one that was signed with the public key as a secret', async () => {
    await using world = await open();
    const { issuer } = world;
    const [header = '', claims = '', signature = ''] = issuer.token().split('.');
    const changed = { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), sub: 'bob' };
    expect(await world.verdict([header, encode(changed), signature].join('.'))).toBe('401 invalid_token');
    expect(await world.verdict([header, claims, 'AAAA'].join('.'))).toBe('401 invalid_token');
    for (const alg of ['HS256', 'none']) {
      const input = `${encode({ alg, typ: 'at+jwt', kid: 'key-1' })}.${claims}`;
      const secret = issuer.key.public.export({ format: 'pem', type: 'spki' });
      const forged = createHmac('sha256', secret).update(input).digest('base64url');
      expect(await world.verdict(`${input}.${forged}`)).toBe('401 invalid_token');
    }
  });

  it('refuses what is not a token before it does any work', async () => {
    await using world = await open();
    for (const token of [
      '',
      'a',
      'a.b',
      'a.b.c',
      '....',
      `${encode('x')}.${encode([])}.x`,
      'x'.repeat(50_000),
    ]) {
      expect(await world.verdict(token)).toMatch(/^401/);
    }
    expect(await world.verdict(world.issuer.token({ note: 'x'.repeat(20_000) }))).toBe('401 invalid_token');
    expect(world.issuer.requests).toEqual([]);
  });

  it('tolerates clocks that differ by a few seconds', async () => {
    await using world = await open();
    expect(await world.verdict(world.issuer.token({ nbf: 1_800_000_005 }))).toContain('ann');
  });

  it('accepts other audiences instead of the resource if they are configured', async () => {
    await using world = await open({ audience: 'api://gateway' });
    expect(await world.verdict(world.issuer.token({ aud: 'api://gateway' }))).toContain('ann');
    expect(await world.verdict(world.issuer.token())).toBe('401 invalid_token');
  });

  it('accepts tokens that are not of RFC 9068 only if that is configured', async () => {
    const plain = { client_id: undefined, jti: undefined };
    await using strict = await open();
    expect(await strict.verdict(strict.issuer.token(plain, { typ: 'JWT' }))).toBe('401 invalid_token');
    await using world = await open({ tokenProfile: 'jwt' });
    expect(await world.verdict(world.issuer.token(plain, { typ: 'JWT' }))).toContain('ann');
    expect(await world.verdict(world.issuer.token(plain, { typ: undefined }))).toContain('ann');
    expect(await world.verdict(world.issuer.token())).toContain('ann');
    const refused: readonly (readonly Readonly<Record<string, unknown>>[])[] = [
      [{ aud: undefined }, {}],
      [{ iss: undefined }, {}],
      [{ exp: undefined }, {}],
      [{ exp: 1_799_999_980 }, {}],
      [{ sub: undefined }, {}],
      [{ aud: 'client-of-someone' }, {}],
      [{ typ: 'ID' }, {}],
      [{ typ: 'Refresh' }, {}],
      [{ cnf: { jkt: 'x' } }, {}],
      [{}, { typ: 'dpop+jwt' }],
      [{}, { typ: 'logout+jwt' }],
      [{}, { alg: 'none' }],
      [{}, { kid: 'key-9' }],
    ];
    for (const [claims, header] of refused) {
      expect(
        await world.verdict(world.issuer.token({ ...plain, ...claims }, { typ: 'JWT', ...header })),
      ).toBe('401 invalid_token');
    }
    const [header = '', claims = ''] = world.issuer.token(plain, { typ: 'JWT' }).split('.');
    const other = await startTestIssuer({ resource: RESOURCE, now: () => 0 });
    await using _ = other;
    const forged = sign('sha256', Buffer.from(`${header}.${claims}`), {
      key: other.key.private,
      dsaEncoding: 'ieee-p1363',
    });
    expect(await world.verdict(`${header}.${claims}.${forged.toString('base64url')}`)).toBe(
      '401 invalid_token',
    );
  });

  it.each([
    [{ resource: 'http://gateway.example/mcp' }],
    [{ resource: 'https://gateway.example' }],
    [{ resource: 'https://gateway.example/mcp/' }],
    [{ resource: 'https://gateway.example/mcp?x' }],
    [{ issuers: [] }],
    [{ issuers: ['http://login.example'] }],
    [{ issuers: ['login'] }],
    [{ issuers: ['https://:word@login.example'] }],
    [{ resource: 'https://:word@gateway.example/mcp' }],
    [{ audience: [] }],
    [{ scopes: {} }],
    [{ scopes: { 'two words': '*' as const } }],
  ])('refuses to start with %j', (options) => {
    expect(() =>
      oauthResource({ resource: RESOURCE, issuers: ['https://login.example'], ...options }),
    ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('scopes decide what a caller may use', () => {
  const scopes = {
    'github:read': [{ server: 'github', tools: ['get_*', '*_list', 'a*b*c'] }],
    'github:all': [{ server: 'github' }],
    all: '*',
  } as const;

  it('maps scopes to servers and tools', async () => {
    await using world = await open({ scopes });
    const allowed = async (claims: Readonly<Record<string, unknown>>) => {
      const decision = await world.present(world.issuer.token(claims));
      if (!('caller' in decision)) return decision.refusal.status;
      const { allows } = decision.caller;
      return [
        ['github'],
        ['github', 'get_issue'],
        ['github', 'issue_list'],
        ['github', 'a1b2c'],
        ['github', 'ab'],
        ['github', 'delete_all'],
        ['other'],
      ].filter(([server = '', tool]) => allows?.(server, tool)).length;
    };
    expect(await allowed({ scope: 'github:read' })).toBe(4);
    expect(await allowed({ scope: 'github:all unknown' })).toBe(6);
    expect(await allowed({ scope: 'all' })).toBe(7);
    expect(await allowed({ scp: ['github:read'] })).toBe(4);
    expect(await allowed({ scp: 'github:read github:all' })).toBe(6);
    for (const scope of ['', 'unknown', '__proto__', 'constructor', undefined, 7]) {
      expect(await allowed({ scope })).toBe(403);
    }
  });

  it('a grant that names some items of a server grants no others, of any kind', async () => {
    const granting = {
      tools: [{ server: 'github', tools: ['get_*'] }],
      reading: [{ server: 'github', resources: ['repo://docs/*'], prompts: ['explain'] }],
    } as const;
    await using world = await open({ scopes: granting });
    const allowed = async (scope: string) => {
      const decision = await world.present(world.issuer.token({ scope }));
      if (!('caller' in decision)) return decision.refusal.status;
      const { allows } = decision.caller;
      const asked = [
        ['get_issue', 'tool'],
        ['delete_all', 'tool'],
        ['explain', 'prompt'],
        ['get_issue', 'prompt'],
        ['repo://docs/index', 'resource'],
        ['repo://secrets/index', 'resource'],
      ] as const;
      expect(allows?.('github')).toBe(true);
      return asked.filter(([name, kind]) => allows?.('github', name, kind)).map(([name]) => name);
    };
    expect(await allowed('tools')).toEqual(['get_issue']);
    expect(await allowed('reading')).toEqual(['explain', 'repo://docs/index']);
    expect(await allowed('tools reading')).toEqual(['get_issue', 'explain', 'repo://docs/index']);
  });

  it('names the scope that a token lacks', async () => {
    await using world = await open({ scopes });
    const challenge = async (scope: string, path: string, headers: Record<string, string> = {}) => {
      const authorization = `Bearer ${world.issuer.token({ scope })}`;
      const decision = await world.send(path, { authorization, ...headers });
      if ('caller' in decision) return 'allowed';
      expect(decision.refusal.status).toBe(403);
      return decision.refusal.headers.get('www-authenticate');
    };
    expect(await challenge('none', '/mcp')).toBe(
      `Bearer error="insufficient_scope", error_description="The token lacks a scope.", scope="github:read github:all all", resource_metadata="${METADATA}"`,
    );
    expect(await challenge('github:read', '/mcp/other')).toContain('scope="all"');
    expect(await challenge('none', '/mcp/github')).toContain('scope="github:read"');
    const call = { 'mcp-method': 'tools/call', 'mcp-name': 'delete_all' };
    expect(await challenge('github:read', '/mcp/github', call)).toContain('scope="github:all"');
    expect(await challenge('github:read', '/mcp/github', { ...call, 'mcp-name': 'get_it' })).toBe('allowed');
    expect(await challenge('github:read', '/mcp')).toBe('allowed');
  });

  it('lets a function decide', async () => {
    await using world = await open({
      scopes: ({ groups }) => (Array.isArray(groups) ? (server) => groups.includes(server) : undefined),
    });
    expect(await world.verdict(world.issuer.token({ groups: ['github'] }), '/mcp/github')).toContain('ann');
    expect(await world.verdict(world.issuer.token({ groups: ['github'] }), '/mcp/other')).toBe(
      '403 insufficient_scope',
    );
    expect(await world.verdict(world.issuer.token())).toBe('403 insufficient_scope');
  });
});

describe('subjects of two issuers are never one person', () => {
  it('encodes issuer and subject, and lets the program name people', async () => {
    await using world = await open();
    await using other = await startTestIssuer({ resource: RESOURCE, now: () => world.clock.now() });
    const { clock, issuer } = world;
    const access = oauthResource({ resource: RESOURCE, issuers: [issuer.origin, other.origin], clock });
    const idOf = async (token: string) => {
      const decision = await access.authenticate(
        new Request('http://x/mcp', { headers: { authorization: `Bearer ${token}` } }),
      );
      return 'caller' in decision ? [decision.caller.id, decision.caller.principal] : undefined;
    };
    const ids = [
      await idOf(issuer.token()),
      await idOf(other.token()),
      await idOf(issuer.token({ sub: `${encodeURIComponent(other.origin)}|ann` })),
      await idOf(issuer.token({ sub: '|ann' })),
    ];
    expect(new Set(ids.flat()).size).toBe(4);
    expect(await idOf(issuer.token({ iss: other.origin }))).toBeUndefined();

    await using named = await open({ principalOf: ({ email }) => String(email) });
    expect(await named.verdict(named.issuer.token({ email: 'ann@x.example' }))).toBe('ann@x.example');
    await using failing = await open({ principalOf: () => '' });
    expect(await failing.verdict(failing.issuer.token())).toBe('401 invalid_token');
  });
});

describe('keys are read rarely, and what is bound to a key needs its proof', () => {
  it('reads keys once for many tokens, and again for a new key at most once a minute', async () => {
    await using world = await open();
    const { issuer, clock } = world;
    await Promise.all(Array.from({ length: 20 }, () => world.verdict(issuer.token())));
    expect(issuer.requests).toEqual(['/.well-known/oauth-authorization-server', '/keys']);
    const garbage = (kid: string) => world.verdict(issuer.token({}, { kid }));
    for (let index = 0; index < 50; index++)
      expect(await garbage(`garbage-${index}`)).toBe('401 invalid_token');
    expect(issuer.requests).toHaveLength(2);
    await clock.advance(60_000);
    for (let index = 0; index < 50; index++) await garbage(`more-${index}`);
    expect(issuer.requests).toHaveLength(3);
    issuer.rotate();
    expect(await world.verdict(issuer.token())).toBe('401 invalid_token');
    await clock.advance(60_000);
    expect(await world.verdict(issuer.token())).toContain('ann');
  });

  it('does not read keys for tokens that are refused by their claims', async () => {
    await using world = await open();
    for (const claims of [{ aud: 'x' }, { exp: 1 }, { iss: 'x' }])
      await world.verdict(world.issuer.token(claims));
    expect(world.issuer.requests).toEqual([]);
  });

  it('answers 503 while the issuer is down, asks it again after a while, and goes on with known keys for a day', async () => {
    await using world = await open();
    const { issuer, clock } = world;
    issuer.status = 500;
    for (let index = 0; index < 20; index++) {
      const decision = await world.present(issuer.token());
      expect(decision).toHaveProperty('refusal.status', 503);
    }
    expect(issuer.requests.length).toBeLessThan(4);
    issuer.status = undefined;
    await clock.advance(5000);
    expect(await world.verdict(issuer.token())).toContain('ann');
    issuer.status = 500;
    await clock.advance(3_600_000);
    expect(await world.verdict(issuer.token())).toContain('ann');
    await clock.advance(86_400_000);
    expect(await world.verdict(issuer.token())).toBe('503 ');
  });

  it.each([
    [
      'a redirect',
      (issuer: { redirect: string | undefined; origin: string }) =>
        void (issuer.redirect = `${issuer.origin}/elsewhere`),
    ],
    [
      'a document that is too large',
      (issuer: { keySet: string | undefined }) =>
        void (issuer.keySet = `{"keys":[],"x":"${'x'.repeat(1_100_000)}"}`),
    ],
    ['something else', (issuer: { keySet: string | undefined }) => void (issuer.keySet = '[]')],
  ])('does not accept %s instead of keys', async (_, change) => {
    await using world = await open();
    change(world.issuer);
    expect(await world.verdict(world.issuer.token())).toBe('503 ');
    expect(world.issuer.requests).not.toContain('/elsewhere');
  });

  it('does not validate a token again while it is valid, and never accepts it longer', async () => {
    await using world = await open();
    const { issuer, clock } = world;
    const token = issuer.token({ exp: 1_800_000_100 });
    expect(await world.verdict(token)).toContain('ann');
    issuer.rotate();
    await clock.advance(60_000);
    // A new token with the old key would be refused by now.
    expect(await world.verdict(token)).toContain('ann');
    await clock.advance(60_000);
    expect(await world.verdict(token)).toBe('401 invalid_token');
  });

  it('says when the token expires, so that event streams end then', async () => {
    await using world = await open();
    const { issuer, clock } = world;
    const proofs = createProofs();
    const exp = Math.floor(clock.now() / 1000) + 120;
    expect(await world.present(issuer.token({ exp }))).toHaveProperty('expiresAt', exp * 1000);
    const token = issuer.token({ exp, cnf: { jkt: proofs.jkt } });
    const dpop = proofs.proof({ htu: RESOURCE, token, now: clock.now() });
    const bound = await world.send('/mcp', { authorization: `DPoP ${token}`, dpop });
    expect(bound).toHaveProperty('expiresAt', exp * 1000);
  });

  it('accepts a token that is bound to a key once for each proof of that key', async () => {
    await using world = await open();
    const { issuer, clock } = world;
    const [ann, eve] = [createProofs(), createProofs()];
    const token = issuer.token({ cnf: { jkt: ann.jkt } });
    const present = async (proof: string | undefined, path = '/mcp', scheme = 'DPoP') => {
      const headers = { authorization: `${scheme} ${token}`, ...(proof !== undefined && { dpop: proof }) };
      const decision = await world.send(path, headers);
      return 'caller' in decision
        ? 'accepted'
        : decision.refusal.headers.get('www-authenticate')?.split(',')[0];
    };
    const now = clock.now();
    const good = () => ann.proof({ htu: RESOURCE, token, now });
    const proof = good();
    expect(await present(proof)).toBe('accepted');
    const refused = 'DPoP error="invalid_token"';
    expect(await present(proof)).toBe(refused);
    expect(await present(good())).toBe('accepted');
    expect(await present(undefined)).toBe(refused);
    expect(await present(undefined, '/mcp', 'Bearer')).toBe('Bearer error="invalid_token"');
    expect(await present(eve.proof({ htu: RESOURCE, token, now }))).toBe(refused);
    expect(await present(good(), '/mcp/github')).toBe(refused);
    expect(await present(ann.proof({ htu: `${RESOURCE}/github`, token, now }), '/mcp/github')).toBe(
      'accepted',
    );
    expect(await present(ann.proof({ htu: RESOURCE, token, now, htm: 'GET' }))).toBe(refused);
    expect(await present(ann.proof({ htu: RESOURCE, token, now: now - 600_000 }))).toBe(refused);
    expect(await present(ann.proof({ htu: RESOURCE, token: 'another', now }))).toBe(refused);
    // A token that is not bound does not come with a proof.
    const unbound = issuer.token();
    const decision = await world.send('/mcp', {
      authorization: `DPoP ${unbound}`,
      dpop: ann.proof({ htu: RESOURCE, token: unbound, now }),
    });
    expect(decision).toHaveProperty('refusal.status', 401);
  });
});
