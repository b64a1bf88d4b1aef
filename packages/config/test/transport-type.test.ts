import type { TransportPlugin } from '@mcp-fittings/client-core';
import { entrySchema, required, text } from '@mcp-fittings/toolbox/entries';
import { describe, expect, it } from 'vitest';
import { normalizeEntry } from '../src/entry/normalize.js';
import { layouts } from '../src/layout/built-in-layouts.js';
import { scratch, servers } from './support/scratch.js';

describe('the transport of an entry', () => {
  it.each([
    [{ command: 'x' }, { type: 'stdio', command: 'x' }],
    [{ url: 'u' }, { type: 'http', url: 'u' }],
    [{ httpUrl: 'u' }, { type: 'http', url: 'u' }],
    [{ serverUrl: 'u' }, { type: 'http', url: 'u' }],
    [
      { url: 'u', httpUrl: 'u' },
      { type: 'http', url: 'u' },
    ],
    [
      { type: 'sse', url: 'u' },
      { type: 'sse', url: 'u' },
    ],
    [
      { transportType: 'sse', url: 'u' },
      { type: 'sse', url: 'u' },
    ],
    [
      { type: 'ws', transportType: 'ws', url: 'u' },
      { type: 'ws', url: 'u' },
    ],
    [
      { type: 'streamable-http', url: 'u' },
      { type: 'http', url: 'u' },
    ],
    [
      { type: 'streamableHttp', transportType: 'http', url: 'u' },
      { type: 'http', url: 'u' },
    ],
    [
      { url: 'u', oauth: false },
      { type: 'http', url: 'u', oauth: { enabled: false } },
    ],
    [
      { type: 'sdk', name: 'in-process' },
      { type: 'sdk', name: 'in-process' },
    ],
    [
      { type: 'sse-ide', url: 'u' },
      { type: 'sse-ide', url: 'u' },
    ],
    [
      { type: 'pipe', path: '/tmp/x', command: 'x', url: 'u' },
      { type: 'pipe', path: '/tmp/x', command: 'x', url: 'u' },
    ],
    [
      { type: 'toString', url: 'u' },
      { type: 'toString', url: 'u' },
    ],
  ])('%j', (entry, config) => {
    expect(normalizeEntry(entry)).toEqual({ config, switchedOffBy: [] });
  });

  it.each([
    [{}, 'TYPE_MISSING', ''],
    [{ args: ['x'] }, 'TYPE_MISSING', ''],
    [{ command: 'x', url: 'u' }, 'TYPE_CONFLICT', 'url'],
    [{ type: 'sse', transportType: 'http', url: 'u' }, 'TYPE_CONFLICT', 'transportType'],
    [{ url: 'a', httpUrl: 'b' }, 'TYPE_CONFLICT', 'httpUrl'],
    [{ type: '${T}', url: 'a' }, 'VARIABLE_REFUSED', 'type'],
  ])('rejects %j', (entry, code, path) => {
    expect(normalizeEntry(entry)).toMatchObject({ issues: [{ code, path }] });
  });
});

describe('schemas of installed transports', () => {
  const plugin: TransportPlugin = {
    specVersion: 1,
    type: 'pipe',
    aliases: ['fifo'],
    schema: entrySchema({ path: required(text({ minLength: 1 })) }),
    create: () => expect.fail('no transport is made'),
  };

  it('validate the expanded entry, and name field and position', async () => {
    const place = await scratch({
      'home/.claude.json': servers({
        good: { type: 'pipe', path: '${P}' },
        bad: { type: 'fifo', path: '${E}' },
        none: { type: 'pipe' },
      }),
    });
    const config = await place.load({ layout: layouts.claude, plugins: [plugin], env: { P: '/x', E: '' } });
    expect(config.servers).toEqual({ good: { type: 'pipe', path: '/x' } });
    expect(config.problems).toMatchObject([
      { code: 'FIELD_INVALID', server: 'bad', path: 'path', line: 9 },
      { code: 'FIELD_INVALID', server: 'none', path: 'path', line: 11 },
    ]);
  });

  it('validate what an editor writes, unless it contains variables', async () => {
    const place = await scratch();
    const add = (fields: Record<string, string>) =>
      place
        .editor({ confirm: () => true, plugins: [plugin] })
        .addServer({ name: 's', scope: 'user', entry: { type: 'pipe', ...fields }, replace: true });
    await expect(add({ path: '' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { path: 'path' },
    });
    await expect(add({ path: '/x' })).resolves.toMatchObject({ changed: true });
    await expect(add({ path: '', label: '${L}' })).resolves.toMatchObject({ changed: true });
  });

  it('keeps a type without a plugin, so that the host can name the missing package', async () => {
    const place = await scratch({
      'home/.claude.json': servers({ s: { type: 'carrier-pigeon', url: 'https://x.example' } }),
    });
    const config = await place.load({ layout: layouts.claude, plugins: [plugin] });
    expect(config.problems).toMatchObject([
      { code: 'TYPE_UNKNOWN', severity: 'warning', hint: 'Installed: pipe.' },
    ]);
    expect(Object.keys(config.servers)).toEqual(['s']);
  });

  it('reports a validator that throws as a problem of that server', async () => {
    const throwing: TransportPlugin = {
      ...plugin,
      schema: {
        '~standard': {
          version: 1,
          vendor: 'x',
          validate: () => {
            throw new Error('boom');
          },
        },
      },
    };
    const place = await scratch({ 'home/.claude.json': servers({ s: { type: 'pipe' } }) });
    const config = await place.load({ layout: layouts.claude, plugins: [throwing] });
    expect(config).toMatchObject({ servers: {}, problems: [{ code: 'FIELD_INVALID', server: 's' }] });
  });
});
