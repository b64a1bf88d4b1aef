import { httpEntryFields, toHttpClientOptions } from '@mcp-fittings/toolbox/connect';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { describe, expect, it } from 'vitest';

const schema = entrySchema(httpEntryFields())['~standard'];

describe('the members of a configuration entry', () => {
  it('become the options of a client', () => {
    const entry = {
      url: 'https://example.com/mcp',
      headers: { 'x-key': '1' },
      proxy: 'none',
      ca: ['/a.pem', '/b.pem'],
      clientCertificate: { cert: '/c.pem', key: '/k.pem', passphrase: 'p' },
      allowAddresses: ['10.0.0.0/8'],
      connectTimeout: 1000,
      timeout: 5,
    };
    const result = schema.validate(entry);
    if (result.issues !== undefined) throw new Error(JSON.stringify(result.issues));
    const { timeout: _, connectTimeout: connectMs, ...same } = entry;
    expect(toHttpClientOptions(result.value, { server: 'one' })).toEqual({
      ...same,
      timeouts: { connectMs },
      server: 'one',
    });
  });

  it.each<[string, unknown]>([
    ['url', { url: '' }],
    ['url', {}],
    ['headers', { url: 'x', headers: { a: 1 } }],
    ['ca', { url: 'x', ca: [1] }],
    ['clientCertificate', { url: 'x', clientCertificate: 'file' }],
    ['connectTimeout', { url: 'x', connectTimeout: 0 }],
  ])('are refused when %s is wrong: %j', (member, entry) => {
    const result = schema.validate(entry);
    expect(result.issues?.map(({ path }) => path)).toEqual([[member]]);
  });

  it('a certificate without its key is refused', () => {
    expect(() =>
      toHttpClientOptions({ url: 'x', clientCertificate: { cert: 'c' } }, { server: 'one' }),
    ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', server: 'one' }));
  });
});
