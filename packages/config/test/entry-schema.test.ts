import { describe, expect, it } from 'vitest';
import { validateFields } from '../src/entry/entry-schema.js';
import type { JsonValue } from '../src/jsonc/json-value.js';

const LARGEST = 2 ** 31 - 1;

/** Returns the paths of the fields that are refused if the field at `path` has this value. */
function refused(path: string, value: JsonValue): readonly string[] {
  const entry = path.split('.').reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value);
  return validateFields(entry).map((issue) => issue.path);
}

describe('a field of an entry', () => {
  it.each([
    ['timeout', 1, LARGEST],
    ['connectTimeout', 1, LARGEST],
    ['discoveryTimeout', 1, LARGEST],
    ['idleMs', 0, LARGEST],
    ['healthCheck.intervalMs', 1, LARGEST],
    ['healthCheck.timeoutMs', 1, LARGEST],
    ['healthCheck.maxFailures', 1, Number.MAX_SAFE_INTEGER],
    ['reconnect.maxAttempts', 0, Number.MAX_SAFE_INTEGER],
    ['reconnect.delayMs', 1, LARGEST],
    ['oauth.callbackPort', 1, 65_535],
    ['oauth.identityProvider.callbackPort', 1, 65_535],
  ])('%s is a whole number from %i to %i', (path, least, most) => {
    expect([least, most].flatMap((value) => refused(path, value))).toEqual([]);
    expect([least - 1, most + 1, least + 0.5].flatMap((value) => refused(path, value))).toEqual([
      path,
      path,
      path,
    ]);
  });

  it.each([
    'type',
    'transportType',
    'command',
    'cwd',
    'url',
    'httpUrl',
    'serverUrl',
    'apiKey',
    'name',
    'authProviderType',
    'targetAudience',
    'targetServiceAccount',
    'oauth.clientId',
    'oauth.clientSecret',
    'oauth.authorizationUrl',
    'oauth.tokenUrl',
    'oauth.issuer',
    'oauth.grant',
    'oauth.account',
    'oauth.redirectUri',
    'oauth.authServerMetadataUrl',
    'oauth.identityProvider.issuer',
    'oauth.identityProvider.clientId',
    'oauth.identityProvider.clientSecret',
  ])('%s is text and not empty', (path) => {
    expect(refused(path, 'x')).toEqual([]);
    expect([refused(path, ''), refused(path, 1)]).toEqual([[path], [path]]);
  });

  it.each([
    [1, '"oauth" is invalid: expected object, received number.'],
    [{ clientId: 1 }, '"oauth.clientId" is invalid: expected string, received number.'],
  ])('oauth: the message names what is invalid in %j', (oauth, message) => {
    expect(validateFields({ oauth })).toMatchObject([{ message }]);
  });
});
