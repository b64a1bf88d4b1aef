/**
 * Whether a response says that it is JSON: `application/json`, or a type that ends in `+json`. A page that happens to parse
 * as JSON, such as an upload served as `text/html`, is not an answer of the server itself.
 */
export function isJsonType(response: Response): boolean {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  return JSON_TYPE.test(type.trim());
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/i;
