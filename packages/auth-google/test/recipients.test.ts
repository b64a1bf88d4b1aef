import { describe, expect, it } from 'vitest';
import { createGoogleProvider, type GoogleProviderOptions } from '@mcp-fittings/auth-google';

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

function codeOf(url: string, options: Partial<GoogleProviderOptions>): string {
  try {
    createGoogleProvider({ url, ...options });
    return 'allowed';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

describe('which servers receive a token', () => {
  it.each([
    ['https://bigquery.googleapis.com/mcp', { scopes }],
    ['https://service-1234.a.run.app/mcp', {}],
    ['https://service-1234.a.run.app/mcp', { audience: 'https://service-1234.a.run.app' }],
    ['https://mcp.example.com/', { scopes, hosts: ['mcp.example.com'] }],
    ['https://a.b.example.com/', { audience: 'x.apps.googleusercontent.com', hosts: ['*.Example.com'] }],
    ['http://localhost:8080/', { scopes, hosts: ['localhost'] }],
    ['http://[::1]:8080/', { scopes, hosts: ['[::1]'] }],
  ])('%s with %j', (url, options) => {
    expect(codeOf(url, options)).toBe('allowed');
  });

  it.each([
    ['https://evil.example/mcp', { scopes }],
    ['https://googleapis.com.evil.example/', { scopes }],
    ['https://evilgoogleapis.com/', { scopes }],
    ['https://googleapis.com./', { scopes }],
    ['https://evil.example/.googleapis.com', { scopes }],
    ['https://x.googleapis.com@evil.example/', { scopes }],
    // Anyone can run a service there, and would receive an access token.
    ['https://service-1234.a.run.app/mcp', { scopes }],
    // And an ID token for another service would give access to it.
    ['https://service-1234.a.run.app/mcp', { audience: 'https://payroll-1234.a.run.app' }],
    ['http://bigquery.googleapis.com/mcp', { scopes }],
    ['http://localhost:8080/', { scopes }],
    ['https://example.com/', { scopes, hosts: ['*.example.com'] }],
    ['https://badexample.com/', { scopes, hosts: ['*.example.com', 'example.com'] }],
  ])('not %s with %j', (url, options) => {
    expect(codeOf(url, options)).toBe('POLICY_DENIED');
  });

  it.each(['*', '', 'https://mcp.example.com', '*.*.com'])('"%s" is not a host name', (host) => {
    expect(codeOf('https://mcp.example.com', { scopes, hosts: [host] })).toBe('CONFIG_INVALID');
  });

  it('tells the host program how to allow it', () => {
    expect(() => createGoogleProvider({ url: 'https://mcp.example.com/', scopes })).toThrow(
      expect.objectContaining({
        hint: expect.stringContaining("google({ hosts: ['mcp.example.com'] })"),
        details: { recipient: 'mcp.example.com' },
      }),
    );
  });

  it.each([
    ['no URL', 'nowhere', {}],
    ['scopes and an audience', 'https://x.googleapis.com', { scopes, audience: 'https://x' }],
    ['an audience that adds a parameter', 'https://x.googleapis.com', { audience: 'https://x&format=full' }],
    ['a service account that is a path', 'https://x.googleapis.com', { serviceAccount: '../../v2/evil' }],
  ])('refuses %s', (_, url, options) => {
    expect(codeOf(url, options)).toBe('CONFIG_INVALID');
  });
});
