// The peer of the contract suite as a server on its standard streams.
import { createInterface } from 'node:readline';
import { createKitPeer } from '@mcp-fittings/testkit/peer';

const peer = createKitPeer({
  send: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
  sendRaw: (text) => void process.stdout.write(text),
  die: () => process.exit(1),
});
createInterface({ input: process.stdin, crlfDelay: Infinity }).on('line', (line) =>
  peer.receive(JSON.parse(line)),
);
