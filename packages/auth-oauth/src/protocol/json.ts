import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';

/**
 * Returns whether a response is served as JSON: `application/json`, or a type that ends in `+json`. A document of another
 * type that parses as JSON may be an upload of a user, and not of the server itself.
 */
export function isJsonType(response: Response): boolean {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;

/** Returns the string at a member; undefined for anything else. */
export function textOf(document: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the array of strings at a member; undefined for anything else. */
export function textsOf(
  document: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

/**
 * Returns the response if it is served as JSON, and throws `AUTH_FAILED` for a success of another type. oauth4webapi itself
 * accepts every type that parses in a success, and no type that ends in `+json` in a refusal.
 */
export function jsonOnly(response: Response, as: AuthorizationServer, server: string): Response {
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/json\s*(?:;|$)/i.test(type)) return response;
  if (!isJsonType(response)) {
    if (!response.ok) return response;
    throw new FittingsError('AUTH_FAILED', `${as.issuer} sent a response that is not application/json.`, {
      server,
      hint: 'Ask its owner to serve the response with the content type application/json.',
    });
  }
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(response.body, { status: response.status, headers });
}
