import { isSecretName, secretsOfEntry } from '@mcp-fittings/toolbox/entries';
import { describe, expect, it } from 'vitest';

describe('the secrets of an entry', () => {
  it('are all variables and headers, and the credential after a scheme', () => {
    const entry = { type: 'http', env: { PLAIN: 'a' }, headers: { 'X-Org': 'b', Authorization: 'Bearer c' } };
    expect([...secretsOfEntry(entry)]).toEqual(['a', 'b', 'Bearer c', 'c']);
  });

  it('are the values of arguments with the name of a secret', () => {
    const line =
      '--api-key a --token=b --verbose plain --password --next -secret=c token=d --auth e --pwd=f --key=g --session -h -H';
    const args = [...line.split(' '), 'X-Auth: i'];
    expect([...secretsOfEntry({ args })].join(' ')).toBe('a b c d e f g -h i');
  });

  it('are members with the name of a secret at any depth, and not the settings of the sign-in', () => {
    const entry = {
      apiKey: 'a',
      credentials: { user: 'b', pins: ['c'] },
      oauth: { clientId: 'id', scopes: ['read'], clientSecret: 'd', idp: { clientSecret: 'e' } },
      clientCertificate: { cert: 'cert.pem', key: 'key.pem', passphrase: 'f' },
    };
    expect([...secretsOfEntry(entry)].join(' ')).toBe('a b c d e f');
  });

  it('are credentials and parameters of URLs, as they are written and decoded', () => {
    const args = ['postgres://me:p%40ss@db/notes?sslkey=k%20y&mode=x', '--cache=redis://:100%25%@cache'];
    expect([...secretsOfEntry({ args })].filter((text) => text !== '')).toEqual(
      expect.arrayContaining(['me', 'p%40ss', 'p@ss', 'k y', 'x', '100%25%']),
    );
    expect([...secretsOfEntry({ args }, isSecretName)].filter((text) => text !== '')).toEqual(
      expect.arrayContaining(['p@ss', 'k y', '100%25%']),
    );
    for (const text of ['me', 'x', ...args])
      expect(secretsOfEntry({ args }, isSecretName)).not.toContain(text);
  });

  it('are each line of a key file', () => {
    const found = [...secretsOfEntry({ env: { KEY: 'BEGIN\r\nabc\nEND' } })];
    expect(found).toEqual(['BEGIN\r\nabc\nEND', 'BEGIN', 'abc', 'END']);
  });

  it('have names that are not those of their files', () => {
    const names = ['GITHUB_TOKEN', 'X-Auth-Token', '--password', 'PWD', 'TOKEN_FILE', 'AUTHOR', 'KEY_ID'];
    expect(names.filter((name) => isSecretName(name))).toEqual(names.slice(0, 4));
  });
});
