import { describe, expect, it } from 'vitest';
import { bearerToken } from '@mcp-fittings/gateway';

const TOKEN = 'kq3mZ8vT1xYw7RbN5cLd2PfG9hJs4KuA';
const OTHER = 'AuK4sJh9GfP2dLc5NbR7wYx1Tv8Zm3qk';

const ask = (authorization?: string): Request =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: authorization === undefined ? {} : { authorization },
  });

describe('one shared secret', () => {
  it('accepts the token, in any case of the scheme, as one caller without a principal', async () => {
    const access = bearerToken(TOKEN);
    expect(await access.authenticate(ask(`Bearer ${TOKEN}`))).toEqual({ caller: { id: 'bearer' } });
    expect(await access.authenticate(ask(`bearer ${TOKEN}`))).toEqual({ caller: { id: 'bearer' } });
  });

  it('accepts both tokens while one replaces the other', async () => {
    const access = bearerToken([TOKEN, OTHER]);
    for (const token of [TOKEN, OTHER]) {
      expect(await access.authenticate(ask(`Bearer ${token}`))).toHaveProperty('caller');
    }
  });

  it.each([
    ['nothing', undefined, 'Bearer'],
    ['another scheme', `Basic ${TOKEN}`, 'Bearer'],
    ['another token', `Bearer ${OTHER}`, 'Bearer error="invalid_token"'],
    ['a prefix', `Bearer ${TOKEN.slice(0, -1)}`, 'Bearer error="invalid_token"'],
    ['a longer token', `Bearer ${TOKEN}A`, 'Bearer error="invalid_token"'],
    ['no token', 'Bearer', 'Bearer'],
  ])('refuses %s with a challenge', async (_, authorization, challenge) => {
    const decision = await bearerToken(TOKEN).authenticate(ask(authorization));
    if (!('refusal' in decision)) throw new Error('not refused');
    expect(decision.refusal.status).toBe(401);
    expect(decision.refusal.headers.get('www-authenticate')).toBe(challenge);
    expect(await decision.refusal.text()).not.toContain(TOKEN);
  });

  it.each([
    [undefined],
    [''],
    ['secret'],
    ['a'.repeat(40)],
    ['not valid in a header at all, is it'],
    [[]],
    [[TOKEN, 'x']],
  ])('refuses to start with %j, and does not repeat it', (token) => {
    const create = () => bearerToken(token);
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(create).not.toThrow(/secret|aaaa|kq3m/);
  });
});
