import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges } from '@mcp-fittings/toolbox/refusal';

const plain = (header: string) =>
  parseChallenges(header).map(({ scheme, params, token68 }) => ({
    scheme,
    ...Object.fromEntries(params),
    ...(token68 !== undefined && { token68 }),
  }));

describe('WWW-Authenticate', () => {
  it.each<[string, object[]]>([
    ['Bearer', [{ scheme: 'bearer' }]],
    ['BEARER scope="a b"', [{ scheme: 'bearer', scope: 'a b' }]],
    ['Bearer realm=x , scope = "a"', [{ scheme: 'bearer', realm: 'x', scope: 'a' }]],
    ['Bearer  realm="x"', [{ scheme: 'bearer', realm: 'x' }]],
    ['Bearer\trealm="x"', [{ scheme: 'bearer', realm: 'x' }]],
    [',, Bearer realm="x",, , scope="a",', [{ scheme: 'bearer', realm: 'x', scope: 'a' }]],
    ['Bearer Scope="a"', [{ scheme: 'bearer', scope: 'a' }]],
    ['Bearer a="\\"quoted\\\\\\" \\x"', [{ scheme: 'bearer', a: '"quoted\\" x' }]],
    ['Bearer a=""', [{ scheme: 'bearer', a: '' }]],
    ['Negotiate', [{ scheme: 'negotiate' }]],
    ['Negotiate YII=', [{ scheme: 'negotiate', token68: 'YII=' }]],
    ['Negotiate a+b/c==, Bearer', [{ scheme: 'negotiate', token68: 'a+b/c==' }, { scheme: 'bearer' }]],
    ['Basic, Bearer, Digest', [{ scheme: 'basic' }, { scheme: 'bearer' }, { scheme: 'digest' }]],
    [
      'Newauth realm="apps", type=1, title="Login to \\"apps\\"", Basic realm="simple"',
      [
        { scheme: 'newauth', realm: 'apps', type: '1', title: 'Login to "apps"' },
        { scheme: 'basic', realm: 'simple' },
      ],
    ],
    ['', []],
  ])('of RFC 9110: %s', (header, expected) => expect(plain(header)).toEqual(expected));

  it.each<[string, object[]]>([
    // What a search for `scope=` and its like falls for.
    [
      'Basic realm="x", Bearer scope="a"',
      [
        { scheme: 'basic', realm: 'x' },
        { scheme: 'bearer', scope: 'a' },
      ],
    ],
    ['Bearer realm="scope=evil", scope="good"', [{ scheme: 'bearer', realm: 'scope=evil', scope: 'good' }]],
    [
      'Bearer error_description="error=insufficient_scope, scope=evil", error="invalid_token"',
      [
        {
          scheme: 'bearer',
          error_description: 'error=insufficient_scope, scope=evil',
          error: 'invalid_token',
        },
      ],
    ],
    ['Bearer  error="a",  scope="b"', [{ scheme: 'bearer', error: 'a', scope: 'b' }]],
    ['Bearer realm="a\\", scope=\\"evil"', [{ scheme: 'bearer', realm: 'a", scope="evil' }]],
    ['Bearer realm="x, Bearer scope=evil"', [{ scheme: 'bearer', realm: 'x, Bearer scope=evil' }]],
  ])('is not misled: %s', (header, expected) => expect(plain(header)).toEqual(expected));

  it.each<[string, object[]]>([
    ['Bearer realm="unfinished', []],
    ['Basic realm="x", Bearer realm="unfinished', [{ scheme: 'basic', realm: 'x' }]],
    ['Bearer realm="x"scope="y"', []],
    ['Bearer realm=', [{ scheme: 'bearer', token68: 'realm=' }]],
    ['Bearer realm=,scope="a"', [{ scheme: 'bearer', token68: 'realm=' }]],
    ['Bearer =x', []],
    ['Bearer "x"', []],
    ['Bearer {', []],
    ['"Bearer"', []],
    ['Bearer="x"', []],
    ['Bearer a=b=c', []],
    ['Bearer a b c', []],
    ['Bearer realm="x" Basic realm="y"', []],
    ['Béarer', []],
    ['Bearer realm="x\\', []],
  ])('stops where the grammar is broken: %s', (header, expected) => expect(plain(header)).toEqual(expected));

  it('ignores a repeated parameter', () => {
    const header = 'Bearer resource_metadata="https://a/", scope="s", Resource_Metadata="https://b/"';
    expect(plain(header)).toEqual([{ scheme: 'bearer', scope: 's' }]);
    expect(plain('Bearer a=1, a=2, a=3')).toEqual([{ scheme: 'bearer' }]);
    // In two challenges it is given once each.
    expect(plain('Bearer a=1, Basic a=2')).toEqual([
      { scheme: 'bearer', a: '1' },
      { scheme: 'basic', a: '2' },
    ]);
  });

  it('accepts a missing comma between two parameters', () => {
    expect(plain('Bearer error="a" error_description="b" scope=c')).toEqual([
      { scheme: 'bearer', error: 'a', error_description: 'b', scope: 'c' },
    ]);
  });

  it('takes no name for more than a name', () => {
    const [challenge] = parseChallenges('Bearer __proto__="x", constructor="y"');
    expect([...(challenge?.params ?? [])]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('reads 16 KB of any text in linear time', () => {
    const pieces = ['a="\\\\",', '"', ',', 'a ', 'a, ', 'a=', ' ', '\\', 'Bearer a="', 'a=b ', '=', '\t,'];
    const started = performance.now();
    for (const piece of pieces) {
      parseChallenges(`Bearer ${piece.repeat(Math.ceil(16_384 / piece.length))}`);
      parseChallenges(piece.repeat(Math.ceil(16_384 / piece.length)));
    }
    // 24 headers; a quadratic one alone would take longer than this.
    expect(performance.now() - started).toBeLessThan(1000);
    expect(parseChallenges(`Bearer realm="${'x'.repeat(70_000)}"`)).toEqual([]);
  });

  it('reads back what is written by the rules', () => {
    const token = fc.stringMatching(/^[a-z!#$%&'*+.^_`|~\d-]{1,12}$/);
    const params = fc.uniqueArray(fc.tuple(token, fc.string()), { minLength: 1, selector: ([name]) => name });
    const challenge = fc.record({ scheme: token, params });
    fc.assert(
      fc.property(fc.array(challenge, { minLength: 1, maxLength: 4 }), (challenges) => {
        const quote = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`;
        const header = challenges
          .map(
            ({ scheme, params: own }) =>
              `${scheme} ${own.map(([name, value]) => `${name}=${quote(value)}`).join(', ')}`,
          )
          .join(', ');
        expect(
          parseChallenges(header).map(({ scheme, params: own }) => ({ scheme, params: [...own] })),
        ).toEqual(challenges);
      }),
    );
  });

  it('never throws, and holds nothing that the header does not', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'B', '=', '"', '\\', ',', ' ', '\t', 'é', '/'),
          maxLength: 40,
        }),
        (header) => {
          for (const { scheme, params } of parseChallenges(header)) {
            expect(header.toLowerCase()).toContain(scheme);
            for (const name of params.keys()) expect(header.toLowerCase()).toContain(name);
          }
        },
      ),
    );
  });
});
