/** Headers that frame the message or belong to the connection, so that the HTTP client sets them. In lower case. */
export const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const TOKEN = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
// oxlint-disable-next-line no-control-regex -- the bytes that RFC 9110 allows in a field value
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns what is wrong with the name or the value of a header, as the end of a sentence; undefined if both are valid.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5
 */
export function headerProblem(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return 'does not have a valid name';
  if (typeof value !== 'string') return 'has a value that is not a string';
  return VALUE.test(value)
    ? undefined
    : 'has a value with a line break or another character that HTTP does not allow';
}
