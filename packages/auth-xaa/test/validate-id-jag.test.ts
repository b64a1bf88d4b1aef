import { describe, expect, it } from 'vitest';
import { ID_JAG } from '../src/id-jag/token-exchange.js';
import { validateIdJag } from '../src/id-jag/validate-id-jag.js';

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1000;
const expected = {
  server: 'docs',
  issuer: 'https://idp.example',
  audience: 'https://as.example',
  resource: 'https://docs.example/mcp',
  clientId: 'client',
  scopes: [],
  now: NOW,
};

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An ID-JAG that expires at a time, in a response that says how long it lasts. */
function validate({ exp, life }: { readonly exp: number; readonly life?: number }): {
  readonly expiresAt: number;
} {
  const header = { typ: 'oauth-id-jag+jwt', alg: 'ES256' };
  const claims = { iss: expected.issuer, aud: expected.audience, client_id: 'client', exp };
  const token = `${part(header)}.${part(claims)}.c2lnbmF0dXJl`;
  const reply = { access_token: token, token_type: 'n_a', issued_token_type: ID_JAG } as const;
  return validateIdJag({ ...reply, ...(life !== undefined && { expires_in: life }) }, expected);
}

describe('an ID-JAG', () => {
  it('is accepted until 30 seconds after its end, the allowed difference of the clocks', () => {
    expect(validate({ exp: SECONDS - 29.999 }).expiresAt).toBeLessThan(NOW);
    expect(() => validate({ exp: SECONDS - 30 })).toThrow('has expired');
  });

  it.each([
    ['it says itself', { exp: SECONDS + 3599 }, 3599],
    ['the response says, if that is sooner', { exp: SECONDS + 3599, life: 10 }, 10],
    ['one hour, the longest', { exp: SECONDS + 3601 }, 3600],
    ['at once, for a negative time', { exp: SECONDS + 60, life: -5 }, 0],
  ])('is used as long as %s', (_, times, seconds) => {
    expect(validate(times).expiresAt).toBe(NOW + seconds * 1000);
  });
});
