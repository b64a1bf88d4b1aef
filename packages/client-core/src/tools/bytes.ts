/** One array of all parts and, after them, `end`. `total` spares the counting where it is known. */
export function concatBytes(parts: readonly Uint8Array[], end?: Uint8Array, total?: number): Uint8Array {
  const length = total ?? parts.reduce((sum, part) => sum + part.length, end?.length ?? 0);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  if (end !== undefined) whole.set(end, at);
  return whole;
}

/** Makes a decoder that answers undefined where bytes are not well-formed UTF-8: U+FFFD never slips into a message. */
export function createUtf8Decoder(): (bytes: Uint8Array) => string | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (bytes) => {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  };
}
