/** The request that follows a redirect. */
export interface NextHop {
  readonly url: URL;
  readonly method: string;
  /** Whether the body is sent again. */
  readonly keepsBody: boolean;
}

/**
 * Returns the request that a redirect asks for, or undefined if the response is not a redirect or its target is not a URL.
 *
 * 301 and 302 keep the method, because a message that became a GET would be lost. Only 303 turns a request into a GET.
 * @see https://www.rfc-editor.org/rfc/rfc9110.html#section-15.4
 */
export function nextHop(
  status: number,
  location: string | undefined,
  from: URL,
  method: string,
): NextHop | undefined {
  const keepsBody = status === 301 || status === 302 || status === 307 || status === 308;
  if ((!keepsBody && status !== 303) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  url.hash = '';
  return { url, method: keepsBody || method === 'HEAD' ? method : 'GET', keepsBody };
}
