// Runs in a folder of its own, where `client-core` is an old version and `host` brings a newer one.
import assert from 'node:assert/strict';
import { createHost } from '@mcp-fittings/host';
import * as old from '@mcp-fittings/client-core';
import { AuthRequiredError } from '@mcp-fittings/client-core';
import { BaseTransport } from '@mcp-fittings/toolbox/base-transport';
import { entrySchema, required, text } from '@mcp-fittings/toolbox/entries';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const fresh = await import(
  new URL(
    'node_modules/@mcp-fittings/host/node_modules/@mcp-fittings/client-core/dist/index.js',
    import.meta.url,
  )
);
assert.notEqual(old.FittingsError, fresh.FittingsError, 'these are two copies');

// Each copy recognizes the errors of the other.
for (const [made, asked] of [
  [old, fresh],
  [fresh, old],
]) {
  const lost = new made.TransportError('CONNECTION_LOST', 'gone', { delivery: 'unknown' });
  assert.ok(lost instanceof asked.TransportError && lost instanceof asked.FittingsError);
  assert.ok(!(lost instanceof asked.AuthRequiredError));
  assert.ok(new made.AuthRequiredError('sign in') instanceof asked.AuthRequiredError);
  assert.ok(!(new Error('plain') instanceof asked.FittingsError));
}

/** A transport of the old core. What it does is decided by its entry. */
class OldTransport extends BaseTransport {
  #entry;
  #answer;
  constructor(entry, server) {
    super({ server });
    this.#entry = entry;
  }
  async open() {
    if (this.#entry.mood === 'sign-in') throw new AuthRequiredError('Please sign in.', { server: 'sign-in' });
    if (this.#entry.mood === 'broken') throw this.error('CONNECTION_REFUSED', 'No one is there.');
    const server = new McpServer({ name: 'greeter', version: '1.0.0' });
    server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
    const wire = {
      start: async () => {},
      close: async () => {},
      send: async (message) => this.receive(message),
    };
    await server.connect(wire);
    this.#answer = (message) => wire.onmessage(message);
  }
  async write(message) {
    queueMicrotask(() => this.#answer(message));
  }
  async shutDown() {}
  describe() {
    return {};
  }
}

const plugin = {
  specVersion: 1,
  type: 'old',
  schema: entrySchema({ mood: required(text()) }),
  create: (entry, { server }) => new OldTransport(entry, server),
};

const host = createHost({ name: 'two-cores', version: '1.0.0', transports: [plugin] });
await host.connect({
  good: { type: 'old', mood: 'good' },
  'sign-in': { type: 'old', mood: 'sign-in' },
  broken: { type: 'old', mood: 'broken' },
  wrong: { type: 'old', mood: 7 },
});
assert.equal(host.server('good').state.status, 'connected');
const { content } = await host.callTool({ server: 'good', tool: 'greet' });
assert.deepEqual(content, [{ type: 'text', text: 'hello' }]);
assert.equal(host.server('sign-in').state.status, 'needs-auth', 'an old AuthRequiredError asks for a person');
for (const [server, code] of [
  ['broken', 'CONNECTION_REFUSED'],
  ['wrong', 'CONFIG_INVALID'],
]) {
  const { state } = host.server(server);
  assert.equal(state.error?.code, code, server);
  assert.ok(state.error instanceof old.FittingsError && state.error instanceof fresh.FittingsError);
}
// And what the new host throws is an error to a program that holds the old core.
const refused = await host.callTool({ server: 'unknown', tool: 'x' }).catch((error) => error);
assert.ok(refused instanceof old.FittingsError && refused.code === 'SERVER_UNKNOWN');
await host.close();
