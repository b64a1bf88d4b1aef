import { describe, expect, it } from 'vitest';
import type { JSONRPCObject } from '@mcp-fittings/client-core';
import { readList } from '@mcp-fittings/host/engine';
import { createManualClock } from '@mcp-fittings/testkit/clock';
import { bench, discover, initialize, old, PATIENT, stateless, turn } from './support/wire.js';

describe('native(): the handshake', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('accepts %s', async (protocolVersion) => {
    const { wire, connect } = bench({
      initialize: () => ({ result: { protocolVersion, capabilities: {} } }),
    });
    const session = await connect();
    expect(session).toMatchObject({ protocolVersion, serverInfo: undefined, era: { kind: 'initialize' } });
    expect(wire.of('notifications/initialized')).toHaveLength(1);
  });

  it.each<[string, object, object | undefined]>([
    ['no name and version', {}, undefined],
    ['no version', { serverInfo: { name: 'wire' } }, undefined],
    ['null as its name and version', { serverInfo: null }, undefined],
    [
      'null as its title',
      { serverInfo: { name: 'wire', version: '1', title: null } },
      { name: 'wire', version: '1' },
    ],
    ['null as its instructions and metadata', { instructions: null, _meta: null }, undefined],
    [
      'null in and as a capability',
      { capabilities: { prompts: null, tools: { listChanged: null } } },
      undefined,
    ],
  ])('accepts a server that states %s', async (_case, gap, serverInfo) => {
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, ...gap };
    const { connect } = bench({
      initialize: () => ({ result }),
      'tools/list': () => ({ result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } }),
    });
    const session = await connect();
    expect(session.instructions).toBeUndefined();
    expect(session.serverInfo).toEqual(serverInfo);
    const options = { ...PATIENT, maxPages: 1, maxItems: 1 };
    expect((await readList(session, 'tools', options)).items).toHaveLength(1);
    expect((await readList(session, 'prompts', options)).items).toEqual([]);
  });

  it.each([
    ['an unknown revision', { protocolVersion: '1999-01-01', capabilities: {} }, 'VERSION_UNSUPPORTED'],
    ['no capabilities', { protocolVersion: '2025-11-25' }, 'PROTOCOL_VIOLATION'],
    ['a revision that is not a string', { protocolVersion: 1, capabilities: {} }, 'PROTOCOL_VIOLATION'],
    [
      'more than a host can keep',
      { protocolVersion: '2025-11-25', capabilities: {}, instructions: 'x'.repeat(2_000_000) },
      'RPC_ERROR',
    ],
  ])('refuses %s, and closes the transport', async (_case, result, code) => {
    const { wire, events, connect } = bench({ initialize: () => ({ result }) });
    await expect(connect()).rejects.toMatchObject({ code });
    expect(wire.closed).toBe(1);
    expect(events).toEqual([]);
  });

  it('asks once more if the server refuses the revision and supports it, and then gives up', async () => {
    const refused = { error: { code: -32_022, message: 'no', data: { supported: ['2026-07-28'] } } };
    let asked = 0;
    const later = bench({ 'server/discover': (...given) => (asked++ === 0 ? refused : discover(...given)) });
    expect((await later.connect()).protocolVersion).toBe('2026-07-28');
    const never = bench({ 'server/discover': () => refused, initialize });
    await expect(never.connect()).rejects.toMatchObject({ code: 'VERSION_UNSUPPORTED' });
    expect(never.wire.of('server/discover')).toHaveLength(2);
    expect(never.wire.of('initialize')).toEqual([]);
  });

  it('an answer to the probe that is not a discovery of a common revision stands for the older era', async () => {
    for (const result of [{}, { supportedVersions: ['2027-01-01'], capabilities: {} }]) {
      const { connect } = bench({ 'server/discover': () => ({ result }), initialize });
      expect(await connect()).toMatchObject({ protocolVersion: '2025-11-25', era: { kind: 'initialize' } });
    }
  });

  it('needs no probe with the era of an earlier connection, and probes again if that is not valid', async () => {
    const known = old();
    await known.connect({ era: { kind: 'initialize' } });
    expect(known.wire.of('server/discover')).toEqual([]);
    const { result } = discover({}, 1) as { readonly result: JSONRPCObject };
    const adopted = stateless();
    const session = await adopted.connect({ era: { kind: 'stateless', discover: result } });
    expect(adopted.wire.sent).toEqual([]);
    expect(session.protocolVersion).toBe('2026-07-28');
    const broken = stateless();
    await broken.connect({ era: { kind: 'stateless', discover: { supportedVersions: 'all' } } });
    expect(broken.wire.of('server/discover')).toHaveLength(1);
  });

  it('is not canceled on the server', async () => {
    const clock = createManualClock();
    const { wire, connect } = bench({ initialize: () => undefined });
    const connecting = connect({ clock, era: { kind: 'initialize' } });
    connecting.catch(() => undefined);
    await turn();
    await clock.advance(5000);
    await expect(connecting).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(wire.of('notifications/cancelled')).toEqual([]);
  });

  it('a connection that ends meanwhile rejects, and is not reported as closed', async () => {
    const { wire, events, connect } = bench({
      initialize() {
        void wire.close();
        return undefined;
      },
    });
    await expect(connect()).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    expect(events).toEqual([]);
  });
});
