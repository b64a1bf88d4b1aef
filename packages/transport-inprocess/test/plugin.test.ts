import { inprocess, type ControlChannel } from '@mcp-fittings/transport-inprocess';
import { describe, expect, it, vi } from 'vitest';
import { makeClientV1 } from './support/sdk-clients.js';
import { makeServerV1, makeServerV2 } from './support/sdk-servers.mjs';

const context = { server: 'notes' };

describe('inprocess()', () => {
  it("is of the type 'sdk', also spelled 'inprocess'", () => {
    expect(inprocess({})).toMatchObject({ specVersion: 1, type: 'sdk', aliases: ['inprocess'] });
  });

  it('connects to the server that the entry names, by default the one with its own name', () => {
    const plugin = inprocess({ servers: { notes: makeServerV1, other: makeServerV2 } });
    expect(plugin.create({}, context).describe?.()).toMatchObject({ server: 'notes' });
    expect(plugin.create({ name: 'other' }, context).describe?.()).toMatchObject({ server: 'other' });
  });

  it('creates a server for each connection', async () => {
    const notes = vi.fn(() => makeServerV1());
    const plugin = inprocess({ servers: { notes } });
    const clients = [makeClientV1(), makeClientV1()];
    for (const client of clients) await client.connect(plugin.create({}, context));
    expect(notes).toHaveBeenCalledTimes(2);
    for (const client of clients) expect(await client.tools()).toContain('add');
    await Promise.all(clients.map((client) => client.close()));
  });

  it('rejects an unknown name and lists the known ones', () => {
    const plugin = inprocess({ servers: { notes: makeServerV1 } });
    const create = (name: string) => () => plugin.create({ name }, context);
    expect(create('nodes')).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        kind: 'config',
        hint: 'The known names are: notes.',
      }),
    );
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(create(name)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
    expect(create('a\u001b[2Jb')).toThrow('There is no in-process server named "ab".');
  });

  it('validates entries: the name is a non-empty string, undeclared fields are dropped', () => {
    const { validate } = inprocess({}).schema['~standard'];
    expect(validate({ type: 'sdk', name: 'x', timeout: 1 })).toEqual({ value: { name: 'x' } });
    expect(validate({})).toEqual({ value: {} });
    expect(validate({ name: '' })).toMatchObject({ issues: [{ path: ['name'] }] });
    expect(validate({ name: 7 })).toMatchObject({ issues: [{ path: ['name'] }] });
    expect(validate(JSON.parse('{"__proto__":{"name":"x"}}'))).toEqual({ value: {} });
  });

  it('uses the control channel for every other name', () => {
    const channel: ControlChannel = { send: () => undefined, subscribe: () => () => undefined };
    const plugin = inprocess({ servers: { notes: makeServerV1 }, channel });
    expect(plugin.create({ name: 'vscode' }, context).describe?.()).toMatchObject({
      channel: true,
      server: 'vscode',
    });
    expect(plugin.create({}, context).describe?.()).not.toHaveProperty('channel');
  });
});
