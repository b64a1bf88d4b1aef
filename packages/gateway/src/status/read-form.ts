/** Largest form, in bytes: the longest token that a header could have, percent-encoded. */
const MAX_FORM_BYTES = 65_536;

/** Returns the fields of an HTML form, or `undefined` if the body is something else, or too long. */
export async function readForm(request: Request): Promise<URLSearchParams | undefined> {
  const [type] = (request.headers.get('content-type') ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded' || request.body === null) {
    return undefined;
  }
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of request.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_FORM_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return new URLSearchParams(text);
}
