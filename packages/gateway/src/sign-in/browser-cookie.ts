import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The cookie with which a browser proves that it is the one that opened a page. */
export type BrowserCookie = ReturnType<typeof createBrowserCookie>;

/**
 * Creates the cookies. Each page has one of its own, so that sign-ins in two tabs do not disturb each other. `SameSite=Lax` sends it
 * with the redirect of an authorization server, and not with a form of another site.
 * @see https://www.rfc-editor.org/rfc/rfc6265.html
 */
export function createBrowserCookie(publicUrl: string, lifeMs: number) {
  const secure = publicUrl.startsWith('https:');
  // A browser accepts the prefix only with `Secure`, and from this very host.
  const nameOf = (page: string): string =>
    `${secure ? '__Host-' : ''}mcp-sign-in-${digestSecret(page).toString('hex').slice(0, 16)}`;
  return {
    /** Creates a secret for a browser, and the `Set-Cookie` header with it. */
    issue(page: string) {
      const secret = randomSecret();
      const flags = `Path=/; Max-Age=${Math.floor(lifeMs / 1000)}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
      return { secret, header: `${nameOf(page)}=${secret}; ${flags}` };
    },
    /** Returns the secret that a request carries for a page. */
    read: (request: Request, page: string) => readCookie(request, nameOf(page)),
  };
}

/** Returns the value of a cookie; `undefined` if there are two of this name: another site of the domain has set one. */
export function readCookie(request: Request, name: string): string | undefined {
  const found = (request.headers.get('cookie') ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.trim().split('=');
    return key === name ? [value.join('=')] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** 256 random bits. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the SHA-256 digest of a secret, which is kept in its place. */
export function digestSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares a secret with the digest of the expected one, in constant time. */
export function matchesSecret(secret: string | undefined, expected: Buffer | undefined): boolean {
  return secret !== undefined && expected !== undefined && timingSafeEqual(digestSecret(secret), expected);
}
