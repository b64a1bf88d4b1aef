// A suite over a transport that leaves a timer behind when it is closed while it opens. Run by `node --test`.
import { describe, it } from 'node:test';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { createKitPeer } from '@mcp-fittings/testkit/peer';
import { transportSuite } from '@mcp-fittings/testkit/transport';

class Leaking extends BaseTransport {
  peer = createKitPeer({ send: (value) => setImmediate(() => this.receive(value)) });
  describe() {
    return {};
  }
  async open() {
    await new Promise((resolve) => setImmediate(resolve));
    setInterval(() => undefined, 60_000);
  }
  async write(message) {
    setImmediate(() => this.peer.receive(message));
  }
  async shutDown() {}
}

const only = {
  describe,
  it: (name, run) => (name.includes('promise job later') ? it(name, run) : undefined),
};
const capabilities = { largeMessageLength: 0 };
const setup = async () => ({ transport: new Leaking(), teardown: async () => undefined });
transportSuite(only, { name: 'leaking', capabilities, setup, deadlineMs: 300, hangMs: 500 });
