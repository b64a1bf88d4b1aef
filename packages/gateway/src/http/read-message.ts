import { isUtf8 } from 'node:buffer';
import type { Exchange } from './exchange.js';
import { REFUSAL_CODES, refuse } from './refusals.js';

/**
 * Reads the body of a POST as JSON. Returns the response that refuses it if it is not JSON or has more than `maxBytes` bytes; of such a body,
 * no more than the limit is kept in memory.
 */
export async function readMessage(
  exchange: Exchange,
  maxBytes: number,
): Promise<{ readonly body: unknown } | { readonly refusal: Response }> {
  const tooLarge = (): { readonly refusal: Response } => ({
    refusal: refuse(413, `The body must not have more than ${maxBytes} bytes.`),
  });
  if (Number(exchange.header('content-length') ?? 0) > maxBytes) return tooLarge();
  if (!JSON_TYPE.test(exchange.header('content-type') ?? '')) {
    return { refusal: refuse(415, 'The content type must be application/json.') };
  }
  if ((exchange.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    return { refusal: refuse(415, 'The body must not be compressed.') };
  }
  try {
    const bytes = await exchange.read(maxBytes);
    if (bytes === undefined) return tooLarge();
    if (!isUtf8(bytes)) throw new Error('The body is not UTF-8.');
    return { body: JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch {
    return { refusal: refuse(400, 'The body is not valid JSON.', { code: REFUSAL_CODES.parseError }) };
  }
}

/** With any parameters, such as `charset=utf-8`; two types in one header are none. */
const JSON_TYPE = /^\s*application\/json\s*(?:;[^,]*)?$/i;
