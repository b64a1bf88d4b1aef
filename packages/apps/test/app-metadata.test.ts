import { describe, expect, it } from 'vitest';
import { buildAllowAttribute } from '@modelcontextprotocol/ext-apps/app-bridge';
import { readApp, type AppResource, type ReadAppOptions } from '@mcp-fittings/apps';

const uri = 'ui://s/app';

/** An app with this `_meta.ui`. */
function appWith(ui: unknown, options: ReadAppOptions = {}): AppResource {
  // A server may send anything; the host checks only that `_meta` is an object.
  const content = { uri, mimeType: 'text/html;profile=mcp-app', text: '<p>', _meta: { ui } as object };
  return readApp(uri, { contents: [content as never] }, options, { server: 's' });
}

describe('the metadata', () => {
  const listing = { _meta: { ui: { csp: { connectDomains: ['https://listed.example'] } } } };
  const read = (meta: object | undefined): AppResource['csp'] => {
    const content = { uri, mimeType: 'text/html;profile=mcp-app', text: '<p>', _meta: meta };
    return readApp(uri, { contents: [content as never] }, {}, { listing }).csp;
  };

  it.each([undefined, {}, { other: 1 }])('is that of the list if the content has %j', (meta) => {
    expect(read(meta)).toEqual({ connectDomains: ['https://listed.example'] });
  });

  it.each([{ ui: {} }, { ui: null }, { ui: { prefersBorder: true } }])(
    'is that of the content: %j',
    (meta) => {
      expect(read(meta)).toEqual({});
    },
  );
});

/** The directives of a policy: the sources of each by its name. */
const directives = (policy: string): Record<string, string> =>
  Object.fromEntries(
    policy
      .split('; ')
      .map((directive) => [
        directive.slice(0, directive.indexOf(' ')),
        directive.slice(directive.indexOf(' ') + 1),
      ]),
  );

const RESTRICTIVE = {
  'default-src': "'none'",
  'script-src': "'self' 'unsafe-inline'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'media-src': "'self' data:",
  'connect-src': "'none'",
  'frame-src': "'none'",
  'object-src': "'none'",
  'base-uri': "'self'",
  'form-action': "'none'",
};

describe('the Content-Security-Policy', () => {
  it.each([
    ['no metadata', undefined],
    ['no csp', {}],
    ['an empty csp', { csp: {} }],
    [
      'empty lists',
      { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] } },
    ],
    ['metadata that is not an object', 'csp'],
    ['a csp that is not an object', { csp: ['https://a.example'] }],
    [
      'lists that are not arrays',
      { csp: { connectDomains: 'https://a.example', resourceDomains: { 0: 'x' } } },
    ],
    ['a csp of null', { csp: null }],
  ])('is the restrictive default for %s', (_name, ui) => {
    const { contentSecurityPolicy, csp, externalDomains } = appWith(ui);
    expect(directives(contentSecurityPolicy)).toEqual(RESTRICTIVE);
    expect(csp).toEqual({});
    expect(externalDomains).toEqual([]);
  });

  it('has each declared origin in its own directives, and nowhere else', () => {
    const { contentSecurityPolicy, csp, externalDomains, refused } = appWith({
      csp: {
        connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
        resourceDomains: ['https://*.cdn.example', 'HTTPS://Assets.Example.com/'],
        frameDomains: ['https://video.example'],
        baseUriDomains: ['https://base.example'],
      },
    });
    const resources = 'https://*.cdn.example https://assets.example.com';
    expect(directives(contentSecurityPolicy)).toEqual({
      ...RESTRICTIVE,
      'script-src': `'self' 'unsafe-inline' ${resources}`,
      'style-src': `'self' 'unsafe-inline' ${resources}`,
      'img-src': `'self' data: ${resources}`,
      'media-src': `'self' data: ${resources}`,
      'font-src': `'self' ${resources}`,
      'connect-src': 'https://api.example.com wss://live.example.com:8443',
      'frame-src': 'https://video.example',
      'base-uri': 'https://base.example',
    });
    expect(csp.resourceDomains).toEqual(['https://*.cdn.example', 'https://assets.example.com']);
    expect(externalDomains).toHaveLength(6);
    expect(refused).toEqual([]);
  });

  it.each([
    ['a directive', 'https://a.example; script-src *'],
    ['a second source', 'https://a.example https://b.example'],
    ['a second policy', 'https://a.example, script-src *'],
    ['a header', 'https://a.example\r\nSet-Cookie: a=b'],
    ['a line break at the end', 'https://a.example\n'],
    ['an attribute', 'https://a.example" onload="alert(1)'],
    ['every origin', '*'],
    ['every encrypted origin', 'https:'],
    ['every host', 'https://*'],
    ['every host of a top-level domain', 'https://*.com'],
    ['a wildcard inside', 'https://a.*.example'],
    ['two wildcards', 'https://*.*.example.com'],
    ['a wildcard of ports', 'https://a.example:*'],
    ['data:', 'data:'],
    ['blob:', 'blob:'],
    ['a script', 'javascript:alert(1)'],
    ['a keyword', "'unsafe-eval'"],
    ['a nonce', "'nonce-abc'"],
    ['no scheme', 'a.example'],
    ['a path', 'https://a.example/cdn/'],
    ['credentials', 'https://user:word@a.example'],
    ['a plain connection', 'http://a.example'],
    ['a scheme of another list', 'wss://a.example'],
    ['the machine of the user', 'https://localhost'],
    ['a name below localhost', 'https://x.localhost'],
    ['a local network', 'https://printer.local'],
    ['an address', 'https://127.0.0.1'],
    ['an address as one number', 'https://2130706433'],
    ['a hexadecimal address', 'https://0x7f.1'],
    ['an IPv6 address', 'https://[::1]'],
    ['a name that is not ASCII', 'https://аpple.example'],
    ['a port beyond 65535', 'https://a.example:65536'],
    ['port 0', 'https://a.example:0'],
    ['a long name', `https://${'a.'.repeat(200)}example`],
    ['a number', 7],
    ['nothing', null],
  ])('leaves out %s', (_name, entry) => {
    const { contentSecurityPolicy, refused, csp } = appWith({
      csp: {
        resourceDomains: [entry, 'https://good.example'],
        frameDomains: [entry],
        baseUriDomains: [entry],
      },
    });
    expect(csp).toEqual({ resourceDomains: ['https://good.example'] });
    expect(directives(contentSecurityPolicy)).toMatchObject({
      'img-src': "'self' data: https://good.example",
      'frame-src': "'none'",
      'base-uri': "'self'",
    });
    expect(refused).toHaveLength(3);
    expect(refused.join('')).toMatch(/^[ -~…\u0400-\u04ff]*$/);
  });

  it('takes at most 50 origins of a list, and the callback of the host decides about each', () => {
    const connectDomains = Array.from({ length: 100_000 }, (_, index) => `https://h${index}.example`);
    const asked: unknown[] = [];
    const { csp, refused } = appWith(
      { csp: { connectDomains } },
      {
        allowDomain(domain) {
          asked.push(domain);
          return domain.origin === 'https://h7.example';
        },
      },
    );
    expect(csp).toEqual({ connectDomains: ['https://h7.example'] });
    expect(asked).toHaveLength(50);
    expect(asked[0]).toEqual({ origin: 'https://h0.example', kind: 'connectDomains', server: 's' });
    expect(refused).toHaveLength(50);
  });

  it('has local origins only if the host says so', () => {
    const connectDomains = ['http://localhost:3000', 'ws://127.0.0.1:3000', 'https://intranet'];
    expect(appWith({ csp: { connectDomains } }).csp).toEqual({});
    expect(appWith({ csp: { connectDomains } }, { localDomains: true }).csp).toEqual({ connectDomains });
    const hostile = ['http://*', 'http://*.localhost', 'http://localhost:*', 'http:'];
    expect(appWith({ csp: { connectDomains: hostile } }, { localDomains: true }).csp).toEqual({});
  });
});

describe('the allow attribute', () => {
  it('has what the app requests, written as AppBridge writes it', () => {
    const { allow, permissions } = appWith({
      permissions: { camera: {}, microphone: {}, geolocation: {}, clipboardWrite: {} },
    });
    expect(allow).toBe('camera; microphone; geolocation; clipboard-write');
    expect(allow).toBe(buildAllowAttribute(permissions));
    expect(appWith({}).allow).toBe('');
  });

  it('has only what the host grants', () => {
    const ui = { permissions: { camera: {}, clipboardWrite: {} } };
    const { allow, permissions, refused } = appWith(ui, { permissions: ['clipboardWrite'] });
    expect([allow, permissions]).toEqual(['clipboard-write', { clipboardWrite: {} }]);
    expect(refused).toEqual(['"permissions": "camera" is not granted by this host.']);
    expect(appWith(ui, { permissions: [] }).allow).toBe('');
  });

  it.each([
    [
      'a feature that does not exist in the specification',
      { usb: {}, 'camera *; usb': {}, '" onload="x': {} },
    ],
    ['values that are not objects', { camera: true, microphone: 'camera *', geolocation: null }],
    ['a list', ['camera']],
    ['text', 'camera *'],
    ['inherited members', Object.create({ camera: {} })],
  ])('ignores %s', (_name, permissions: unknown) => {
    expect(appWith({ permissions })).toMatchObject({ allow: '', permissions: {} });
  });
});

describe('other metadata', () => {
  it('has the domain of the sandbox only if the host accepts it', () => {
    const ui = { domain: 'App-1.Sandbox.Example' };
    expect(appWith(ui)).toMatchObject({
      domain: undefined,
      refused: ['"domain": "app-1.sandbox.example" is not granted by this host.'],
    });
    const allowSandboxDomain = (domain: string, server: string): boolean =>
      server === 's' && domain.endsWith('.sandbox.example');
    expect(appWith(ui, { allowSandboxDomain }).domain).toBe('app-1.sandbox.example');
    const all = { allowSandboxDomain: () => true };
    for (const domain of [
      'a.example/x',
      'a.example:1',
      'https://a.example',
      '*.a.example',
      'a b',
      '-a.example',
      7,
    ]) {
      expect(appWith({ domain }, all).domain, String(domain)).toBeUndefined();
    }
  });

  it('has prefersBorder if it is true or false', () => {
    expect(
      [true, false, undefined, 1, 'true'].map((prefersBorder) => appWith({ prefersBorder }).prefersBorder),
    ).toEqual([true, false, undefined, undefined, undefined]);
  });
});
