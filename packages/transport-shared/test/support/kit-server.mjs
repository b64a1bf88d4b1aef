// The peer of the contract suite as a server on its standard streams.
import { createKitPeer } from '@mcp-fittings/testkit/peer';

const peer = createKitPeer({
  send: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
  sendRaw: (text) => void process.stdout.write(text),
  die: () => process.exit(1),
});
// Not with `node:readline`, which since Node.js 24 also splits lines at U+2028, which JSON may contain.
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) peer.receive(JSON.parse(line));
});
