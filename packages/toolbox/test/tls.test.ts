import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { loadTls } from '../src/tls.js';

const [first = '', second = ''] = rootCertificates;
const broken = '-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n';

describe('certificates', () => {
  it('none are read where none are configured', async () => {
    expect(await loadTls({})).toEqual({ configured: undefined, others: undefined });
  });

  it('of an authority are for every host; several may stand in one text', async () => {
    const { configured, others } = await loadTls({ ca: [first, `${first}\n${second}`], env: {} });
    expect(configured).toBeDefined();
    expect(others).toBe(configured);
  });

  it.each([
    ['text that is not a certificate', broken],
    ['an invalid one after a valid one', `${first}\n${broken}`],
    ['something else in PEM form', '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n'],
    ['a file that is not there', '/no/such/file.pem'],
    ['a file without a certificate', import.meta.filename],
  ])('an authority is refused: %s', async (_, ca) => {
    const failed = loadTls({ ca, server: 'one', env: {} });
    await expect(failed).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      server: 'one',
      message: expect.stringContaining('`ca`') as unknown,
    });
    await expect(failed).rejects.not.toThrow(/canary/);
  });

  it('an invalid client certificate is refused', async () => {
    await expect(loadTls({ clientCertificate: { cert: broken, key: broken } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('`clientCertificate`') as unknown,
    });
  });
});
