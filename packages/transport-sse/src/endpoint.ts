/** A longer one is no address but an attack. */
const MAX_LENGTH = 8192;

/**
 * Where messages go, from the data of an `endpoint` event: a URL of the stream's own origin, relative or absolute; or
 * what is wrong with it. The text itself may hold a session id and is never repeated.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function parseEndpoint(data: string, stream: URL): URL | { readonly problem: string } {
  if (data.trim() === '') return { problem: 'names no endpoint' };
  if (data.length > MAX_LENGTH) return { problem: 'names an endpoint that is too long' };
  if (!URL.canParse(data, stream.href)) return { problem: 'names an endpoint that is no URL' };
  const endpoint = new URL(data, stream.href);
  if (endpoint.origin !== stream.origin) return { problem: 'names an endpoint at another origin' };
  if (endpoint.username !== '' || endpoint.password !== '') {
    return { problem: 'names an endpoint with a user name or a password' };
  }
  endpoint.hash = '';
  return endpoint;
}
