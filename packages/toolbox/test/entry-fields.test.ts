import { remoteEntryFields, toClientCertificate } from '@mcp-fittings/toolbox/connect';
import { entrySchema } from '@mcp-fittings/toolbox/entries';
import { expect, it } from 'vitest';

it('the members of an entry are checked, and only the URL is required', () => {
  const { validate } = entrySchema(remoteEntryFields())['~standard'];
  expect(validate({ url: 'x' }).issues).toBeUndefined();
  for (const [member, value] of Object.entries({
    url: '',
    headers: { a: 1 },
    proxy: '',
    ca: [1],
    clientCertificate: 'file',
    connectTimeout: 0,
  })) {
    expect(validate({ url: 'x', [member]: value }).issues?.map(({ path }) => path)).toEqual([[member]]);
  }
});

it('a client certificate needs its key', () => {
  expect(toClientCertificate(undefined, 'one')).toBeUndefined();
  expect(toClientCertificate({ cert: 'c', key: 'k' }, 'one')).toEqual({ cert: 'c', key: 'k' });
  for (const half of [{ cert: 'c' }, { key: 'k' }]) {
    expect(() => toClientCertificate(half, 'one')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', server: 'one' }),
    );
  }
});
