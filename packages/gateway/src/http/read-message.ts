import { isJsonContentType } from '@modelcontextprotocol/server';
import { REFUSAL_CODES, refuse } from './refusals.js';

/**
 * Reads the body of a POST as JSON. Returns the response that refuses it if it is not JSON or has more than `maxBytes` bytes; of such a body,
 * no more than the limit is kept in memory.
 */
export async function readMessage(
  request: Request,
  maxBytes: number,
): Promise<{ readonly body: unknown } | { readonly refusal: Response }> {
  const { headers } = request;
  const tooLarge = (): { readonly refusal: Response } => ({
    refusal: refuse(413, `The body must not have more than ${maxBytes} bytes.`),
  });
  if (Number(headers.get('content-length')) > maxBytes) return tooLarge();
  if (!isJsonContentType(headers.get('content-type'))) {
    return { refusal: refuse(415, 'The content type must be application/json.') };
  }
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    return { refusal: refuse(415, 'The body must not be compressed.') };
  }
  try {
    const bytes = await collect(request.body, maxBytes);
    if (bytes === undefined) return tooLarge();
    return { body: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return { refusal: refuse(400, 'The body is not valid JSON.', { code: REFUSAL_CODES.parseError }) };
  }
}

/** Returns `undefined` if there are more bytes than the limit. */
async function collect(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
