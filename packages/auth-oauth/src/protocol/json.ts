import { FittingsError } from '@mcp-fittings/client-core';
import type { AuthorizationServer } from 'oauth4webapi';

/**
 * Whether a response says that it is JSON: `application/json`, or a type that ends in `+json`. A page that happens to parse
 * as JSON, such as an upload served as `text/html`, is not an answer of the server itself.
 */
export function isJsonType(response: Response): boolean {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;

/** The text at this member; undefined for anything else. */
export function textOf(document: Readonly<Record<string, unknown>>, member: string): string | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The list of texts at this member; undefined for anything else. */
export function textsOf(
  document: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;
}

/**
 * The answer, if it is typed as JSON: a success of another type is refused with `AUTH_FAILED`. The library accepts every type
 * that parses, and in refusals no type that ends in `+json`.
 */
export function jsonOnly(response: Response, as: AuthorizationServer, server: string): Response {
  const type = response.headers.get('content-type') ?? '';
  if (/^application\/json\s*(?:;|$)/i.test(type)) return response;
  if (!isJsonType(response)) {
    if (!response.ok) return response;
    throw new FittingsError(
      'AUTH_FAILED',
      `${as.issuer} answered with something other than application/json.`,
      {
        server,
        hint: 'Ask its owner to serve the answer with the content type application/json.',
      },
    );
  }
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(response.body, { status: response.status, headers });
}
