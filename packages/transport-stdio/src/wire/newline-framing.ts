import { createLineReader } from '@mcp-fittings/toolbox/framing';
import { HOPELESS_FACTOR, type Framing } from './framing.js';

const OPENING = new Set(Array.from('{[ \t', (character) => character.charCodeAt(0)));

/**
 * One message per line, as in the MCP specification. A line that cannot be a message is recognized by its first byte, and is
 * neither decoded nor parsed.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export const newlineFraming: Framing = {
  frame: (json) => `${json}\n`,

  createReader(sink, maxBytes) {
    const problem = `A message from the server is larger than ${maxBytes} bytes.`;
    /** The request that the current line answers has failed already. */
    let reported = false;
    let broken = false;
    const give = (bytes: number, head: string): void => {
      if (broken) return;
      const isMessage = /^[{[\s]/.test(head);
      if (isMessage && bytes <= maxBytes * HOPELESS_FACTOR) {
        reported ||= sink.rejected({ code: 'MESSAGE_TOO_LARGE', problem, head });
        return;
      }
      broken = true;
      sink.broken('MESSAGE_TOO_LARGE', `The server wrote ${bytes} bytes without a line end.`);
    };
    const reader = createLineReader({
      maxBytes,
      accepts: (byte) => OPENING.has(byte),
      onSkip: (head) => sink.noise(head),
      onDiscard: give,
      onLine(line) {
        if (line.kind === 'text') return sink.message(line.text);
        const { kind, head, tail } = line;
        if (kind === 'not-utf8') {
          sink.rejected({
            code: 'MESSAGE_INVALID',
            problem: 'A message from the server is not valid UTF-8.',
            head,
            tail,
          });
        } else if (!reported) {
          sink.rejected({ code: 'MESSAGE_TOO_LARGE', problem, head, tail });
        }
        reported = false;
      },
    });
    return (chunk) => reader.push(chunk);
  },
};
