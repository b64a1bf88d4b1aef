import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { createLineReader } from '@mcp-fittings/toolbox/framing';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { transportSuite } from '@mcp-fittings/testkit/transport';
import { createUnixTransport } from '../src/index.js';
import { listen } from './support/listen.js';

function serveKit(socket: Socket): void {
  const peer = createKitPeer({
    send: (message) => void socket.write(`${JSON.stringify(message)}\n`),
    sendRaw: (text) => void socket.write(text),
    die: () => socket.destroy(),
  });
  const lines = createLineReader({
    maxBytes: 1 << 26,
    onLine: (line) => line.kind === 'text' && peer.receive(JSON.parse(line.text)),
  });
  socket.on('data', (chunk) => lines.push(chunk));
}

transportSuite(
  { describe, it },
  {
    name: 'unix',
    capabilities: { signal: true, serverName: true, garbage: ['not json\n', '\n', '{"half":\n'] },
    async setup(options) {
      const listening = await listen(serveKit);
      return {
        transport: createUnixTransport({ path: listening.path, ...options }),
        teardown: () => listening.close(),
        killPeer: async () => {
          for (const socket of listening.sockets) socket.destroy();
        },
      };
    },
    async setupUnreachable() {
      return {
        transport: createUnixTransport({ path: join(tmpdir(), 'missing.sock'), server: 'kit' }),
        teardown: async () => undefined,
      };
    },
  },
);
