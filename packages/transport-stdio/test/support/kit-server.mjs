// The peer of the contract suite as a server on its standard streams, in the framing that its argument names.
import { createKitPeer } from '@mcp-fittings/testkit/peer';

const framed = process.argv[2] === 'content-length';
const peer = createKitPeer({
  send(value) {
    const json = JSON.stringify(value);
    process.stdout.write(framed ? `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}` : `${json}\n`);
  },
  sendRaw: (text) => void process.stdout.write(text),
  die: () => process.exit(1),
});

let kept = Buffer.alloc(0);
let parts = [];
process.stdin.on('data', (chunk) => {
  parts.push(chunk);
  if (!framed && !chunk.includes(10)) return;
  kept = Buffer.concat([kept, ...parts]);
  parts = [];
  for (let message = next(); message !== undefined; message = next()) peer.receive(JSON.parse(message));
});

function next() {
  const end = framed ? kept.indexOf('\r\n\r\n') : kept.indexOf(10);
  if (end === -1) return undefined;
  const from = framed ? end + 4 : 0;
  const to = framed ? from + Number(/\d+/.exec(kept.subarray(0, end).toString())[0]) : end;
  if (kept.length < to) return undefined;
  const message = kept.subarray(from, to).toString();
  kept = kept.subarray(framed ? to : to + 1);
  return message;
}
