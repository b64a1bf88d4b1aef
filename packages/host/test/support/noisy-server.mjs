/**
 * A server of the `initialize` era on stdio that writes more than messages, or writes them in another way:
 * `node noisy-server.mjs <precedes-with-text|content-length|log>`.
 */
import { createInterface } from 'node:readline';

const [, , habit] = process.argv;
const write = {
  'precedes-with-text': (text) => `[INFO] ${text}\n`,
  'content-length': (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  log: () => '',
}[habit];

if (habit === 'log') process.stdout.write('listening\n');
// Once: a second message would be on the line that a frame does not end, and what comes of that depends on when the host asks again.
createInterface({ input: process.stdin }).once('line', (line) => {
  const { id } = JSON.parse(line);
  const error = { code: -32601, message: 'no' };
  if (id !== undefined) process.stdout.write(write(JSON.stringify({ jsonrpc: '2.0', id, error })));
});
