import { isUtf8 } from 'node:buffer';
import { createPositions } from '../jsonc/positions.js';

export type DecodedText =
  { readonly text: string } | { readonly message: string; readonly line: number; readonly column: number };

/** UTF-8 and nothing else: two readers that guess an encoding can read two different files. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const begins = (...mark: number[]): boolean => mark.every((byte, index) => bytes[index] === byte);
  const refuse = (message: string): DecodedText => ({ message, line: 1, column: 1 });
  if (begins(0xef, 0xbb, 0xbf)) return refuse('The file begins with a byte order mark.');
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return refuse('The file is UTF-16.');
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (isUtf8(bytes)) return { text };
  return { message: 'A byte is not UTF-8.', ...createPositions(text)(firstReplaced(text, bytes)) };
}

/** Offset of the first character that the decoder put in place of a malformed byte. */
function firstReplaced(text: string, bytes: Uint8Array): number {
  let at = 0;
  let offset = 0;
  for (const character of text) {
    const written =
      character === '\ufffd' && !(bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd);
    if (written) return offset;
    at += Buffer.byteLength(character);
    offset += character.length;
  }
  return offset;
}
