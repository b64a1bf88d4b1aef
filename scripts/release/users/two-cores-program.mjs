// Runs in a folder of its own, where `client-core` is an old version and `host` brings a newer one.
import assert from 'node:assert/strict';
import { createHost } from '@mcp-fittings/host';
import * as old from '@mcp-fittings/client-core';
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

/** A transport that throws errors of the old core. What it does is decided by its entry. */
class OldTransport {
  #mood;
  #wire;
  constructor(mood) {
    this.#mood = mood;
  }
  async start() {
    if (this.#mood === 'sign-in') throw new old.AuthRequiredError('Please sign in.', { server: 'sign-in' });
    if (this.#mood === 'broken') throw new old.TransportError('CONNECTION_REFUSED', 'No one is there.');
    const server = new McpServer({ name: 'greeter', version: '1.0.0' });
    server.registerTool('greet', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
    this.#wire = {
      start: async () => {},
      close: async () => {},
      send: async (message) => this.onmessage(message),
    };
    await server.connect(this.#wire);
  }
  async send(message) {
    queueMicrotask(() => this.#wire.onmessage(message));
  }
  async close() {
    this.onclose?.();
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

/** Accepts entries whose `mood` is text. */
const schema = {
  '~standard': {
    version: 1,
    vendor: 'old',
    validate: (value) =>
      typeof value.mood === 'string' ? { value } : { issues: [{ message: 'must be text', path: ['mood'] }] },
  },
};

const plugin = {
  specVersion: 1,
  type: 'old',
  schema,
  create: ({ mood }) => new OldTransport(mood),
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
