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

/** Returns the strings of the array at a member, without its other elements; undefined for anything else than an array. */
export function textsOf(
  document: Readonly<Record<string, unknown>>,
  member: string,
): readonly string[] | undefined {
  const value = Object.hasOwn(document, member) ? document[member] : undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : undefined;
}
